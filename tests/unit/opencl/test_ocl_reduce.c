/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards reductions over any axes, places of extremes and softmax on a device: every function, lines long and short, beside and behind each other,
 * types of every kind, ties, NaN and infinities, tensors without elements; and products of matrices of every shape.
 */
#include "op_batch.h"

#define SHAPE(...) (const int64_t[]){__VA_ARGS__}

static int32_t emit_reduce(struct vrs_graph *graph, int32_t x, enum vrs_reduce op, uint32_t axes, bool keep, enum vrs_dtype type)
{
	struct vrs_node node = op_node(VRS_OP_REDUCE, x);
	node.u.reduce.op = op;
	node.u.reduce.axes = axes;
	node.u.reduce.keep_dims = keep;
	return node_emit(graph, &node, type);
}

/* Logarithms and roots of what is away from zero, products of what is near one. */
static int32_t reduce_input(struct vrs_graph *graph, int place, enum vrs_reduce op, int rank, const int64_t *dims)
{
	int32_t x = op_input_at(graph, place, rank, dims);
	bool positive = op == VRS_REDUCE_LOG_SUM || op == VRS_REDUCE_PROD || op == VRS_REDUCE_MEAN;
	return positive ? op_linear(graph, x, 0.02, 1) : x;
}

static void test_reductions(void **state)
{
	static const struct {
		int rank;
		int64_t dims[6];
		uint32_t axes;
	} cases[] = {
		{4, {2, 5, 7, 9}, 6}, {4, {2, 5, 7, 9}, 8}, {4, {2, 5, 7, 9}, 15}, {4, {2, 5, 7, 9}, 5}, {1, {300}, 1}, {2, {3, 700}, 2}, {2, {700, 3}, 1},
		{5, {2, 3, 2, 3, 5}, 21}, {6, {2, 3, 2, 3, 2, 3}, 42}, {3, {1, 1, 5}, 3}, {3, {2, 40, 33}, 2},
	};
	struct op_batch batch;
	(void)state;
	op_batch_init(&batch, 1e-5, OP_BOUND_FP16);
	for (int op = 0; op < VRS_REDUCE_COUNT; op++)
		for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
			int place = (int)i % 2 * 3;
			char what[64];
			if (i == 0 && op == VRS_REDUCE_MEAN)
				continue; /* a global average of a map */
			int32_t x = reduce_input(&batch.graph, place, (enum vrs_reduce)op, cases[i].rank, cases[i].dims);
			snprintf(what, sizeof what, "reduction %d of case %zu", op, i);
			op_batch_add_at(&batch, place, emit_reduce(&batch.graph, x, (enum vrs_reduce)op, cases[i].axes, i & 1, VRS_F32), what);
		}
	op_batch_check(&batch);
}

/* A line of nothing gives what the function begins with; no lines give nothing. */
static void test_empty_reductions(void **state)
{
	struct op_batch batch;
	(void)state;
	op_batch_init(&batch, 0, 0);
	for (int op = 0; op < VRS_REDUCE_COUNT; op++) {
		int32_t x = node_input(&batch.graph, 3, SHAPE(3, 0, 2));
		char what[64];
		snprintf(what, sizeof what, "reduction %d of nothing", op);
		op_batch_add(&batch, emit_reduce(&batch.graph, x, (enum vrs_reduce)op, 2, true, VRS_F32), what);
		op_batch_add(&batch, emit_reduce(&batch.graph, x, (enum vrs_reduce)op, 1, true, VRS_F32), what);
		x = op_cast(&batch.graph, x, VRS_I32);
		op_batch_add(&batch, emit_reduce(&batch.graph, x, (enum vrs_reduce)op, 2, true, VRS_I32), what);
	}
	op_batch_check(&batch);
}

static void test_types(void **state)
{
	static const enum vrs_dtype types[] = {VRS_U8, VRS_I16, VRS_I64, VRS_U64, VRS_F64, VRS_BF16, VRS_F32};
	struct op_batch batch;
	(void)state;
	op_batch_init(&batch, 1e-5, -1);
	for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
		bool floats = vrs_dtype_is_float(types[t]);
		for (int op = 0; op < VRS_REDUCE_COUNT; op++) {
			char what[64];
			int32_t x = floats && op != VRS_REDUCE_MAX && op != VRS_REDUCE_MIN
				? op_cast(&batch.graph, reduce_input(&batch.graph, 0, (enum vrs_reduce)op, 2, SHAPE(6, 40)), types[t])
				: op_extremes(&batch.graph, types[t], 2, SHAPE(6, 40));
			snprintf(what, sizeof what, "reduction %d of %s", op, vrs_dtype_name(types[t]));
			op_batch_add(&batch, op_cast(&batch.graph, emit_reduce(&batch.graph, x, (enum vrs_reduce)op, 2, true, types[t]), floats ? VRS_F32 : types[t]),
				     what);
		}
		for (int kind = 0; kind < 4; kind++) {
			struct vrs_node node = op_node(VRS_OP_ARG_REDUCE, op_extremes(&batch.graph, types[t], 2, SHAPE(11, 13)));
			node.u.arg.axis = kind >> 1;
			node.u.arg.smallest = kind & 1;
			node.u.arg.last = kind == 1 || kind == 2;
			op_batch_add(&batch, node_emit(&batch.graph, &node, VRS_I64), vrs_dtype_name(types[t]));
		}
	}
	op_batch_check(&batch);
}

