/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What operators on elements of any type and rank share: dims as a table that a kernel reads, and elements of every type as numbers.  All are builder
 * calls like those of ocl_plan.h; a failure stays in plan->status.
 */
#ifndef VRS_OPENCL_OCL_ELEMENT_H
#define VRS_OPENCL_OCL_ELEMENT_H

#include "opencl/ocl_plan.h"

#define VRS_OCL_MAX_DIMS (2 * VRS_MAX_RANK) /* tile counts a dim and its repeats */
#define VRS_OCL_MAX_OPERANDS 3

/* Dims that are walked, outermost first, and what a step along each adds to the place in each operand, in elements. */
struct vrs_ocl_dims {
	int operands, count;
	int64_t size[VRS_OCL_MAX_DIMS], step[VRS_OCL_MAX_OPERANDS][VRS_OCL_MAX_DIMS];
};

void vrs_ocl_dims_init(struct vrs_ocl_dims *dims, int operands);
/* The next inner dim, with a step for each operand.  Dims of 1 are left out; neighbours that all operands walk in one go become one. */
void vrs_ocl_dims_add(struct vrs_ocl_dims *dims, int64_t size, const int64_t *steps);
/* All dims of tensor `out`, with the steps of tensors, one an operand, whose dims are aligned at its end and repeat where they are 1. */
void vrs_ocl_dims_broadcast(struct vrs_ocl_dims *dims, const struct vrs_ocl_plan *plan, int32_t out, const int32_t *tensors);
/*
 * The next argument, __global const int *NAME, and the define NAME_RANK (at least 1): innermost dim first, of each its size, then its step in each
 * operand.
 */
void vrs_ocl_arg_dims(struct vrs_ocl_plan *plan, const char *name, const struct vrs_ocl_dims *dims);

/* The type of a tensor's elements on the device: half where the plan stores floats so. */
enum vrs_dtype vrs_ocl_stored_type(struct vrs_ocl_plan *plan, int32_t tensor);
/* The type that kernels calculate with for elements of `type`: "float", "double", "long", "ulong". */
const char *vrs_ocl_number_type(enum vrs_dtype type);
/* Can the device calculate with it? Not with F64 where it has no doubles. */
bool vrs_ocl_has_type(const struct vrs_ocl_plan *plan, enum vrs_dtype type);
/* Define NAME_GET(p, i): element i of p, of this type, as a number of vrs_ocl_number_type. */
void vrs_ocl_define_get(struct vrs_ocl_plan *plan, const char *name, enum vrs_dtype type);
/* What an integer element keeps of a number: the low bits of an integer; the whole part of a float, saturated (NaN: 0); an integer, saturated. */
enum vrs_ocl_put { VRS_OCL_PUT_WRAPPED, VRS_OCL_PUT_TRUNCATED, VRS_OCL_PUT_SATURATED };
/* Define NAME_PUT(p, i, v): number v becomes element i of p, of this type.  Floats are rounded to nearest even.  v is evaluated more than once. */
void vrs_ocl_define_put(struct vrs_ocl_plan *plan, const char *name, enum vrs_dtype type, enum vrs_ocl_put put);

/* Work-items of a group: a power of two, at most `most` and what the device has. */
int vrs_ocl_group_size(const struct vrs_ocl_plan *plan, int most);
/* vrs_ocl_step_end for so many work-items in a line. */
enum vrs_status vrs_ocl_step_end_line(struct vrs_ocl_plan *plan, int64_t items, struct vrs_error *err);

#endif
