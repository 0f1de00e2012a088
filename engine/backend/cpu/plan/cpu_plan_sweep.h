/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sweep over a region: which rows each of its operations makes in what order, depth first, and how many rows must be kept meanwhile.
 */
#ifndef VRS_BACKEND_CPU_PLAN_SWEEP_H
#define VRS_BACKEND_CPU_PLAN_SWEEP_H

#include "backend/cpu/plan/cpu_plan_data.h"

#define VRS_CPU_REGION_OPS 16
#define VRS_CPU_SWEEP_OPS (VRS_CPU_REGION_OPS * (VRS_NODE_MAX_INPUTS + 2)) /* with a load for every operand */

/* Scheduling state of one region; index: operation minus first_op. */
struct vrs_cpu_sweep {
	struct vrs_cpu_plan *plan;
	int first, count;
	int begin[VRS_CPU_SWEEP_OPS], own_end[VRS_CPU_SWEEP_OPS], next[VRS_CPU_SWEEP_OPS], target[VRS_CPU_SWEEP_OPS];
	int ring[VRS_CPU_SWEEP_OPS];            /* rows that must be kept */
	bool inner[VRS_CPU_SWEEP_OPS];          /* read inside the region */
	uint8_t readers[VRS_CPU_SWEEP_OPS][VRS_CPU_SWEEP_OPS];
	int reader_count[VRS_CPU_SWEEP_OPS];
};

void vrs_cpu_sweep_init(struct vrs_cpu_sweep *sweep, struct vrs_cpu_plan *plan, int first_op, int count);
/* Rows [y0, y1) of the last operation, `chunk` at a time; emit appends the items to the plan, else only the rings are measured. */
enum vrs_status vrs_cpu_sweep_band(struct vrs_cpu_sweep *sweep, int image, int y0, int y1, int chunk, bool emit);
/* Rows of the last operation a chunk: enough pixels for full register tiles, few enough to stay in the first cache levels. */
int vrs_cpu_sweep_chunk(const struct vrs_cpu_sweep *sweep);
/* Work done twice where `bands` bands meet, as a part of all work. */
double vrs_cpu_sweep_redundancy(struct vrs_cpu_sweep *sweep, int bands);
/* Bytes of all rings. */
size_t vrs_cpu_sweep_ring_bytes(struct vrs_cpu_sweep *sweep);
/* Output value of operation number i of the region. */
const struct vrs_cpu_value *vrs_cpu_sweep_value(const struct vrs_cpu_sweep *sweep, int i);

#endif
