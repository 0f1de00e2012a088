/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: constants that a session makes stay in proportion to those of the file and to the inputs, whatever the network.  Nodes that no output needs
 * make none, and beyond the account a fold is refused with a sentence.  The work of folds is bounded, too: beyond that the node stays.
 * A pass that turns or scales constants makes one copy for all steps and all readers, and none beyond the account.
 * The search for equal nodes reads each constant a bounded number of times.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "graph/model_limits.h"
#include "graph/passes.h"
#include "unit/graph/graph_builder.h"

enum { MIB = 1 << 20 };

/* A constant of 1 MiB, and its copies side by side, four times as many in each step: no single one is out of proportion. */
static int32_t build_tiles(struct vrs_graph *g, int steps)
{
	static const int64_t one = 1, four = 4, length = MIB / 4;
	int32_t repeats = vrs_graph_add_const(g, "repeats", VRS_I64, 1, &one, &four), id = vrs_graph_add_const(g, "c", VRS_F32, 1, &length, NULL);

	for (int i = 0; i < steps; i++) {
		struct vrs_node node = vrs_node_of(VRS_OP_TILE, "tile", 2, (const int32_t[]){id, repeats});

		id = build_node(g, &node);
	}
	return id;
}

/* One number of all. */
static int32_t build_sum(struct vrs_graph *g, int32_t x)
{
	struct vrs_node node = vrs_node_of(VRS_OP_REDUCE, "sum", 1, &x);

	node.u.reduce.op = VRS_REDUCE_SUM;
	return build_node(g, &node);
}

static void test_folds(void **state)
{
	(void)state;
	for (int steps = 2; steps < 4; steps++) {
		struct vrs_graph g = {0};
		struct vrs_error err = {0};
		int32_t x = build_input(&g, 4, 4, 1);
		enum vrs_status status;

		build_output(&g, build_binary(&g, VRS_ADD, x, build_sum(&g, build_tiles(&g, steps)), VRS_ACT_NONE));
		status = vrs_graph_infer(&g, &err);
		assert_int_equal(status, steps == 2 ? VRS_OK : VRS_ELIMIT);
		if (steps == 2)
			assert_int_equal(live_nodes(&g), 1);
		else
			assert_non_null(strstr(err.text, "node 2 (tile tile): the constants that follow from the sizes of the inputs need more than"));
		assert_true(g.const_bytes < (size_t)22 * MIB);
		vrs_graph_fini(&g);
	}
}

static void test_large_inputs(void **state)
{
	struct vrs_graph g = {0};
	int32_t x = build_input(&g, 1024, 1024, 1);

	(void)state;
	build_output(&g, build_binary(&g, VRS_ADD, x, build_sum(&g, build_tiles(&g, 3)), VRS_ACT_NONE));
	assert_int_equal(vrs_graph_infer(&g, NULL), VRS_OK); /* grids for a large picture */
	assert_int_equal(live_nodes(&g), 1);
	vrs_graph_fini(&g);
}

static void test_nodes_that_nobody_needs(void **state)
{
	struct vrs_graph g = {0};
	int32_t x = build_input(&g, 4, 4, 1);
	size_t before;

	(void)state;
	build_output(&g, build_unary(&g, x, VRS_ACT_RELU));
	(void)build_sum(&g, build_tiles(&g, 3));
	before = g.const_bytes;
	assert_int_equal(vrs_graph_infer(&g, NULL), VRS_OK);
	assert_int_equal(live_nodes(&g), 1);
	assert_true(g.const_bytes == before);
	vrs_graph_fini(&g);
}

/* Pools of 32 Mi taps each over a constant of 64 KiB. */
static void test_work(void **state)
{
	enum { SIZE = 16384, POOLS = 64 };
	const uint64_t taps = (uint64_t)(SIZE / 2) * (SIZE / 2 + 1);
	struct vrs_graph g = {0};
	int32_t x = build_input(&g, 4, 4, 1), c = vrs_graph_add_const(&g, "c", VRS_F32, 4, (const int64_t[]){1, 1, SIZE, 1}, NULL), y = x;
	int left = 0;

	(void)state;
	for (int i = 0; i < POOLS; i++) {
		struct vrs_node node;

		vrs_node_init(&node, VRS_OP_POOL_AVG, "pool");
		node.inputs = 1;
		node.in[0] = c;
		node.u.window.kernel_w = SIZE / 2;
		y = build_binary(&g, VRS_ADD, y, build_sum(&g, build_node(&g, &node)), VRS_ACT_NONE);
	}
	build_output(&g, y);
	assert_int_equal(vrs_graph_infer(&g, NULL), VRS_OK);
	for (int32_t i = 0; i < g.node_count; i++)
		left += !g.nodes[i].dead && g.nodes[i].op == VRS_OP_POOL_AVG;
	assert_true(left > POOLS - 16 && left < POOLS - 2);
	assert_true(g.work > taps * 2 && g.work <= VRS_MODEL_MIN_WORK + VRS_MODEL_MAX_WORK_FACTOR * (uint64_t)g.const_bytes);
	vrs_graph_fini(&g);
}

