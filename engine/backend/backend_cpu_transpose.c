/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Transpositions of whole tensors on the CPU. */
#include <string.h>

#include "backend/cpu_flat.h"

/*
 * A transposition with dims that stay neighbours joined: y[i0]..[in] = x at the sum of i * step.  Dims of 1 are gone.
 */
struct move {
	int rank;
	int64_t dims[VRS_MAX_RANK], steps[VRS_MAX_RANK];
};

static struct move move_of(const struct vrs_graph_tensor *x, const int *perm)
{
	struct move m = { .rank = 0 };
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

enum { BLOCK = 16 };

/* out[r][c] = in[r + c * step] for r < rows, c < columns: blocks that stay in the first-level cache from both sides. */
static void transpose_plane(float *out, const float *in, int64_t rows, int64_t columns, int64_t step)
{
	for (int64_t r0 = 0; r0 < rows; r0 += BLOCK) {
		int64_t r1 = r0 + BLOCK < rows ? r0 + BLOCK : rows;
		for (int64_t c0 = 0; c0 < columns; c0 += BLOCK) {
			int64_t c1 = c0 + BLOCK < columns ? c0 + BLOCK : columns;
			for (int64_t r = r0; r < r1; r++)
				for (int64_t c = c0; c < c1; c++)
					out[r * columns + c] = in[r + c * step];
		}
	}
}

/* The last two dims at once; the ones before are counted. */
static void copy_block(const struct move *m, float *out, const float *in)
{
	int64_t columns = m->rank > 0 ? m->dims[m->rank - 1] : 1, rows = m->rank > 1 ? m->dims[m->rank - 2] : 1;
	int64_t step = m->rank > 0 ? m->steps[m->rank - 1] : 1, row_step = m->rank > 1 ? m->steps[m->rank - 2] : 0;
	if (step == 1) {
		for (int64_t r = 0; r < rows; r++)
			memcpy(out + r * columns, in + r * row_step, (size_t)columns * sizeof *out);
	} else if (row_step == 1) {
		transpose_plane(out, in, rows, columns, step);
	} else {
		for (int64_t r = 0; r < rows; r++)
			for (int64_t c = 0; c < columns; c++)
				out[r * columns + c] = in[r * row_step + c * step];
	}
}

void vrs_cpu_transpose(const struct vrs_graph_tensor *x, const int *perm, const float *in, float *out)
{
	struct move m = move_of(x, perm);
	int64_t at[VRS_MAX_RANK] = { 0 }, block = 1, blocks = 1, from = 0;
	for (int i = 0; i < m.rank; i++)
		*(i < m.rank - 2 ? &blocks : &block) *= m.dims[i];
	for (int64_t b = 0; b < blocks; b++) {
		copy_block(&m, out + b * block, in + from);
		for (int i = m.rank - 3; i >= 0; i--) {
			from += m.steps[i];
			if (++at[i] < m.dims[i])
				break;
			from -= at[i] * m.steps[i];
			at[i] = 0;
		}
	}
}
