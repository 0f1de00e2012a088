/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards operations on whole tensors of the CPU backend (products, reductions, normalisations, padding, transpositions, comparisons, choices,
 * conversions) and resizes of any filter: the reference's results for every instruction set, the same bits for any number of threads, and none of
 * them by the code of the reference.
 */
#include "node_check.h"

#include "graph/eval.h"

#define SHAPE(...) (const int64_t[]){__VA_ARGS__}

static struct vrs_node node_of(enum vrs_op op, int32_t in)
{
	struct vrs_node node;
	vrs_node_init(&node, op, "node");
	node.inputs = 1;
	node.in[0] = in;
	return node;
}

struct matmul {
	int rank_a, rank_b;
	int64_t a[5], b[5];
	bool ta, tb;
};

static void test_products(void **state)
{
	static const struct matmul cases[] = {
		{2, 2, {37, 19}, {19, 70}, false, false},
		{3, 3, {2, 100, 33}, {2, 33, 65}, false, false},
		{4, 4, {1, 3, 64, 24}, {1, 3, 64, 24}, false, true},   /* scores of attention */
		{4, 4, {2, 3, 130, 130}, {2, 3, 130, 16}, false, false},
		{4, 3, {2, 3, 12, 8}, {3, 8, 9}, false, false},        /* repeated matrices */
		{4, 4, {2, 1, 12, 8}, {1, 3, 8, 9}, false, false},
		{3, 2, {2, 12, 8}, {12, 5}, true, false},
		{3, 3, {2, 40, 12}, {2, 40, 33}, true, false},         /* the left one turned */
		{3, 3, {2, 40, 12}, {2, 33, 40}, true, true},
		{2, 2, {1, 300}, {300, 200}, false, false},            /* one row */
		{2, 2, {3, 300}, {200, 300}, false, true},
		{1, 2, {20}, {20, 7}, false, false},
		{2, 1, {20, 7}, {7}, false, false},
		{3, 1, {2, 20, 7}, {7}, false, false},
		{3, 3, {5, 6, 1}, {5, 1, 4}, false, false},
		{5, 5, {1, 2, 3, 20, 16}, {1, 2, 3, 16, 20}, false, false},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct matmul *c = &cases[i];
		struct vrs_graph graph;
		char what[32];
		vrs_graph_init(&graph);
		struct vrs_node node = node_of(VRS_OP_MATMUL, node_input(&graph, c->rank_a, c->a));
		node.in[1] = node_input(&graph, c->rank_b, c->b);
		node.inputs = 2;
		node.u.matmul.transpose_a = c->ta;
		node.u.matmul.transpose_b = c->tb;
		node_emit(&graph, &node, VRS_F32);
		snprintf(what, sizeof what, "product %zu", i);
		node_check(&graph, 1e-5, what);
	}
}

static void test_reductions(void **state)
{
	static const int64_t shapes[][5] = {{1, 8, 9, 37, 0}, {3, 5, 1, 4, 0}, {2, 9, 30, 530, 0}, {1, 1, 1, 5, 0}, {2, 3, 4, 5, 6}};
	(void)state;
	for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
		for (int op = 0; op < VRS_REDUCE_COUNT; op++)
			for (uint32_t axes = 1; axes < (s == 4 ? 32u : 16u); axes += s == 2 ? 5 : 1) {
				struct vrs_graph graph;
				char what[64];
				vrs_graph_init(&graph);
				struct vrs_node node = node_of(VRS_OP_REDUCE, node_input(&graph, s == 4 ? 5 : 4, shapes[s]));
				if (op == VRS_REDUCE_LOG_SUM) { /* a sum of both signs may be near 0, where its logarithm has no digits */
					struct vrs_node positive = node_of(VRS_OP_UNARY, node.in[0]);
					positive.act = VRS_ACT_ABS;
					node.in[0] = node_emit(&graph, &positive, VRS_F32);
				}
				node.u.reduce.op = (enum vrs_reduce)op;
				node.u.reduce.axes = axes;
				node.u.reduce.keep_dims = axes & 1;
				node_emit(&graph, &node, VRS_F32);
				snprintf(what, sizeof what, "reduction %d of shape %zu over %x", op, s, axes);
				node_check(&graph, 2e-5, what);
			}
}

