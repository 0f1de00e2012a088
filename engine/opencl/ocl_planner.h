/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a graph to a plan: every node is lowered (ocl_lower.h), then values get their places (ocl_values.h). */
#ifndef VRS_OPENCL_OCL_PLANNER_H
#define VRS_OPENCL_OCL_PLANNER_H

#include "opencl/ocl_plan.h"

/*
 * Plan a concrete graph for a device, in two halves: begin makes the values of inputs and outputs; between them plan->tiles may be set (ocl_tune.h),
 * which the plan owns then; complete lowers every node and places the values.  Statuses of vrs_ocl_math_check, VRS_ELIMIT (a tensor is too large to
 * be counted), VRS_ENOMEM (also: more than the device's largest block).  Free with vrs_ocl_plan_fini, also after a failure.
 */
enum vrs_status vrs_ocl_plan_begin(struct vrs_ocl_plan *plan, const struct vrs_graph *graph, const struct vrs_ocl_caps *caps,
				   const struct vrs_session_options *options, struct vrs_error *err);
enum vrs_status vrs_ocl_plan_complete(struct vrs_ocl_plan *plan, struct vrs_error *err);
void vrs_ocl_plan_fini(struct vrs_ocl_plan *plan);

#endif
