/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the execution of operations on u8 values has beside the functions that make their rows (cpu_routines.h). */
#ifndef VRS_BACKEND_CPU_ROWS_U8_H
#define VRS_BACKEND_CPU_ROWS_U8_H

#include "backend/cpu/exec/cpu_rows.h"

/* The product row of a transposed convolution. */
void vrs_cpu_u8_product(const struct vrs_cpu_op *op, const struct vrs_cpu_thread *thread, int image, int iy, float *product);
/* Weights scaled for a band. */
void vrs_cpu_u8_prepare(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image);
/* Sums of the channels of a row as real numbers. */
void vrs_cpu_u8_row_sums(const struct vrs_cpu_thread *thread, const struct vrs_cpu_value *value, const uint8_t *row, float *sums);

#endif
