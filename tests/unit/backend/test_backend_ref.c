/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: the reference gives the values that another engine computes for every operator (tests/files/tflite/NAME.f32, made with LiteRT), so
 * that comparing backends with it means something; values worked out by hand for what those files leave out; half storage rounds; the null
 * backend gives zeros.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <vrseg/session.h>

#include "base/file.h"
#include "graph/model_graph.h"

static struct vrs_session *open_session(const struct vrs_model *model, const char *backend, bool fusion, enum vrs_precision precision)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_session *session = NULL;
	struct vrs_error err = {0};

	options.backend = backend;
	options.fusion = fusion;
	options.precision = precision;
	options.threads = 2;
	if (vrs_session_create(&session, model, &options, &err) != VRS_OK)
		fail_msg("%s: %s", backend, err.text);
	return session;
}

static void check_file(const char *name, const char *backend, bool fusion)
{
	char path[1024];
	struct vrs_model *model = NULL;
	struct vrs_session *session;
	struct vrs_error err = {0};
	struct vrs_tensor_view in, out;
	struct vrs_buf want;

	snprintf(path, sizeof path, "%s/files/tflite/%s.tflite", VRS_TEST_DIR, name);
	if (vrs_model_load(&model, path, &err) != VRS_OK)
		fail_msg("%s", err.text);
	snprintf(path, sizeof path, "%s/files/tflite/%s.f32", VRS_TEST_DIR, name);
	assert_int_equal(vrs_file_read(path, 1 << 20, &want, &err), VRS_OK);
	session = open_session(model, backend, fusion, VRS_PRECISION_FP32);
	in = vrs_session_input(session, 0);
	for (size_t i = 0; i < in.elements; i++)
		in.data[i] = (float)((int)(i * 37 % 101) - 50) / 50.0f;
	assert_int_equal(vrs_session_run(session, &err), VRS_OK);
	out = vrs_session_output(session, 0);
	assert_int_equal(want.len, out.elements * sizeof(float));
	for (size_t i = 0; i < out.elements; i++) {
		float value;

		memcpy(&value, want.data + i * sizeof value, sizeof value);
		if (!(fabs((double)value - (double)out.data[i]) <= 1e-5))
			fail_msg("%s on %s, fusion %d, value %zu: %g, expected %g", name, backend, fusion, i, (double)out.data[i], (double)value);
	}
	vrs_buf_fini(&want);
	vrs_session_destroy(session);
	vrs_model_destroy(model);
}

static void test_against_other_engine(void **state)
{
	static const char *const names[] = {
		"good-conv", "good-depthwise", "good-transpose-conv", "good-resize-bilinear", "good-resize-nearest", "good-pool", "good-elementwise",
		"good-shape", "good-dense",
	};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		for (int fusion = 0; fusion < 2; fusion++) {
			check_file(names[i], "ref", fusion != 0);
			check_file(names[i], "cpu", fusion != 0);
		}
}

/* Graph of one map in, built node by node. */
static int32_t add_input(struct vrs_graph *graph, int64_t h, int64_t w, int64_t c)
{
	struct vrs_graph_tensor tensor = {.name = "x", .dtype = VRS_F32, .rank = 4, .dims = {1, h, w, c}};

	graph->inputs[graph->input_count++] = vrs_graph_add_tensor(graph, &tensor);
	return graph->inputs[0];
}

static int32_t add_node(struct vrs_graph *graph, struct vrs_node *node)
{
	struct vrs_graph_tensor tensor = {.name = "y", .dtype = VRS_F32};

	node->out = vrs_graph_add_tensor(graph, &tensor);
	assert_true(vrs_graph_add_node(graph, node) >= 0);
	return node->out;
}

/* Run the graph on the reference and compare output 0 with n values. */
static void expect_values(struct vrs_graph *graph, const float *in, size_t in_count, const float *want, size_t n, enum vrs_precision precision)
{
	struct vrs_model *model = NULL;
	struct vrs_session *session;
	struct vrs_error err = {0};

	if (vrs_model_from_graph(&model, graph, "hand", &err) != VRS_OK)
		fail_msg("%s", err.text);
	vrs_graph_fini(graph);
	session = open_session(model, "ref", true, precision);
	assert_int_equal(vrs_session_input(session, 0).elements, in_count);
	memcpy(vrs_session_input(session, 0).data, in, in_count * sizeof *in);
	assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
	assert_int_equal(vrs_session_output(session, 0).elements, n);
	for (size_t i = 0; i < n; i++)
		if (!(fabs((double)vrs_session_output(session, 0).data[i] - (double)want[i]) <= 1e-6))
			fail_msg("value %zu: %.9g, expected %.9g", i, (double)vrs_session_output(session, 0).data[i], (double)want[i]);
	vrs_session_destroy(session);
	vrs_model_destroy(model);
}

static void test_grouped_conv(void **state)
{
	const int64_t dims[4] = {2, 1, 1, 2};
	const float weights[4] = {1, 2, 3, 4}, in[4] = {1, 10, 100, 1000}, want[2] = {21, 4300};
	struct vrs_graph graph;
	struct vrs_node node;

	(void)state;
	vrs_graph_init(&graph);
	vrs_node_init(&node, VRS_OP_CONV, "grouped");
	node.inputs = 2;
	node.in[0] = add_input(&graph, 1, 1, 4);
	node.in[1] = vrs_graph_add_const(&graph, "w", VRS_F32, 4, dims, weights);
	node.u.window.groups = 2;
	graph.outputs[graph.output_count++] = add_node(&graph, &node);
	expect_values(&graph, in, 4, want, 2, VRS_PRECISION_FP32);
}

