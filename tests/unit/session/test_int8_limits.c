/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the sums of 8 bits, which are 32 bits: the longest product that fits is one of bytes and right with the largest values, a longer one stays
 * float, and so does a map whose rows are too wide for their sums.
 */
#include "unit/session/int8_run.h"

#include "backend/cpu/plan/cpu_plan.h"
#include "backend/cpu/plan/cpu_plan_steps.h"
#include "backend/cpu/plan/cpu_plan_u8.h"
#include "graph/model_graph.h"
#include "machine/cpu_features.h"
#include "unit/graph/graph_builder.h"

#define MOST_PRODUCTS 131584 /* weights of 64 and bytes of 255 */
#define MOST_WIDTH (INT32_MAX / 255)

/* 1x1, with equal weights. */
static int32_t add_conv(struct vrs_graph *graph, int32_t x, int out)
{
	int64_t dims[4] = {out, 1, 1, graph->tensors[x].dims[3]};
	size_t count = (size_t)(dims[0] * dims[3]);
	struct vrs_node node;
	float *weights = malloc(count * sizeof *weights); /* libc: test scratch */
	assert_non_null(weights);
	for (size_t i = 0; i < count; i++)
		weights[i] = 0.01f;
	vrs_node_init(&node, VRS_OP_CONV, "conv");
	node.inputs = 2;
	node.in[0] = x;
	node.in[1] = vrs_graph_add_const(graph, "w", VRS_F32, 4, dims, weights);
	node.u.window.kernel_h = node.u.window.kernel_w = node.u.window.groups = 1;
	free(weights); /* libc: see above */
	return build_node(graph, &node);
}

/* 0.9 to 1: the largest bytes. */
static int32_t add_clip(struct vrs_graph *graph, int32_t x)
{
	struct vrs_node node;
	vrs_node_init(&node, VRS_OP_UNARY, "clip");
	node.inputs = 1;
	node.in[0] = x;
	node.act = VRS_ACT_CLIP;
	node.act_lo = 0.9f;
	node.act_hi = 1;
	return build_node(graph, &node);
}

static void check_products(int channels, int want_layers)
{
	struct vrs_graph graph;
	struct vrs_model *model = NULL;
	size_t count;
	vrs_graph_init(&graph);
	build_output(&graph, add_conv(&graph, add_clip(&graph, build_input(&graph, 2, 2, channels)), 4));
	assert_int_equal(vrs_model_from_graph(&model, &graph, "long", NULL), VRS_OK);
	vrs_graph_fini(&graph);
	struct vrs_calibration *calibration = int8_calibrate(model);
	assert_int_equal(vrs_calibration_info(calibration).int8_layers, want_layers);
	float *want = int8_run(model, VRS_PRECISION_FP32, NULL, 1, &count), *got = int8_run(model, VRS_PRECISION_INT8, calibration, 1, &count);
	assert_true(int8_relative_error(want, got, count) < 0.01);
	free(want);
	free(got);
	vrs_calibration_destroy(calibration);
	vrs_model_destroy(model);
}

static void test_products(void **state)
{
	(void)state;
	check_products(MOST_PRODUCTS, 1);
	check_products(MOST_PRODUCTS + 4, 0);
	check_products(160000, 0);
}

/* As the calibration asks, without memory for the map. */
static bool may_be_u8(int width)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_graph graph;
	struct vrs_cpu_plan plan;
	options.precision = VRS_PRECISION_INT8;
	vrs_graph_init(&graph);
	build_output(&graph, add_conv(&graph, build_input(&graph, 1, width, 4), 4));
	assert_int_equal(vrs_cpu_plan_begin(&plan, &graph, vrs_cpu_features(), 1, &options, NULL), VRS_OK);
	assert_int_equal(vrs_cpu_plan_lower(&plan, NULL), VRS_OK);
	assert_int_equal(plan.op_count, 1);
	bool may = vrs_cpu_op_may_be_u8(&plan, &plan.ops[0]);
	vrs_cpu_plan_fini(&plan);
	vrs_graph_fini(&graph);
	return may;
}

static void test_row_sums(void **state)
{
	(void)state;
	assert_true(may_be_u8(MOST_WIDTH));
	assert_false(may_be_u8(MOST_WIDTH + 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_products), cmocka_unit_test(test_row_sums)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
