/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards what the neural-network operators of an ONNX file become: weights turned and folded at import, products with constants as convolutions,
 * sizes that follow the picture, and one message for all that is not supported.  (What they compute: tests/onnx.)
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/graph/onnx_nodes.h"

#define FLOAT ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT

static float numbers[256];

static void constant(struct onnx_nodes *n, const char *name, int rank, const int64_t *dims)
{
	size_t count = 1;

	for (int i = 0; i < rank; i++)
		count *= (size_t)dims[i];
	for (int i = 0; i < 256; i++)
		numbers[i] = (float)i;
	assert_true(count <= 256);
	nodes_constant(n, name, FLOAT, rank, dims, numbers, count * sizeof(float));
}

static struct vrs_graph import(struct onnx_nodes *n)
{
	struct vrs_graph graph;
	struct vrs_error err = {0};

	if (nodes_import(n, &graph, &err) != VRS_OK)
		fail_msg("%s", err.text);
	return graph;
}

/* The only live node of a kind. */
static const struct vrs_node *find(const struct vrs_graph *graph, enum vrs_op op)
{
	const struct vrs_node *found = NULL;

	for (int32_t i = 0; i < graph->node_count; i++)
		if (!graph->nodes[i].dead && graph->nodes[i].op == op) {
			assert_null(found);
			found = &graph->nodes[i];
		}
	assert_non_null(found);
	return found;
}

static bool has(const struct vrs_graph *graph, enum vrs_op op)
{
	for (int32_t i = 0; i < graph->node_count; i++)
		if (!graph->nodes[i].dead && graph->nodes[i].op == op)
			return true;
	return false;
}

/* OIHW becomes OHWI: the second number of a channel's first pixel is the first of its second input channel. */
static void test_conv_weights(void **state)
{
	struct onnx_nodes *n = nodes_new(17);
	struct vrs_graph graph;
	const struct vrs_graph_tensor *w;

	(void)state;
	nodes_input(n, "x", 4, (const int64_t[]){1, 2, 8, 8});
	constant(n, "w", 4, (const int64_t[]){3, 2, 3, 3});
	nodes_add(n, "Conv", (char[]){"x w"}, (char[]){"y"});
	nodes_output(n, "y");
	graph = import(n);
	w = &graph.tensors[find(&graph, VRS_OP_CONV)->in[1]];
	assert_non_null(w->data);
	assert_int_equal(w->dims[3], 2);
	assert_true(((const float *)w->data)[1] == 9);
	assert_int_equal(graph.tensors[graph.outputs[0]].dims[1], 3);
	vrs_graph_fini(&graph);
}

static void test_depthwise(void **state)
{
	struct onnx_nodes *n = nodes_new(17);
	struct vrs_graph graph;
	const struct vrs_node *conv;

	(void)state;
	nodes_input(n, "x", 3, (const int64_t[]){1, 4, 9}); /* one spatial dimension */
	constant(n, "w", 3, (const int64_t[]){8, 1, 3});
	nodes_add(n, "Conv", (char[]){"x w"}, (char[]){"y"});
	nodes_int(n, "group", 4);
	nodes_text(n, "auto_pad", "SAME_LOWER");
	nodes_output(n, "y");
	graph = import(n);
	conv = find(&graph, VRS_OP_CONV);
	assert_true(vrs_node_is_depthwise(&graph, conv));
	assert_true(conv->u.window.same && conv->u.window.lower);
	assert_int_equal(graph.tensors[conv->in[1]].dims[2], 8);
	assert_int_equal(graph.tensors[graph.outputs[0]].rank, 3);
	assert_int_equal(graph.tensors[graph.outputs[0]].dims[2], 9);
	vrs_graph_fini(&graph);
}

static void test_products(void **state)
{
	struct onnx_nodes *n = nodes_new(17);
	struct vrs_graph graph;
	const struct vrs_node *conv;

	(void)state;
	nodes_input(n, "x", 2, (const int64_t[]){5, 4});
	constant(n, "w", 2, (const int64_t[]){6, 4});
	constant(n, "b", 1, (const int64_t[]){6});
	nodes_add(n, "Gemm", (char[]){"x w b"}, (char[]){"y"});
	nodes_int(n, "transB", 1);
	nodes_output(n, "y");
	graph = import(n);
	conv = find(&graph, VRS_OP_CONV);
	assert_int_equal(graph.tensors[conv->in[1]].dims[0], 6);
	assert_true(conv->in[2] >= 0 && graph.tensors[conv->in[2]].data != NULL);
	assert_false(has(&graph, VRS_OP_MATMUL));
	vrs_graph_fini(&graph);

	n = nodes_new(17);
	nodes_input(n, "x", 3, (const int64_t[]){2, 5, 4});
	nodes_add(n, "Transpose", (char[]){"x"}, (char[]){"t"});
	nodes_ints(n, "perm", 3, (int64_t[]){0, 2, 1});
	nodes_add(n, "MatMul", (char[]){"x t"}, (char[]){"y"});
	nodes_output(n, "y");
	graph = import(n);
	(void)find(&graph, VRS_OP_MATMUL);
	assert_false(has(&graph, VRS_OP_CONV));
	vrs_graph_fini(&graph);
}

