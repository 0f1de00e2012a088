/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Both passes keep sums over the rows of the window for each column and move them down row by row; sums along a row are taken where they are used.
 * All sums are exact integers, so that nothing drifts; windows are cut off at the edges of the matte.
 */
#include "matte/guided.h"

#include <stdbool.h>
#include <string.h>

#include "kernels/picture.h"

#define ALPHA_ONE 4095
#define MOST_SLOPE 31.9f /* of alpha over luma, both 0..1: what 16 bits hold */

struct vrs_guided {
	int width, height, radius;
	float eps, limit;
	uint16_t *alpha;         /* [height][width] 0..4095 */
	uint32_t *columns[4];    /* [radius + width + radius] sums over the rows of the window, zeros beside them */
	uint32_t *boxes[4];      /* [width] sums over the windows of a row */
	uint32_t *a, *b;         /* [height][width] coefficients, signed numbers */
	float *inverse;          /* [width] 1 / columns of the window */
	float *inverse_box;      /* [width] 1 / pixels of the windows of a row */
	void *zeros;             /* a row of what does not exist */
};

/* Lines of a window around line i that exist. */
static int window_length(int i, int n, int radius)
{
	int first = i - radius < 0 ? 0 : i - radius, last = i + radius >= n ? n - 1 : i + radius;
	return last - first + 1;
}

enum vrs_status vrs_guided_create(struct vrs_guided **ret_guided, struct vrs_arena *arena, int width, int height, int radius, double eps,
				  double limit)
{
	if (width < 1 || height < 1 || radius < 1 || radius > VRS_GUIDED_MAX_RADIUS || !(eps >= 1e-5 && eps <= 1) || !(limit >= 0 && limit <= 1))
		return VRS_EINVAL;
	struct vrs_guided *g = vrs_arena_calloc(arena, 1, sizeof *g);
	if (!g)
		return VRS_ENOMEM;
	size_t w = (size_t)width, h = (size_t)height, padded = w + 2 * (size_t)radius;
	*g = (struct vrs_guided){.width = width, .height = height, .radius = radius, .eps = (float)eps, .limit = (float)limit};
	g->alpha = vrs_arena_calloc(arena, h, w * sizeof *g->alpha);
	g->a = vrs_arena_calloc(arena, h, w * sizeof *g->a);
	g->b = vrs_arena_calloc(arena, h, w * sizeof *g->b);
	g->inverse = vrs_arena_calloc(arena, w, sizeof *g->inverse);
	g->inverse_box = vrs_arena_calloc(arena, w, sizeof *g->inverse_box);
	g->zeros = vrs_arena_calloc(arena, w, sizeof(uint32_t));
	for (int i = 0; i < 4; i++) {
		g->columns[i] = vrs_arena_calloc(arena, padded, sizeof *g->columns[i]);
		g->boxes[i] = vrs_arena_calloc(arena, w, sizeof *g->boxes[i]);
	}
	if (arena->failed)
		return VRS_ENOMEM;
	for (int x = 0; x < width; x++)
		g->inverse[x] = 1.0f / (float)window_length(x, width, radius);
	*ret_guided = g;
	return VRS_OK;
}

static void clear_columns(struct vrs_guided *g)
{
	for (int i = 0; i < 4; i++)
		memset(g->columns[i], 0, ((size_t)g->width + 2 * (size_t)g->radius) * sizeof *g->columns[i]);
}

/* 1 / pixels of the windows of row y. */
static void begin_row(struct vrs_guided *g, int y)
{
	float rows = 1.0f / (float)window_length(y, g->height, g->radius);
	for (int x = 0; x < g->width; x++)
		g->inverse_box[x] = g->inverse[x] * rows;
}

/* Row y of an array of rows, or zeros where there is none. */
static const void *row_at(const struct vrs_guided *g, const void *rows, int y, size_t bytes)
{
	if (y < 0 || y >= g->height)
		return g->zeros;
	return (const char *)rows + (size_t)y * (size_t)g->width * bytes;
}

