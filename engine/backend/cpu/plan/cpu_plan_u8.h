/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The 8-bit side of the plan.  After lowering, operations whose layer the calibration allows become operations on u8 values, and conversions are put
 * where 8 bits and floats meet.
 */
#ifndef VRS_BACKEND_CPU_PLAN_U8_H
#define VRS_BACKEND_CPU_PLAN_U8_H

#include "backend/cpu/plan/cpu_plan_data.h"
#include "graph/quant.h"

/* Quantise the plan between lowering and the forming of regions. precision: [node], of the calibration, which is of this network. */
enum vrs_status vrs_cpu_plan_quantize(struct vrs_cpu_plan *plan, const struct vrs_calibration *calibration, const uint8_t *precision,
				      struct vrs_error *err);
/* Whether an operation as lowered could run on u8 values. */
bool vrs_cpu_op_may_be_u8(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op);

#endif
