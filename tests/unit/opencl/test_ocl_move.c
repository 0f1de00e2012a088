/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards operators that move elements on a device: concat, slice, transpose, expand, tile, pad and gather of ranks up to 6 and more, in units of
 * every width, of every type, from and to floats and halves, with tensors without elements.
 */
#include "op_batch.h"

#define SHAPE(...) (const int64_t[]){__VA_ARGS__}

static void test_concat(void **state)
{
	static const struct {
		int rank, axis, inputs;
		int64_t dims[6], along[4]; /* dims of the output but for the axis */
	} cases[] = {
		{1, 0, 2, {0}, {3, 5}}, {2, 1, 3, {7, 0}, {4, 8, 12}}, {4, 3, 2, {2, 5, 7, 0}, {16, 8}}, {4, 3, 3, {2, 5, 7, 0}, {3, 1, 6}},
		{4, 1, 2, {2, 0, 3, 5}, {2, 3}}, {4, 0, 4, {0, 3, 3, 2}, {1, 2, 1, 3}}, {5, 2, 2, {2, 3, 0, 4, 5}, {1, 4}}, {6, 5, 2, {1, 2, 3, 2, 2, 0}, {2, 7}},
		{3, 2, 3, {4, 3, 0}, {0, 5, 0}}, {3, 1, 2, {4, 0, 3}, {0, 0}},
	};
	struct op_batch batch;
	(void)state;
	op_batch_init(&batch, 0, OP_BOUND_FP16);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (int place = 0; place < OP_PLACES; place += op_next_place(i)) {
			struct vrs_node node;
			int64_t dims[6];
			char what[64];
			vrs_node_init(&node, VRS_OP_CONCAT, "node");
			memcpy(dims, cases[i].dims, sizeof dims);
			for (node.inputs = 0; node.inputs < cases[i].inputs; node.inputs++) {
				dims[cases[i].axis] = cases[i].along[node.inputs];
				node.in[node.inputs] = op_input_at(&batch.graph, place, cases[i].rank, dims);
			}
			node.u.concat.axis = cases[i].axis;
			snprintf(what, sizeof what, "concat %zu", i);
			op_batch_add_at(&batch, place, node_emit(&batch.graph, &node, VRS_F32), what);
		}
	op_batch_check(&batch);
}

struct slice {
	int rank;
	int64_t dims[6], starts[6], ends[6], steps[6];
};

static const struct slice slices[] = {
	{1, {17}, {3}, {15}, {1}}, {1, {17}, {16}, {-18}, {-3}}, {2, {8, 16}, {1, 4}, {7, 12}, {1, 1}}, {2, {8, 16}, {0, 1}, {8, 12}, {2, 1}},
	{4, {2, 7, 9, 8}, {0, 1, 2, 4}, {2, 6, 9, 8}, {1, 2, 3, 1}}, {4, {2, 7, 9, 3}, {1, 6, 0, 2}, {2, -8, 9, -4}, {1, -1, 1, -1}},
	{5, {2, 3, 4, 5, 6}, {0, 1, 0, 2, 0}, {2, 3, 4, 5, 6}, {1, 1, 2, 1, 2}},
	{6, {2, 2, 3, 2, 3, 4}, {0, 0, 1, 0, 2, 0}, {2, 1, 3, 2, 3, 4}, {1, 1, 1, 1, 1, 3}},
	{2, {8, 16}, {3, 0}, {3, 16}, {1, 1}}, /* nothing */
};

static int32_t emit_slice(struct vrs_graph *graph, int32_t x, const struct slice *slice, enum vrs_dtype type)
{
	static const int64_t axes[] = {0, 1, 2, 3, 4, 5};
	const int64_t *lists[] = {slice->starts, slice->ends, axes, slice->steps};
	struct vrs_node node = op_node(VRS_OP_SLICE, x);
	for (int k = 0; k < 4; k++)
		node.in[node.inputs++] = op_integers(graph, slice->rank, lists[k]);
	return node_emit(graph, &node, type);
}

