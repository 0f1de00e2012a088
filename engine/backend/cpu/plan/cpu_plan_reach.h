/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What operations read: rows and zero columns of their inputs, and which shortcuts their shapes allow. */
#ifndef VRS_BACKEND_CPU_PLAN_REACH_H
#define VRS_BACKEND_CPU_PLAN_REACH_H

#include "backend/cpu/plan/cpu_plan_data.h"

/* Rows [*begin, *end) of an input value that output rows [y0, y1) need. */
void vrs_cpu_op_rows(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op, int value, int y0, int y1, int *begin, int *end);
bool vrs_cpu_op_reads(const struct vrs_cpu_op *op, int value);
/* Zero pixels that a convolution needs left and right of the rows of its input. */
void vrs_cpu_op_pads(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op, int *left, int *right);
/* Columns from the first tap of the first output pixel of a row to the last tap of the last one, padding included. */
int64_t vrs_cpu_op_columns(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op);
/* A 1x1 convolution without stride and padding. */
bool vrs_cpu_op_is_pointwise(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op);
/* Let a dense convolution read unpadded rows. */
void vrs_cpu_op_use_edges(struct vrs_cpu_plan *plan, struct vrs_cpu_op *op);
/* Let a pointwise convolution scale its input instead of its weights where those are more. */
void vrs_cpu_op_scale_input(const struct vrs_cpu_plan *plan, struct vrs_cpu_op *op);
/* Transposed convolution with groups of one input and one output channel. */
bool vrs_cpu_deconv_is_depthwise(const struct vrs_cpu_op *op);
/* Transposed convolution where output elements have several sources, or none: its rows start from the bias. */
bool vrs_cpu_deconv_overlaps(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op);
/* Start and step of a slice along one of the four dims of a value. */
void vrs_cpu_slice_along(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op, int dim, int64_t *start, int64_t *step);

#endif