/* x is enlarged to twice the size of the picture, whatever that is when a session chooses it. */
static void test_computed_size(void **state)
{
	const float twice[] = {1, 1, 2, 2};
	struct onnx_nodes *n = nodes_new(17);
	struct vrs_graph graph;

	(void)state;
	nodes_input(n, "x", 4, (const int64_t[]){1, 3, -1, -1});
	nodes_constant(n, "k", FLOAT, 1, (const int64_t[]){4}, twice, sizeof twice);
	nodes_add(n, "Shape", (char[]){"x"}, (char[]){"s"});
	nodes_add(n, "Cast", (char[]){"s"}, (char[]){"f"});
	nodes_int(n, "to", FLOAT);
	nodes_add(n, "Mul", (char[]){"f k"}, (char[]){"g"});
	nodes_add(n, "Cast", (char[]){"g"}, (char[]){"z"});
	nodes_int(n, "to", ONNX__TENSOR_PROTO__DATA_TYPE__INT64);
	nodes_add(n, "Resize", (char[]){"x - - z"}, (char[]){"y"});
	nodes_text(n, "mode", "linear");
	nodes_output(n, "y");
	graph = import(n);
	assert_int_equal(vrs_graph_set_dims(&graph, 0, 4, (const int64_t[]){1, 3, 10, 14}, NULL), VRS_OK);
	assert_int_equal(vrs_graph_infer(&graph, NULL), VRS_OK);
	assert_int_equal(graph.tensors[graph.outputs[0]].dims[2], 20);
	assert_int_equal(graph.tensors[graph.outputs[0]].dims[3], 28);
	assert_true(find(&graph, VRS_OP_RESIZE)->u.resize.plain);
	vrs_graph_fini(&graph);
}

/* Constant sizes of a network of a fixed size are taken as a scale. */
static void test_sizes_follow(void **state)
{
	const int64_t to[] = {1, 3, 16, 32};
	struct onnx_nodes *n = nodes_new(17);
	struct vrs_graph graph;

	(void)state;
	nodes_input(n, "x", 4, (const int64_t[]){1, 3, 8, 16});
	nodes_constant(n, "z", ONNX__TENSOR_PROTO__DATA_TYPE__INT64, 1, (const int64_t[]){4}, to, sizeof to);
	nodes_add(n, "Resize", (char[]){"x - - z"}, (char[]){"y"});
	nodes_output(n, "y");
	graph = import(n);
	assert_int_equal(vrs_graph_set_input(&graph, 1, 10, 20, NULL), VRS_OK);
	assert_int_equal(graph.tensors[graph.outputs[0]].dims[2], 20);
	assert_int_equal(graph.tensors[graph.outputs[0]].dims[3], 40);
	vrs_graph_fini(&graph);
}

static void test_quantised_conv(void **state)
{
	static const uint8_t bytes[36];
	const int64_t w_dims[] = {4, 1, 3, 3};
	struct onnx_nodes *n = nodes_new(17);
	struct vrs_graph graph;
	const struct vrs_node *conv;

	(void)state;
	nodes_input(n, "f", 4, (const int64_t[]){1, 1, 6, 6});
	constant(n, "s", 0, NULL);
	numbers[0] = 0.5F;
	nodes_constant(n, "z", ONNX__TENSOR_PROTO__DATA_TYPE__UINT8, 0, NULL, bytes, 1);
	nodes_constant(n, "w", ONNX__TENSOR_PROTO__DATA_TYPE__UINT8, 4, w_dims, bytes, sizeof bytes);
	nodes_add(n, "QuantizeLinear", (char[]){"f s z"}, (char[]){"x"});
	nodes_add(n, "QLinearConv", (char[]){"x s z w s z s z"}, (char[]){"y"});
	nodes_add(n, "DequantizeLinear", (char[]){"y s z"}, (char[]){"o"});
	nodes_output(n, "o");
	graph = import(n);
	conv = find(&graph, VRS_OP_CONV);
	assert_non_null(graph.tensors[conv->in[1]].data);
	assert_true(has(&graph, VRS_OP_QUANTIZE) && has(&graph, VRS_OP_DEQUANTIZE));
	assert_int_equal(graph.tensors[graph.outputs[0]].dims[1], 4);
	vrs_graph_fini(&graph);
}

