/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards functions of elements that are no plain floats on a device, over the extreme values of every type: wrapping, division by zero, comparisons
 * of numbers of 64 bits, conversions between all types, choice with broadcasting, quantisation with its rounding and saturation, tensors without
 * elements.
 */
#include "op_batch.h"

#define SHAPE(...) (const int64_t[]){__VA_ARGS__}

static const enum vrs_dtype integer_types[] = {VRS_U8, VRS_I8, VRS_U16, VRS_I16, VRS_U32, VRS_I32, VRS_U64, VRS_I64};
#define INTEGER_TYPES (sizeof integer_types / sizeof *integer_types)

static int32_t emit_binary(struct vrs_graph *graph, enum vrs_binary op, int32_t a, int32_t b, enum vrs_dtype type)
{
	struct vrs_node node = op_node(VRS_OP_BINARY, a);
	node.in[1] = b;
	node.inputs = 2;
	node.u.binary.op = op;
	return node_emit(graph, &node, op >= VRS_EQUAL ? VRS_BOOL : type);
}

static void test_integers(void **state)
{
	struct op_batch batch;
	(void)state;
	op_batch_init(&batch, 0, -1);
	for (size_t t = 0; t < INTEGER_TYPES; t++) {
		enum vrs_dtype type = integer_types[t];
		int32_t a = op_extremes(&batch.graph, type, 3, SHAPE(4, 15, 15)), b = op_extremes(&batch.graph, type, 3, SHAPE(4, 15, 15));
		int32_t row = op_extremes(&batch.graph, type, 2, SHAPE(15, 1));
		for (int op = VRS_ADD; op <= VRS_GREATER_EQUAL; op++) {
			char what[64];
			snprintf(what, sizeof what, "%s of %s", vrs_binary_name((enum vrs_binary)op), vrs_dtype_name(type));
			op_batch_add(&batch, emit_binary(&batch.graph, (enum vrs_binary)op, a, op % 3 ? b : row, type), what);
		}
		for (int act = VRS_ACT_ABS; act <= VRS_ACT_SIGN; act++)
			if (act == VRS_ACT_ABS || act == VRS_ACT_NEG || act == VRS_ACT_SIGN)
				op_batch_add(&batch, op_unary(&batch.graph, a, (enum vrs_act)act, type), vrs_act_name((enum vrs_act)act));
		op_batch_check(&batch);
	}
}

/* Floats of every size: comparisons of extreme values, arithmetic of ordinary ones. */
static void test_floats(void **state)
{
	static const enum vrs_dtype types[] = {VRS_F32, VRS_F16, VRS_BF16, VRS_F64};
	struct op_batch batch;
	(void)state;
	op_batch_init(&batch, 1e-2, -1);
	for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
		int32_t a = op_extremes(&batch.graph, types[t], 2, SHAPE(30, 30)), b = op_extremes(&batch.graph, types[t], 2, SHAPE(30, 30));
		int32_t p = op_cast(&batch.graph, op_linear(&batch.graph, node_input(&batch.graph, 2, SHAPE(5, 7)), 1, 3), types[t]);
		int32_t q = op_cast(&batch.graph, op_linear(&batch.graph, node_input(&batch.graph, 1, SHAPE(7)), 0.1, 1), types[t]);
		for (int op = VRS_EQUAL; op <= VRS_GREATER_EQUAL; op++)
			op_batch_add(&batch, emit_binary(&batch.graph, (enum vrs_binary)op, a, b, types[t]), vrs_dtype_name(types[t]));
		for (int op = VRS_ADD; op <= VRS_PRELU && types[t] != VRS_F32; op++)
			if (op != VRS_MOD && op != VRS_FMOD) { /* jump where a quotient rounds to the next whole number */
				int32_t y = emit_binary(&batch.graph, (enum vrs_binary)op, p, q, types[t]);
				op_batch_add(&batch, op_cast(&batch.graph, y, VRS_F32), vrs_binary_name((enum vrs_binary)op));
			}
		if (types[t] == VRS_F16 || types[t] == VRS_BF16)
			op_batch_add(&batch, op_cast(&batch.graph, op_unary(&batch.graph, p, VRS_ACT_SIGMOID, types[t]), VRS_F32), "sigmoid");
		op_batch_check(&batch);
	}
}

