/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Planning: a graph becomes the flat program that exec/ carries out.  Here: order of the steps, sizes, memory.  The steps, a file each:
 * cpu_plan_rewrite (graph rewrites that pay on this backend), cpu_plan_lower (nodes to operations), cpu_plan_conv (algorithms of convolutions),
 * cpu_plan_u8 (which operations are 8 bits), cpu_plan_region (grouping, units), cpu_plan_load (where values live), cpu_plan_share (cuts finer than
 * rows), cpu_plan_sweep (depth-first order of rows), cpu_plan_reach (what operations read), cpu_plan_weights (packing), cpu_plan_image (order of a
 * batch).
 */
#ifndef VRS_BACKEND_CPU_PLAN_H
#define VRS_BACKEND_CPU_PLAN_H

#include <vrseg/session.h>

#include "backend/cpu/plan/cpu_plan_data.h"

/* Build everything for a concrete graph; free with vrs_cpu_plan_fini (also after a failure). The model chooses how convolutions are computed. */
enum vrs_status vrs_cpu_plan_init(struct vrs_cpu_plan *plan, const struct vrs_graph *graph, unsigned features, int threads,
				  const struct vrs_session_options *options, struct vrs_error *err);
/* The same in two halves: between them the graph is rewritten, and plan->tuned may be set to other choices, which the plan owns then. */
enum vrs_status vrs_cpu_plan_begin(struct vrs_cpu_plan *plan, const struct vrs_graph *graph, unsigned features, int threads,
				   const struct vrs_session_options *options, struct vrs_error *err);
enum vrs_status vrs_cpu_plan_complete(struct vrs_cpu_plan *plan, const struct vrs_session_options *options, struct vrs_error *err);
void vrs_cpu_plan_fini(struct vrs_cpu_plan *plan);

#endif
