/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards steps that make several things side by side: a recurrent unit with its slices and concats, enlarging what a concat holds, concats of
 * concats, of more inputs than a kernel takes, along other dims and of nothing; slices that somebody needs in memory; and that none is made without
 * fusion.
 */
#include "op_check.h"

#include "opencl/ocl_planner.h"

#define SHAPE(...) (const int64_t[]){__VA_ARGS__}
#define EXACT 1e-30

static int32_t binary(struct vrs_graph *graph, enum vrs_binary op, int32_t a, int32_t b)
{
	struct vrs_node node = op_node(VRS_OP_BINARY, a);
	node.in[1] = b;
	node.inputs = 2;
	node.u.binary.op = op;
	return node_emit(graph, &node, VRS_F32);
}

static int32_t unary(struct vrs_graph *graph, enum vrs_act act, int32_t x)
{
	struct vrs_node node = op_node(VRS_OP_UNARY, x);
	node.act = act;
	return node_emit(graph, &node, VRS_F32);
}

static int32_t concat(struct vrs_graph *graph, int axis, int count, const int32_t *inputs)
{
	struct vrs_node node = op_node(VRS_OP_CONCAT, inputs[0]);
	node.inputs = count;
	memcpy(node.in, inputs, (size_t)count * sizeof *inputs);
	node.u.concat.axis = axis;
	return node_emit(graph, &node, VRS_F32);
}

#define CONCAT(graph, ...) \
	concat(graph, 3, (int)(sizeof(int32_t[]){__VA_ARGS__} / sizeof(int32_t)), (const int32_t[]){__VA_ARGS__})

static int32_t integers(struct vrs_graph *graph, int64_t value)
{
	return node_checked(vrs_graph_add_const(graph, "i", VRS_I64, 1, SHAPE(1), &value));
}

/* Channels begin .. end - 1. */
static int32_t slice(struct vrs_graph *graph, int32_t x, int64_t begin, int64_t end)
{
	struct vrs_node node = op_node(VRS_OP_SLICE, x);
	node.in[1] = integers(graph, begin);
	node.in[2] = integers(graph, end);
	node.in[3] = integers(graph, graph->tensors[x].rank - 1);
	node.in[4] = integers(graph, 1);
	node.inputs = 5;
	return node_emit(graph, &node, VRS_F32);
}

static int32_t resize(struct vrs_graph *graph, int32_t x, int64_t height, int64_t width, bool nearest)
{
	struct vrs_node node = op_node(VRS_OP_RESIZE, x);
	node.u.resize.out_h = height;
	node.u.resize.out_w = width;
	node.u.resize.nearest = nearest;
	node.u.resize.half_pixel = !nearest;
	return node_emit(graph, &node, VRS_F32);
}

/* A value that has memory, as a sum over channels does. */
static int32_t reduce(struct vrs_graph *graph, int32_t x)
{
	struct vrs_node node = op_node(VRS_OP_REDUCE, x);
	node.u.reduce.op = VRS_REDUCE_SUM;
	node.u.reduce.axes = 8;
	node.u.reduce.keep_dims = true;
	return node_emit(graph, &node, VRS_F32);
}

/* Steps of the plan for a CPU or a GPU, with fusion or without. The graph's newest value becomes its output, as in op_check. */
static int steps_of(const struct vrs_graph *graph, bool is_cpu, bool fusion)
{
	const struct vrs_ocl_caps caps = {
		.max_group = 256, .max_items = {256, 256, 256}, .local_bytes = 32768, .max_alloc_bytes = 1u << 28, .is_cpu = is_cpu,
		.vendor = is_cpu ? VRS_OCL_VENDOR_CPU : VRS_OCL_VENDOR_OTHER,
	};
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_graph copy;
	struct vrs_ocl_plan plan;
	struct vrs_error err = {0};
	options.precision = VRS_PRECISION_FP32;
	options.fusion = fusion;
	assert_int_equal(vrs_graph_copy(&copy, graph), VRS_OK);
	copy.outputs[copy.output_count++] = copy.nodes[copy.node_count - 1].out;
	if (vrs_passes_run(&copy, fusion, &err) != VRS_OK || vrs_ocl_plan_begin(&plan, &copy, &caps, &options, &err) != VRS_OK ||
	    vrs_ocl_plan_complete(&plan, &err) != VRS_OK)
		fail_msg("%s", err.text);
	int steps = plan.step_count;
	vrs_ocl_plan_fini(&plan);
	vrs_graph_fini(&copy);
	return steps;
}