/* Residual before and after the activation: relu(x - 3 + x) and relu(x - 3) + x, for x = 2 (1x1 convolution with weight 1, bias -3). */
static void test_residual_order(void **state)
{
	(void)state;
	for (int before = 0; before < 2; before++) {
		const int64_t dims[4] = {1, 1, 1, 1};
		const float one = 1, bias = -3, in = 2, want = before ? 1 : 2;
		struct vrs_graph graph;
		struct vrs_node node;

		vrs_graph_init(&graph);
		vrs_node_init(&node, VRS_OP_CONV, "conv");
		node.inputs = 3;
		node.in[0] = add_input(&graph, 1, 1, 1);
		node.in[1] = vrs_graph_add_const(&graph, "w", VRS_F32, 4, dims, &one);
		node.in[2] = vrs_graph_add_const(&graph, "b", VRS_F32, 1, dims, &bias);
		node.act = VRS_ACT_RELU;
		node.residual = node.in[0];
		node.residual_before = before != 0;
		graph.outputs[graph.output_count++] = add_node(&graph, &node);
		expect_values(&graph, &in, 1, &want, 1, VRS_PRECISION_FP32);
	}
}

static void test_average_counting_pads(void **state)
{
	const float in[4] = {4, 8, 12, 16};

	(void)state;
	for (int count = 0; count < 2; count++) {
		const float want[4] = {count ? 1 : 4, count ? 2 : 8, count ? 3 : 12, count ? 4 : 16};
		struct vrs_graph graph;
		struct vrs_node node;

		vrs_graph_init(&graph);
		vrs_node_init(&node, VRS_OP_POOL_AVG, "pool");
		node.inputs = 1;
		node.in[0] = add_input(&graph, 2, 2, 1);
		node.u.window.kernel_h = node.u.window.kernel_w = node.u.window.stride_h = node.u.window.stride_w = 2;
		node.u.window.pad_top = node.u.window.pad_left = node.u.window.pad_bottom = node.u.window.pad_right = 1;
		node.u.window.count_pad = count != 0;
		graph.outputs[graph.output_count++] = add_node(&graph, &node);
		expect_values(&graph, in, 4, want, 4, VRS_PRECISION_FP32);
	}
}

/* 2049 is not a half: as a weight it becomes 2048, as a value between two nodes too; inputs and outputs stay. */
static void test_half_storage(void **state)
{
	const int64_t dims[4] = {1, 1, 1, 1};
	const float weight = 2049, in[1] = {1}, half_want[1] = {2048}, want[1] = {2049};

	(void)state;
	for (int half = 0; half < 2; half++) {
		struct vrs_graph graph;
		struct vrs_node node;

		vrs_graph_init(&graph);
		vrs_node_init(&node, VRS_OP_CONV, "conv");
		node.inputs = 2;
		node.in[0] = add_input(&graph, 1, 1, 1);
		node.in[1] = vrs_graph_add_const(&graph, "w", VRS_F32, 4, dims, &weight);
		graph.outputs[graph.output_count++] = add_node(&graph, &node);
		expect_values(&graph, in, 1, half ? half_want : want, 1, half ? VRS_PRECISION_FP16 : VRS_PRECISION_FP32);

		vrs_graph_init(&graph);
		vrs_node_init(&node, VRS_OP_UNARY, "a"); /* its value is stored */
		node.act = VRS_ACT_RELU;
		node.inputs = 1;
		node.in[0] = add_input(&graph, 1, 1, 1);
		(void)add_node(&graph, &node); /* checks itself */
		vrs_node_init(&node, VRS_OP_GLOBAL_AVG, "b");
		node.inputs = 1;
		node.in[0] = graph.nodes[0].out;
		graph.outputs[graph.output_count++] = add_node(&graph, &node);
		expect_values(&graph, want, 1, half ? half_want : want, 1, half ? VRS_PRECISION_FP16 : VRS_PRECISION_FP32);
	}
}

static void test_null_backend(void **state)
{
	struct vrs_graph graph;
	struct vrs_node node;
	struct vrs_model *model = NULL;
	struct vrs_session *session;

	(void)state;
	vrs_graph_init(&graph);
	vrs_node_init(&node, VRS_OP_UNARY, "sigmoid");
	node.inputs = 1;
	node.in[0] = add_input(&graph, 2, 2, 1);
	node.act = VRS_ACT_SIGMOID;
	graph.outputs[graph.output_count++] = add_node(&graph, &node);
	assert_int_equal(vrs_model_from_graph(&model, &graph, "null", NULL), VRS_OK);
	vrs_graph_fini(&graph);
	session = open_session(model, "null", true, VRS_PRECISION_FP32);
	assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
	for (int i = 0; i < 4; i++)
		assert_true(vrs_session_output(session, 0).data[i] == 0);
	vrs_session_destroy(session);
	vrs_model_destroy(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_other_engine),  cmocka_unit_test(test_grouped_conv), cmocka_unit_test(test_residual_order),
		cmocka_unit_test(test_average_counting_pads), cmocka_unit_test(test_half_storage), cmocka_unit_test(test_null_backend),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
