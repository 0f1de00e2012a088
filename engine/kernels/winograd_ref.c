/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Winograd convolution in plain C, by the matrices, a tile at a time. */
#include "kernels/kernels.h"
#include "kernels/row_contract.h"
#include "kernels/weight_pack.h"
#include "kernels/winograd.h"

enum { LANES = 8, SIDE = VRS_WINO_MAX_SIDE };

static const float input_side8[SIDE][SIDE] = {
	{-1, 0, 5.25f, 0, -5.25f, 0, 1, 0}, {0, 1, 1, -4.25f, -4.25f, 1, 1, 0}, {0, -1, 1, 4.25f, -4.25f, -1, 1, 0},
	{0, 0.5f, 0.25f, -2.5f, -1.25f, 2, 1, 0}, {0, -0.5f, 0.25f, 2.5f, -1.25f, -2, 1, 0}, {0, 2, 4, -2.5f, -5, 0.5f, 1, 0},
	{0, -2, 4, 2.5f, -5, -0.5f, 1, 0}, {0, -1, 0, 5.25f, 0, -5.25f, 0, 1},
};
static const float input_side6[SIDE][SIDE] = {
	{4, 0, -5, 0, 1, 0}, {0, -4, -4, 1, 1, 0}, {0, 4, -4, -1, 1, 0}, {0, -2, -1, 2, 1, 0}, {0, 2, -1, -2, 1, 0}, {0, 4, 0, -5, 0, 1},
};
static const float input_side4[SIDE][SIDE] = {{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}};
static const float output43[SIDE][SIDE] = {{1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}};
static const float output23[SIDE][SIDE] = {{1, 1, 1, 0}, {0, 1, -1, -1}};
static const float output25[SIDE][SIDE] = {{1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 1}};

static const float output45[SIDE][SIDE] = {
	{1, 1, 1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0.5f, -0.5f, 0}, {0, 1, 1, 4, 4, 0.25f, 0.25f, 0}, {0, 1, -1, 8, -8, 0.125f, -0.125f, 1},
};

/* result = a x a', with the first `rows` rows of a and x of `side` by `side`. */
static void sandwich(const float a[SIDE][SIDE], int rows, const float x[SIDE][SIDE], int side, float result[SIDE][SIDE])
{
	float half[SIDE][SIDE];
	for (int i = 0; i < rows; i++) {
		for (int j = 0; j < side; j++) {
			half[i][j] = 0.0f;
			for (int l = 0; l < side; l++)
				half[i][j] += a[i][l] * x[l][j];
		}
	}
	for (int i = 0; i < rows; i++) {
		for (int j = 0; j < rows; j++) {
			result[i][j] = 0.0f;
			for (int l = 0; l < side; l++)
				result[i][j] += half[i][l] * a[j][l];
		}
	}
}

/* V[point][channel] of tile number t of a run. */
static void transform_input(const struct vrs_wino_batch *b, const struct vrs_wino_run *run, int t, float *v)
{
	int side = VRS_WINO_SIDE(b->m, b->taps), first = 0;
	for (int s = 0; s < b->sources; first += b->channels[s++]) {
		for (int c = 0; c < b->channels[s]; c++) {
			float d[SIDE][SIDE], points[SIDE][SIDE];
			for (int i = 0; i < side; i++)
				for (int j = 0; j < side; j++)
					d[i][j] = run->rows[s * side + i][((ptrdiff_t)t * b->m + j) * run->in_px[s] + c];
			sandwich(side == 8 ? input_side8 : side == 6 ? input_side6 : input_side4, side, d, side, points);
			for (int p = 0; p < side * side; p++)
				v[p * b->k + first + c] = points[p / side][p % side];
		}
	}
}

/* Channel n of a tile: w points at its column in the packed panel. */
static void output_channel(const struct vrs_wino_batch *b, const struct vrs_wino_run *run, int t, const float *v, const float *w, int width, int n)
{
	int side = VRS_WINO_SIDE(b->m, b->taps);
	float points[SIDE][SIDE], y[SIDE][SIDE];
	struct vrs_epilogue e = b->epilogue;
	for (int p = 0; p < side * side; p++) {
		float sum = p == side + 1 ? b->bias[n] : 0.0f; /* A' e1 = (1, .., 1) */
		for (int k = 0; k < b->k; k++)
			sum += v[p * b->k + k] * w[((ptrdiff_t)p * b->k + k) * width];
		points[p / side][p % side] = sum;
	}
	sandwich(b->taps == 5 ? (b->m == 4 ? output45 : output25) : b->m == 4 ? output43 : output23, b->m, points, side, y);
	for (int i = 0; i < b->m; i++) {
		e.residual = b->epilogue.residual ? run->residual[i] : NULL;
		for (int j = 0; run->out[i] && j < (t + 1 < run->tiles ? b->m : run->columns); j++) {
			ptrdiff_t x = (ptrdiff_t)t * b->m + j;
			run->out[i][x * b->out_px + n] = vrs_epilogue_apply(&e, y[i][j], x, n);
		}
	}
}

void vrs_winograd_f32__ref(const struct vrs_wino_batch *b)
{
	vrs_winograd_contract(b, LANES);
	int side = VRS_WINO_SIDE(b->m, b->taps);
	for (int r = 0; r < b->run_count; r++) {
		for (int t = 0; t < b->runs[r].tiles; t++) {
			const float *w = b->weights;
			transform_input(b, &b->runs[r], t, b->scratch);
			for (int first = 0, left = (b->n + LANES - 1) / LANES, width; left > 0; left -= width / LANES, first += width) {
				width = VRS_PANEL_VECTORS(left) * LANES;
				for (int j = 0; j < width && first + j < b->n; j++)
					output_channel(b, &b->runs[r], t, b->scratch, w + j, width, first + j);
				w += (ptrdiff_t)side * side * b->k * width;
			}
		}
	}
}
