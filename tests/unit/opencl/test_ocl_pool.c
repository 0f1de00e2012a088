/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards pools on a device: every kind of window (padding on each side, dilation, ceil, SAME, pads that count), places of largest values, values that
 * are no numbers, and averages over maps of one pixel up to several stages of sums.
 */
#include "op_batch.h"

#define SHAPE(...) (const int64_t[]){__VA_ARGS__}

struct pool {
	int kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, top, left, bottom, right;
	bool same, lower, ceil, count_pad;
	int height, width, channels;
};

static const struct pool cases[] = {
	{2, 2, 2, 2, 1, 1, 0, 0, 0, 0, false, false, false, false, 8, 10, 4},
	{3, 3, 2, 2, 1, 1, 1, 1, 1, 1, false, false, false, false, 7, 9, 5},
	{3, 3, 2, 2, 1, 1, 1, 1, 1, 1, false, false, false, true, 7, 9, 8},
	{3, 2, 2, 3, 1, 1, 0, 1, 1, 0, false, false, true, true, 8, 9, 3},   /* a last window beyond the padding */
	{3, 3, 2, 2, 1, 1, 0, 0, 0, 0, false, false, true, false, 8, 10, 16},
	{3, 3, 1, 1, 2, 3, 2, 3, 2, 3, false, false, false, true, 9, 11, 7}, /* dilation */
	{5, 3, 2, 2, 1, 1, 0, 0, 0, 0, true, false, false, false, 6, 7, 12},
	{4, 4, 3, 3, 1, 1, 0, 0, 0, 0, true, true, false, false, 8, 8, 1},
	{1, 7, 1, 4, 1, 1, 0, 3, 0, 2, false, false, false, false, 3, 29, 20},
	{9, 9, 9, 9, 1, 1, 1, 1, 1, 1, false, false, false, true, 7, 7, 4},  /* one window with padding */
	{7, 6, 1, 1, 1, 1, 0, 0, 0, 0, false, false, false, true, 7, 6, 6},  /* one window: the map */
	{9, 8, 1, 1, 1, 1, 1, 1, 1, 1, false, false, false, false, 7, 6, 8},
};

static void set_window(struct vrs_node *node, const struct pool *p)
{
	node->u.window = (struct vrs_window){
		.kernel_h = p->kernel_h, .kernel_w = p->kernel_w, .stride_h = p->stride_h, .stride_w = p->stride_w, .dilation_h = p->dilation_h,
		.dilation_w = p->dilation_w, .pad_top = p->top, .pad_left = p->left, .pad_bottom = p->bottom, .pad_right = p->right, .same = p->same,
		.lower = p->lower, .ceil = p->ceil, .count_pad = p->count_pad, .groups = 1,
	};
}

static void add_case(struct op_batch *batch, enum vrs_op op, size_t i)
{
	const struct pool *p = &cases[i];
	char what[64];
	struct vrs_node node = op_node(op, node_input(&batch->graph, 4, SHAPE(i % 2 ? 2 : 1, p->height, p->width, p->channels)));
	set_window(&node, p);
	node.u.window.column_major = i & 2;
	node_emit(&batch->graph, &node, op == VRS_OP_POOL_INDEX ? VRS_I64 : VRS_F32);
	snprintf(what, sizeof what, "%s, case %zu", vrs_op_name(op), i);
	op_batch_add_newest(batch, what);
}

static void test_windows(void **state)
{
	static const enum vrs_op ops[] = {VRS_OP_POOL_MAX, VRS_OP_POOL_AVG, VRS_OP_POOL_INDEX};
	(void)state;
	for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
		struct op_batch batch;
		op_batch_init(&batch, OP_BOUND_FP32, OP_BOUND_FP16);
		for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
			add_case(&batch, ops[k], i);
		op_batch_check(&batch);
	}
}

/* Signs, -1 to 1, have many equal values; roots of negative numbers are no numbers. */
static void test_equal_and_nan(void **state)
{
	struct op_batch batch;
	(void)state;
	op_batch_init(&batch, OP_BOUND_FP32, -1);
	for (int i = 0; i < 8; i++) {
		struct vrs_graph *graph = &batch.graph;
		char what[64];
		struct vrs_node first = op_node(VRS_OP_UNARY, node_input(graph, 4, SHAPE(1, 9, 9, i & 1 ? 4 : 3)));
		first.act = i < 4 ? VRS_ACT_SIGN : VRS_ACT_SQRT;
		struct vrs_node node = op_node(i & 2 ? VRS_OP_POOL_INDEX : VRS_OP_POOL_MAX, node_emit(graph, &first, VRS_F32));
		set_window(&node, &cases[1]);
		node_emit(graph, &node, i & 2 ? VRS_I64 : VRS_F32);
		snprintf(what, sizeof what, "values of kind %d", i);
		op_batch_add_newest(&batch, what);
	}
	op_batch_check(&batch);
}

static void test_global_avg(void **state)
{
	static const int64_t shapes[][4] = {
		{1, 1, 1, 1}, {1, 1, 1, 8}, {2, 3, 5, 7}, {3, 17, 19, 3}, {1, 32, 33, 4}, {2, 64, 67, 16}, {1, 7, 7, 260}, {1, 150, 200, 1},
		{1, 40, 41, 72}, {2, 20, 21, 65},
	};
	struct op_batch batch;
	(void)state;
	op_batch_init(&batch, 1e-6, 2e-3);
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		struct vrs_graph *graph = &batch.graph;
		char what[64];
		int32_t x = node_input(graph, 4, shapes[i]);
		struct vrs_node node = op_node(VRS_OP_BINARY, x); /* away from 0, so that a chunk left out shows */
		node.inputs = 2;
		node.in[1] = node_const(graph, 4, SHAPE(1, shapes[i][1], shapes[i][2], 1), 3, 7);
		node = op_node(VRS_OP_GLOBAL_AVG, node_emit(graph, &node, VRS_F32));
		node_emit(graph, &node, VRS_F32);
		snprintf(what, sizeof what, "global average %zu", i);
		op_batch_add_newest(&batch, what);
	}
	op_batch_check(&batch);
}

int main(void)
{
	held_contexts_begin();
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_windows), cmocka_unit_test(test_equal_and_nan), cmocka_unit_test(test_global_avg)};
	return held_contexts_end(cmocka_run_group_tests(tests, NULL, NULL));
}
