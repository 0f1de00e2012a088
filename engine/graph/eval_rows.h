/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Walking a dense output row by row, with the elements of up to three operands that belong to it.
 *
 *   vrs_rows_init(&rows, out); vrs_rows_add(&rows, a); vrs_rows_add(&rows, b);
 *   if (vrs_rows_start(&rows)) do { n elements: a[offset[0] + i * step[0]], b[offset[1] + i * step[1]] } while (vrs_rows_next(&rows));
 */
#ifndef VRS_GRAPH_EVAL_ROWS_H
#define VRS_GRAPH_EVAL_ROWS_H

#include "graph/ir.h"

#define VRS_ROWS_MAX 3

struct vrs_rows {
	int operands, rank;
	int64_t dims[VRS_MAX_RANK], at[VRS_MAX_RANK], strides[VRS_ROWS_MAX][VRS_MAX_RANK];
	int64_t n, step[VRS_ROWS_MAX], offset[VRS_ROWS_MAX]; /* elements */
};

void vrs_rows_init(struct vrs_rows *rows, const struct vrs_graph_tensor *out);
/* An operand whose dims are aligned at the end, a dim of 1 being repeated; or one with strides for each dim of the output. */
void vrs_rows_add(struct vrs_rows *rows, const struct vrs_graph_tensor *in);
void vrs_rows_add_strides(struct vrs_rows *rows, const int64_t *strides, int64_t offset);
/* The strides of a dense tensor, one a dim. */
void vrs_dense_strides(const struct vrs_graph_tensor *tensor, int64_t *ret_strides);
/* False: the output has no elements. */
bool vrs_rows_start(struct vrs_rows *rows);
bool vrs_rows_next(struct vrs_rows *rows);

/* out[i...] = from[offset + sum of i * stride], in elements. */
void vrs_copy_strided(const struct vrs_graph_tensor *out, void *to, const void *from, const int64_t *strides, int64_t offset);

#endif