static void test_slice(void **state)
{
	struct op_batch batch;
	(void)state;
	op_batch_init(&batch, 0, OP_BOUND_FP16);
	for (size_t i = 0; i < sizeof slices / sizeof *slices; i++)
		for (int place = 0; place < OP_PLACES; place += op_next_place(i)) {
			char what[64];
			int32_t x = op_input_at(&batch.graph, place, slices[i].rank, slices[i].dims);
			snprintf(what, sizeof what, "slice %zu", i);
			op_batch_add_at(&batch, place, emit_slice(&batch.graph, x, &slices[i], VRS_F32), what);
		}
	op_batch_check(&batch);
}

static void test_transpose(void **state)
{
	static const struct {
		int rank, perm[8];
		int64_t dims[8];
	} cases[] = {
		{1, {0}, {5}}, {2, {1, 0}, {37, 21}}, {3, {0, 2, 1}, {3, 5, 70}}, {4, {0, 3, 1, 2}, {2, 9, 7, 3}}, {4, {0, 2, 3, 1}, {2, 16, 7, 5}},
		{4, {0, 2, 1, 3}, {2, 3, 4, 8}}, {4, {3, 2, 1, 0}, {4, 3, 5, 7}}, {5, {2, 0, 3, 1, 4}, {1, 6, 3, 4, 16}},
		{6, {0, 1, 3, 2, 4, 5}, {1, 4, 3, 5, 2, 3}},
		{8, {7, 6, 5, 4, 3, 2, 1, 0}, {2, 3, 2, 3, 2, 3, 2, 3}},
		{3, {2, 1, 0}, {5, 0, 3}}, {4, {0, 2, 3, 1}, {2, 1, 7, 5}}, /* nothing, and nothing moves */
	};
	struct op_batch batch;
	(void)state;
	op_batch_init(&batch, 0, OP_BOUND_FP16);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (int place = 0; place < OP_PLACES; place += op_next_place(i)) {
			struct vrs_node node = op_node(VRS_OP_TRANSPOSE, op_input_at(&batch.graph, place, cases[i].rank, cases[i].dims));
			char what[64];
			memcpy(node.u.transpose.perm, cases[i].perm, sizeof cases[i].perm);
			snprintf(what, sizeof what, "transpose %zu", i);
			op_batch_add_at(&batch, place, node_emit(&batch.graph, &node, VRS_F32), what);
		}
	op_batch_check(&batch);
}

/* Expand where `more` is a shape, tile where it is repeats. */
static void test_repeats(void **state)
{
	static const struct {
		enum vrs_op op;
		int rank, count;
		int64_t dims[8], more[8];
	} cases[] = {
		{VRS_OP_EXPAND, 0, 2, {0}, {3, 4}}, {VRS_OP_EXPAND, 2, 3, {1, 8}, {5, 7, 8}}, {VRS_OP_EXPAND, 4, 4, {2, 1, 1, 5}, {2, 3, 4, 5}},
		{VRS_OP_EXPAND, 3, 6, {3, 1, 2}, {2, 1, 2, 3, 4, 2}}, {VRS_OP_EXPAND, 2, 2, {3, 1}, {3, 0}},
		{VRS_OP_TILE, 1, 1, {3}, {4}}, {VRS_OP_TILE, 2, 2, {3, 4}, {2, 3}}, {VRS_OP_TILE, 4, 4, {1, 3, 5, 4}, {2, 1, 3, 1}},
		{VRS_OP_TILE, 6, 6, {2, 1, 2, 3, 2, 2}, {2, 2, 1, 2, 2, 2}}, {VRS_OP_TILE, 8, 8, {2, 2, 2, 1, 2, 2, 2, 3}, {2, 2, 2, 2, 1, 2, 2, 2}},
		{VRS_OP_TILE, 2, 2, {3, 4}, {0, 3}},
	};
	struct op_batch batch;
	(void)state;
	op_batch_init(&batch, 0, OP_BOUND_FP16);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (int place = 0; place < OP_PLACES; place += op_next_place(i)) {
			struct vrs_node node = op_node(cases[i].op, op_input_at(&batch.graph, place, cases[i].rank, cases[i].dims));
			char what[64];
			node.in[node.inputs++] = op_integers(&batch.graph, cases[i].count, cases[i].more);
			snprintf(what, sizeof what, "repeats %zu", i);
			op_batch_add_at(&batch, place, node_emit(&batch.graph, &node, VRS_F32), what);
		}
	op_batch_check(&batch);
}

struct padding {
	int rank;
	int64_t dims[6], before[6], after[6];
};

