/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where values live between regions, and the operations that bring them into one. */
#ifndef VRS_BACKEND_CPU_PLAN_LOAD_H
#define VRS_BACKEND_CPU_PLAN_LOAD_H

#include "backend/cpu/plan/cpu_plan_data.h"

/* A value that is stored in 16 bits when it goes from region to region, and weights that are. */
bool vrs_cpu_value_may_be_half(const struct vrs_cpu_plan *plan, const struct vrs_cpu_value *value);
bool vrs_cpu_weights_may_be_half(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op);
/* Which values live in the arena, until when, and which as halves; then the loads that regions need. */
void vrs_cpu_plan_place_values(struct vrs_cpu_plan *plan);
enum vrs_status vrs_cpu_plan_insert_loads(struct vrs_cpu_plan *plan);

#endif
