/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions that carry out a plan: cpu_unit.c takes units apart, cpu_rows_*.c make rows of operations, cpu_flat*.c whole tensors. */
#ifndef VRS_BACKEND_CPU_ROUTINES_H
#define VRS_BACKEND_CPU_ROUTINES_H

#include "backend/cpu/exec/cpu_rows.h"
#include "graph/eval.h"

/* Carry out the items of a unit of thread->plan, one after the other. */
void vrs_cpu_run_unit(struct vrs_cpu_thread *thread, const struct vrs_cpu_unit *unit);

/* Make rows [y0, y1) of an image of op->out. */
typedef void vrs_cpu_rows_fn(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
vrs_cpu_rows_fn vrs_cpu_rows_conv, vrs_cpu_rows_conv_bf16, vrs_cpu_rows_wino, vrs_cpu_rows_strips, vrs_cpu_rows_dwconv, vrs_cpu_rows_deconv,
	vrs_cpu_rows_pool, vrs_cpu_rows_global_avg, vrs_cpu_rows_resize, vrs_cpu_rows_binary, vrs_cpu_rows_unary, vrs_cpu_rows_softmax, vrs_cpu_rows_concat,
	vrs_cpu_rows_load, vrs_cpu_rows_cut, vrs_cpu_rows_function, vrs_cpu_rows_arithmetic, vrs_cpu_u8_rows_conv, vrs_cpu_u8_rows_dwconv,
	vrs_cpu_u8_rows_resize, vrs_cpu_u8_rows_binary, vrs_cpu_u8_rows_concat, vrs_cpu_u8_rows_pool, vrs_cpu_u8_rows_quantize,
	vrs_cpu_u8_rows_dequantize, vrs_cpu_rows_resize_taps, vrs_cpu_rows_deconv_phases,
	vrs_cpu_rows_dwconv_spread, vrs_cpu_flat;
/* Parts [y0, y1) of an operation on whole tensors. */
vrs_cpu_rows_fn vrs_cpu_flat_copy, vrs_cpu_flat_pad, vrs_cpu_flat_transpose, vrs_cpu_flat_matmul, vrs_cpu_flat_reduce,
	vrs_cpu_flat_arg_reduce, vrs_cpu_flat_binary, vrs_cpu_flat_where, vrs_cpu_flat_not, vrs_cpu_flat_cast, vrs_cpu_flat_layer_norm,
	vrs_cpu_flat_instance_norm, vrs_cpu_flat_quant, vrs_cpu_flat_pool;

struct vrs_cpu_routine_row {
	vrs_cpu_rows_fn *run;
	const char *name; /* for profiles; the instruction set follows a last "__" */
};
extern const struct vrs_cpu_routine_row vrs_cpu_routines[VRS_CPU_ROUTINES];
/* What computes an operation, for profiles: "conv_f32_rows__avx2". */
void vrs_cpu_kernel_name(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op, char *buf, size_t size);

/* Of operations on u8 values: the product row of a transposed convolution. */
void vrs_cpu_u8_product(const struct vrs_cpu_op *op, const struct vrs_cpu_thread *thread, int image, int iy, float *product);
/* Weights scaled for a band. */
void vrs_cpu_u8_prepare(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image);
/* Sums of the channels of a row as real numbers. */
void vrs_cpu_u8_row_sums(const struct vrs_cpu_thread *thread, const struct vrs_cpu_value *value, const uint8_t *row, float *sums);

#endif
