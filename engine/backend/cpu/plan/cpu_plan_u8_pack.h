/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Weights and factors of operations on u8 values. */
#ifndef VRS_BACKEND_CPU_PLAN_U8_PACK_H
#define VRS_BACKEND_CPU_PLAN_U8_PACK_H

#include "backend/cpu/plan/cpu_plan_data.h"

/* Pack weights and prepare the tables of op->u8, which is zeroed. VRS_ENOMEM, VRS_ELIMIT. */
enum vrs_status vrs_cpu_u8_pack(struct vrs_cpu_plan *plan, struct vrs_cpu_op *op);
void vrs_cpu_u8_free(struct vrs_cpu_u8 *u8); /* NULL is fine */

#endif
