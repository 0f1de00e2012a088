/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How kernels of convolutions multiply: in floats, or in halves with short sums in halves, which are added up in floats.  Which one it is stands in
 * defines alone:
 *
 *     HALF_MATH        1: in halves, at most HALF_RUN products to a sum
 *     MUL_T, MULV      type of a factor, and of VECTOR factors (ocl_vector.h) or products
 *     MULADD(a, f, sum), MULTIPLY(f, a)   sum + a * f and f * a; f and sum are MULV, a is one or the other
 *     MULTIPLY1(f, a)  the same of single factors
 *     LOADMV(p)        VECTOR factors from private memory
 *     WIDEN(v)         VECTOR sums as floats; with HALF_MATH only
 *
 * and of an argument NAME, NAME_LDM(p, i) and NAME_LDMV(p, i): one factor, VECTOR factors from element i on.
 */
#ifndef VRS_OPENCL_OCL_MATH_H
#define VRS_OPENCL_OCL_MATH_H

#include "opencl/ocl_plan.h"

#define VRS_OCL_HALF_RUN 16

/* The part of vrs_ocl_math_check that is the same on every device: `check` of backend/backend.h. */
enum vrs_status vrs_ocl_math_check_options(const struct vrs_session_options *options, struct vrs_error *err);
/*
 * Can a device compute as the options say?  VRS_EUNSUPPORTED: it lacks the extension; VRS_EINVAL: no kernel has the precision, or the arithmetic
 * is not one of it.
 */
enum vrs_status vrs_ocl_math_check(const struct vrs_ocl_caps *caps, const struct vrs_session_options *options, struct vrs_error *err);
/* What the program needs before its first kernel. VRS_ENOMEM, VRS_ELIMIT. */
enum vrs_status vrs_ocl_math_begin(struct vrs_ocl_plan *plan, enum vrs_device_math math);
/* Options of the compiler for the program of a plan: dot products are of OpenCL C 3.0, where the device has that. */
const char *vrs_ocl_math_build_options(const struct vrs_ocl_plan *plan);
/* The defines of a step without those of arguments, after vrs_ocl_define_vector. half: HALF_MATH. */
void vrs_ocl_define_math(struct vrs_ocl_plan *plan, int vector, bool half);
/* Those of an argument, after vrs_ocl_define_vector_access with the same `vector` and `aligned`. value: its index. */
void vrs_ocl_define_factor(struct vrs_ocl_plan *plan, const char *name, int32_t value, int vector, bool aligned, bool half);

#endif
