/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Transpositions of whole tensors on the CPU. */
#include <string.h>

#include "backend/cpu/exec/cpu_flat.h"
#include "backend/cpu/exec/cpu_routines.h"

/*
 * A transposition with dims that stay neighbours joined: y[i0]..[in] = x at the sum of i * step.  Dims of 1 are gone.
 */
struct move {
	int rank;
	int64_t dims[VRS_MAX_RANK], steps[VRS_MAX_RANK];
};

static struct move move_of(const struct vrs_graph_tensor *x, const int *perm)
{
	struct move m = {.rank = 0};
	int64_t steps[VRS_MAX_RANK], step = 1;
	for (int i = x->rank - 1; i >= 0; i--) {
		steps[i] = step;
		step *= x->dims[i];
	}
	for (int i = 0; i < x->rank; i++) {
		int from = perm[i];
		if (x->dims[from] == 1)
			continue;
		if (m.rank > 0 && m.steps[m.rank - 1] == x->dims[from] * steps[from]) {
			m.dims[m.rank - 1] *= x->dims[from];
			m.steps[m.rank - 1] = steps[from];
		} else {
			m.dims[m.rank] = x->dims[from];
			m.steps[m.rank++] = steps[from];
		}
	}
	return m;
}

enum { BLOCK = 32 };

typedef float quad __attribute__((vector_size(16), aligned(4), may_alias));

/* Four rows of four columns from four columns of four rows; with fewer columns the rest are zeros. */
static void transpose_quad(float *out, int64_t out_step, const float *in, int64_t step, int columns)
{
	const quad zero = {0};
	quad a = *(const quad *)in, b = columns > 1 ? *(const quad *)(in + step) : zero;
	quad c = columns > 2 ? *(const quad *)(in + 2 * step) : zero, d = columns > 3 ? *(const quad *)(in + 3 * step) : zero;
	quad ab0 = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab1 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
	quad cd0 = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd1 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
	*(quad *)out = __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5);
	*(quad *)(out + out_step) = __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7);
	*(quad *)(out + 2 * out_step) = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
	*(quad *)(out + 3 * out_step) = __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7);
}

/* Up to four columns: a store of four spills into the next row, which is written after it; the last rows go one by one. */
static void transpose_few(float *out, int64_t out_step, const float *in, int64_t rows, int columns, int64_t step)
{
	int64_t r = 0;
	for (; r + 8 <= rows; r += 4)
		transpose_quad(out + r * out_step, out_step, in + r, step, columns);
	for (; r < rows; r++)
		for (int c = 0; c < columns; c++)
			out[r * out_step + c] = in[r + c * step];
}

/* Blocks that stay in the first-level cache from both sides, by tiles of four. */
void vrs_cpu_transpose_plane(float *out, int64_t out_step, const float *in, int64_t rows, int64_t columns, int64_t step)
{
	if (columns <= 4) {
		transpose_few(out, out_step, in, rows, (int)columns, step);
		return;
	}
	for (int64_t r0 = 0; r0 < rows; r0 += BLOCK) {
		int64_t r1 = r0 + BLOCK < rows ? r0 + BLOCK : rows;
		for (int64_t c = 0; c < columns; c += 4) {
			int64_t c0 = c + 4 <= columns ? c : columns - 4, r = r0; /* the last tile overlaps the one before */
			for (; r + 4 <= r1; r += 4)
				transpose_quad(out + r * out_step + c0, out_step, in + r + c0 * step, step, 4);
			for (; r < r1; r++)
				for (int64_t k = c0; k < c0 + 4; k++)
					out[r * out_step + k] = in[r + k * step];
		}
	}
}

/* Rows [r0, r1) of the last two dims; the ones before are counted. */
static void copy_rows(const struct move *m, float *out, const float *in, int64_t r0, int64_t r1)
{
	int64_t columns = m->rank > 0 ? m->dims[m->rank - 1] : 1, step = m->rank > 0 ? m->steps[m->rank - 1] : 1;
	int64_t row_step = m->rank > 1 ? m->steps[m->rank - 2] : 0;
	out += r0 * columns;
	in += r0 * row_step;
	if (step == 1) {
		for (int64_t r = 0; r < r1 - r0; r++)
			memcpy(out + r * columns, in + r * row_step, (size_t)columns * sizeof *out);
	} else if (row_step == 1) {
		vrs_cpu_transpose_plane(out, columns, in, r1 - r0, columns, step);
	} else {
		for (int64_t r = 0; r < r1 - r0; r++)
			for (int64_t c = 0; c < columns; c++)
				out[r * columns + c] = in[r * row_step + c * step];
	}
}

/* Element of the input where block number `block` of the last two dims begins. */
static int64_t block_start(const struct move *m, int64_t block)
{
	int64_t from = 0;
	for (int i = m->rank - 3; i >= 0; i--) {
		from += block % m->dims[i] * m->steps[i];
		block /= m->dims[i];
	}
	return from;
}

/* The unit of work is a row of the last two dims. */
void vrs_cpu_flat_transpose(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	struct vrs_eval e = vrs_cpu_whole(op, thread);
	struct move m = move_of(&e.graph->tensors[e.node->in[0]], e.node->u.transpose.perm);
	int64_t blocks = 1, rows = m.rank > 1 ? m.dims[m.rank - 2] : 1, columns = m.rank > 0 ? m.dims[m.rank - 1] : 1, row, end;
	(void)image;
	for (int i = 0; i < m.rank - 2; i++)
		blocks *= m.dims[i];
	vrs_cpu_part_units(op, blocks * rows, y0, y1, &row, &end);
	while (row < end) {
		int64_t block = row / rows, r0 = row % rows, r1 = end - row < rows - r0 ? r0 + end - row : rows;
		copy_rows(&m, (float *)e.out + block * rows * columns, (const float *)e.in[0] + block_start(&m, block), r0, r1);
		row += r1 - r0;
	}
}