static const struct padding paddings[] = {
	{0, {0}, {7}, {9}}, /* a number has no dims to pad */
	{1, {9}, {2}, {3}}, {1, {9}, {-3}, {4}}, {2, {3, 3}, {2, 5}, {2, 7}}, /* further than the input */
	{4, {1, 6, 5, 8}, {0, 1, 2, 0}, {0, 3, 0, 0}}, {4, {2, 4, 5, 3}, {1, 1, 2, 3}, {0, 0, 4, 1}}, {4, {1, 5, 6, 7}, {0, -2, 1, -1}, {0, 3, -4, 2}},
	{3, {4, 5, 16}, {0, 2, 0}, {0, 0, 0}}, {5, {2, 1, 3, 2, 4}, {0, 1, 0, 1, 0}, {1, 0, 0, 2, 0}},
	{6, {1, 2, 2, 1, 3, 2}, {1, 0, 1, 0, 0, 1}, {0, 1, 0, 1, 2, 0}},
	{2, {4, 3}, {-2, 0}, {-2, 1}}, /* nothing is left */
};

static int32_t emit_pad(struct vrs_graph *graph, int32_t x, const struct padding *padding, enum vrs_pad_mode mode, double value, enum vrs_dtype type)
{
	struct vrs_node node = op_node(VRS_OP_PAD, x);
	memcpy(node.u.pad.before, padding->before, sizeof padding->before);
	memcpy(node.u.pad.after, padding->after, sizeof padding->after);
	node.u.pad.mode = mode;
	vrs_store_f64(type, node.u.pad.fill, 0, mode == VRS_PAD_CONSTANT ? value : 0);
	return node_emit(graph, &node, type);
}

/* By a number whose last bits count. */
static int32_t emit_filled(struct vrs_graph *graph, int32_t x, enum vrs_dtype type)
{
	const uint64_t bits = type == VRS_BOOL ? 1 : type == VRS_F32 ? 0x3dcccccd : type == VRS_F64 ? 0x3fb999999999999a : 0x7000000000003c01;
	struct vrs_node node = op_node(VRS_OP_PAD, x);
	node.in[1] = op_integers(graph, 6, SHAPE(1, 0, 3, 0, 2, 0));
	node.in[2] = node_checked(vrs_graph_add_const(graph, "fill", type, 0, NULL, &bits));
	node.inputs = 3;
	return node_emit(graph, &node, type);
}

static void test_pad(void **state)
{
	struct op_batch batch;
	(void)state;
	op_batch_init(&batch, 0, OP_BOUND_FP16);
	for (int mode = VRS_PAD_CONSTANT; mode <= VRS_PAD_WRAP; mode++)
		for (size_t i = 0; i < sizeof paddings / sizeof *paddings; i++)
			for (int place = 0; place < OP_PLACES; place += op_next_place(i + (size_t)mode)) {
				int32_t x = op_input_at(&batch.graph, place, paddings[i].rank, paddings[i].dims);
				char what[64];
				snprintf(what, sizeof what, "padding %zu, mode %d", i, mode);
				op_batch_add_at(&batch, place, emit_pad(&batch.graph, x, &paddings[i], (enum vrs_pad_mode)mode, 0.25, VRS_F32), what);
			}
	op_batch_check(&batch);
}

/* Indices of both types, negative ones and, in the reference moved to the next border, ones outside. */
static void test_gather(void **state)
{
	static const struct {
		int rank, axis;
		int64_t dims[6];
	} cases[] = {{1, 0, {7}}, {2, 0, {7, 8}}, {2, 1, {3, 7}}, {4, 2, {2, 3, 7, 5}}, {4, 0, {7, 2, 3, 4}}, {5, 4, {1, 2, 3, 2, 7}},
		{6, 3, {1, 2, 1, 7, 2, 4}}};
	struct op_batch batch;
	(void)state;
	op_batch_init(&batch, 0, OP_BOUND_FP16);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (int place = 0; place < OP_PLACES; place += op_next_place(i)) {
			static const int64_t few[] = {6, -7, 0, 3, 100, -100};
			static const int32_t few_32[] = {6, -7, 0, 3, 100, -100};
			struct vrs_node node = op_node(VRS_OP_GATHER, op_input_at(&batch.graph, place, cases[i].rank, cases[i].dims));
			char what[64];
			node.in[1] = node_checked(place & 1 ? vrs_graph_add_const(&batch.graph, "i", VRS_I32, 2, SHAPE(2, 3), few_32)
							    : vrs_graph_add_const(&batch.graph, "i", VRS_I64, 2, SHAPE(2, 3), few));
			node.inputs = 2;
			node.u.gather.axis = cases[i].axis;
			snprintf(what, sizeof what, "gather %zu", i);
			op_batch_add_at(&batch, place, node_emit(&batch.graph, &node, VRS_F32), what);
		}
	op_batch_check(&batch);
}