static void test_best_places(void **state)
{
	(void)state;
	for (int axis = 0; axis < 4; axis++)
		for (int kind = 0; kind < 8; kind++) {
			struct vrs_graph graph;
			vrs_graph_init(&graph);
			struct vrs_node round = node_of(VRS_OP_UNARY, node_input(&graph, 4, kind < 4 ? SHAPE(2, 11, 30, 21) : SHAPE(1, 2, 35, 700)));
			round.act = VRS_ACT_LINEAR; /* and rounded below: equal values */
			round.act_lo = 3;
			int32_t x = node_emit(&graph, &round, VRS_F32);
			round = node_of(VRS_OP_UNARY, x);
			round.act = VRS_ACT_ROUND;
			struct vrs_node node = node_of(VRS_OP_ARG_REDUCE, node_emit(&graph, &round, VRS_F32));
			node.u.arg.axis = axis;
			node.u.arg.smallest = kind & 1;
			node.u.arg.last = kind & 2;
			node.u.arg.keep_dims = true;
			node_emit(&graph, &node, VRS_I64);
			node_check(&graph, 0, "best places");
		}
}

static void check_norm(enum vrs_op op, int rank, const int64_t *dims, int axis, int groups)
{
	struct vrs_graph graph;
	char what[64];
	vrs_graph_init(&graph);
	int64_t lines[VRS_MAX_RANK], channels = dims[rank - 1];
	struct vrs_node node = node_of(op, node_input(&graph, rank, dims));
	int first = axis < 0 ? rank + axis : axis, count = op == VRS_OP_LAYER_NORM ? rank - first : 1;
	memcpy(lines, dims + (op == VRS_OP_LAYER_NORM ? first : rank - 1), (size_t)count * sizeof *lines);
	node.in[1] = node_const(&graph, count, op == VRS_OP_LAYER_NORM ? lines : &channels, 1, 5);
	node.in[2] = node_const(&graph, count, op == VRS_OP_LAYER_NORM ? lines : &channels, 1, 6);
	node.inputs = 3;
	node.u.norm.axis = axis;
	node.u.norm.groups = groups;
	node.u.norm.epsilon = 1e-5F;
	node_emit(&graph, &node, VRS_F32);
	snprintf(what, sizeof what, "norm of rank %d, axis %d, %d groups", rank, axis, groups);
	node_check(&graph, 1e-5, what);
}

static void test_norms(void **state)
{
	(void)state;
	check_norm(VRS_OP_LAYER_NORM, 3, SHAPE(2, 100, 96), -1, 0);
	check_norm(VRS_OP_LAYER_NORM, 4, SHAPE(1, 5, 7, 37), -1, 0);
	check_norm(VRS_OP_LAYER_NORM, 4, SHAPE(2, 12, 31, 20), 1, 0);
	check_norm(VRS_OP_LAYER_NORM, 2, SHAPE(3, 1), -1, 0);
	check_norm(VRS_OP_LAYER_NORM, 5, SHAPE(2, 2, 3, 4, 40), -2, 0);
	check_norm(VRS_OP_INSTANCE_NORM, 4, SHAPE(2, 20, 30, 37), 0, 0);
	check_norm(VRS_OP_INSTANCE_NORM, 4, SHAPE(1, 9, 7, 96), 0, 8);
	check_norm(VRS_OP_INSTANCE_NORM, 4, SHAPE(2, 16, 33, 256), 0, 4); /* groups of 64 */
	check_norm(VRS_OP_INSTANCE_NORM, 4, SHAPE(2, 16, 33, 300), 0, 3);
	check_norm(VRS_OP_INSTANCE_NORM, 4, SHAPE(1, 5, 600, 12), 0, 1);
}