/* Many equal values: the first or the last of them. */
static void test_places(void **state)
{
	struct op_batch batch;
	(void)state;
	op_batch_init(&batch, 0, -1);
	for (int kind = 0; kind < 4; kind++)
		for (int axis = 0; axis < 4; axis++) {
			int32_t x = op_linear(&batch.graph, node_input(&batch.graph, 4, kind < 2 ? SHAPE(2, 11, 3, 21) : SHAPE(1, 2, 5, 300)), 3, 0);
			struct vrs_node node = op_node(VRS_OP_ARG_REDUCE, op_unary(&batch.graph, x, VRS_ACT_ROUND, VRS_F32));
			char what[64];
			node.u.arg.axis = axis;
			node.u.arg.smallest = kind & 1;
			node.u.arg.last = kind & 2;
			node.u.arg.keep_dims = axis & 1;
			snprintf(what, sizeof what, "places along axis %d, kind %d", axis, kind);
			op_batch_add(&batch, node_emit(&batch.graph, &node, VRS_I64), what);
		}
	op_batch_check(&batch);
}

static void test_softmax(void **state)
{
	static const struct {
		int rank;
		int64_t dims[6];
	} cases[] = {{1, {5}}, {2, {7, 1}}, {2, {3, 4}}, {4, {1, 2, 9, 33}}, {3, {2, 3, 1000}}, {6, {1, 2, 1, 3, 2, 63}}};
	struct op_batch batch;
	(void)state;
	op_batch_init(&batch, 1e-5, OP_BOUND_FP16);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (int kind = 0; kind < 4; kind++) {
			struct vrs_node node = op_node(VRS_OP_SOFTMAX, op_input_at(&batch.graph, (int)(i % 2 * 3), cases[i].rank, cases[i].dims));
			char what[64];
			if (kind & 2) /* beyond where exp overflows */
				node.in[0] = op_linear(&batch.graph, node.in[0], 300, 500);
			node.u.softmax.log = kind & 1;
			snprintf(what, sizeof what, "softmax %zu, kind %d", i, kind);
			batch.bound_fp16 = kind & 2 ? -1 : OP_BOUND_FP16; /* a half has 3 digits */
			op_batch_add_at(&batch, (int)(i % 2 * 3), node_emit(&batch.graph, &node, VRS_F32), what);
			op_batch_check(&batch);
		}
}

struct product {
	int rank_a, rank_b;
	int64_t a[6], b[6];
	bool turn_a, turn_b;
};

static void test_products(void **state)
{
	static const struct product cases[] = {
		{2, 2, {37, 19}, {19, 70}, false, false}, {3, 3, {2, 33, 20}, {2, 20, 65}, false, false}, {4, 4, {1, 3, 18, 24}, {1, 3, 18, 24}, false, true},
		{4, 3, {2, 3, 12, 8}, {3, 8, 9}, false, false}, {4, 4, {2, 1, 12, 8}, {1, 3, 8, 9}, false, false}, {3, 2, {2, 12, 8}, {12, 5}, true, false},
		{3, 2, {4, 12, 8}, {8, 16}, false, false}, {3, 3, {2, 40, 12}, {2, 33, 40}, true, true}, {2, 2, {1, 300}, {300, 20}, false, false},
		{2, 2, {3, 300}, {20, 300}, false, true}, {1, 2, {20}, {20, 7}, false, false}, {2, 1, {20, 7}, {7}, false, false}, {1, 1, {9}, {9}, false, false},
		{3, 1, {2, 20, 7}, {7}, false, false}, {3, 3, {5, 6, 1}, {5, 1, 4}, false, false}, {6, 6, {1, 2, 1, 3, 5, 16}, {2, 1, 2, 3, 16, 8}, false, false},
	};
	struct op_batch batch;
	(void)state;
	op_batch_init(&batch, 1e-5, OP_BOUND_FP16);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (int place = 0; place < OP_PLACES; place += op_next_place(i)) {
			const struct product *c = &cases[i];
			struct vrs_node node = op_node(VRS_OP_MATMUL, op_input_at(&batch.graph, place, c->rank_a, c->a));
			char what[64];
			node.in[1] = op_input_at(&batch.graph, place, c->rank_b, c->b);
			node.inputs = 2;
			node.u.matmul.transpose_a = c->turn_a;
			node.u.matmul.transpose_b = c->turn_b;
			snprintf(what, sizeof what, "product %zu", i);
			op_batch_add_at(&batch, place, node_emit(&batch.graph, &node, VRS_F32), what);
		}
	op_batch_check(&batch);
}

static int group(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reductions), cmocka_unit_test(test_empty_reductions), cmocka_unit_test(test_types), cmocka_unit_test(test_places),
		cmocka_unit_test(test_softmax), cmocka_unit_test(test_products),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
	return op_both_devices(group);
}
