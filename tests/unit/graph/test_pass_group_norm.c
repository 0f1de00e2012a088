/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards group normalisation written as views around an instance norm: it becomes one norm with groups whose results are the same, and views that
 * somebody else reads, that are no groups or come back in another shape, and norms whose constants have no room stay as they are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "graph/passes.h"
#include "unit/graph/graph_builder.h"
#include "unit/graph/graph_run.h"

enum { BATCH = 2, CHANNELS = 12, HEIGHT = 5, WIDTH = 7, REST = HEIGHT * WIDTH * CHANNELS };

static int32_t transposed(struct vrs_graph *g, int32_t x, const int perm[4])
{
	struct vrs_node node;

	vrs_node_init(&node, VRS_OP_TRANSPOSE, "transpose");
	node.inputs = 1;
	node.in[0] = x;
	memcpy(node.u.transpose.perm, perm, 4 * sizeof *perm);
	return build_node(g, &node);
}

static int32_t values(struct vrs_graph *g, int64_t count, float first)
{
	float all[CHANNELS];

	for (int64_t i = 0; i < count; i++)
		all[i] = first + 0.5f * (float)i;
	return vrs_graph_add_const(g, "values", VRS_F32, 1, &count, all);
}

/* [N][C][H][W] as [N][groups][rest] and as the importer normalises it; returns the normalised [N][groups][rest]. */
static int32_t written_out(struct vrs_graph *g, int32_t x, int64_t groups)
{
	int32_t grouped = build_view(g, x, 3, (const int64_t[]){BATCH, groups, REST / groups});
	int32_t map = transposed(g, build_view(g, grouped, 4, (const int64_t[]){BATCH, groups, 1, REST / groups}), (const int[]){0, 2, 3, 1});
	struct vrs_node node;

	vrs_node_init(&node, VRS_OP_INSTANCE_NORM, "norm");
	node.inputs = 3;
	node.in[0] = map;
	node.in[1] = values(g, groups, 1);
	node.in[2] = values(g, groups, -2);
	node.u.norm.epsilon = 1e-5f;
	map = transposed(g, build_node(g, &node), (const int[]){0, 3, 1, 2});
	return build_view(g, map, 3, (const int64_t[]){BATCH, groups, REST / groups});
}

static int32_t input(struct vrs_graph *g)
{
	int32_t x = build_input(g, HEIGHT, WIDTH, 1);

	memcpy(g->tensors[x].dims, (const int64_t[]){BATCH, CHANNELS, HEIGHT, WIDTH}, 4 * sizeof(int64_t));
	return x;
}

static int norms_with_groups(const struct vrs_graph *g)
{
	int count = 0;

	for (int32_t i = 0; i < g->node_count; i++)
		count += !g->nodes[i].dead && g->nodes[i].op == VRS_OP_INSTANCE_NORM && g->nodes[i].u.norm.groups > 0;
	return count;
}

static void run_pass(struct vrs_graph *g)
{
	struct vrs_error err = {0};

	if (vrs_pass_group_norm(g, &err) != VRS_OK || vrs_graph_validate(g, &err) != VRS_OK || vrs_graph_infer(g, &err) != VRS_OK)
		fail_msg("%s", err.text);
}

static void test_groups(void **state)
{
	(void)state;
	for (int64_t groups = 1; groups < CHANNELS; groups++) {
		struct vrs_graph before = {0}, after = {0};
		struct graph_run want, got;
		int32_t y = -1;

		if (CHANNELS % groups != 0)
			continue;
		for (int i = 0; i < 2; i++) {
			struct vrs_graph *g = i ? &after : &before;

			y = build_view(g, written_out(g, input(g), groups), 4, (const int64_t[]){BATCH, CHANNELS, HEIGHT, WIDTH});
			build_output(g, y);
		}
		run_pass(&after);
		assert_int_equal(norms_with_groups(&after), 1);
		assert_int_equal(live_nodes(&after), 3); /* with two transpositions, for the layout to sink */
		want = graph_run(&before, 1);
		got = graph_run(&after, 1);
		for (int i = 0; i < BATCH * REST; i++)
			assert_true(fabsf(((const float *)want.values[y])[i] - ((const float *)got.values[y])[i]) < 1e-5f);
		graph_run_free(&want);
		graph_run_free(&got);
		vrs_graph_fini(&before);
		vrs_graph_fini(&after);
	}
}

static void test_left_alone(void **state)
{
	struct vrs_graph read_twice = {0}, other_shape = {0}, no_groups = {0};
	int32_t norm = written_out(&read_twice, input(&read_twice), 3);

	(void)state;
	build_output(&read_twice, norm); /* the groups themselves are an output */
	build_output(&read_twice, build_view(&read_twice, norm, 4, (const int64_t[]){BATCH, CHANNELS, HEIGHT, WIDTH}));
	norm = written_out(&other_shape, input(&other_shape), 3);
	build_output(&other_shape, build_view(&other_shape, norm, 4, (const int64_t[]){BATCH, CHANNELS, WIDTH, HEIGHT}));
	/* Seven parts of 60 are no groups of channels. */
	build_output(&no_groups, build_view(&no_groups, written_out(&no_groups, input(&no_groups), 7), 4,
					     (const int64_t[]){BATCH, CHANNELS, HEIGHT, WIDTH}));
	for (int i = 0; i < 3; i++) {
		struct vrs_graph *g = (struct vrs_graph *[]){&read_twice, &other_shape, &no_groups}[i];

		run_pass(g);
		assert_int_equal(norms_with_groups(g), 0);
		vrs_graph_fini(g);
	}
}

/* Room for both constants, a byte less, for one of them, and for none. */
static void test_no_room(void **state)
{
	static const size_t left[] = {2 * CHANNELS * 4, 2 * CHANNELS * 4 - 1, CHANNELS * 4, 0};

	(void)state;
	for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
		struct vrs_graph g = {0};
		int32_t norm = written_out(&g, input(&g), 3);

		build_output(&g, build_view(&g, norm, 4, (const int64_t[]){BATCH, CHANNELS, HEIGHT, WIDTH}));
		g.const_limit = g.const_bytes + left[i];
		run_pass(&g);
		assert_int_equal(norms_with_groups(&g), i == 0);
		vrs_graph_fini(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_groups), cmocka_unit_test(test_left_alone), cmocka_unit_test(test_no_room)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
