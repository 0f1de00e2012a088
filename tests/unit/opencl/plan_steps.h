/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a plan for a plain device consists of. */
#ifndef TESTS_PLAN_STEPS_H
#define TESTS_PLAN_STEPS_H

#include "unit/backend/node_check.h"
#include "opencl/ocl_planner.h"

/* Steps of a graph's plan that a template has; *ret_macs, unless NULL: multiply-adds that all steps count. */
static inline int plan_steps(const struct vrs_graph *graph, const char *template_name, bool fusion, uint64_t *ret_macs)
{
	const struct vrs_ocl_caps caps = {
		.max_group = 256, .max_items = {256, 256, 256}, .local_bytes = 32768, .max_alloc_bytes = 1u << 28,
	};
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_ocl_plan plan;
	uint64_t macs = 0;
	int count = 0;
	options.precision = VRS_PRECISION_FP32;
	options.fusion = fusion;
	assert_int_equal(vrs_ocl_plan_begin(&plan, graph, &caps, &options, NULL), VRS_OK);
	assert_int_equal(vrs_ocl_plan_complete(&plan, NULL), VRS_OK);
	for (int i = 0; i < plan.step_count; i++) {
		count += strcmp(plan.steps[i].template_name, template_name) == 0;
		macs += vrs_node_macs(&plan.graph, &plan.graph.nodes[plan.steps[i].node]) + plan.steps[i].macs_before;
	}
	vrs_ocl_plan_fini(&plan);
	if (ret_macs)
		*ret_macs = macs;
	return count;
}

#endif
