/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Both are separable: along the rows into a copy, then along the columns back.  Smaller is larger of the inverse.  A width with a fraction is the
 * mix of the two whole ones around it.
 */
#include "matte/edges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/picture.h"

#define FEW 3 /* pixels on each side, for which it is as fast to look at each */

struct vrs_edges {
	int width, height;
	int pad;           /* the longer of the two: no pixel sees farther than to the other end */
	uint8_t *row;      /* [pad + width + pad] */
	uint8_t *wide;     /* [width] a row, or rows mixed */
	uint8_t *windows[2]; /* as row: the largest of shorter windows */
	uint8_t *copy;     /* [height][width] */
	const uint8_t **rows; /* [2 * pad + 1] */
	int16_t *weights;  /* [2 * pad + 1] */
};

enum vrs_status vrs_edges_create(struct vrs_edges **ret_edges, struct vrs_arena *arena, int width, int height)
{
	if (width < 1 || height < 1)
		return VRS_EINVAL;
	struct vrs_edges *e = vrs_arena_calloc(arena, 1, sizeof *e);
	if (!e)
		return VRS_ENOMEM;
	e->width = width;
	e->height = height;
	e->pad = width > height ? width : height;
	e->row = vrs_arena_calloc(arena, (size_t)width + 2 * (size_t)e->pad, 1);
	e->wide = vrs_arena_calloc(arena, (size_t)width, 1);
	for (int i = 0; i < 2; i++)
		e->windows[i] = vrs_arena_calloc(arena, (size_t)width + 2 * (size_t)e->pad, 1);
	e->copy = vrs_arena_calloc(arena, (size_t)height, (size_t)width);
	e->rows = vrs_arena_calloc(arena, 2 * (size_t)e->pad + 1, sizeof *e->rows); /* NOLINT(bugprone-sizeof-expression): of pointers */
	e->weights = vrs_arena_calloc(arena, 2 * (size_t)e->pad + 1, sizeof *e->weights);
	*ret_edges = e;
	return arena->failed ? VRS_ENOMEM : VRS_OK;
}

static void invert(struct vrs_matte *matte)
{
	for (int y = 0; y < matte->height; y++) {
		uint8_t *row = matte->data + matte->stride * y;
		for (int x = 0; x < matte->width; x++)
			row[x] = (uint8_t)(255 - row[x]);
	}
}

/* a += (b - a) * share / 256. */
static void mix(uint8_t *a, const uint8_t *b, int share, int n)
{
	for (int x = 0; x < n; x++)
		a[x] = (uint8_t)(a[x] + (((b[x] - a[x]) * share + 128) >> 8));
}

/* Whole pixels and 1/256 of one. */
static int split_width(const struct vrs_edges *e, double width, int *ret_share)
{
	width = fmin(fmax(width, 0), e->pad - 1);
	*ret_share = (int)lrint((width - floor(width)) * 256);
	return (int)width;
}

/* The row with so many pixels on each side: those of its other end where it wraps, else `left` and `right`. */
static void pad_row(struct vrs_edges *e, const uint8_t *src, int reach, bool wraps, uint8_t left, uint8_t right)
{
	int n = e->width;
	uint8_t *row = e->row + e->pad;
	memcpy(row, src, (size_t)n);
	for (int i = 0; i < reach && wraps; i++) {
		row[-1 - i] = src[n - 1 - i % n];
		row[n + i] = src[i % n];
	}
	if (wraps)
		return;
	memset(row - reach, left, (size_t)reach);
	memset(row + n, right, (size_t)reach);
}

/*
 * The largest of each 2 * radius + 1 neighbours in the padded row.  Windows of twice the length come of two of half the length; the last step takes
 * two that overlap, so that the cost grows with the logarithm of the radius.
 */
static void max_row(struct vrs_edges *e, uint8_t *dst, int radius)
{
	const struct vrs_picture_kernels *kernels = vrs_picture_kernels();
	const uint8_t *pair[2] = {e->row + e->pad - radius, NULL};
	int window = 2 * radius + 1, left = e->width + 2 * radius, length = 1;
	if (radius <= FEW) {
		kernels->max_row(dst, e->row + e->pad, radius, e->width);
		return;
	}
	for (int to = 0; 2 * length <= window; to = !to, length *= 2) {
		pair[1] = pair[0] + length;
		left -= length;
		kernels->max_rows(e->windows[to], pair, 2, left);
		pair[0] = e->windows[to];
	}
	pair[1] = pair[0] + window - length;
	kernels->max_rows(dst, pair, 2, e->width);
}

static void grow_rows(struct vrs_edges *e, const struct vrs_matte *matte, double width, bool wraps)
{
	int share, radius = split_width(e, width, &share), n = e->width;
	for (int y = 0; y < e->height; y++) {
		uint8_t *dst = e->copy + (size_t)y * (size_t)n;
		pad_row(e, matte->data + matte->stride * y, radius + 1, wraps, 0, 0);
		max_row(e, dst, radius);
		if (!share)
			continue;
		const uint8_t *wider[] = {dst, e->row + e->pad - radius - 1, e->row + e->pad + radius + 1};
		vrs_picture_kernels()->max_rows(e->wide, wider, 3, n);
		mix(dst, e->wide, share, n);
	}
}

