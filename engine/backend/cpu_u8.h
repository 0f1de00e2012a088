/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The 8-bit side of the CPU plan.  After lowering, vrs_cpu_plan_quantize turns operations whose layer the calibration allows into operations on
 * u8 values, and puts conversions where 8 bits and floats meet.  A u8 value is a vrs_cpu_value with dtype VRS_U8, channels a multiple of 4, scale
 * and zero point; rings, loads and the arena treat it like any other.  Sums for global averages and outputs stay float.
 */
#ifndef VRS_BACKEND_CPU_U8_H
#define VRS_BACKEND_CPU_U8_H

#include "backend/cpu_plan.h"
#include "graph/quant.h"

/* What an operation on u8 values has beside its vrs_cpu_op. */
struct vrs_cpu_u8 {
	int8_t *weights;            /* packed; NULL when they are scaled at run time */
	float *mult, *bias;         /* of the epilogue, by channel */
	float *real_weights;        /* [k][stride], for run-time scaling; NULL: not scaled */
	float *real_bias;           /* bias of the layer, by channel */
	int k, n, stride;           /* product length with padding, channels, channels rounded up to the lanes */
	size_t weight_bytes;        /* of weights, real_weights, mult and bias */
	uint8_t *pad_row;           /* a row outside the picture */
	uint8_t *wx;                /* resize: weights of 7 bits */
	float in_scale, in_zero;    /* of input 0 */
	float unit, offset;         /* results are v / unit + offset in the domain of the epilogue (1 and 0: real numbers) */
	float scale, zero;          /* conversions and resize: see the kernels */
	struct vrs_epilogue_u8 epilogue;
};

bool vrs_cpu_value_is_u8(const struct vrs_cpu_value *value);
/* Quantise the plan between lowering and the forming of regions. */
enum vrs_status vrs_cpu_plan_quantize(struct vrs_cpu_plan *plan, const struct vrs_calibration *calibration, const uint8_t *precision,
				      struct vrs_error *err);
/* Whether an operation as lowered could run on u8 values. */
bool vrs_cpu_op_may_be_u8(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op);
/* Pack weights, prepare tables: cpu_plan_u8_pack.c. */
enum vrs_status vrs_cpu_u8_pack(struct vrs_cpu_plan *plan, struct vrs_cpu_op *op);
void vrs_cpu_u8_free(struct vrs_cpu_u8 *u8);

/* Execution: backend_cpu_u8.c. */
void vrs_cpu_u8_rows_conv(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_u8_rows_dwconv(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_u8_rows_resize(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_u8_rows_binary(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_u8_rows_concat(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_u8_rows_pool(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_u8_rows_quantize(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_u8_rows_dequantize(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
/* The product row of a transposed convolution. */
void vrs_cpu_u8_product(const struct vrs_cpu_op *op, const struct vrs_cpu_thread *thread, int image, int iy, float *product);
/* Weights scaled for a band. */
void vrs_cpu_u8_prepare(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image);
void vrs_cpu_u8_row_sums(const struct vrs_cpu_thread *thread, const struct vrs_cpu_value *value, const uint8_t *row, float *sums);
const char *vrs_cpu_u8_kernel_name(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op);

#endif