static void check_pad(int rank, const int64_t *dims, const int64_t *before, const int64_t *after, enum vrs_pad_mode mode)
{
	struct vrs_graph graph;
	char what[64];
	vrs_graph_init(&graph);
	struct vrs_node node = node_of(VRS_OP_PAD, node_input(&graph, rank, dims));
	memcpy(node.u.pad.before, before, (size_t)rank * sizeof *before);
	memcpy(node.u.pad.after, after, (size_t)rank * sizeof *after);
	node.u.pad.mode = mode;
	vrs_store_f64(VRS_F32, node.u.pad.fill, 0, mode == VRS_PAD_CONSTANT ? 0.25 : 0);
	node_emit(&graph, &node, VRS_F32);
	snprintf(what, sizeof what, "padding of rank %d, mode %d", rank, (int)mode);
	node_check(&graph, 0, what);
}

static void test_padding(void **state)
{
	(void)state;
	for (int mode = VRS_PAD_CONSTANT; mode <= VRS_PAD_WRAP; mode++) {
		check_pad(4, SHAPE(1, 20, 30, 24), SHAPE(0, 1, 2, 0), SHAPE(0, 3, 0, 0), (enum vrs_pad_mode)mode);
		check_pad(4, SHAPE(2, 6, 7, 5), SHAPE(1, 1, 2, 3), SHAPE(0, 0, 4, 1), (enum vrs_pad_mode)mode);
		check_pad(3, SHAPE(4, 30, 16), SHAPE(0, 2, 0), SHAPE(0, 0, 0), (enum vrs_pad_mode)mode);
		check_pad(4, SHAPE(1, 8, 9, 10), SHAPE(0, -2, 1, -1), SHAPE(0, 3, -4, 2), (enum vrs_pad_mode)mode); /* crops */
		check_pad(2, SHAPE(3, 3), SHAPE(2, 5), SHAPE(2, 7), (enum vrs_pad_mode)mode);
		check_pad(1, SHAPE(9), SHAPE(-12), SHAPE(4), (enum vrs_pad_mode)mode);
		check_pad(0, SHAPE(1), SHAPE(7), SHAPE(9), (enum vrs_pad_mode)mode); /* a number has no dims to pad */
	}
}

/* Numbers whose last bits count, in each type. */
static void test_fills(void **state)
{
	static const uint64_t bits[VRS_DTYPE_COUNT] = {
		[VRS_F32] = 0x3dcccccd, [VRS_F64] = 0x3fb999999999999a, [VRS_F16] = 0x2e66, [VRS_BF16] = 0x3dcd, [VRS_I8] = 0x80, [VRS_U8] = 0xff,
		[VRS_I16] = 0x8001, [VRS_U16] = 0xffff, [VRS_I32] = 0x7fffffff, [VRS_U32] = 0xfffffffe, [VRS_I64] = 0x8000000000000001,
		[VRS_U64] = 0xffffffffffffffff, [VRS_BOOL] = 1,
	};
	(void)state;
	for (int type = 0; type < VRS_DTYPE_COUNT; type++) {
		struct vrs_graph graph;
		vrs_graph_init(&graph);
		struct vrs_node cast = node_of(VRS_OP_CAST, node_input(&graph, 2, SHAPE(40, 30))), pad;
		cast.u.cast.to = (enum vrs_dtype)type;
		pad = node_of(VRS_OP_PAD, node_emit(&graph, &cast, cast.u.cast.to));
		pad.in[1] = node_checked(vrs_graph_add_const(&graph, "pads", VRS_I64, 1, SHAPE(4), SHAPE(3, 1, 0, 2)));
		pad.in[2] = node_checked(vrs_graph_add_const(&graph, "fill", (enum vrs_dtype)type, 0, NULL, &bits[type]));
		pad.inputs = 3;
		node_emit(&graph, &pad, (enum vrs_dtype)type);
		node_check(&graph, 0, vrs_dtype_name((enum vrs_dtype)type));
	}
}