/* The exponent has a type of its own. */
static void test_powers(void **state)
{
	static const enum vrs_dtype types[][2] = {{VRS_F32, VRS_I64}, {VRS_F32, VRS_U8}, {VRS_I32, VRS_F32}, {VRS_I64, VRS_I32}, {VRS_U8, VRS_U64}};
	struct op_batch batch;
	(void)state;
	op_batch_init(&batch, 1e-5, -1);
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		int32_t base = op_cast(&batch.graph, op_linear(&batch.graph, node_input(&batch.graph, 2, SHAPE(9, 11)), 5, 5.5), types[i][0]);
		int32_t exponent = op_cast(&batch.graph, op_linear(&batch.graph, node_input(&batch.graph, 2, SHAPE(9, 11)), 2, 2), types[i][1]);
		op_batch_add(&batch, emit_binary(&batch.graph, VRS_POW, base, exponent, types[i][0]), "power");
	}
	op_batch_check(&batch);
}

static void test_logic(void **state)
{
	struct op_batch batch;
	(void)state;
	op_batch_init(&batch, 0, 0);
	for (int op = VRS_EQUAL; op <= VRS_XOR; op++) {
		if (op > VRS_EQUAL && op < VRS_AND)
			continue;
		int32_t zero = node_checked(vrs_graph_add_const(&batch.graph, "zero", VRS_F32, 0, NULL, NULL));
		int32_t a = emit_binary(&batch.graph, VRS_LESS, node_input(&batch.graph, 2, SHAPE(13, 7)), zero, VRS_BOOL);
		int32_t b = emit_binary(&batch.graph, VRS_LESS, node_input(&batch.graph, 1, SHAPE(7)), zero, VRS_BOOL);
		op_batch_add(&batch, emit_binary(&batch.graph, (enum vrs_binary)op, a, op_unary(&batch.graph, b, VRS_ACT_NOT, VRS_BOOL), VRS_BOOL), "logic");
	}
	op_batch_check(&batch);
}

/* Every type to every other one; of doubles and 64 bits the rounding, too. */
static void test_casts(void **state)
{
	struct op_batch batch;
	(void)state;
	op_batch_init(&batch, 0, -1);
	for (int from = 0; from < VRS_DTYPE_COUNT; from++) {
		int32_t x = op_extremes(&batch.graph, (enum vrs_dtype)from, 2, SHAPE(9, 11));
		for (int to = 0; to < VRS_DTYPE_COUNT; to++) {
			char what[96];
			snprintf(what, sizeof what, "%s to %s", vrs_dtype_name((enum vrs_dtype)from), vrs_dtype_name((enum vrs_dtype)to));
			int32_t y = op_cast(&batch.graph, x, (enum vrs_dtype)to);
			bool odd = vrs_dtype_is_float((enum vrs_dtype)to) && to != VRS_F32; /* a NaN has many bits, which only floats are compared without */
			op_batch_add(&batch, odd ? op_cast(&batch.graph, y, VRS_F32) : y, what);
		}
		op_batch_check(&batch);
	}
}

static int32_t emit_where(struct vrs_graph *graph, int32_t c, int32_t a, int32_t b, enum vrs_dtype type)
{
	struct vrs_node node = op_node(VRS_OP_WHERE, c);
	node.in[1] = a;
	node.in[2] = b;
	node.inputs = 3;
	return node_emit(graph, &node, type);
}

static void test_choice(void **state)
{
	static const struct {
		int rank[3];
		int64_t dims[3][6];
	} cases[] = {
		{{1, 1, 1}, {{17}, {17}, {17}}}, {{4, 4, 4}, {{2, 5, 7, 3}, {2, 1, 7, 1}, {1, 5, 1, 3}}}, {{2, 0, 5}, {{3, 1}, {0}, {2, 2, 2, 3, 4}}},
		{{6, 3, 1}, {{2, 1, 2, 3, 1, 2}, {3, 4, 1}, {2}}}, {{2, 2, 2}, {{3, 1}, {1, 0}, {3, 0}}},
	};
	static const enum vrs_dtype types[] = {VRS_U8, VRS_I16, VRS_I32, VRS_I64, VRS_F64, VRS_BOOL};
	struct op_batch batch;
	(void)state;
	op_batch_init(&batch, 0, OP_BOUND_FP16);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (int place = 0; place < OP_PLACES; place++) {
			int32_t zero = node_checked(vrs_graph_add_const(&batch.graph, "zero", VRS_F32, 0, NULL, NULL));
			int32_t c = emit_binary(&batch.graph, VRS_LESS, node_input(&batch.graph, cases[i].rank[0], cases[i].dims[0]), zero, VRS_BOOL);
			int32_t a = op_input_at(&batch.graph, place, cases[i].rank[1], cases[i].dims[1]);
			int32_t b = op_input_at(&batch.graph, place >> 1, cases[i].rank[2], cases[i].dims[2]);
			char what[64];
			snprintf(what, sizeof what, "choice %zu", i);
			op_batch_add_at(&batch, place, emit_where(&batch.graph, c, a, b, VRS_F32), what);
		}
	op_batch_check(&batch);
	batch.bound_fp16 = -1; /* numbers of halves are other ones */
	for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
		int32_t a = op_extremes(&batch.graph, types[t], 2, SHAPE(7, 9)), b = op_extremes(&batch.graph, types[t], 1, SHAPE(9));
		int32_t c = op_cast(&batch.graph, op_extremes(&batch.graph, VRS_U8, 2, SHAPE(7, 1)), VRS_BOOL);
		op_batch_add(&batch, emit_where(&batch.graph, c, a, b, types[t]), vrs_dtype_name(types[t]));
	}
	op_batch_check(&batch);
}