/* Places that are computed while the network runs, of a table that is a constant. */
static void test_gather_of_a_table(void **state)
{
	struct op_batch batch;
	(void)state;
	op_batch_init(&batch, 0, OP_BOUND_FP16);
	for (int type = VRS_I32; type <= VRS_I64; type++) {
		int32_t place = op_unary(&batch.graph, op_linear(&batch.graph, node_input(&batch.graph, 2, SHAPE(3, 4)), 4, 0), VRS_ACT_ROUND, VRS_F32);
		struct vrs_node node = op_node(VRS_OP_GATHER, node_const(&batch.graph, 2, SHAPE(5, 12), 1, 3));
		(void)place;
		node.in[1] = op_cast(&batch.graph, place, (enum vrs_dtype)type);
		node.inputs = 2;
		batch.bound_fp16 = -1; /* halves round to other places */
		op_batch_add(&batch, node_emit(&batch.graph, &node, VRS_F32), "table");
	}
	op_batch_check(&batch);
}

/* Bytes, pairs of them, words and double words, and the types whose bits have a meaning when they are padded. */
static void test_types(void **state)
{
	static const struct slice part = {3, {4, 6, 8}, {1, 0, 2}, {4, 6, 7}, {1, 2, 1}};
	static const struct padding padding = {3, {4, 6, 8}, {1, 0, 2}, {0, 3, -1}}, rows = {3, {4, 6, 8}, {1, 2, 0}, {0, 3, 0}};
	struct op_batch batch;
	(void)state;
	op_batch_init(&batch, 0, -1);
	for (int type = 0; type < VRS_DTYPE_COUNT; type++) {
		struct vrs_graph *graph = &batch.graph;
		enum vrs_dtype t = (enum vrs_dtype)type;
		int32_t x = op_cast(graph, op_unary(graph, op_linear(graph, node_input(graph, 3, part.dims), 50, 60), VRS_ACT_ROUND, VRS_F32), t);
		struct vrs_node turn = op_node(VRS_OP_TRANSPOSE, x), join = op_node(VRS_OP_CONCAT, x), pick = op_node(VRS_OP_GATHER, x);
		turn.u.transpose.perm[0] = 2;
		turn.u.transpose.perm[1] = 0;
		turn.u.transpose.perm[2] = 1;
		join.in[1] = x;
		join.inputs = 2;
		join.u.concat.axis = 2;
		pick.in[1] = op_integers(graph, 2, SHAPE(3, -4));
		pick.inputs = 2;
		op_batch_add(&batch, node_emit(graph, &turn, t), vrs_dtype_name(t));
		op_batch_add(&batch, node_emit(graph, &join, t), vrs_dtype_name(t));
		op_batch_add(&batch, node_emit(graph, &pick, t), vrs_dtype_name(t));
		op_batch_add(&batch, emit_slice(graph, x, &part, t), vrs_dtype_name(t));
		op_batch_add(&batch, emit_pad(graph, x, &padding, VRS_PAD_CONSTANT, 3, t), vrs_dtype_name(t));
		op_batch_add(&batch, emit_pad(graph, x, &rows, VRS_PAD_CONSTANT, 3, t), vrs_dtype_name(t));
		op_batch_add(&batch, emit_filled(graph, x, t), vrs_dtype_name(t));
		op_batch_check(&batch);
	}
}

int main(void)
{
	held_contexts_begin();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_concat), cmocka_unit_test(test_slice), cmocka_unit_test(test_transpose), cmocka_unit_test(test_repeats),
		cmocka_unit_test(test_pad), cmocka_unit_test(test_gather), cmocka_unit_test(test_gather_of_a_table),
		cmocka_unit_test(test_types),
	};
	return held_contexts_end(cmocka_run_group_tests(tests, NULL, NULL));
}
