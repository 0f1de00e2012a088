/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/backdrop.h"

#include <string.h>

#include "kernels/picture.h"
#include "matte/matte_rows.h"
#include "matte/yuv_color.h"
#include "matte/surround.h"

/* Surroundings of one part, and how they are widened to each plane. */
struct part {
	struct vrs_surround *surround;
	struct vrs_rect plane[3];
	struct vrs_matte_rows rows[3];
};

struct vrs_backdrop {
	struct vrs_backdrop_options options;
	struct vrs_frame picture;  /* a view, no reference */
	struct part parts[VRS_BACKDROP_MAX_PARTS];
	uint8_t *top;              /* a row of the largest code value */
	uint8_t *line;             /* a row of the picture */
};

static enum vrs_status part_init(struct part *part, struct vrs_arena *arena, const struct vrs_backdrop_options *options, const struct vrs_rect *rect)
{
	const struct vrs_surround_options own = {.format = options->source, .part = *rect, .sigma = options->blur * rect->height,
		.wraps = options->wraps, .matte_width = options->matte_width, .matte_height = options->matte_height};
	enum vrs_status status = vrs_surround_create(&part->surround, arena, &own);
	int width, height;
	if (status != VRS_OK)
		return status;
	vrs_surround_size(part->surround, &width, &height);
	for (int p = 0; p < 3 && status == VRS_OK; p++) {
		struct vrs_plane_grid grid = vrs_plane_grid_make(&options->format, rect, p > 0);
		part->plane[p] = vrs_plane_rect(&options->format, rect, p > 0);
		status = vrs_matte_rows_init(&part->rows[p], arena, width, height, part->plane[p].width, part->plane[p].height, &grid);
	}
	return status;
}

static enum vrs_status blur_init(struct vrs_backdrop *backdrop, struct vrs_arena *arena)
{
	const struct vrs_backdrop_options *options = &backdrop->options;
	size_t n = (size_t)options->format.width * 2;
	int top = (1 << options->format.bit_depth) - 1;
	if (options->part_count < 1 || options->part_count > VRS_BACKDROP_MAX_PARTS || !(options->blur > 0))
		return VRS_EINVAL;
	backdrop->top = vrs_arena_calloc(arena, n, 1);
	backdrop->line = vrs_arena_calloc(arena, n, 1);
	if (arena->failed)
		return VRS_ENOMEM;
	vrs_samples_fill(backdrop->top, top, options->format.width, vrs_sample_bytes(&options->format));
	enum vrs_status status = VRS_OK;
	for (int i = 0; i < options->part_count && status == VRS_OK; i++)
		status = part_init(&backdrop->parts[i], arena, options, &options->parts[i]);
	return status;
}

enum vrs_status vrs_backdrop_create(struct vrs_backdrop **ret_backdrop, struct vrs_arena *arena, const struct vrs_backdrop_options *options)
{
	if (options->kind == VRS_BACKDROP_COLOR || vrs_picture_format_check(&options->format))
		return VRS_EINVAL;
	struct vrs_backdrop *backdrop = vrs_arena_calloc(arena, 1, sizeof *backdrop);
	if (!backdrop)
		return VRS_ENOMEM;
	backdrop->options = *options;
	*ret_backdrop = backdrop;
	return options->kind == VRS_BACKDROP_BLUR ? blur_init(backdrop, arena) : VRS_OK;
}

void vrs_backdrop_show(struct vrs_backdrop *backdrop, const struct vrs_frame *picture)
{
	backdrop->picture = *picture;
}

void vrs_backdrop_learn(struct vrs_backdrop *backdrop, const struct vrs_frame *frame, const struct vrs_matte *mattes,
			const struct vrs_rect *const *views)
{
	for (int i = 0; i < backdrop->options.part_count; i++) {
		struct part *part = &backdrop->parts[i];
		vrs_surround_make(part->surround, frame, &mattes[i], views[i]);
		for (int p = 0; p < 3; p++) {
			size_t stride;
			const uint16_t *plane = vrs_surround_plane(part->surround, p, &stride);
			vrs_matte_rows_begin_samples(&part->rows[p], plane, stride, NULL);
		}
	}
}

/* The columns of [from, to) that lie in a part. */
static void write_part(struct vrs_backdrop *backdrop, struct part *part, uint8_t *dst, int p, int y, int from, int to)
{
	const struct vrs_picture_kernels *kernels = vrs_picture_kernels();
	const struct vrs_rect *rect = &part->plane[p];
	int first = from > rect->x ? from : rect->x, end = to < rect->x + rect->width ? to : rect->x + rect->width;
	if (y < rect->y || y >= rect->y + rect->height || first >= end)
		return;
	struct vrs_matte_row row = vrs_matte_rows_get(&part->rows[p], y - rect->y);
	const uint16_t *above = row.above + (first - rect->x), *below = row.below + (first - rect->x);
	/* a share of the largest code value: the same arithmetic as blending that value over 0 */
	if (vrs_sample_bytes(&backdrop->options.format) == 1)
		kernels->composite_row_u8(dst + (first - from), backdrop->top, above, below, row.weight, 0, end - first);
	else
		kernels->composite_row_u16((uint16_t *)(void *)dst + (first - from), (const uint16_t *)(const void *)backdrop->top, above, below,
					   row.weight, 0, end - first);
}

void vrs_backdrop_write(struct vrs_backdrop *backdrop, uint8_t *dst, int p, int y, int from, int to)
{
	if (from >= to)
		return;
	if (backdrop->options.kind != VRS_BACKDROP_BLUR) {
		int bytes = vrs_sample_bytes(&backdrop->options.format);
		memcpy(dst, vrs_backdrop_line(backdrop, p, y, from, to), (size_t)(to - from) * (size_t)bytes);
		return;
	}
	for (int i = 0; i < backdrop->options.part_count; i++)
		write_part(backdrop, &backdrop->parts[i], dst, p, y, from, to);
}

const uint8_t *vrs_backdrop_line(struct vrs_backdrop *backdrop, int p, int y, int from, int to)
{
	int bytes = vrs_sample_bytes(&backdrop->options.format);
	if (backdrop->options.kind != VRS_BACKDROP_BLUR)
		return backdrop->picture.data[p] + backdrop->picture.stride_bytes[p] * y + (ptrdiff_t)from * bytes;
	vrs_backdrop_write(backdrop, backdrop->line, p, y, from, to);
	return backdrop->line;
}
