/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/matte_rows.h"

#include <math.h>
#include <string.h>

#include "kernels/picture.h"

#define ROW_WEIGHT_ONE 32767
#define BLOCK 16 /* columns that the widest kernel makes at once */

/* Lower of the two matte samples around target sample i, and the share of the upper one. */
static int interpolate_at(int i, double step, double offset, double extent, int matte_size, double *share)
{
	double at = ((i + 0.5) * step + offset) * matte_size / extent - 0.5;
	at = at < 0 ? 0 : at > matte_size - 1 ? matte_size - 1 : at;
	int low = (int)floor(at);
	*share = at - low;
	return low;
}

enum vrs_status vrs_matte_rows_place(struct vrs_matte_rows *rows, int width, int height, const struct vrs_plane_grid *grid)
{
	const double *step = grid->step, *offset = grid->offset, *extent = grid->extent;
	if (width < 1 || height < 1 || width > rows->most_width || height > rows->most_height || !(extent[0] > 0) || !(extent[1] > 0))
		return VRS_EINVAL;
	rows->width = width;
	rows->height = height;
	double share;
	for (int x = 0; x < width; x++) {
		rows->index[x] = interpolate_at(x, step[0], offset[0], extent[0], rows->matte_width, &share);
		rows->weight[x] = (int16_t)lrint(share * VRS_WEIGHT_ONE);
	}
	for (int y = 0; y < height; y++) {
		rows->row[y] = interpolate_at(y, step[1], offset[1], extent[1], rows->matte_height, &share);
		rows->row_weight[y] = (int16_t)lrint(share * ROW_WEIGHT_ONE);
	}
	/* matte column c touches target columns whose index is c - 1 or c */
	for (int c = 0, x = 0; c < rows->matte_width + 2; c++) {
		while (x < width && rows->index[x] < c - 1)
			x++;
		rows->first_target[c] = x;
	}
	return VRS_OK;
}

enum vrs_status vrs_matte_rows_init(struct vrs_matte_rows *rows, struct vrs_arena *arena, int matte_width, int matte_height, int width, int height,
				    const struct vrs_plane_grid *grid)
{
	if (matte_width < 1 || matte_height < 1 || width < 1 || height < 1)
		return VRS_EINVAL;
	size_t w = (size_t)width, h = (size_t)height, mw = (size_t)matte_width, mh = (size_t)matte_height;
	*rows = (struct vrs_matte_rows){.most_width = width, .most_height = height, .matte_width = matte_width, .matte_height = matte_height};
	rows->index = vrs_arena_calloc(arena, w, sizeof *rows->index);
	rows->weight = vrs_arena_calloc(arena, w, sizeof *rows->weight);
	rows->first_target = vrs_arena_calloc(arena, mw + 2, sizeof *rows->first_target);
	rows->row = vrs_arena_calloc(arena, h, sizeof *rows->row);
	rows->row_weight = vrs_arena_calloc(arena, h, sizeof *rows->row_weight);
	rows->narrow = vrs_arena_calloc(arena, mw + 1, sizeof *rows->narrow);
	rows->wide[0] = vrs_arena_calloc(arena, w, sizeof *rows->wide[0]);
	rows->wide[1] = vrs_arena_calloc(arena, w, sizeof *rows->wide[1]);
	rows->span_first = vrs_arena_calloc(arena, mh, sizeof *rows->span_first);
	rows->span_end = vrs_arena_calloc(arena, mh, sizeof *rows->span_end);
	return arena->failed ? VRS_ENOMEM : vrs_matte_rows_place(rows, width, height, grid);
}

/* Columns [*first, *end) hold everything above 0; both 0 in an empty row. */
static void row_span(const uint8_t *row, int n, int *first, int *end)
{
	int a = 0, b = n;
	uint64_t word;
	for (; a + 8 <= n; a += 8) {
		memcpy(&word, row + a, 8);
		if (word)
			break;
	}
	while (a < n && !row[a])
		a++;
	while (b > a && !row[b - 1])
		b--;
	*first = a < b ? a : 0;
	*end = a < b ? b : 0;
}

