/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards functions of one and two inputs on a device: every one that floats have, NaN, every way to broadcast, the epilogue, odd sizes. */
#include "op_check.h"

#define SHAPE(...) (const int64_t[]){__VA_ARGS__}

static void test_unary(void **state)
{
	(void)state;
	for (int act = VRS_ACT_RELU; act < VRS_ACT_NOT; act++)
		for (int64_t n = 1; n < 300; n = n * 40 + 1) {
			struct vrs_graph graph;
			char what[64];
			vrs_graph_init(&graph);
			/* squares plus a half: roots and logarithms exist */
			struct vrs_node node = op_node(VRS_OP_UNARY, node_input(&graph, 2, SHAPE(3, n)));
			if (act == VRS_ACT_SQRT || act == VRS_ACT_LOG || act == VRS_ACT_RECIPROCAL) {
				struct vrs_node positive = op_node(VRS_OP_UNARY, node.in[0]);
				positive.act = VRS_ACT_EXP;
				node.in[0] = node_emit(&graph, &positive, VRS_F32);
			}
			node.act = (enum vrs_act)act;
			node.act_lo = act == VRS_ACT_CLIP ? -0.4f : 0.3f;
			node.act_hi = 0.7f;
			node_emit(&graph, &node, VRS_F32);
			snprintf(what, sizeof what, "%s of %d", vrs_act_name(node.act), (int)n * 3);
			op_check_bounds(&graph, OP_BOUND_FP32, act % 6 == 1 ? OP_BOUND_FP16 : 0, what); /* all read and write halves alike */
		}
}

/* Roots of negative numbers stay NaN. */
static void test_nan(void **state)
{
	(void)state;
	for (int act = VRS_ACT_RELU; act < VRS_ACT_NOT; act++) {
		struct vrs_graph graph;
		char what[64];
		vrs_graph_init(&graph);
		struct vrs_node root = op_node(VRS_OP_UNARY, node_input(&graph, 2, SHAPE(3, 41)));
		root.act = VRS_ACT_SQRT;
		struct vrs_node node = op_node(VRS_OP_UNARY, node_emit(&graph, &root, VRS_F32));
		node.act = (enum vrs_act)act;
		node.act_lo = act == VRS_ACT_CLIP ? -0.4f : 0.3f;
		node.act_hi = 0.7f;
		node_emit(&graph, &node, VRS_F32);
		snprintf(what, sizeof what, "%s of NaN", vrs_act_name(node.act));
		op_check_bounds(&graph, OP_BOUND_FP32, 0, what);
	}
}

struct pair {
	int rank_a, rank_b;
	int64_t a[7], b[7];
};

static void test_broadcasting(void **state)
{
	static const struct pair pairs[] = {
		{1, 1, {1}, {1}},
		{4, 4, {2, 5, 7, 9}, {2, 5, 7, 9}},
		{4, 1, {2, 5, 7, 9}, {1}},
		{1, 4, {1}, {1, 3, 3, 3}},
		{4, 1, {2, 5, 7, 9}, {9}},             /* a value a channel */
		{4, 4, {2, 5, 7, 9}, {2, 1, 1, 9}},    /* squeeze-excitation */
		{4, 4, {2, 5, 7, 1}, {1, 1, 7, 9}},    /* each repeats the other */
		{4, 4, {2, 5, 7, 9}, {1, 5, 1, 1}},
		{5, 3, {2, 3, 2, 3, 4}, {2, 1, 4}},
		{6, 6, {2, 1, 3, 1, 2, 3}, {1, 2, 1, 2, 1, 3}}, /* no two dims are one */
	};
	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		for (int op = VRS_ADD; op <= VRS_PRELU; op++) {
			if (i > 0 && op != VRS_ADD + (int)i % 4) /* dims and functions know nothing of each other */
				continue;
			struct vrs_graph graph;
			char what[64];
			vrs_graph_init(&graph);
			struct vrs_node node = op_node(VRS_OP_BINARY, node_input(&graph, pairs[i].rank_a, pairs[i].a)), above;
			node.in[1] = node_input(&graph, pairs[i].rank_b, pairs[i].b);
			node.inputs = 2;
			if (op == VRS_DIV || op >= VRS_POW) { /* away from zero, of one sign */
				above = op_node(VRS_OP_UNARY, node.in[1]);
				above.act = VRS_ACT_LINEAR;
				above.act_lo = 0.5f;
				above.act_hi = 1.5f;
				node.in[1] = node_emit(&graph, &above, VRS_F32);
			}
			if (op == VRS_POW) {
				above = op_node(VRS_OP_UNARY, node.in[0]);
				above.act = VRS_ACT_EXP;
				node.in[0] = node_emit(&graph, &above, VRS_F32);
			}
			node.u.binary.op = (enum vrs_binary)op;
			node_emit(&graph, &node, VRS_F32);
			snprintf(what, sizeof what, "%s, pair %zu", vrs_binary_name(node.u.binary.op), i);
			/* a remainder jumps where rounding moves its operand over a multiple */
			bool jumps = op == VRS_MOD || op == VRS_FMOD;
			op_check_bounds(&graph, OP_BOUND_FP32, jumps || op % 3 != 0 ? 0 : OP_BOUND_FP16, what);
		}
}

/* v = a * b; [+ r]; act; [+ r] */
static void test_epilogue(void **state)
{
	(void)state;
	for (int i = 0; i < 8; i++) {
		struct vrs_graph graph;
		char what[64];
		vrs_graph_init(&graph);
		int32_t x = node_input(&graph, 4, SHAPE(1, 3, 5, 7));
		struct vrs_node first = op_node(VRS_OP_UNARY, x);
		first.act = VRS_ACT_TANH;
		struct vrs_node node = op_node(VRS_OP_BINARY, x);
		node.in[1] = i & 1 ? node_const(&graph, 1, SHAPE(7), 1, 5) : x;
		node.inputs = 2;
		node.u.binary.op = VRS_MUL;
		node.act = i & 2 ? VRS_ACT_LEAKY : VRS_ACT_NONE;
		node.act_lo = 0.2f;
		node.residual = node_emit(&graph, &first, VRS_F32);
		node.residual_before = i & 4;
		node_emit(&graph, &node, VRS_F32);
		snprintf(what, sizeof what, "epilogue %d", i);
		op_check(&graph, what);
	}
}

/* Other dims are the same memory, but for an input that is an output, too. */
static void test_reshape(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct vrs_graph graph;
		char what[64];
		vrs_graph_init(&graph);
		struct vrs_node act = op_node(VRS_OP_UNARY, node_input(&graph, 4, SHAPE(1, 3, 5, 7)));
		act.act = VRS_ACT_ABS;
		struct vrs_node view = op_node(VRS_OP_RESHAPE, i & 1 ? node_emit(&graph, &act, VRS_F32) : act.in[0]);
		view.u.view.rank = 2;
		view.u.view.dims[0] = 15;
		view.u.view.dims[1] = 7;
		int32_t out = node_emit(&graph, &view, VRS_F32);
		if (i & 2) {
			act.in[0] = out;
			node_emit(&graph, &act, VRS_F32);
		}
		snprintf(what, sizeof what, "view %d", i);
		op_check(&graph, what);
	}
}

int main(void)
{
	held_contexts_begin();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unary), cmocka_unit_test(test_nan), cmocka_unit_test(test_broadcasting), cmocka_unit_test(test_epilogue),
		cmocka_unit_test(test_reshape),
	};
	return held_contexts_end(cmocka_run_group_tests(tests, NULL, NULL));
}