static void check(struct vrs_graph *graph, int fused, int plain, double bound, const char *what)
{
	const int made[] = {steps_of(graph, true, true), steps_of(graph, false, true), steps_of(graph, true, false)};
	if (made[0] != fused || made[1] != fused || made[2] != plain)
		fail_msg("%s: %d and %d steps, without fusion %d; not %d and %d", what, made[0], made[1], made[2], fused, plain);
	op_check_bounds(graph, bound, OP_BOUND_FP16, what);
}

/* One level of a decoder: a gated unit on half of the channels, then both halves enlarged beside a picture. */
static void test_recurrent(void **state)
{
	static const int64_t cases[][4] = {{1, 4, 5, 8}, {2, 3, 7, 5}, {1, 5, 3, 4}, {3, 1, 1, 1}}; /* batch, height, width, channels of a half */
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int64_t n = cases[i][0], h = cases[i][1], w = cases[i][2], c = cases[i][3];
		struct vrs_graph graph;
		float one = 1;
		vrs_graph_init(&graph);
		int32_t x = node_input(&graph, 4, SHAPE(n, h, w, 2 * c)), old = node_input(&graph, 4, SHAPE(n, h, w, c));
		int32_t picture = node_input(&graph, 4, SHAPE(n, 2 * h + 1, 2 * w, 3)), feature = node_input(&graph, 4, SHAPE(n, 2 * h + 1, 2 * w, c));
		int32_t constant = node_checked(vrs_graph_add_const(&graph, "one", VRS_F32, 0, NULL, &one));
		int32_t a = slice(&graph, x, 0, c), b = slice(&graph, x, c, 2 * c);
		int32_t gates = unary(&graph, VRS_ACT_SIGMOID, CONCAT(&graph, b, old)), r = slice(&graph, gates, 0, c), z = slice(&graph, gates, c, 2 * c);
		int32_t mixed = unary(&graph, VRS_ACT_TANH, CONCAT(&graph, b, binary(&graph, VRS_MUL, r, old)));
		int32_t rest = binary(&graph, VRS_MUL, binary(&graph, VRS_SUB, constant, z), old);
		int32_t next = binary(&graph, VRS_ADD, rest, binary(&graph, VRS_MUL, z, slice(&graph, mixed, c, 2 * c)));
		graph.outputs[graph.output_count++] = next;
		int32_t large = resize(&graph, CONCAT(&graph, a, next), 2 * h + 1, 2 * w, i == 2);
		CONCAT(&graph, large, feature, picture);
		check(&graph, 6, 22, OP_BOUND_FP32, "recurrent unit");
	}
}

/* Concats of concats with parts of concats: only moves. */
static void test_nested(void **state)
{
	struct vrs_graph graph;
	(void)state;
	for (int wide = 3; wide <= 8; wide += 5) {
		vrs_graph_init(&graph);
		int32_t x = node_input(&graph, 4, SHAPE(2, 3, 5, 8)), y = node_input(&graph, 4, SHAPE(2, 3, 5, wide)), z = node_input(&graph, 4, SHAPE(2, 3, 5, 4));
		int32_t inner = CONCAT(&graph, x, slice(&graph, y, 1, 3), z);
		CONCAT(&graph, z, inner, slice(&graph, slice(&graph, x, 0, 6), 2, 6), y);
		check(&graph, 1, 10, EXACT, "nested concat");
	}
	vrs_graph_init(&graph);
	int32_t parts[8];
	for (int i = 0; i < 8; i++) {
		int32_t x = node_input(&graph, 4, SHAPE(1, 3, 5, 4)), two = CONCAT(&graph, x, slice(&graph, x, 1, 4));
		parts[i] = CONCAT(&graph, two, x);
	}
	concat(&graph, 3, 8, parts);
	check(&graph, 9, 48, EXACT, "more pieces than there is room for");
}

