/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards channels of zeros: concats that dense convolutions read get them up to a multiple of four, the results keep their bits, a second time
 * nothing changes, and no concat that somebody else reads, or that has room for no further input, is touched.  Weights that convolutions share are
 * copied once, and where constants have no room left the graph stays as it is.
 */
#include "op_check.h"

#include "opencl/ocl_channels.h"

#define SHAPE(...) (const int64_t[]){__VA_ARGS__}

static int32_t concat(struct vrs_graph *graph, int count, const int32_t *inputs)
{
	struct vrs_node node = op_node(VRS_OP_CONCAT, inputs[0]);
	node.inputs = count;
	memcpy(node.in, inputs, (size_t)count * sizeof *inputs);
	node.u.concat.axis = 3;
	return node_emit(graph, &node, VRS_F32);
}

static int32_t conv(struct vrs_graph *graph, int32_t x, int64_t outputs, int kernel, int groups)
{
	struct vrs_node node = op_node(VRS_OP_CONV, x);
	int64_t channels = graph->tensors[x].dims[3];
	node.in[1] = node_const(graph, 4, SHAPE(outputs, kernel, kernel, channels / groups), 0.5, 3);
	node.in[2] = -1;
	node.inputs = 3;
	node.u.window = (struct vrs_window){
		.kernel_h = kernel, .kernel_w = kernel, .stride_h = 1, .stride_w = 1, .dilation_h = 1, .dilation_w = 1, .pad_top = kernel / 2,
		.pad_left = kernel / 2, .pad_bottom = kernel / 2, .pad_right = kernel / 2, .groups = groups,
	};
	return node_emit(graph, &node, VRS_F32);
}

/* Two maps of 5 x 7, of 6 channels together or another number. */
static int32_t two_maps(struct vrs_graph *graph, int64_t second)
{
	vrs_graph_init(graph);
	int32_t a = node_input(graph, 4, SHAPE(2, 5, 7, 4)), b = node_input(graph, 4, SHAPE(2, 5, 7, second));
	return concat(graph, 2, (const int32_t[]){a, b});
}

static void add_output(struct vrs_graph *graph, int32_t tensor)
{
	graph->outputs[graph->output_count++] = tensor;
}

static struct node_result result_of(const struct vrs_graph *graph)
{
	struct vrs_graph copy;
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};
	assert_int_equal(vrs_graph_copy(&copy, graph), VRS_OK);
	if (vrs_graph_infer(&copy, &err) != VRS_OK || vrs_model_from_graph(&model, &copy, "channels", &err) != VRS_OK)
		fail_msg("%s", err.text);
	struct node_result result = node_run(model, "ref", 1, "channels");
	vrs_model_destroy(model);
	vrs_graph_fini(&copy);
	return result;
}

/* Filled, with the same bits; both convolutions that read it have their own weights. */
static void test_filled(void **state)
{
	struct vrs_graph graph;
	int32_t wide = two_maps(&graph, 3);
	(void)state;
	add_output(&graph, conv(&graph, wide, 5, 3, 1));
	add_output(&graph, conv(&graph, wide, 2, 1, 1));
	struct node_result before = result_of(&graph);
	assert_int_equal(vrs_ocl_fill_channels(&graph), VRS_OK);
	assert_int_equal(graph.tensors[wide].dims[3], 8);
	assert_int_equal(graph.nodes[0].inputs, 3);
	for (int i = 1; i <= 2; i++)
		assert_int_equal(graph.tensors[graph.nodes[i].in[1]].dims[3], 8);
	struct node_result after = result_of(&graph);
	assert_int_equal(before.bytes, after.bytes);
	assert_memory_equal(before.data, after.data, before.bytes);
	int32_t tensors = graph.tensor_count;
	assert_int_equal(vrs_ocl_fill_channels(&graph), VRS_OK);
	assert_int_equal(graph.tensor_count, tensors);
	free(before.data); /* libc: see node_run_as */
	free(after.data); /* libc: see node_run_as */
	vrs_graph_fini(&graph);
}