static void test_transpositions(void **state)
{
	static const struct {
		int rank, perm[6];
		int64_t dims[6];
	} cases[] = {
		{4, {0, 2, 3, 1}, {2, 37, 20, 33}}, {4, {0, 3, 1, 2}, {2, 37, 20, 3}}, {4, {0, 2, 1, 3}, {2, 30, 40, 8}}, {2, {1, 0}, {130, 70}},
		{6, {0, 1, 3, 2, 4, 5}, {1, 4, 6, 5, 7, 9}}, {4, {3, 2, 1, 0}, {4, 9, 30, 21}}, {5, {2, 0, 3, 1, 4}, {1, 60, 3, 4, 16}},
		{3, {0, 2, 1}, {3, 5, 700}},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct vrs_graph graph;
		vrs_graph_init(&graph);
		struct vrs_node node = node_of(VRS_OP_TRANSPOSE, node_input(&graph, cases[i].rank, cases[i].dims));
		memcpy(node.u.transpose.perm, cases[i].perm, sizeof cases[i].perm);
		node_emit(&graph, &node, VRS_F32);
		node_check(&graph, 0, "transposition");
	}
}

/* where(a op b, a, constant), then numbers of the condition. */
static void check_choice(enum vrs_binary op, int rank, const int64_t *a, int rank_b, const int64_t *b, bool logic)
{
	struct vrs_graph graph;
	char what[64];
	vrs_graph_init(&graph);
	int32_t x = node_input(&graph, rank, a), y = node_input(&graph, rank_b, b);
	struct vrs_node node = node_of(VRS_OP_BINARY, x);
	node.in[1] = y;
	node.inputs = 2;
	node.u.binary.op = logic ? VRS_LESS : op;
	int32_t condition = node_emit(&graph, &node, VRS_BOOL);
	if (logic) {
		struct vrs_node not = node_of(VRS_OP_UNARY, condition);
		not.act = VRS_ACT_NOT;
		node.in[0] = condition;
		node.in[1] = node_emit(&graph, &not, VRS_BOOL);
		node.u.binary.op = op;
		condition = node_emit(&graph, &node, VRS_BOOL);
	}
	struct vrs_node cast = node_of(VRS_OP_CAST, condition), choose = node_of(VRS_OP_WHERE, condition);
	cast.u.cast.to = VRS_F32;
	choose.in[1] = x;
	choose.in[2] = node_emit(&graph, &cast, VRS_F32);
	choose.inputs = 3;
	node_emit(&graph, &choose, VRS_F32);
	snprintf(what, sizeof what, "choice by operation %d", (int)op);
	node_check(&graph, 0, what);
}

static void test_choices(void **state)
{
	(void)state;
	for (int op = VRS_EQUAL; op <= VRS_XOR; op++) {
		check_choice((enum vrs_binary)op, 4, SHAPE(2, 9, 30, 37), 4, SHAPE(2, 9, 30, 37), op >= VRS_AND);
		check_choice((enum vrs_binary)op, 4, SHAPE(1, 4, 64, 64), 4, SHAPE(1, 1, 64, 1), op >= VRS_AND);
		check_choice((enum vrs_binary)op, 3, SHAPE(1, 1, 40), 5, SHAPE(2, 3, 4, 5, 40), op >= VRS_AND);
		check_choice((enum vrs_binary)op, 2, SHAPE(100, 100), 1, SHAPE(1), op >= VRS_AND);
	}
}

static void test_arithmetic_of_high_rank(void **state)
{
	static const enum vrs_act acts[] = {VRS_ACT_NONE, VRS_ACT_RELU, VRS_ACT_GELU};
	(void)state;
	for (int op = VRS_ADD; op <= VRS_PRELU; op++)
		for (size_t act = 0; act < 3; act++) {
			struct vrs_graph graph;
			vrs_graph_init(&graph);
			struct vrs_node node = node_of(VRS_OP_BINARY, node_input(&graph, 5, SHAPE(2, 4, 3, 16, 17)));
			node.in[1] = node_const(&graph, 5, SHAPE(1, 4, 1, 16, 17), 1, 3);
			node.inputs = 2;
			node.u.binary.op = (enum vrs_binary)op;
			node.act = acts[act];
			if (op == VRS_MOD || op == VRS_FMOD || op == VRS_POW) /* remainders jump, powers of negative numbers are none */
				node.in[1] = node_const(&graph, 0, NULL, 2, 3);
			node_emit(&graph, &node, VRS_F32);
			node_check(&graph, op == VRS_DIV ? 1e-3 : 1e-5, "arithmetic of rank 5");
		}
}

