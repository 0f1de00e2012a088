/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of kernels, for profiles. */
#ifndef VRS_BACKEND_CPU_KERNEL_NAME_H
#define VRS_BACKEND_CPU_KERNEL_NAME_H

#include "backend/cpu/plan/cpu_plan_data.h"

/* What computes an operation; static text. */
const char *vrs_cpu_kernel_name(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op);

#endif
