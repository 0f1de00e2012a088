/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/exclusion.h"

#include <math.h>
#include <string.h>

#include "matte/plane_scaler.h"
#include "matte/matte_expand.h"

struct vrs_exclusion {
	struct vrs_frame mask; /* grey, full range, size of the eye, in the arena; 255: excluded */
};

struct vrs_exclusion_view {
	const struct vrs_exclusion *exclusion;
	struct vrs_luma_view luma;
	uint8_t *mask;         /* [height][width] under the part */
	struct vrs_rect part;
};

enum vrs_status vrs_exclusion_create(struct vrs_exclusion **ret_exclusion, struct vrs_arena *arena, int width, int height, bool is_circle)
{
	const struct vrs_picture_format format = {.width = width, .height = height, .planes = 1, .bit_depth = 8, .range = VRS_RANGE_FULL,
		.primaries = 2, .transfer = 2, .circle = is_circle ? width : 0};
	if (vrs_picture_format_check(&format))
		return VRS_EINVAL;
	struct vrs_exclusion *exclusion = vrs_arena_calloc(arena, 1, sizeof *exclusion);
	if (!exclusion)
		return VRS_ENOMEM;
	exclusion->mask = (struct vrs_frame){.format = format, .stride_bytes = {width}, .data = {vrs_arena_calloc(arena, (size_t)height, (size_t)width)}};
	*ret_exclusion = exclusion;
	return arena->failed ? VRS_ENOMEM : VRS_OK;
}

/* Samples that [at, at + length) of n touches: a pixel belongs to the side on which its centre lies. */
static void interval(double at, double length, int n, int *first, int *end)
{
	*first = (int)lrint(fmin(fmax(at * n, 0), n));
	*end = (int)lrint(fmin(fmax((at + length) * n, 0), n));
}

void vrs_exclusion_add_box(struct vrs_exclusion *exclusion, const double box[4])
{
	struct vrs_frame *mask = &exclusion->mask;
	int left, right, top, bottom;
	interval(box[0], box[2], mask->format.width, &left, &right);
	interval(box[1], box[3], mask->format.height, &top, &bottom);
	for (int y = top; y < bottom && right > left; y++)
		memset(mask->data[0] + mask->stride_bytes[0] * y + left, 255, (size_t)(right - left));
}

enum vrs_status vrs_exclusion_set_picture(struct vrs_exclusion *exclusion, const struct vrs_frame *picture, const struct vrs_rect *rect)
{
	struct vrs_frame *mask = &exclusion->mask;
	struct vrs_matte matte = {.width = mask->format.width, .height = mask->format.height, .stride = mask->stride_bytes[0], .data = mask->data[0]};
	return vrs_rect_fits(rect, &picture->format) ? vrs_matte_from_luma(&matte, picture, rect, rect) : VRS_EINVAL;
}

enum vrs_status vrs_exclusion_view_create(struct vrs_exclusion_view **ret_view, struct vrs_arena *arena, const struct vrs_exclusion *exclusion,
					  int width, int height)
{
	const struct vrs_picture_format *format = &exclusion->mask.format;
	const struct vrs_rect all = {0, 0, format->width, format->height};
	if (width < 1 || height < 1)
		return VRS_EINVAL;
	struct vrs_exclusion_view *view = vrs_arena_calloc(arena, 1, sizeof *view);
	if (!view)
		return VRS_ENOMEM;
	view->exclusion = exclusion;
	view->mask = vrs_arena_calloc(arena, (size_t)height, (size_t)width);
	*ret_view = view;
	return vrs_luma_view_init(&view->luma, arena, format, NULL, &all, width, height);
}

/* The mask under the part. */
static const uint8_t *mask_of(struct vrs_exclusion_view *view, const struct vrs_rect *part)
{
	if (memcmp(part, &view->part, sizeof *part) == 0)
		return view->mask;
	if (vrs_luma_view_get(&view->luma, &view->exclusion->mask, part, view->mask, NULL) == VRS_OK)
		view->part = *part;
	return view->mask;
}

void vrs_exclusion_view_alpha(struct vrs_exclusion_view *view, const struct vrs_rect *part, float *alpha)
{
	const uint8_t *mask = mask_of(view, part);
	int n = view->luma.width * view->luma.height;
	for (int i = 0; i < n; i++)
		alpha[i] *= (float)(255 - mask[i]) * (1.0f / 255);
}

void vrs_exclusion_view_matte(struct vrs_exclusion_view *view, const struct vrs_rect *part, struct vrs_matte *matte)
{
	const uint8_t *mask = mask_of(view, part);
	for (int y = 0; y < matte->height; y++, mask += matte->width)
		for (int x = 0; x < matte->width; x++) {
			uint8_t *pixel = matte->data + matte->stride * y + x;
			*pixel = (uint8_t)((*pixel * (255 - mask[x]) + 127) / 255);
		}
}