/* Run a pass; bytes that its constants take. */
static size_t added_by(struct vrs_graph *g, enum vrs_status (*pass)(struct vrs_graph *, struct vrs_error *))
{
	struct vrs_error err = {0};
	size_t before;

	assert_int_equal(vrs_graph_infer(g, NULL), VRS_OK);
	before = g->const_bytes;
	if (pass(g, &err) != VRS_OK || vrs_pass_dead_code(g, &err) != VRS_OK || vrs_graph_validate(g, &err) != VRS_OK)
		fail_msg("%s", err.text);
	return g->const_bytes - before;
}

/* Factors before and behind a convolution with weights of 64 KiB. */
static void test_chain_of_factors(void **state)
{
	struct vrs_graph g = {0};
	int32_t y = build_input(&g, 1, 1, 128), one = build_scalar(&g, 1);

	(void)state;
	for (int i = 0; i < 100; i++)
		y = build_binary(&g, VRS_MUL, y, one, VRS_ACT_NONE);
	y = build_conv(&g, y, 128, 1);
	for (int i = 0; i < 100; i++)
		y = build_binary(&g, VRS_ADD, y, one, VRS_ACT_NONE);
	build_output(&g, y);
	assert_true(added_by(&g, vrs_pass_affine) == 128 * 128 * 4 + 128 * 4);
	assert_int_equal(live_nodes(&g), 1);
	assert_true(((const float *)g.tensors[maker(&g, y)->in[2]].data)[127] == 100);
	vrs_graph_fini(&g);
}

/* Convolutions that share weights of 1 MiB, each with a factor of its own: copies only as far as the account goes. */
static void test_factors_of_many(void **state)
{
	enum { CHANNELS = 512, READERS = 200 };
	struct vrs_graph g = {0};
	int32_t x = build_input(&g, 1, 1, CHANNELS), two = build_scalar(&g, 2), weights = -1;
	size_t added;

	(void)state;
	for (int i = 0; i < READERS; i++) {
		int32_t y;

		if (weights < 0) {
			y = build_conv(&g, x, CHANNELS, 1);
			weights = maker(&g, y)->in[1];
		} else {
			struct vrs_node node;

			vrs_node_init(&node, VRS_OP_CONV, "conv");
			node.inputs = 2;
			node.in[0] = x;
			node.in[1] = weights;
			y = build_node(&g, &node);
		}
		x = build_unary(&g, build_binary(&g, VRS_MUL, y, two, VRS_ACT_NONE), VRS_ACT_RELU);
	}
	build_output(&g, x);
	added = added_by(&g, vrs_pass_affine);
	assert_true(added > (size_t)32 * MIB && added < (size_t)70 * MIB);
	assert_true(live_nodes(&g) > 2 * READERS && live_nodes(&g) < 3 * READERS);
	vrs_graph_fini(&g);
}

static void test_shared_matrix(void **state)
{
	enum { SIDE = 128 };
	const int64_t dims[2] = {SIDE, SIDE};

	(void)state;
	for (int turned = 0; turned < 2; turned++) {
		struct vrs_graph g = {0};
		int32_t y = build_view(&g, build_input(&g, 1, 1, SIDE), 2, (const int64_t[]){1, SIDE});
		int32_t w = vrs_graph_add_const(&g, "w", VRS_F32, 2, dims, NULL);

		for (int i = 0; i < 50; i++) {
			struct vrs_node node = vrs_node_of(VRS_OP_MATMUL, "product", 2, (const int32_t[]){y, w});

			node.u.matmul.transpose_b = turned;
			y = build_node(&g, &node);
		}
		build_output(&g, y);
		assert_true(added_by(&g, vrs_pass_matmul) == (turned ? 0 : SIDE * SIDE * 4));
		vrs_graph_fini(&g);
	}
}