struct quantisation {
	enum vrs_dtype type;
	int rank, axis, scales;
	int64_t dims[5];
	bool zero;
};

static void check_quantisation(struct op_batch *batch, const struct quantisation *c, int place)
{
	struct vrs_graph *graph = &batch->graph;
	float steps[16];
	int32_t zeros[16], scales, zero = -1;
	char table[64], what[96];
	int64_t count[1] = {c->scales};
	for (int i = 0; i < c->scales; i++) {
		steps[i] = i % 3 ? 0.0071F * (float)(i + 1) : 0.0078125F; /* powers of two make many quotients that end in a half */
		zeros[i] = c->type == VRS_U8 || c->type == VRS_U16 ? 100 + i : i - 3;
		vrs_store_i64(c->type, table, (size_t)i, zeros[i]);
	}
	scales = node_checked(vrs_graph_add_const(graph, "s", VRS_F32, c->scales > 1, count, steps));
	if (c->zero)
		zero = node_checked(vrs_graph_add_const(graph, "z", c->type, c->scales > 1, count, table));
	int32_t x = op_linear(graph, op_input_at(graph, place, c->rank, c->dims), 600, 0);
	x = op_linear(graph, op_unary(graph, x, VRS_ACT_ROUND, VRS_F32), 1 / 256.0, 0);
	struct vrs_node down = op_node(VRS_OP_QUANTIZE, x), up = op_node(VRS_OP_DEQUANTIZE, 0);
	down.in[1] = up.in[1] = scales;
	down.in[2] = up.in[2] = zero;
	down.inputs = up.inputs = c->zero ? 3 : 2;
	down.u.quant.axis = up.u.quant.axis = c->axis;
	down.u.quant.to = c->type;
	up.in[0] = node_emit(graph, &down, c->type);
	snprintf(what, sizeof what, "quantisation to %s, rank %d, %d scales", vrs_dtype_name(c->type), c->rank, c->scales);
	op_batch_add(batch, up.in[0], what);
	op_batch_add(batch, node_emit(graph, &up, VRS_F32), what);
}

static void test_quantisation(void **state)
{
	static const struct quantisation cases[] = {
		{VRS_U8, 1, 0, 1, {37}, true}, {VRS_U8, 4, 3, 5, {2, 3, 4, 5}, true}, {VRS_I8, 4, 1, 3, {2, 3, 4, 5}, true},
		{VRS_I8, 5, -2, 7, {1, 2, 1, 7, 3}, false},
		{VRS_U8, 2, 0, 1, {9, 40}, false}, {VRS_I16, 2, 0, 9, {9, 40}, true}, {VRS_U16, 3, 1, 1, {2, 3, 50}, true}, {VRS_I32, 2, 1, 1, {5, 7}, true},
	};
	struct op_batch batch;
	(void)state;
	op_batch_init(&batch, 1e-6, -1); /* halves fall on other steps */
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		check_quantisation(&batch, &cases[i], 0);
	op_batch_check(&batch);
}

/* Without elements there is nothing to do, but outputs have their type. */
static void test_nothing(void **state)
{
	struct op_batch batch;
	(void)state;
	op_batch_init(&batch, 0, 0);
	int32_t x = op_cast(&batch.graph, node_input(&batch.graph, 2, SHAPE(0, 3)), VRS_I32);
	op_batch_add(&batch, x, "cast of nothing");
	op_batch_add(&batch, emit_binary(&batch.graph, VRS_ADD, x, x, VRS_I32), "sum of nothing");
	op_batch_add(&batch, op_unary(&batch.graph, x, VRS_ACT_NEG, VRS_I32), "negated nothing");
	op_batch_check(&batch);
}

static int group(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers), cmocka_unit_test(test_floats), cmocka_unit_test(test_powers), cmocka_unit_test(test_logic),
		cmocka_unit_test(test_casts), cmocka_unit_test(test_choice), cmocka_unit_test(test_quantisation), cmocka_unit_test(test_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
	held_contexts_begin();
	return held_contexts_end(group());
}