static void find_coefficients(struct vrs_guided *g, const uint8_t *luma)
{
	const struct vrs_picture_kernels *kernels = vrs_picture_kernels();
	int r = g->radius;
	uint32_t *const columns[4] = {g->columns[0] + r, g->columns[1] + r, g->columns[2] + r, g->columns[3] + r};
	const uint32_t *const boxes[4] = {g->boxes[0], g->boxes[1], g->boxes[2], g->boxes[3]};
	clear_columns(g);
	for (int y = -r; y < g->height; y++) {
		int in = y + r, out = y - r - 1;
		kernels->guide_columns(columns, row_at(g, luma, in, 1), row_at(g, g->alpha, in, 2), row_at(g, luma, out, 1),
				       row_at(g, g->alpha, out, 2), g->width);
		if (y < 0)
			continue;
		for (int i = 0; i < 4; i++)
			kernels->box_row(g->boxes[i], columns[i], r, g->width);
		begin_row(g, y);
		size_t at = (size_t)y * (size_t)g->width;
		kernels->guide_coefficients((int32_t *)g->a + at, (int32_t *)g->b + at, boxes, g->inverse_box, g->eps, g->width);
	}
}

/* Sums of both coefficients over the windows of row y; rows come one after the other, from -radius on. False: the windows do not begin yet. */
static bool sum_coefficients(struct vrs_guided *g, int y)
{
	const struct vrs_picture_kernels *kernels = vrs_picture_kernels();
	const uint32_t *const from[2] = {g->a, g->b};
	int r = g->radius;
	for (int i = 0; i < 2; i++)
		kernels->box_columns(g->columns[i] + r, row_at(g, from[i], y + r, 4), row_at(g, from[i], y - r - 1, 4), g->width);
	if (y < 0)
		return false;
	for (int i = 0; i < 2; i++)
		kernels->box_row(g->boxes[i], g->columns[i] + r, r, g->width);
	begin_row(g, y);
	return true;
}

static void apply_coefficients(struct vrs_guided *g, float *alpha, const uint8_t *luma)
{
	clear_columns(g);
	for (int y = -g->radius; y < g->height; y++) {
		if (!sum_coefficients(g, y))
			continue;
		size_t at = (size_t)y * (size_t)g->width;
		vrs_picture_kernels()->guide_apply(alpha + at, luma + at, (const int32_t *)g->boxes[0], (const int32_t *)g->boxes[1], g->inverse_box,
						   g->limit, g->width);
	}
}

/* Slopes end at +-MOST_SLOPE, which a change of luma of eight code values reaches; the line then still meets the pixel's own luma. */
static void write_coefficients(const struct vrs_guided *g, const uint8_t *luma, uint16_t *slopes, uint16_t *offsets)
{
	const int32_t *a = (const int32_t *)g->boxes[0], *b = (const int32_t *)g->boxes[1];
	const float one = 1 << VRS_SHARPEN_BITS;
	for (int x = 0; x < g->width; x++) {
		float share = g->inverse_box[x] * (1.0f / 4096), here = (float)luma[x] * (1.0f / 255);
		float slope = (float)a[x] * share, value = slope * here + (float)b[x] * share;
		slope = slope < -MOST_SLOPE ? -MOST_SLOPE : slope;
		slope = slope > MOST_SLOPE ? MOST_SLOPE : slope;
		float offset = value - slope * here;
		offset = offset < -MOST_SLOPE ? -MOST_SLOPE : offset;
		offset = offset > MOST_SLOPE ? MOST_SLOPE : offset;
		slopes[x] = (uint16_t)(int32_t)(slope * one + VRS_SHARPEN_ZERO + 0.5f);
		offsets[x] = (uint16_t)(int32_t)(offset * one + VRS_SHARPEN_ZERO + 0.5f);
	}
	slopes[g->width] = slopes[g->width - 1];
	offsets[g->width] = offsets[g->width - 1];
}

void vrs_guided_coefficients(struct vrs_guided *g, const uint8_t *alpha, ptrdiff_t alpha_stride, const uint8_t *luma, uint16_t *ret_slopes,
			     uint16_t *ret_offsets, size_t stride)
{
	for (int y = 0; y < g->height; y++, alpha += alpha_stride)
		for (int x = 0; x < g->width; x++)
			g->alpha[(size_t)y * (size_t)g->width + (size_t)x] = (uint16_t)((alpha[x] * ALPHA_ONE + 127) / 255);
	find_coefficients(g, luma);
	clear_columns(g);
	for (int y = -g->radius; y < g->height; y++)
		if (sum_coefficients(g, y))
			write_coefficients(g, luma + (size_t)y * (size_t)g->width, ret_slopes + stride * (size_t)y, ret_offsets + stride * (size_t)y);
}

void vrs_guided_run(struct vrs_guided *g, float *alpha, const uint8_t *luma)
{
	size_t size = (size_t)g->width * (size_t)g->height;
	for (size_t i = 0; i < size; i++)
		g->alpha[i] = (uint16_t)(alpha[i] * ALPHA_ONE + 0.5f);
	find_coefficients(g, luma);
	apply_coefficients(g, alpha, luma);
}
