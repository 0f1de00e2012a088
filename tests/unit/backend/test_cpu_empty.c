/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards networks with tensors that have no elements, which ONNX allows: their plans waited for ever for a region without work, divided by 0, and
 * read beyond the end.  Every kind of operation with an empty result, an empty operand, or both, against the reference, for each instruction set,
 * 1 and 3 threads, with and without fusion, float and 16 bits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <vrseg/session.h>

#include "graph/model_graph.h"
#include "unit/graph/graph_builder.h"

static int32_t map_input(struct vrs_graph *graph, int64_t n, int64_t h, int64_t w, int64_t c)
{
	int32_t id = build_input(graph, h, w, c);
	graph->tensors[id].dims[0] = n;
	return id;
}

static int32_t join(struct vrs_graph *graph, int32_t a, int32_t b, int axis)
{
	struct vrs_node node;
	vrs_node_init(&node, VRS_OP_CONCAT, "concat");
	node.inputs = 2;
	node.in[0] = a;
	node.in[1] = b;
	node.u.concat.axis = axis;
	return build_node(graph, &node);
}

/* Nothing of dimension `dim`. */
static int32_t slice_away(struct vrs_graph *graph, int32_t x, int dim)
{
	const int64_t starts[4] = {0}, four = 4;
	int64_t ends[4];
	struct vrs_node node;
	vrs_node_init(&node, VRS_OP_SLICE, "slice");
	memcpy(ends, graph->tensors[x].dims, sizeof ends);
	ends[dim] = 0;
	node.inputs = 3;
	node.in[0] = x;
	node.in[1] = vrs_graph_add_const(graph, "starts", VRS_I64, 1, &four, starts);
	node.in[2] = vrs_graph_add_const(graph, "ends", VRS_I64, 1, &four, ends);
	return build_node(graph, &node);
}

static int32_t sum_of(struct vrs_graph *graph, int32_t x, uint32_t axes)
{
	struct vrs_node node;
	vrs_node_init(&node, VRS_OP_REDUCE, "reduce");
	node.inputs = 1;
	node.in[0] = x;
	node.u.reduce.op = VRS_REDUCE_SUM;
	node.u.reduce.axes = axes;
	node.u.reduce.keep_dims = true;
	return build_node(graph, &node);
}

static int32_t turned(struct vrs_graph *graph, int32_t x)
{
	static const int perm[4] = {0, 3, 1, 2};
	struct vrs_node node;
	vrs_node_init(&node, VRS_OP_TRANSPOSE, "transpose");
	node.inputs = 1;
	node.in[0] = x;
	memcpy(node.u.transpose.perm, perm, sizeof perm);
	return build_node(graph, &node);
}

/* Networks of one empty dimension; what they make has elements, or has none. */
static void elementwise(struct vrs_graph *graph, int dim)
{
	int64_t dims[4] = {1, 5, 6, 8};
	dims[dim] = 0;
	int32_t x = map_input(graph, dims[0], dims[1], dims[2], dims[3]);
	int32_t y = build_unary(graph, x, VRS_ACT_EXP);
	y = build_binary(graph, VRS_MUL, y, build_scalar(graph, 2), VRS_ACT_RELU);
	y = build_binary(graph, VRS_POW, y, x, VRS_ACT_NONE);
	build_output(graph, turned(graph, build_binary(graph, VRS_ADD, y, x, VRS_ACT_SIGMOID)));
}

static void joined(struct vrs_graph *graph, int dim)
{
	int32_t x = map_input(graph, 1, 5, 6, 8), none = slice_away(graph, build_unary(graph, x, VRS_ACT_ABS), dim);
	int32_t y = join(graph, build_unary(graph, none, VRS_ACT_TANH), x, dim);
	build_output(graph, build_conv(graph, join(graph, y, none, dim), 12, 3));
	build_output(graph, join(graph, none, none, dim));
}

static void reduced(struct vrs_graph *graph, int dim)
{
	int32_t x = map_input(graph, 1, 5, 6, 8), none = slice_away(graph, x, dim);
	build_output(graph, sum_of(graph, turned(graph, none), 15));
	build_output(graph, build_binary(graph, VRS_ADD, sum_of(graph, none, 1u << dim), x, VRS_ACT_NONE));
}

static void (*const networks[])(struct vrs_graph *graph, int dim) = {elementwise, joined, reduced};

static struct vrs_session *run(const struct vrs_model *model, const struct vrs_session_options *options, const char *what)
{
	struct vrs_session *session = NULL;
	struct vrs_error err = {0};
	if (vrs_session_create(&session, model, options, &err) != VRS_OK)
		fail_msg("%s: %s", what, err.text);
	struct vrs_tensor_view in = vrs_session_input(session, 0);
	for (size_t i = 0; i < in.elements; i++)
		in.data[i] = (float)(i % 7) / 8 - 0.25f;
	for (int i = 0; i < 2; i++)
		assert_int_equal(vrs_session_run(session, &err), VRS_OK);
	return session;
}

static void compare(struct vrs_session *want, struct vrs_session *got, int outputs, float limit, const char *what)
{
	for (int i = 0; i < outputs; i++) {
		struct vrs_tensor_view a = vrs_session_output(want, i), b = vrs_session_output(got, i);
		assert_int_equal(a.elements, b.elements);
		for (size_t k = 0; k < a.elements; k++)
			if (!(a.data[k] - b.data[k] <= limit && b.data[k] - a.data[k] <= limit))
				fail_msg("%s: element %zu of output %d is %g, not %g", what, k, i, (double)b.data[k], (double)a.data[k]);
	}
}

static void check(const struct vrs_model *model, const char *what)
{
	int outputs = vrs_model_info(model).outputs;
	struct vrs_session_options options = vrs_session_options_default();
	options.backend = "ref";
	options.fusion = false;
	options.batch = (int)vrs_model_graph(model)->tensors[0].dims[0];
	options.batch = options.batch > 0 ? options.batch : 1;
	struct vrs_session *want = run(model, &options, what);
	options.backend = "cpu";
	for (int kind = 0; kind < 8; kind++) {
		options.threads = kind & 1 ? 3 : 1;
		options.fusion = kind & 2;
		options.precision = kind & 4 ? VRS_PRECISION_BF16 : VRS_PRECISION_FP32;
		options.half_min_bytes = 0;
		struct vrs_session *got = run(model, &options, what);
		compare(want, got, outputs, kind & 4 ? 0.05f : 1e-5f, what);
		vrs_session_destroy(got);
	}
	vrs_session_destroy(want);
}

static void check_all(const char *isa)
{
	for (size_t k = 0; k < sizeof networks / sizeof *networks; k++) {
		for (int dim = 0; dim < 4; dim++) {
			struct vrs_model *model = NULL;
			struct vrs_error err = {0};
			struct vrs_graph graph;
			char what[64];
			snprintf(what, sizeof what, "network %zu without dimension %d, %s", k, dim, isa);
			vrs_graph_init(&graph);
			networks[k](&graph, dim);
			if (vrs_model_from_graph(&model, &graph, "empty", &err) != VRS_OK)
				fail_msg("%s: %s", what, err.text);
			check(model, what);
			vrs_model_destroy(model);
			vrs_graph_fini(&graph);
		}
	}
}

/* A process chooses its instruction set once. */
static void in_child(const char *isa)
{
	int status = -1;
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (setenv("VRSEG_CPU", isa, 1) == 0)
			check_all(isa);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void test_instruction_sets(void **state)
{
	(void)state;
	in_child("ref");
	in_child("avx2");
	check_all("all that the machine has");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_instruction_sets)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
