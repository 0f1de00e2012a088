/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Transposed convolutions as convolutions, one for each phase of the stride: output pixel (y, x) is a product of the input pixels from
 * (y + pad_top) / stride_h back, whose taps depend on (y + pad_top) % stride_h alone, and so for x.  Columns of a period whose taps fall on the same
 * input pixels are one product, with their channels side by side as they are in the output.
 */
#ifndef VRS_BACKEND_CPU_PLAN_DECONV_H
#define VRS_BACKEND_CPU_PLAN_DECONV_H

#include "backend/cpu/plan/cpu_plan_data.h"

/* Output columns [begin, end) of each period, which read the same input columns. */
struct vrs_cpu_phases {
	int begin, end;
	int first, taps;            /* input columns from period + first on */
	int pixels;                 /* periods that have them */
	int inner_begin, inner_end; /* periods whose input columns are all inside the picture */
};

/* The phases that begin with column `begin` of a period, less than the stride and the width of the output. */
struct vrs_cpu_phases vrs_cpu_deconv_phases(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op, int begin);
/* Columns of a period that the output has. */
int vrs_cpu_deconv_period(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op);
/* Input rows that output row y reads: *ret_first, which may be outside the picture, and the following. */
int vrs_cpu_deconv_row_taps(const struct vrs_cpu_op *op, int y, int *ret_first);
/* Floats of the packed weights of rows y with y % stride_h below `phase`. */
size_t vrs_cpu_deconv_weights(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op, int phase);

/* Few channels, whose products with all taps are added up by a kernel of their own. */
bool vrs_cpu_deconv_has_planes(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op);
/* Its arguments but for rows, bias, output and scratch. */
struct vrs_deconv_row vrs_cpu_deconv_row(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op);

/* Lower an operation to phases where these are faster than a product with all taps; false: it is left as it is. */
bool vrs_cpu_lower_deconv_phases(const struct vrs_cpu_plan *plan, struct vrs_cpu_op *op);
/* Weights [O][KH][KW][I] and bias (may be NULL) into the plan's blob. VRS_ENOMEM. */
enum vrs_status vrs_cpu_pack_deconv_phases(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op, const float *weights, const float *bias);

#endif