static int32_t build_turn(struct vrs_graph *g, int32_t x, const int perm[4])
{
	struct vrs_node node = vrs_node_of(VRS_OP_TRANSPOSE, "turn", 1, &x);

	memcpy(node.u.transpose.perm, perm, 4 * sizeof *perm);
	return build_node(g, &node);
}

/* A turned map against one constant, again and again: a copy for each sweep at most. */
static void test_shared_map(void **state)
{
	enum { SIDE = 64, BYTES = 3 * SIDE * SIDE * 4 };
	static const int to_map[4] = {0, 2, 3, 1}, from_map[4] = {0, 3, 1, 2};
	struct vrs_graph g = {0};
	int32_t x = build_input(&g, SIDE, SIDE, 3), c = vrs_graph_add_const(&g, "c", VRS_F32, 4, (const int64_t[]){1, 3, SIDE, SIDE}, NULL), y;

	(void)state;
	y = build_turn(&g, build_conv(&g, x, 3, 1), from_map);
	for (int i = 0; i < 50; i++)
		y = build_binary(&g, i & 1 ? VRS_MAX : VRS_MIN, y, c, VRS_ACT_NONE);
	build_output(&g, build_conv(&g, build_turn(&g, y, to_map), 3, 1));
	assert_true(added_by(&g, vrs_pass_layout) == BYTES);
	assert_int_equal(live_nodes(&g), 52);
	vrs_graph_fini(&g);
}

/* No room for the nodes of another layout: the network keeps its own. */
static void test_layout_without_room(void **state)
{
	struct vrs_graph g = {0};
	int32_t y = build_turn(&g, build_conv(&g, build_input(&g, 4, 4, 3), 3, 1), (const int[]){0, 3, 1, 2});

	(void)state;
	for (int i = 0; i < 10000; i++)
		y = build_unary(&g, y, i & 1 ? VRS_ACT_RELU : VRS_ACT_TANH);
	build_output(&g, y);
	(void)added_by(&g, vrs_pass_layout);
	assert_int_equal(live_nodes(&g), 10002);
	vrs_graph_fini(&g);
}

/* CPU seconds of the search among choices between each two of 40 constants of so many values, which differ in the last one. */
static double search_seconds(int64_t length)
{
	enum { COUNT = 40 };
	struct vrs_graph_tensor condition = {.name = "condition", .dtype = VRS_BOOL, .rank = 1, .dims = {1}};
	float *values = calloc((size_t)length, sizeof *values); /* libc: data of a test */
	struct vrs_graph g = {0};
	int32_t c = vrs_graph_add_tensor(&g, &condition), constants[COUNT + 1], y = -1;
	clock_t start;

	assert_non_null(values);
	g.inputs[g.input_count++] = c;
	for (int i = 0; i <= COUNT; i++) {
		values[length - 1] = (float)(i % COUNT); /* the first one twice */
		constants[i] = vrs_graph_add_const(&g, "k", VRS_F32, 1, &length, values);
	}
	for (int i = 0; i <= COUNT * COUNT; i++) {
		struct vrs_node node = vrs_node_of(VRS_OP_WHERE, "where", 3, (const int32_t[]){c, constants[i < COUNT * COUNT ? i / COUNT : COUNT],
			constants[i % COUNT]});
		int32_t w = build_node(&g, &node);

		y = y < 0 ? w : build_binary(&g, VRS_MAX, y, w, VRS_ACT_NONE);
	}
	build_output(&g, y);
	start = clock();
	assert_int_equal(vrs_pass_common(&g, NULL), VRS_OK);
	assert_int_equal(live_nodes(&g), 2 * COUNT * COUNT); /* the last choice is the first one */
	vrs_graph_fini(&g);
	free(values);
	return (double)(clock() - start) / CLOCKS_PER_SEC;
}

static void test_equal_nodes(void **state)
{
	double small = search_seconds(1);

	(void)state;
	assert_true(search_seconds(32768) < 5 * small + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folds),
		cmocka_unit_test(test_large_inputs),
		cmocka_unit_test(test_nodes_that_nobody_needs),
		cmocka_unit_test(test_work),
		cmocka_unit_test(test_chain_of_factors),
		cmocka_unit_test(test_factors_of_many),
		cmocka_unit_test(test_shared_matrix),
		cmocka_unit_test(test_shared_map),
		cmocka_unit_test(test_layout_without_room),
		cmocka_unit_test(test_equal_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
