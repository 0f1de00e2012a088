/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of a plan: which tensor has which, and where they lie. */
#ifndef VRS_OPENCL_OCL_VALUES_H
#define VRS_OPENCL_OCL_VALUES_H

#include "opencl/ocl_plan.h"

/* The value of a tensor, made at the first call; negative status: VRS_ENOMEM, VRS_ELIMIT. */
int32_t vrs_ocl_value_of(struct vrs_ocl_plan *plan, int32_t tensor);
/* May `out` be the memory of `in`, which has the same bytes? Then it is from now on. */
bool vrs_ocl_value_alias(struct vrs_ocl_plan *plan, int32_t out, int32_t in);
/* Offsets and sizes, after the last step. VRS_ELIMIT: more than a block of the device may have; VRS_ENOMEM. */
enum vrs_status vrs_ocl_values_place(struct vrs_ocl_plan *plan, struct vrs_error *err);
/* Frees owned data. */
void vrs_ocl_values_fini(struct vrs_ocl_plan *plan);

#endif