static void check_untouched(struct vrs_graph *graph, int32_t wide, const char *what)
{
	int64_t channels = graph->tensors[wide].dims[3];
	int32_t tensors = graph->tensor_count;
	assert_int_equal(vrs_ocl_fill_channels(graph), VRS_OK);
	if (graph->tensors[wide].dims[3] != channels || graph->tensor_count != tensors)
		fail_msg("%s: changed", what);
	vrs_graph_fini(graph);
}

static void test_untouched(void **state)
{
	struct vrs_graph graph;
	int32_t wide = two_maps(&graph, 4);
	(void)state;
	add_output(&graph, conv(&graph, wide, 5, 3, 1));
	check_untouched(&graph, wide, "a multiple of four");

	wide = two_maps(&graph, 3);
	add_output(&graph, conv(&graph, wide, 5, 3, 1));
	add_output(&graph, wide);
	check_untouched(&graph, wide, "an output");

	wide = two_maps(&graph, 3);
	struct vrs_node node = op_node(VRS_OP_UNARY, wide);
	node.act = VRS_ACT_RELU;
	add_output(&graph, conv(&graph, wide, 5, 3, 1));
	add_output(&graph, node_emit(&graph, &node, VRS_F32));
	check_untouched(&graph, wide, "another reader");

	wide = two_maps(&graph, 2);
	add_output(&graph, conv(&graph, wide, 6, 3, 2));
	check_untouched(&graph, wide, "groups");

	wide = two_maps(&graph, 3);
	int32_t y = conv(&graph, wide, 7, 1, 1);
	graph.nodes[graph.node_count - 1].residual = wide;
	add_output(&graph, y);
	check_untouched(&graph, wide, "added to what reads it");

	vrs_graph_init(&graph);
	int32_t x = node_input(&graph, 4, SHAPE(1, 2, 2, 1)), all[VRS_NODE_MAX_INPUTS];
	for (int k = 0; k < VRS_NODE_MAX_INPUTS; k++)
		all[k] = k == 0 ? node_input(&graph, 4, SHAPE(1, 2, 2, 2)) : x;
	wide = concat(&graph, VRS_NODE_MAX_INPUTS, all);
	add_output(&graph, conv(&graph, wide, 2, 1, 1));
	check_untouched(&graph, wide, "no room");
}

/* Sixty convolutions of one concat that share weights of 180 KiB, which become 288 KiB; `left`: bytes that constants may take more. */
static void check_shared(size_t left, bool filled)
{
	enum { READERS = 60, OUTPUTS = 1024, ADDED = OUTPUTS * 9 * 8 * 4 + 2 * 5 * 7 * 3 * 4 };
	struct vrs_graph graph;
	int32_t wide = two_maps(&graph, 1), first = conv(&graph, wide, OUTPUTS, 3, 1), weights = graph.nodes[graph.node_count - 1].in[1];
	add_output(&graph, first);
	for (int i = 1; i < READERS; i++) {
		struct vrs_node node = graph.nodes[graph.node_count - 1];
		node.u.window.pad_top = i % 3;
		node_emit(&graph, &node, VRS_F32);
	}
	size_t before = graph.const_bytes;
	graph.const_limit = before + left;
	assert_int_equal(vrs_ocl_fill_channels(&graph), VRS_OK);
	assert_int_equal(graph.const_bytes - before, filled ? ADDED : 0);
	assert_int_equal(graph.tensors[wide].dims[3], filled ? 8 : 5);
	assert_int_equal(graph.nodes[0].inputs, filled ? 3 : 2);
	for (int i = 1; i <= READERS; i++) {
		assert_int_equal(graph.nodes[i].in[1], graph.nodes[1].in[1]);
		assert_true((graph.nodes[i].in[1] != weights) == filled);
	}
	assert_int_equal(vrs_graph_validate(&graph, NULL), VRS_OK);
	vrs_graph_fini(&graph);
}

static void test_shared(void **state)
{
	(void)state;
	check_shared((size_t)1 << 20, true);
	check_shared((size_t)1 << 18, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_filled), cmocka_unit_test(test_untouched), cmocka_unit_test(test_shared)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
