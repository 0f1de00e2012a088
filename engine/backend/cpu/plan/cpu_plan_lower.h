/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes to operations on rows. */
#ifndef VRS_BACKEND_CPU_PLAN_LOWER_H
#define VRS_BACKEND_CPU_PLAN_LOWER_H

#include "backend/cpu/plan/cpu_plan_data.h"

/* Fill plan->values and plan->ops from plan->graph. VRS_ENOMEM, VRS_EUNSUPPORTED. */
enum vrs_status vrs_cpu_plan_lower(struct vrs_cpu_plan *plan, struct vrs_error *err);

#endif