static void test_filters(void **state)
{
	static const int sizes[][2] = {{5, 11}, {20, 7}, {9, 9}, {40, 30}};
	(void)state;
	for (int kind = 0; kind < 24; kind++)
		for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
			struct vrs_graph graph;
			char what[64];
			vrs_graph_init(&graph);
			struct vrs_node node = node_of(VRS_OP_RESIZE, node_input(&graph, 4, SHAPE(2, 12, 10, s == 1 ? 3 : 24)));
			struct vrs_resize *r = &node.u.resize;
			r->out_h = sizes[s][0];
			r->out_w = sizes[s][1];
			r->coord = kind % 4 == 0 ? VRS_COORD_TF_CROP_AND_RESIZE : kind % 4 == 1 ? VRS_COORD_HALF_PIXEL : kind % 4 == 2 ?
				   VRS_COORD_ALIGN_CORNERS : VRS_COORD_ASYMMETRIC;
			r->cubic = kind % 3 != 1;
			r->antialias = kind % 3 != 0;
			r->exclude_outside = kind >= 12;
			r->cubic_a = -0.75F;
			r->extrapolation = 7;
			r->roi[0] = kind == 0 ? 0.9F : -0.2F; /* backwards, and beyond the picture */
			r->roi[1] = 0.1F;
			r->roi[2] = kind == 0 ? 0.1F : 1.3F;
			r->roi[3] = 0.8F;
			node_emit(&graph, &node, VRS_F32);
			snprintf(what, sizeof what, "filter %d to %dx%d", kind, sizes[s][1], sizes[s][0]);
			node_check(&graph, 2e-5, what);
		}
}

/* Of places of largest values, shifted to both sides of zero: a op b in a type, then as floats. */
static void test_integers(void **state)
{
	static const enum vrs_dtype types[] = {VRS_U8, VRS_I8, VRS_U16, VRS_I16, VRS_U32, VRS_I32, VRS_U64, VRS_I64};
	(void)state;
	for (size_t t = 0; t < sizeof types / sizeof *types; t++)
		for (int op = VRS_ADD; op <= VRS_GREATER_EQUAL; op++) {
			struct vrs_graph graph;
			char what[64];
			int32_t sides[2];
			if (op > VRS_MAX && op < VRS_EQUAL)
				continue; /* the reference has them */
			vrs_graph_init(&graph);
			int32_t x = node_input(&graph, 4, SHAPE(2, 9, 30, 37));
			for (int k = 0; k < 2; k++) {
				struct vrs_node scale = node_of(VRS_OP_UNARY, x), cast = node_of(VRS_OP_CAST, 0);
				scale.act = VRS_ACT_LINEAR;
				scale.act_lo = k ? 3 : 100;
				scale.act_hi = types[t] == VRS_U8 || types[t] == VRS_U16 || types[t] == VRS_U32 || types[t] == VRS_U64 ? 101 : 0;
				cast.in[0] = node_emit(&graph, &scale, VRS_F32);
				cast.u.cast.to = types[t];
				sides[k] = node_emit(&graph, &cast, types[t]);
			}
			struct vrs_node node = node_of(VRS_OP_BINARY, sides[0]), back = node_of(VRS_OP_CAST, 0);
			node.in[1] = sides[1];
			node.inputs = 2;
			node.u.binary.op = (enum vrs_binary)op;
			back.in[0] = node_emit(&graph, &node, op >= VRS_EQUAL ? VRS_BOOL : types[t]);
			back.u.cast.to = VRS_F32;
			node_emit(&graph, &back, VRS_F32);
			snprintf(what, sizeof what, "operation %d of integer type %zu", op, t);
			node_check(&graph, 0, what);
		}
}

