/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The choice of an algorithm for a dense convolution, and the plan of one by Winograd tiles. */
#ifndef VRS_BACKEND_CPU_PLAN_CONV_H
#define VRS_BACKEND_CPU_PLAN_CONV_H

#include "backend/cpu/plan/cpu_plan_data.h"

#define VRS_CPU_CONV_CANDIDATES 4
#define VRS_CPU_STRIPS 1          /* instead of an m: strips of four rows in bfloat16 */
#define VRS_CPU_WINO_MAX_TILES 96 /* of a batch */
#define VRS_CPU_WINO_BORDERS 24   /* tiles with copied columns in a batch */

/* m: 0 directly, VRS_CPU_STRIPS, else Winograd tiles of m x m outputs, 4 or 2.  cycles: as the model expects, of one core. */
struct vrs_cpu_conv_candidate {
	int m;
	double cycles;
};

/* What can compute a convolution node: fills up to VRS_CPU_CONV_CANDIDATES, the direct one first, and returns how many. */
int vrs_cpu_conv_candidates(const struct vrs_cpu_plan *plan, const struct vrs_node *node, struct vrs_cpu_conv_candidate *candidates);
/* The m of the fastest by the model, or by plan->tuned. */
int vrs_cpu_conv_choose(const struct vrs_cpu_plan *plan, const struct vrs_node *node);
/*
 * Small groups leave lanes of a vector empty: as many as fill one, of those that divide their number, become one group, with zeros for the weights
 * that they lack.  At least two are left: a single one would pass for a dense convolution.  out: channels of a group.
 */
int vrs_cpu_groups_together(const struct vrs_cpu_plan *plan, int groups, int out);
/* Tiles of a batch: transformed inputs fill the core's cache, but enough tiles share the pass over the weights. */
int vrs_cpu_wino_tiles(const struct vrs_cpu_plan *plan, int m, int taps, int channels);
/* A concatenation over channels that only convolutions by tiles read need not be made: they take its parts.  tile: [node] m of each. */
bool vrs_cpu_concat_is_read_through(const struct vrs_cpu_plan *plan, const struct vrs_node *node, const int *tile);
/* Is there a row kernel for a function of one element?  Those up to VRS_ACT_SILU are in the kernels of Winograd tiles too. */
bool vrs_cpu_act_has_kernel(enum vrs_act act);
/* Does a convolution multiply in bfloat16 in this plan? */
bool vrs_cpu_conv_takes_bf16(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op);
void vrs_cpu_lower_bf16(struct vrs_cpu_plan *plan, struct vrs_cpu_op *op);
/* Pieces of a window that lie in one row each, and their values. */
int vrs_cpu_conv_segments(const struct vrs_cpu_op *op, int *ret_klen);
/* Make a lowered operation (inputs and output known) a convolution by tiles of m x m, or by strips. */
void vrs_cpu_lower_wino(struct vrs_cpu_plan *plan, struct vrs_cpu_op *op, int m);
void vrs_cpu_lower_strips(struct vrs_cpu_plan *plan, struct vrs_cpu_op *op);
/* Floats from one point of a convolution by strips to the next among its products: op->block pixels of whole vectors. */
static inline ptrdiff_t vrs_cpu_strip_products(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op)
{
	int lanes = plan->kernels.lanes;
	return (ptrdiff_t)op->block * ((op->group_out + lanes - 1) / lanes * lanes);
}

#endif