static void test_plain(void **state)
{
	static const struct {
		int rank, axis, inputs;
		int64_t dims[4], along[8];
		int steps, plain;
	} cases[] = {
		{4, 3, 8, {2, 3, 5, 0}, {4, 8, 3, 1, 16, 4, 4, 2}, 1, 8}, {4, 1, 3, {2, 0, 3, 4}, {2, 3, 1}, 1, 3}, {2, 0, 2, {0, 7}, {3, 2}, 1, 2},
		{3, 2, 3, {4, 3, 0}, {0, 5, 2}, 1, 2}, {1, 0, 2, {0}, {3, 5}, 1, 2}, {3, 1, 2, {4, 0, 3}, {0, 0}, 0, 0},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct vrs_graph graph;
		int32_t inputs[8];
		int64_t dims[4];
		char what[64];
		vrs_graph_init(&graph);
		memcpy(dims, cases[i].dims, sizeof dims);
		for (int k = 0; k < cases[i].inputs; k++) {
			dims[cases[i].axis] = cases[i].along[k];
			inputs[k] = node_input(&graph, cases[i].rank, dims);
		}
		concat(&graph, cases[i].axis, cases[i].inputs, inputs);
		snprintf(what, sizeof what, "concat %zu", i);
		check(&graph, cases[i].steps, cases[i].plain, EXACT, what);
	}
}

/* Formulas and resizes as inputs, with all the arguments that a kernel takes. */
static void test_many_arguments(void **state)
{
	struct vrs_graph graph;
	int32_t parts[6];
	(void)state;
	vrs_graph_init(&graph);
	for (int i = 0; i < 6; i++) {
		int32_t x = node_input(&graph, 4, SHAPE(2, 3 + i, 5, 4 + 2 * i)), y = node_input(&graph, 4, SHAPE(2, 7, 9, 4));
		parts[i] = i % 2 ? resize(&graph, slice(&graph, x, 1, 4), 7, 9, i == 3) : binary(&graph, VRS_MUL, y, unary(&graph, VRS_ACT_SIN, y));
	}
	concat(&graph, 3, 6, parts);
	check(&graph, 2, 18, OP_BOUND_FP32, "many arguments");
}

/* Readers that need memory get it, once; formulas with operands under other dims, and single values. */
static void test_settled(void **state)
{
	struct vrs_graph graph;
	(void)state;
	vrs_graph_init(&graph);
	int32_t x = node_input(&graph, 4, SHAPE(2, 3, 5, 7)), part = slice(&graph, x, 2, 6), other = slice(&graph, x, 0, 4);
	int32_t sum = reduce(&graph, part), top = binary(&graph, VRS_MAX, part, other);
	CONCAT(&graph, top, sum, part);
	check(&graph, 3, 7, OP_BOUND_FP32, "a slice with a reader that needs it");
	vrs_graph_init(&graph);
	x = node_input(&graph, 4, SHAPE(2, 3, 5, 7));
	graph.outputs[graph.output_count++] = slice(&graph, x, 0, 4);
	binary(&graph, VRS_SUB, graph.outputs[0], slice(&graph, x, 3, 7));
	check(&graph, 2, 3, EXACT, "a slice that is an output");
	vrs_graph_init(&graph);
	x = node_input(&graph, 4, SHAPE(2, 3, 5, 7));
	int32_t small = resize(&graph, x, 2, 3, false);
	CONCAT(&graph, small, unary(&graph, VRS_ACT_ABS, small));
	check(&graph, 2, 4, OP_BOUND_FP32, "a resize with two readers");
	vrs_graph_init(&graph);
	x = node_input(&graph, 2, SHAPE(1, 9));
	int32_t single = slice(&graph, x, 4, 5);
	binary(&graph, VRS_MUL, slice(&graph, x, 1, 8), single);
	check(&graph, 2, 3, EXACT, "a single value");
}

int main(void)
{
	held_contexts_begin();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recurrent), cmocka_unit_test(test_nested), cmocka_unit_test(test_plain), cmocka_unit_test(test_many_arguments),
		cmocka_unit_test(test_settled),
	};
	return held_contexts_end(cmocka_run_group_tests(tests, NULL, NULL));
}