/* Row y of the copy, if there is one. */
static const uint8_t *copied(const struct vrs_edges *e, int y)
{
	return y >= 0 && y < e->height ? e->copy + (size_t)y * (size_t)e->width : NULL;
}

/* The largest of those rows that are there, of which at least one is. */
static void max_of(const struct vrs_edges *e, uint8_t *dst, const uint8_t *a, const uint8_t *b, const uint8_t *c)
{
	const uint8_t *rows[3], *all[] = {a, b, c};
	int count = 0;
	for (int i = 0; i < 3; i++)
		if (all[i])
			rows[count++] = all[i];
	vrs_picture_kernels()->max_rows(dst, rows, count, e->width);
}

/*
 * The largest of each 2 * radius + 1 rows of the copy, by van Herk and Gil and Werman: a window that begins in a block of as many rows is the rest
 * of that block and the beginning of the next one.  Rests are made backwards, each in the row of its result, then the beginnings forwards.
 */
static void max_columns(struct vrs_edges *e, struct vrs_matte *matte, int radius)
{
	int window = 2 * radius + 1;
	for (int block = -radius; block < e->height - radius; block += window) {
		const uint8_t *rest = NULL, *begun = NULL;
		for (int at = block + window - 1; at >= block; at--) {
			int y = at + radius;
			uint8_t *to = y < e->height ? matte->data + matte->stride * y : e->windows[y & 1];
			if (rest || copied(e, at)) {
				max_of(e, to, rest, copied(e, at), NULL);
				rest = to;
			}
		}
		for (int end = block + window; end < block + 2 * window - 1 && end - radius < e->height; end++) {
			uint8_t *row = matte->data + matte->stride * (end - radius);
			if (copied(e, end)) {
				max_of(e, e->windows[end & 1], begun, copied(e, end), NULL);
				begun = e->windows[end & 1];
			}
			if (!begun)
				continue;
			max_of(e, e->wide, row, begun, NULL);
			memcpy(row, e->wide, (size_t)e->width);
		}
	}
}

static void grow_columns(struct vrs_edges *e, struct vrs_matte *matte, double width)
{
	int share, radius = split_width(e, width, &share);
	max_columns(e, matte, radius);
	for (int y = 0; y < e->height && share; y++) {
		uint8_t *dst = matte->data + matte->stride * y;
		max_of(e, e->wide, dst, copied(e, y - radius - 1), copied(e, y + radius + 1));
		mix(dst, e->wide, share, e->width);
	}
}

void vrs_edges_grow(struct vrs_edges *e, struct vrs_matte *matte, double x, double y, bool wraps)
{
	bool smaller = x < 0 || y < 0;
	if (x == 0 && y == 0)
		return;
	if (smaller)
		invert(matte);
	grow_rows(e, matte, fabs(x), wraps);
	grow_columns(e, matte, fabs(y));
	if (smaller)
		invert(matte);
}

/* Weights of a triangle, which sum to 2^14, by rounded running sums; returns the number of pixels on each side. */
static int triangle(struct vrs_edges *e, double width)
{
	width = fmin(fmax(width, 0), e->pad - 1) + 1;
	int radius = (int)ceil(width) - 1, done = 0;
	double sum = 0, upto = 0;
	for (int t = -radius; t <= radius; t++)
		sum += width - abs(t);
	for (int t = 0; t < radius; t++) {
		upto += width - radius + t;
		int rounded = (int)lrint(upto / sum * VRS_WEIGHT_ONE);
		e->weights[t] = e->weights[2 * radius - t] = (int16_t)(rounded - done);
		done = rounded;
	}
	e->weights[radius] = (int16_t)(VRS_WEIGHT_ONE - 2 * done);
	return radius;
}

void vrs_edges_feather(struct vrs_edges *e, struct vrs_matte *matte, double x, double y, bool wraps)
{
	const struct vrs_picture_kernels *kernels = vrs_picture_kernels();
	int n = e->width, radius = triangle(e, x);
	if (x <= 0 && y <= 0)
		return;
	for (int row = 0; row < e->height; row++) {
		const uint8_t *src = matte->data + matte->stride * row;
		pad_row(e, src, radius, wraps, src[0], src[n - 1]);
		kernels->fir_row(e->copy + (size_t)row * (size_t)n, e->row + e->pad - radius, e->weights, 2 * radius + 1, n);
	}
	radius = triangle(e, y);
	for (int row = 0; row < e->height; row++) {
		for (int t = -radius; t <= radius; t++) {
			int at = row + t < 0 ? 0 : row + t >= e->height ? e->height - 1 : row + t;
			e->rows[t + radius] = e->copy + (size_t)at * (size_t)n;
		}
		kernels->fir_rows(matte->data + matte->stride * row, e->rows, e->weights, 2 * radius + 1, n);
	}
}