static void check_quant(int rank, const int64_t *dims, int axis, int64_t scales, enum vrs_dtype type, bool zero)
{
	struct vrs_graph graph;
	char what[64];
	int8_t zeros[64];
	float steps[64];
	vrs_graph_init(&graph);
	for (int64_t i = 0; i < scales; i++) {
		steps[i] = 0.001F * (float)(i + 1);
		zeros[i] = (int8_t)(type == VRS_U8 ? 100 + i % 20 : i % 9 - 4);
	}
	struct vrs_node node = node_of(VRS_OP_QUANTIZE, node_input(&graph, rank, dims));
	node.in[1] = node_checked(vrs_graph_add_const(&graph, "s", VRS_F32, scales > 1, &scales, steps));
	node.in[2] = zero ? node_checked(vrs_graph_add_const(&graph, "z", type, scales > 1, &scales, zeros)) : -1;
	node.inputs = 3;
	node.u.quant.axis = axis;
	node.u.quant.to = type;
	node.in[0] = node_emit(&graph, &node, type);
	node.op = VRS_OP_DEQUANTIZE;
	node.u.quant.to = VRS_F32;
	node_emit(&graph, &node, VRS_F32);
	snprintf(what, sizeof what, "8 bits of rank %d, axis %d, %d scales", rank, axis, (int)scales);
	node_check(&graph, 0, what);
}

static void test_8_bits(void **state)
{
	(void)state;
	for (int zero = 0; zero < 2; zero++)
		for (int kind = 0; kind < 2; kind++) {
			enum vrs_dtype type = kind ? VRS_I8 : VRS_U8;
			check_quant(4, SHAPE(2, 9, 30, 37), 1, 1, type, zero);
			check_quant(4, SHAPE(2, 9, 30, 37), 3, 37, type, zero);
			check_quant(4, SHAPE(2, 9, 30, 37), 1, 9, type, zero);
			check_quant(2, SHAPE(64, 50), 0, 64, type, zero);
			check_quant(3, SHAPE(4, 1, 3000), 0, 4, type, zero);
		}
}

static void check_pool(enum vrs_op op, struct vrs_window window)
{
	struct vrs_graph graph;
	vrs_graph_init(&graph);
	struct vrs_node node = node_of(op, node_input(&graph, 4, SHAPE(2, 13, 17, 21)));
	window.groups = 1;
	node.u.window = window;
	node_emit(&graph, &node, op == VRS_OP_POOL_INDEX ? VRS_I64 : VRS_F32);
	node_check(&graph, 1e-5, op == VRS_OP_POOL_INDEX ? "places of a pool" : "average with a last window beyond the padding");
}

static void test_pools(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct vrs_window w = {
			.kernel_h = 3, .kernel_w = i == 2 ? 2 : 3, .stride_h = 2, .stride_w = i == 1 ? 3 : 2, .dilation_h = 1, .dilation_w = i == 3 ? 2 : 1,
			.pad_top = 1, .pad_left = i == 2 ? 0 : 1, .pad_bottom = i & 1, .pad_right = 1, .ceil = true, .column_major = i == 1,
		};
		check_pool(VRS_OP_POOL_INDEX, w);
		w.count_pad = true;
		check_pool(VRS_OP_POOL_AVG, w);
	}
}

static int group(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_products), cmocka_unit_test(test_reductions), cmocka_unit_test(test_best_places), cmocka_unit_test(test_norms),
		cmocka_unit_test(test_padding), cmocka_unit_test(test_fills), cmocka_unit_test(test_transpositions), cmocka_unit_test(test_choices),
		cmocka_unit_test(test_arithmetic_of_high_rank), cmocka_unit_test(test_filters), cmocka_unit_test(test_integers),
		cmocka_unit_test(test_8_bits), cmocka_unit_test(test_pools),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
	return node_levels(group);
}
