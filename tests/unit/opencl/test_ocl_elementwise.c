/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards programs of elementwise operators on a device: the update of a recurrent unit, chains with every kind of operand, limits of inputs and
 * nodes, and what stays alone: results with several readers, with other shapes, and outputs.
 */
#include "op_check.h"

#include "opencl/ocl_planner.h"

#define SHAPE(...) (const int64_t[]){__VA_ARGS__}

/* a op b, of the shape of a. */
static int32_t binary(struct vrs_graph *graph, enum vrs_binary op, int32_t a, int32_t b, enum vrs_act act)
{
	struct vrs_node node = op_node(VRS_OP_BINARY, a);
	node.in[1] = b;
	node.inputs = 2;
	node.u.binary.op = op;
	node.act = act;
	node.act_lo = 0.3f;
	node.act_hi = 0.9f;
	return node_emit(graph, &node, VRS_F32);
}

static int32_t unary(struct vrs_graph *graph, enum vrs_act act, int32_t x)
{
	struct vrs_node node = op_node(VRS_OP_UNARY, x);
	node.act = act;
	node.act_lo = 0.5f;
	node.act_hi = 1.5f;
	return node_emit(graph, &node, VRS_F32);
}

/* Steps of the plan, and of them programs. The graph's newest value becomes its output, as in op_check. */
static int steps_of(const struct vrs_graph *graph, int *ret_programs)
{
	const struct vrs_ocl_caps caps = {
		.max_group = 256, .max_items = {256, 256, 256}, .local_bytes = 32768, .max_alloc_bytes = 1u << 28,
	};
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_graph copy;
	struct vrs_ocl_plan plan;
	struct vrs_error err = {0};
	options.precision = VRS_PRECISION_FP32;
	assert_int_equal(vrs_graph_copy(&copy, graph), VRS_OK);
	copy.outputs[copy.output_count++] = copy.nodes[copy.node_count - 1].out;
	if (vrs_passes_run(&copy, true, &err) != VRS_OK || vrs_ocl_plan_begin(&plan, &copy, &caps, &options, &err) != VRS_OK ||
	    vrs_ocl_plan_complete(&plan, &err) != VRS_OK)
		fail_msg("%s", err.text);
	int steps = plan.step_count;
	*ret_programs = 0;
	for (int i = 0; i < steps; i++)
		*ret_programs += strcmp(plan.steps[i].template_name, "elementwise") == 0;
	vrs_ocl_plan_fini(&plan);
	vrs_graph_fini(&copy);
	return steps;
}

static void check(struct vrs_graph *graph, int steps, int programs, const char *what)
{
	int made_programs, made_steps = steps_of(graph, &made_programs);
	if (made_steps != steps || made_programs != programs)
		fail_msg("%s: %d steps with %d programs, not %d with %d", what, made_steps, made_programs, steps, programs);
	op_check(graph, what);
}

/* (1 - u) * h + u * c with u = sigmoid(a), c = tanh(b) */
static void test_recurrent_update(void **state)
{
	static const int64_t shapes[][4] = {{1, 8, 9, 16}, {2, 5, 7, 3}, {1, 1, 1, 1}};
	(void)state;
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		struct vrs_graph graph;
		float one = 1;
		vrs_graph_init(&graph);
		int32_t u = unary(&graph, VRS_ACT_SIGMOID, node_input(&graph, 4, shapes[i])), h = node_input(&graph, 4, shapes[i]);
		int32_t c = unary(&graph, VRS_ACT_TANH, node_input(&graph, 4, shapes[i]));
		int32_t constant = node_checked(vrs_graph_add_const(&graph, "one", VRS_F32, 0, NULL, &one));
		int32_t rest = binary(&graph, VRS_SUB, constant, u, VRS_ACT_NONE), kept = binary(&graph, VRS_MUL, rest, h, VRS_ACT_NONE);
		binary(&graph, VRS_ADD, kept, binary(&graph, VRS_MUL, u, c, VRS_ACT_NONE), VRS_ACT_NONE);
		check(&graph, 1, 1, "update of a recurrent unit");
	}
}

/* Twice the same operand, single values on both sides, residuals, functions with parameters of their own. */
static void test_operands(void **state)
{
	struct vrs_graph graph;
	float half = 0.5f;
	(void)state;
	vrs_graph_init(&graph);
	int32_t x = node_input(&graph, 3, SHAPE(3, 5, 7)), single = node_input(&graph, 1, SHAPE(1));
	int32_t constant = node_checked(vrs_graph_add_const(&graph, "half", VRS_F32, 0, NULL, &half));
	int32_t a = binary(&graph, VRS_MUL, x, x, VRS_ACT_CLIP), b = binary(&graph, VRS_SUB, single, a, VRS_ACT_LEAKY);
	int32_t c = unary(&graph, VRS_ACT_ELU, binary(&graph, VRS_MAX, b, constant, VRS_ACT_NONE));
	binary(&graph, VRS_MIN, binary(&graph, VRS_ADD, c, x, VRS_ACT_SELU), unary(&graph, VRS_ACT_LINEAR, x), VRS_ACT_NONE);
	check(&graph, 1, 1, "operands");
}

/* A chain of long expressions with an input for each: two programs, since the kernel has a limit. */
static void test_limits(void **state)
{
	(void)state;
	for (int length = 8; length <= 12; length += 2) {
		struct vrs_graph graph;
		char what[64];
		vrs_graph_init(&graph);
		int32_t x = node_input(&graph, 3, SHAPE(3, 5, 8));
		for (int i = 0; i < length; i++)
			x = binary(&graph, VRS_PRELU, x, node_input(&graph, 3, SHAPE(3, 5, 8)), i % 2 ? VRS_ACT_MISH : VRS_ACT_SELU);
		snprintf(what, sizeof what, "chain of %d", length);
		check(&graph, 2, length == 8 ? 1 : 2, what);
	}
}

/* A result with two readers, one that repeats over the output, and integers stay in steps of their own. */
static void test_apart(void **state)
{
	struct vrs_graph graph;
	(void)state;
	vrs_graph_init(&graph);
	int32_t x = node_input(&graph, 4, SHAPE(2, 3, 5, 4)), twice = unary(&graph, VRS_ACT_SIN, x);
	binary(&graph, VRS_MUL, unary(&graph, VRS_ACT_COS, twice), unary(&graph, VRS_ACT_ABS, twice), VRS_ACT_NONE);
	check(&graph, 2, 1, "two readers");
	vrs_graph_init(&graph);
	x = node_input(&graph, 4, SHAPE(2, 3, 5, 4));
	int32_t factor = unary(&graph, VRS_ACT_SIN, node_input(&graph, 1, SHAPE(4)));
	binary(&graph, VRS_MUL, x, factor, VRS_ACT_NONE);
	check(&graph, 2, 0, "a value a channel");
	vrs_graph_init(&graph);
	x = unary(&graph, VRS_ACT_SIN, node_input(&graph, 4, SHAPE(2, 3, 5, 4)));
	graph.outputs[graph.output_count++] = x;
	unary(&graph, VRS_ACT_COS, x);
	check(&graph, 2, 0, "an output between");
}

int main(void)
{
	held_contexts_begin();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recurrent_update), cmocka_unit_test(test_operands), cmocka_unit_test(test_limits), cmocka_unit_test(test_apart),
	};
	return held_contexts_end(cmocka_run_group_tests(tests, NULL, NULL));
}