/* A fill value as an attribute, as old files have it, and as a wide integer. */
static void test_pad_values(void **state)
{
	static const int64_t wide = (1LL << 60) + 1;
	struct onnx_nodes *n = nodes_new(10);
	struct vrs_graph graph;
	float old;

	(void)state;
	nodes_input(n, "x", 2, (const int64_t[]){1, 2});
	nodes_add(n, "Pad", (char[]){"x"}, (char[]){"y"});
	nodes_ints(n, "pads", 4, (int64_t[]){0, 1, 0, 0});
	nodes_float(n, "value", 0.1f);
	nodes_output(n, "y");
	graph = import(n);
	assert_int_equal(vrs_graph_infer(&graph, NULL), VRS_OK);
	memcpy(&old, find(&graph, VRS_OP_PAD)->u.pad.fill, sizeof old);
	assert_true(old == 0.1f);
	vrs_graph_fini(&graph);

	n = nodes_new(17);
	nodes_input(n, "x", 2, (const int64_t[]){1, 2});
	nodes_constant(n, "pads", ONNX__TENSOR_PROTO__DATA_TYPE__INT64, 1, (const int64_t[]){4}, (const int64_t[]){0, 1, 0, 0}, 32);
	nodes_constant(n, "value", ONNX__TENSOR_PROTO__DATA_TYPE__INT64, 0, NULL, &wide, sizeof wide);
	nodes_add(n, "Cast", (char[]){"x"}, (char[]){"integer"});
	nodes_int(n, "to", ONNX__TENSOR_PROTO__DATA_TYPE__INT64);
	nodes_add(n, "Pad", (char[]){"integer pads value"}, (char[]){"padded"});
	nodes_add(n, "Cast", (char[]){"padded"}, (char[]){"y"});
	nodes_int(n, "to", FLOAT);
	nodes_output(n, "y");
	graph = import(n);
	assert_int_equal(vrs_graph_infer(&graph, NULL), VRS_OK);
	assert_memory_equal(find(&graph, VRS_OP_PAD)->u.pad.fill, &wide, sizeof wide);
	vrs_graph_fini(&graph);
}

/* The attribute has the type of what is filled, also where the shape of that depends on the picture's. */
static void test_pad_of_open_shape(void **state)
{
	struct onnx_nodes *n = nodes_new(10);
	struct vrs_graph graph;

	(void)state;
	nodes_input(n, "x", 2, (const int64_t[]){1, -1});
	nodes_constant(n, "sizes", ONNX__TENSOR_PROTO__DATA_TYPE__INT64, 1, (const int64_t[]){2}, (const int64_t[]){2, 3}, 16);
	nodes_add(n, "Reshape", (char[]){"x sizes"}, (char[]){"r"});
	nodes_add(n, "Cast", (char[]){"r"}, (char[]){"integer"});
	nodes_int(n, "to", ONNX__TENSOR_PROTO__DATA_TYPE__INT64);
	nodes_add(n, "Pad", (char[]){"integer"}, (char[]){"y"});
	nodes_ints(n, "pads", 4, (int64_t[]){0, 0, 1, 1});
	nodes_output(n, "y");
	graph = import(n);
	assert_int_equal(graph.tensors[find(&graph, VRS_OP_PAD)->in[2]].dtype, VRS_I64);
	vrs_graph_fini(&graph);
}

/* One message names every node that lacks something. */
static void test_unsupported(void **state)
{
	struct onnx_nodes *n = nodes_new(17);
	struct vrs_graph graph;
	struct vrs_error err = {0};

	(void)state;
	nodes_input(n, "x", 5, (const int64_t[]){1, 3, 4, 4, 4});
	constant(n, "c", 1, (const int64_t[]){3});
	nodes_add(n, "MaxPool", (char[]){"x"}, (char[]){"deep"});
	nodes_ints(n, "kernel_shape", 3, (int64_t[]){2, 2, 2});
	nodes_add(n, "BatchNormalization", (char[]){"x c c c c"}, (char[]){"trained"});
	nodes_int(n, "training_mode", 1);
	nodes_output(n, "deep");
	nodes_output(n, "trained");
	assert_int_equal(nodes_import(n, &graph, &err), VRS_EUNSUPPORTED);
	assert_non_null(strstr(err.text, "3 spatial dimensions"));
	assert_non_null(strstr(err.text, "deep"));
	assert_non_null(strstr(err.text, "training_mode"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_conv_weights),  cmocka_unit_test(test_depthwise),     cmocka_unit_test(test_products),
		cmocka_unit_test(test_computed_size), cmocka_unit_test(test_sizes_follow), cmocka_unit_test(test_quantised_conv),
		cmocka_unit_test(test_pad_values), cmocka_unit_test(test_pad_of_open_shape), cmocka_unit_test(test_unsupported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
