/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regions and schedules. */
#ifndef VRS_BACKEND_CPU_PLAN_REGION_H
#define VRS_BACKEND_CPU_PLAN_REGION_H

#include "backend/cpu/plan/cpu_plan_data.h"

/* Group the operations, add loads, and fill plan->regions, items and units. VRS_ENOMEM, VRS_ELIMIT. */
enum vrs_status vrs_cpu_plan_regions(struct vrs_cpu_plan *plan, struct vrs_error *err);

#endif
