/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions that make the rows of operations: cpu_rows_*.c, and cpu_flat.c for whole tensors. */
#ifndef VRS_BACKEND_CPU_ROUTINES_H
#define VRS_BACKEND_CPU_ROUTINES_H

#include "backend/cpu/exec/cpu_rows.h"

/* Rows [y0, y1) of an image of op->out. */
typedef void (*vrs_cpu_rows_fn)(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
extern const vrs_cpu_rows_fn vrs_cpu_routines[VRS_CPU_ROUTINES];

void vrs_cpu_rows_conv(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_rows_conv_bf16(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_rows_wino(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_rows_dwconv(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_rows_deconv(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_rows_pool(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_rows_global_avg(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_rows_resize(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_rows_binary(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_rows_unary(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_rows_softmax(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_rows_concat(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_rows_load(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_rows_cut(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_rows_function(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_rows_arithmetic(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_u8_rows_conv(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_u8_rows_dwconv(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_u8_rows_resize(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_u8_rows_binary(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_u8_rows_concat(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_u8_rows_pool(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_u8_rows_quantize(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_u8_rows_dequantize(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_flat(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);
void vrs_cpu_flat_eval(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1);

#endif
