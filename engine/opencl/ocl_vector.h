/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Defines of kernels whose work-items handle several channels as one vector of 1, 4, 8 or 16 floats. */
#ifndef VRS_OPENCL_OCL_VECTOR_H
#define VRS_OPENCL_OCL_VECTOR_H

#include "opencl/ocl_plan.h"

/* VECTOR, VEC (its type), LOADV(p) and STOREV(v, p) for private memory. */
void vrs_ocl_define_vector(struct vrs_ocl_plan *plan, int vector);
/*
 * After the call that makes NAME an argument: NAME_LDV(p, i) and NAME_STV(p, i, v), `vector` elements from i on.  value: its index; aligned: i is
 * always a multiple of vector.
 */
void vrs_ocl_define_vector_access(struct vrs_ocl_plan *plan, const char *name, int32_t value, int vector, bool aligned);
/* vrs_ocl_epilogue, and EPILOGUEV(v, i) for a vector. */
void vrs_ocl_vector_epilogue(struct vrs_ocl_plan *plan, const struct vrs_node *node, int vector, bool aligned);

#endif