void vrs_matte_rows_begin(struct vrs_matte_rows *rows, const struct vrs_matte *matte)
{
	rows->matte = matte;
	rows->samples = NULL;
	rows->held[0] = rows->held[1] = -1;
	for (int r = 0; r < rows->matte_height; r++)
		row_span(matte->data + matte->stride * r, rows->matte_width, &rows->span_first[r], &rows->span_end[r]);
}

void vrs_matte_rows_begin_samples(struct vrs_matte_rows *rows, const uint16_t *samples, size_t stride, const struct vrs_runs *runs)
{
	rows->matte = NULL;
	rows->runs = runs;
	rows->samples = samples;
	rows->samples_stride = stride;
	rows->held[0] = rows->held[1] = -1;
	for (int r = 0; r < rows->matte_height; r++) {
		rows->span_first[r] = 0;
		rows->span_end[r] = rows->matte_width;
	}
}

struct vrs_run_of_row vrs_matte_rows_targets(const struct vrs_matte_rows *rows, struct vrs_run_of_row run)
{
	return (struct vrs_run_of_row){rows->first_target[run.first + 1], rows->first_target[run.end + 1]};
}

/* Target columns that matte row r can change. */
static void target_span(const struct vrs_matte_rows *rows, int r, int *first, int *end)
{
	if (rows->span_first[r] == rows->span_end[r]) {
		*first = *end = 0;
		return;
	}
	*first = rows->first_target[rows->span_first[r]];
	*end = rows->first_target[rows->span_end[r] + 1];
}

static void widen_part(const struct vrs_matte_rows *rows, uint16_t *wide, const uint16_t *narrow, int first, int end)
{
	if (first < end)
		vrs_picture_kernels()->upscale_row(wide + first, narrow, rows->index + first, rows->weight + first, end - first);
}

/* Row r of the samples: its runs, up to whole blocks of the kernel, or all. */
static void widen_samples(const struct vrs_matte_rows *rows, int r, uint16_t *wide)
{
	const uint16_t *narrow = rows->samples + rows->samples_stride * (size_t)r;
	if (!rows->runs)
		widen_part(rows, wide, narrow, 0, rows->width);
	for (int i = 0; rows->runs && i < rows->runs->count[r]; i++) {
		struct vrs_run_of_row target = vrs_matte_rows_targets(rows, vrs_runs_row(rows->runs, r)[i]);
		int end = target.first + (target.end - target.first + BLOCK - 1) / BLOCK * BLOCK;
		widen_part(rows, wide, narrow, target.first, end < rows->width ? end : rows->width);
	}
}

/* Alpha outside a row's own span is 0: a neighbour's span may reach there, so the whole row is kept valid. */
static const uint16_t *widen(struct vrs_matte_rows *rows, int r)
{
	uint16_t *wide = rows->wide[r & 1];
	if (rows->held[r & 1] == r)
		return wide;
	rows->held[r & 1] = r;
	if (rows->samples) {
		widen_samples(rows, r, wide);
		return wide;
	}
	int first, end, n = rows->matte_width;
	target_span(rows, r, &first, &end);
	memset(wide, 0, (size_t)first * sizeof *wide);
	memset(wide + end, 0, (size_t)(rows->width - end) * sizeof *wide);
	if (first == end)
		return wide;
	const uint8_t *src = rows->matte->data + rows->matte->stride * r;
	for (int c = 0; c < n; c++)
		rows->narrow[c] = (uint16_t)((src[c] << 7) + (src[c] >> 1));
	rows->narrow[n] = rows->narrow[n - 1];
	widen_part(rows, wide, rows->narrow, first, end);
	return wide;
}

struct vrs_matte_row vrs_matte_rows_get(struct vrs_matte_rows *rows, int y)
{
	int upper = rows->row[y], lower = upper + 1 < rows->matte_height ? upper + 1 : upper;
	struct vrs_matte_row row = {.weight = lower > upper ? rows->row_weight[y] : 0};
	row.above = widen(rows, upper);
	row.below = lower > upper ? widen(rows, lower) : row.above;
	int first, end;
	target_span(rows, upper, &row.first, &row.end);
	target_span(rows, lower, &first, &end);
	if (row.first == row.end) {
		row.first = first;
		row.end = end;
	} else if (first != end) {
		row.first = first < row.first ? first : row.first;
		row.end = end > row.end ? end : row.end;
	}
	return row;
}
