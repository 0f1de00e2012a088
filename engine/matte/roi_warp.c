/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/roi_warp.h"

#include <math.h>
#include <string.h>

static void axis_init(struct vrs_roi_warp_axis *axis, struct vrs_arena *arena, int n, int from_n)
{
	*axis = (struct vrs_roi_warp_axis){.n = n, .from_n = from_n};
	axis->from = vrs_arena_calloc(arena, (size_t)n, sizeof *axis->from);
	axis->share = vrs_arena_calloc(arena, (size_t)n, sizeof *axis->share);
}

enum vrs_status vrs_roi_warp_init(struct vrs_roi_warp *moved, struct vrs_arena *arena, int width, int height, int from_width, int from_height)
{
	if (width < 1 || height < 1 || from_width < 1 || from_height < 1)
		return VRS_EINVAL;
	axis_init(&moved->x, arena, width, from_width);
	axis_init(&moved->y, arena, height, from_height);
	return arena->failed ? VRS_ENOMEM : VRS_OK;
}

static void axis_map(struct vrs_roi_warp_axis *axis, double scale, double offset, double turn)
{
	int n = axis->n, old = axis->from_n, run = 0;
	axis->first[0] = axis->end[0] = axis->first[1] = axis->end[1] = 0;
	for (int i = 0; i < n; i++) {
		double at = (scale * (i + 0.5) / n + offset) * old;
		if (turn > 0 && (at < 0 || at > old))
			at -= floor(at / (turn * old)) * turn * old;
		if (at < 0 || at > old)
			continue;
		run += run == 0 && axis->end[0] > 0 && axis->end[0] < i;
		if (axis->end[run] == 0)
			axis->first[run] = i;
		axis->end[run] = i + 1;
		at = at < 0.5 ? 0 : at > old - 0.5 ? old - 1 : at - 0.5;
		int low = (int)at < old - 1 ? (int)at : old > 1 ? old - 2 : 0;
		axis->from[i] = low;
		axis->share[i] = (float)(at - low);
	}
}

void vrs_roi_warp_map(struct vrs_roi_warp *moved, const double scale[2], const double offset[2], double turn)
{
	axis_map(&moved->x, scale[0], offset[0], turn);
	axis_map(&moved->y, scale[1], offset[1], 0);
}

void vrs_roi_warp_set(struct vrs_roi_warp *moved, const struct vrs_rect *from, const struct vrs_rect *to, int circle)
{
	const double scale[2] = {(double)to->width / from->width, (double)to->height / from->height};
	const double offset[2] = {(double)(to->x - from->x) / from->width, (double)(to->y - from->y) / from->height};
	vrs_roi_warp_map(moved, scale, offset, (double)circle / from->width);
}

/* Of one kind of values, known where it is called: the loop is made for each. */
static inline __attribute__((always_inline)) float value_at(const void *values, ptrdiff_t i, bool bytes)
{
	return bytes ? (float)((const uint8_t *)values)[i] : ((const float *)values)[i];
}

enum kind { ALPHA, MOST, LUMA };

static inline __attribute__((always_inline)) void warp(const struct vrs_roi_warp *moved, void *dst, const void *src, const void *none, enum kind kind)
{
	const bool bytes = kind == LUMA;
	const struct vrs_roi_warp_axis *x = &moved->x, *y = &moved->y;
	int next = x->from_n > 1 ? 1 : 0, below = y->from_n > 1 ? x->from_n : 0;
	if (dst != none)
		memcpy(dst, none, (size_t)x->n * (size_t)y->n * (bytes ? 1 : sizeof(float)));
	for (int j = y->first[0]; j < y->end[0]; j++) {
		ptrdiff_t line = (ptrdiff_t)y->from[j] * x->from_n, at = (ptrdiff_t)j * x->n;
		float down = y->share[j];
		for (int run = 0; run < 2; run++)
			for (int i = x->first[run]; i < x->end[run]; i++) {
				ptrdiff_t k = line + x->from[i];
				float right = x->share[i], top = value_at(src, k, bytes), bottom = value_at(src, k + below, bytes);
				top += right * (value_at(src, k + next, bytes) - top);
				bottom += right * (value_at(src, k + below + next, bytes) - bottom);
				float value = top + down * (bottom - top);
				if (bytes)
					((uint8_t *)dst)[at + i] = (uint8_t)(value + 0.5f);
				else if (kind == ALPHA || value > ((const float *)dst)[at + i])
					((float *)dst)[at + i] = value;
			}
	}
}

void vrs_roi_warp_alpha(const struct vrs_roi_warp *moved, float *dst, const float *src, const float *none)
{
	warp(moved, dst, src, none, ALPHA);
}

void vrs_roi_warp_most(const struct vrs_roi_warp *moved, float *dst, const float *src)
{
	warp(moved, dst, src, dst, MOST);
}

void vrs_roi_warp_luma(const struct vrs_roi_warp *moved, uint8_t *dst, const uint8_t *src, const uint8_t *none)
{
	warp(moved, dst, src, none, LUMA);
}
