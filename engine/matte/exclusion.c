/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/exclusion.h"

#include <math.h>
#include <string.h>

#include "base/wraparound.h"
#include "matte/matte_expand.h"
#include "matte/plane_scaler.h"

struct vrs_exclusion {
	struct vrs_frame mask; /* grey, full range, size of the eye, in the arena; 255: excluded */
};

/* The mask as samples of a matte see it, kept while the part under the matte is the same. */
struct part_mask {
	struct vrs_rect part;  /* empty: none yet */
	uint8_t *data;         /* [height][width] */
};

struct vrs_exclusion_view {
	const struct vrs_exclusion *exclusion;
	int width, height;     /* of mattes */
	struct vrs_luma_view luma;
	struct part_mask mean; /* of the area that a sample stands for */
	struct part_mask most; /* wherever a sample has a share in what is shown, which is as far as its neighbours */
	uint8_t *columns;      /* [width of the eye] */
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
	view->width = width;
	view->height = height;
	view->mean.data = vrs_arena_calloc(arena, (size_t)height, (size_t)width);
	view->most.data = vrs_arena_calloc(arena, (size_t)height, (size_t)width);
	view->columns = vrs_arena_calloc(arena, (size_t)format->width, 1);
	*ret_view = view;
	return vrs_luma_view_init(&view->luma, arena, format, NULL, &all, width, height);
}

static const uint8_t *mean_of(struct vrs_exclusion_view *view, const struct vrs_rect *part)
{
	struct part_mask *mean = &view->mean;
	if (memcmp(part, &mean->part, sizeof *part) == 0)
		return mean->data;
	if (vrs_luma_view_get(&view->luma, &view->exclusion->mask, part, mean->data, NULL) == VRS_OK)
		mean->part = *part;
	return mean->data;
}

/* The pixels of a part of that length in which sample i of n has a share: all between the centres of its neighbours. */
static void reach(int length, int n, int i, int *first, int *end)
{
	int64_t from = (int64_t)(2 * i - 1) * length / (2 * n), to = ((int64_t)(2 * i + 3) * length + 2 * n - 1) / (2 * n);
	*first = from < 0 ? 0 : (int)from;
	*end = to > length ? length : (int)to;
}

static uint8_t most_in(const uint8_t *mask, int first, int end)
{
	uint8_t most = 0;
	for (int x = first; x < end; x++)
		most = mask[x] > most ? mask[x] : most;
	return most;
}

/* The most of rows [top, bottom) of the part, column by column. */
static void most_of_rows(const struct vrs_frame *mask, const struct vrs_rect *part, int top, int bottom, uint8_t *columns)
{
	struct vrs_rect pieces[2];
	int count = vrs_wraparound_spans(part, mask->format.circle, pieces);
	memset(columns, 0, (size_t)part->width);
	for (int i = 0; i < count; columns += pieces[i++].width)
		for (int y = part->y + top; y < part->y + bottom; y++) {
			const uint8_t *row = mask->data[0] + mask->stride_bytes[0] * y + pieces[i].x;
			for (int x = 0; x < pieces[i].width; x++)
				columns[x] = row[x] > columns[x] ? row[x] : columns[x];
		}
}

static const uint8_t *most_of(struct vrs_exclusion_view *view, const struct vrs_rect *part)
{
	struct part_mask *most = &view->most;
	int first, end;
	if (memcmp(part, &most->part, sizeof *part) == 0 || !vrs_rect_fits(part, &view->exclusion->mask.format))
		return most->data;
	for (int y = 0; y < view->height; y++) {
		reach(part->height, view->height, y, &first, &end);
		most_of_rows(&view->exclusion->mask, part, first, end, view->columns);
		for (int x = 0; x < view->width; x++) {
			reach(part->width, view->width, x, &first, &end);
			most->data[y * view->width + x] = most_in(view->columns, first, end);
		}
	}
	most->part = *part;
	return most->data;
}

void vrs_exclusion_view_alpha(struct vrs_exclusion_view *view, const struct vrs_rect *part, float *alpha)
{
	const uint8_t *mask = mean_of(view, part);
	int n = view->width * view->height;
	for (int i = 0; i < n; i++)
		alpha[i] *= (float)(255 - mask[i]) * (1.0f / 255);
}

void vrs_exclusion_view_matte(struct vrs_exclusion_view *view, const struct vrs_rect *part, struct vrs_matte *matte)
{
	const uint8_t *mask = most_of(view, part);
	for (int y = 0; y < matte->height; y++, mask += matte->width)
		for (int x = 0; x < matte->width; x++) {
			uint8_t *pixel = matte->data + matte->stride * y + x;
			*pixel = (uint8_t)((*pixel * (255 - mask[x]) + 127) / 255);
		}
}
