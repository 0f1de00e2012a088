/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Convolutions that multiply bytes, for precision int8 and mixed with VRS_DEVICE_MATH_DOT: those that the calibration has in 8 bits, of one group and
 * without factors of channels; all else stays float.  Inputs are bytes with one scale and zero point, weights with a scale for each channel, both as
 * the CPU backend has them; sums are ints, and what is made of them floats.  A tensor that only such convolutions read is never made as floats.
 */
#ifndef VRS_OPENCL_OCL_DOT_H
#define VRS_OPENCL_OCL_DOT_H

#include "opencl/ocl_conv.h"

/* Find these convolutions, for plan->dot, once plan->graph is there. VRS_EINVAL: the calibration is of another network; VRS_ENOMEM. */
enum vrs_status vrs_ocl_dot_begin(struct vrs_ocl_plan *plan, const struct vrs_session_options *options, struct vrs_error *err);
void vrs_ocl_dot_fini(struct vrs_ocl_plan *plan);
bool vrs_ocl_is_dot(const struct vrs_ocl_plan *plan, const struct vrs_node *node);
/* The steps of such a node, whose convolution is `conv`. Statuses of vrs_ocl_lower_conv (ocl_lower.h). */
enum vrs_status vrs_ocl_dot_steps(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct vrs_ocl_conv *conv, struct vrs_error *err);

#endif
