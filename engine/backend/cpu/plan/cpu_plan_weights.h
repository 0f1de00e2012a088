/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The weights of all operations, packed for their kernels, in one block. */
#ifndef VRS_BACKEND_CPU_PLAN_WEIGHTS_H
#define VRS_BACKEND_CPU_PLAN_WEIGHTS_H

#include "backend/cpu/plan/cpu_plan_data.h"

/* Fill plan->weights and plan->half_weights, and the offsets of the operations. VRS_ENOMEM. */
enum vrs_status vrs_cpu_plan_pack_weights(struct vrs_cpu_plan *plan, struct vrs_error *err);

#endif
