/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of broadcast operands: dims that behave alike for all operands are merged, so that the innermost loops get long. */
#include "graph/eval_rows.h"

#include <string.h>

void vrs_rows_init(struct vrs_rows *rows, const struct vrs_graph_tensor *out)
{
	memset(rows, 0, sizeof *rows);
	rows->rank = out->rank;
	for (int i = 0; i < out->rank; i++)
		rows->dims[i] = out->dims[i];
}

void vrs_dense_strides(const struct vrs_graph_tensor *tensor, int64_t *ret_strides)
{
	int64_t step = 1;

	for (int i = tensor->rank - 1; i >= 0; i--) {
		ret_strides[i] = step;
		step *= tensor->dims[i];
	}
}

void vrs_rows_add(struct vrs_rows *rows, const struct vrs_graph_tensor *in)
{
	int64_t *strides = rows->strides[rows->operands++] + rows->rank - in->rank;

	vrs_dense_strides(in, strides);
	for (int i = 0; i < in->rank; i++)
		strides[i] = in->dims[i] == 1 ? 0 : strides[i];
}

void vrs_rows_add_strides(struct vrs_rows *rows, const int64_t *strides, int64_t offset)
{
	memcpy(rows->strides[rows->operands], strides, (size_t)rows->rank * sizeof *strides);
	rows->offset[rows->operands++] = offset;
}

/* Can dim `outer` be walked together with dim `inner`, which follows it? */
static bool mergeable(const struct vrs_rows *rows, int outer, int inner)
{
	for (int k = 0; k < rows->operands; k++)
		if (rows->strides[k][outer] != rows->strides[k][inner] * rows->dims[inner])
			return false;
	return true;
}

static void copy_dim(struct vrs_rows *rows, int to, int from)
{
	rows->dims[to] = rows->dims[from];
	for (int k = 0; k < rows->operands; k++)
		rows->strides[k][to] = rows->strides[k][from];
}

bool vrs_rows_start(struct vrs_rows *rows)
{
	int kept = 0;

	for (int i = 0; i < rows->rank; i++) {
		if (rows->dims[i] == 0)
			return false;
		if (rows->dims[i] == 1)
			continue;
		copy_dim(rows, kept, i);
		if (kept > 0 && mergeable(rows, kept - 1, kept)) {
			int64_t n = rows->dims[kept - 1] * rows->dims[kept];

			copy_dim(rows, kept - 1, kept);
			rows->dims[kept - 1] = n;
		} else {
			kept++;
		}
	}
	rows->rank = kept > 0 ? kept - 1 : 0; /* the last one is the row */
	rows->n = kept > 0 ? rows->dims[kept - 1] : 1;
	for (int k = 0; k < rows->operands; k++)
		rows->step[k] = kept > 0 ? rows->strides[k][kept - 1] : 0;
	memset(rows->at, 0, sizeof rows->at);
	return true;
}

bool vrs_rows_next(struct vrs_rows *rows)
{
	for (int i = rows->rank - 1; i >= 0; i--) {
		bool wrap = ++rows->at[i] == rows->dims[i];

		for (int k = 0; k < rows->operands; k++)
			rows->offset[k] += wrap ? -rows->strides[k][i] * (rows->dims[i] - 1) : rows->strides[k][i];
		if (!wrap)
			return true;
		rows->at[i] = 0;
	}
	return false;
}

#define COPY(type) \
	for (int64_t i = 0; i < n; i++) \
		((type *)to)[i] = ((const type *)from)[i * step]

static void copy_row(void *to, const void *from, int64_t n, int64_t step, size_t size)
{
	if (step == 1) {
		memcpy(to, from, (size_t)n * size);
		return;
	}
	switch (size) {
	case 1: COPY(uint8_t); return;
	case 2: COPY(uint16_t); return;
	case 4: COPY(uint32_t); return;
	default: COPY(uint64_t); return;
	}
}

void vrs_copy_strided(const struct vrs_graph_tensor *out, void *to, const void *from, const int64_t *strides, int64_t offset)
{
	size_t size = vrs_dtype_size(out->dtype);
	struct vrs_rows rows;
	char *at = to;

	vrs_rows_init(&rows, out);
	vrs_rows_add_strides(&rows, strides, offset);
	if (!vrs_rows_start(&rows))
		return;
	do {
		copy_row(at, (const char *)from + rows.offset[0] * (int64_t)size, rows.n, rows.step[0], size);
		at += (size_t)rows.n * size;
	} while (vrs_rows_next(&rows));
}
