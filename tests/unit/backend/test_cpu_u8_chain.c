/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the choice of 8 bits in long networks: a chain of thousands of operations that move values falls from its end, one after the other, and the
 * choice does not go through the network again for each, which took minutes; the same chain stays where a layer of 8 bits reads it, and falls from
 * its start where it begins with floats.
 */
#include "unit/backend/node_check.h"

#include <vrseg/calibration.h>

#include "backend/cpu/plan/cpu_plan.h"
#include "backend/cpu/plan/cpu_plan_steps.h"
#include "backend/cpu/plan/cpu_plan_u8.h"
#include "machine/cpu_features.h"
#include "unit/graph/graph_builder.h"

#define LENGTH 12000
#define CHANNELS 16
#define SIDE 4

static int32_t add_conv(struct vrs_graph *graph, int32_t x, uint64_t seed)
{
	struct vrs_node node;
	vrs_node_init(&node, VRS_OP_CONV, "conv");
	node.inputs = 2;
	node.in[0] = x;
	node.in[1] = node_const(graph, 4, (const int64_t[]){CHANNELS, 1, 1, CHANNELS}, 0.3, seed);
	node.u.window.groups = 1;
	return build_node(graph, &node);
}

/* Two layers, or one and the input, and a chain of their minimum and maximum; its end is read by a layer, or is the output. Returns those of u8. */
static int count_u8(bool begins_float, bool ends_u8)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_graph graph;
	struct vrs_cpu_plan plan;
	struct vrs_calibration *calibration = NULL;
	int count = 0;
	vrs_graph_init(&graph);
	int32_t x = build_input(&graph, SIDE, SIDE, CHANNELS), before = begins_float ? x : add_conv(&graph, x, 3), last = add_conv(&graph, x, 4);
	for (int i = 0; i < LENGTH; i++) {
		int32_t next = build_binary(&graph, i % 2 ? VRS_MAX : VRS_MIN, last, before, VRS_ACT_NONE);
		before = last;
		last = next;
	}
	build_output(&graph, ends_u8 ? add_conv(&graph, last, 5) : build_unary(&graph, last, VRS_ACT_SIGMOID));
	options.precision = VRS_PRECISION_INT8;
	assert_int_equal(vrs_cpu_plan_begin(&plan, &graph, vrs_cpu_features(), 1, &options, NULL), VRS_OK);
	assert_int_equal(vrs_cpu_plan_lower(&plan, NULL), VRS_OK);
	assert_int_equal(vrs_calibration_create(&calibration, plan.graph.tensor_count, plan.graph.node_count), VRS_OK);
	for (int32_t i = 0; i < plan.graph.tensor_count; i++)
		calibration->ranges[i] = (struct vrs_quant_range){-1, 1};
	for (int32_t i = 0; i < plan.graph.node_count; i++)
		calibration->int8[i] = VRS_NODE_INT8;
	assert_int_equal(vrs_cpu_plan_quantize(&plan, calibration, calibration->int8, NULL), VRS_OK);
	for (int i = 0; i < plan.op_count; i++)
		count += plan.ops[i].routine == VRS_CPU_RUN_U8_BINARY;
	vrs_calibration_destroy(calibration);
	vrs_cpu_plan_fini(&plan);
	vrs_graph_fini(&graph);
	return count;
}

static void test_chain(void **state)
{
	(void)state;
	assert_int_equal(count_u8(false, true), LENGTH);
	assert_int_equal(count_u8(false, false), 0);
	assert_int_equal(count_u8(true, true), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_chain)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
