/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations on whole tensors: what plan and execution agree on. */
#ifndef VRS_BACKEND_CPU_PLAN_FLAT_H
#define VRS_BACKEND_CPU_PLAN_FLAT_H

#include "backend/cpu/plan/cpu_plan_data.h"

enum {
	VRS_CPU_MATMUL_ROWS = 96,      /* of the left matrix at a time */
	VRS_CPU_MATMUL_COLUMNS = 64,   /* of the right matrix that are packed at a time */
	VRS_CPU_REDUCE_COLUMNS = 512,
};

/* Channels that are normalised together: whole groups. */
static inline int64_t vrs_cpu_norm_block(int64_t channels, int64_t group)
{
	int64_t each = group >= 64 ? group : 64 / group * group;
	return each < channels ? each : channels;
}

/* Make an operation of a node one on whole tensors: routine, scratch and parts. */
void vrs_cpu_lower_flat(struct vrs_cpu_plan *plan, struct vrs_cpu_op *op, const struct vrs_node *node);

#endif
