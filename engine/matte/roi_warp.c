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

/* Across the old place, in its pixels, where new pixel i lies; below 0: not there. */
static double place_of(const struct vrs_roi_warp_axis *axis, int i, double scale, double offset, const struct vrs_roi_warp_circle *circle)
{
	int old = axis->from_n;
	double across = scale * (i + 0.5) / axis->n + offset;
	if (circle) {
		across += scale * circle->to * floor((circle->middle - (i + 0.5) / axis->n) / circle->to + 0.5);
		if (fabs(across - (scale * circle->middle + offset)) > circle->from / 2)
			return -1;
	}
	double at = across * old;
	if (circle && (at < 0 || at > old))
		at -= floor(at / (circle->from * old)) * circle->from * old;
	return at > old ? -1 : at;
}

static void axis_map(struct vrs_roi_warp_axis *axis, double scale, double offset, const struct vrs_roi_warp_circle *circle)
{
	int old = axis->from_n, run = -1;
	for (int r = 0; r < VRS_ROI_WARP_RUNS; r++)
		axis->first[r] = axis->end[r] = 0;
	for (int i = 0; i < axis->n; i++) {
		double at = place_of(axis, i, scale, offset, circle);
		if (at < 0)
			continue;
		if (run < 0 || axis->end[run] < i) {
			if (run + 1 == VRS_ROI_WARP_RUNS)
				break; /* of rounding alone */
			axis->first[++run] = i;
		}
		axis->end[run] = i + 1;
		at = at < 0.5 ? 0 : at > old - 0.5 ? old - 1 : at - 0.5;
		int low = (int)at < old - 1 ? (int)at : old > 1 ? old - 2 : 0;
		axis->from[i] = low;
		axis->share[i] = (float)(at - low);
	}
}

void vrs_roi_warp_map(struct vrs_roi_warp *moved, const double scale[2], const double offset[2], const struct vrs_roi_warp_circle *circle)
{
	axis_map(&moved->x, scale[0], offset[0], circle);
	axis_map(&moved->y, scale[1], offset[1], NULL);
}

void vrs_roi_warp_set(struct vrs_roi_warp *moved, const struct vrs_rect *from, const struct vrs_rect *to, int circle)
{
	const double scale[2] = {(double)to->width / from->width, (double)to->height / from->height};
	const double offset[2] = {(double)(to->x - from->x) / from->width, (double)(to->y - from->y) / from->height};
	const struct vrs_roi_warp_circle turn = {(double)circle / from->width, (double)circle / to->width, 0.5};
	vrs_roi_warp_map(moved, scale, offset, circle > 0 ? &turn : NULL);
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
		for (int run = 0; run < VRS_ROI_WARP_RUNS; run++)
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
