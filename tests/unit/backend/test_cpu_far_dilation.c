/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the planning of strangers' networks with dilations as large as their maps, whose tiles of all phases are more than an int counts: the plan
 * of a convolution by tiles that might read a ring comes about, where the size of the ring was once measured for ever, no rows at a time; and its
 * items make every row once.
 */
#include "unit/backend/node_check.h"

#include "backend/cpu/plan/cpu_plan.h"
#include "base/mem.h"
#include "machine/cpu_features.h"

#define CHANNELS 8

/* A map is enlarged, and goes into a convolution of 3x3 taps. */
static void make_graph(struct vrs_graph *graph, int height, int width, int dilation)
{
	struct vrs_node node;
	vrs_graph_init(graph);
	vrs_node_init(&node, VRS_OP_RESIZE, "up");
	node.inputs = 1;
	node.in[0] = node_input(graph, 4, (const int64_t[]){1, height, width / 2, CHANNELS});
	node.u.resize.half_pixel = true;
	node.u.resize.out_h = height;
	node.u.resize.out_w = width;
	int32_t large = node_emit(graph, &node, VRS_F32);
	vrs_node_init(&node, VRS_OP_CONV, "conv");
	node.inputs = 2;
	node.in[0] = large;
	node.in[1] = node_const(graph, 4, (const int64_t[]){CHANNELS, 3, 3, CHANNELS}, 0.1, 3);
	node.u.window = (struct vrs_window){
		.kernel_h = 3, .kernel_w = 3, .stride_h = 1, .stride_w = 1, .groups = 1, .dilation_h = dilation, .dilation_w = dilation,
		.pad_top = dilation, .pad_left = dilation, .pad_bottom = dilation, .pad_right = dilation,
	};
	graph->outputs[graph->output_count++] = node_emit(graph, &node, VRS_F32);
}

/* Rows of the convolution that items make, each one once. */
static int rows_made(const struct vrs_cpu_plan *plan)
{
	int rows = 0;
	for (size_t i = 0; i < plan->item_count; i++) {
		const struct vrs_cpu_op *op = &plan->ops[plan->items[i].op];
		bool tiles = op->kind == VRS_CPU_WINOGRAD;
		rows += tiles && plan->items[i].y1 > 0 ? plan->items[i].y1 - plan->items[i].y0 : 0;
	}
	return rows;
}

static void check(int height, int width, int dilation, int m, int regions)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_graph graph;
	struct vrs_cpu_plan plan;
	make_graph(&graph, height, width, dilation);
	assert_int_equal(vrs_cpu_plan_begin(&plan, &graph, vrs_cpu_features(), 1, &options, NULL), VRS_OK);
	plan.tuned = vrs_calloc((size_t)plan.graph.node_count, sizeof *plan.tuned);
	assert_non_null(plan.tuned);
	for (int32_t i = 0; i < plan.graph.node_count; i++)
		plan.tuned[i].m = m;
	assert_int_equal(vrs_cpu_plan_complete(&plan, &options, NULL), VRS_OK);
	assert_int_equal(rows_made(&plan), height);
	assert_int_equal(plan.region_count, regions);
	vrs_cpu_plan_fini(&plan);
	vrs_graph_fini(&graph);
}

static void test_far_dilation(void **state)
{
	(void)state;
	check(96, 500, 7, 2, 1);        /* with a ring */
	check(1, 92684, 46342, 2, 2);   /* tiles of all phases: as an int -2147386332 */
	check(2, 131074, 65535, 4, 2);  /* -2147450881 */
	check(2, 262144, 65536, 4, 2);  /* 0 */
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_far_dilation)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
