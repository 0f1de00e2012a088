/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Moving elements in units: what strided copies (ocl_lower_move.c) and padding and gathering (ocl_lower_pad.c) share. */
#ifndef VRS_OPENCL_OCL_MOVE_H
#define VRS_OPENCL_OCL_MOVE_H

#include "opencl/ocl_plan.h"

/* Do elements keep their bits on the way from one tensor to the other? Else they become half precision, or float again. */
bool vrs_ocl_moves_raw(struct vrs_ocl_plan *plan, int32_t in, int32_t out);
/* Elements that one move takes: a power of two that all `multiples` are multiples of, and 16 bytes at most; 1 or 4 when types differ. */
int vrs_ocl_unit(struct vrs_ocl_plan *plan, int32_t in, int32_t out, const int64_t *multiples, int count);
/* The next arguments: x, the input, and y, the output. */
void vrs_ocl_arg_move(struct vrs_ocl_plan *plan, int32_t in, int32_t out);
/* Define MOVE(y, to, x, from), a statement that moves one unit, and where bits are kept UNIT_T, its type; places count units. */
void vrs_ocl_define_unit(struct vrs_ocl_plan *plan, int32_t in, int32_t out, int unit);

/* The elements of input 0 in their order: what only changes dims, or nothing at all.  The output is the same memory where it may be. */
enum vrs_status vrs_ocl_emit_move(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err);

#endif
