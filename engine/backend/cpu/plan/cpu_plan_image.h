/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Image after image instead of region after region. */
#ifndef VRS_BACKEND_CPU_PLAN_IMAGE_H
#define VRS_BACKEND_CPU_PLAN_IMAGE_H

#include "backend/cpu/plan/cpu_plan_data.h"

/* Fill plan->image_units where that pays: after weights are packed, before memory is planned. VRS_ENOMEM. */
enum vrs_status vrs_cpu_plan_images(struct vrs_cpu_plan *plan);

#endif
