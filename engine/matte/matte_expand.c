/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/matte_expand.h"

#include <math.h>
#include <string.h>

#include "base/wraparound.h"
#include "kernels/picture.h"
#include "matte/matte_rows.h"
#include "matte/plane_scaler.h"
#include "matte/yuv_color.h"

enum vrs_status vrs_matte_init(struct vrs_matte *matte, struct vrs_arena *arena, int width, int height)
{
	if (width < 1 || height < 1)
		return VRS_EINVAL;
	*matte = (struct vrs_matte){.width = width, .height = height, .stride = width, .data = vrs_arena_calloc(arena, (size_t)height, (size_t)width)};
	return matte->data ? VRS_OK : VRS_ENOMEM;
}

/* The samples of a row that lie in the piece, whose first one is `done` samples from the left edge of the part. */
static void expand_row(struct vrs_matte *dst, const uint8_t *white, const struct vrs_matte_row *row, const struct vrs_rect *piece, int done, int y)
{
	int first = row->first > done ? row->first : done, end = row->end < done + piece->width ? row->end : done + piece->width;
	uint8_t *line = dst->data + dst->stride * (piece->y + y) + piece->x + first - done;
	if (first < end)
		vrs_picture_kernels()->composite_row_u8(line, white, row->above + first, row->below + first, row->weight, 0, end - first);
}

enum vrs_status vrs_matte_expand(struct vrs_matte *dst, const struct vrs_matte *matte, const struct vrs_rect *covers)
{
	if (covers->x < 0 || covers->y < 0 || covers->width < 1 || covers->height < 1 || covers->x >= dst->width || covers->width > dst->width ||
	    covers->height > dst->height - covers->y)
		return VRS_EINVAL;
	struct vrs_arena arena = {0};
	struct vrs_matte_rows rows;
	const struct vrs_plane_grid grid = {.step = {1, 1}, .extent = {covers->width, covers->height}};
	uint8_t *white = vrs_arena_calloc(&arena, (size_t)covers->width, 1);
	enum vrs_status status = vrs_matte_rows_init(&rows, &arena, matte->width, matte->height, covers->width, covers->height, &grid);
	if (status != VRS_OK) {
		vrs_arena_free(&arena);
		return status;
	}
	memset(white, 255, (size_t)covers->width);
	for (int y = 0; y < dst->height; y++)
		memset(dst->data + dst->stride * y, 0, (size_t)dst->width);
	struct vrs_rect piece[2];
	int pieces = vrs_wraparound_spans(covers, dst->width, piece);
	vrs_matte_rows_begin(&rows, matte);
	for (int y = 0; y < covers->height; y++) {
		struct vrs_matte_row row = vrs_matte_rows_get(&rows, y);
		for (int i = 0; i < pieces; i++)
			expand_row(dst, white, &row, &piece[i], i ? piece[0].width : 0, y);
	}
	vrs_arena_free(&arena);
	return VRS_OK;
}

enum vrs_status vrs_matte_from_luma(struct vrs_matte *dst, const struct vrs_frame *frame, const struct vrs_rect *eye, const struct vrs_rect *rect)
{
	struct vrs_arena arena = {0};
	struct vrs_plane_scaler scaler;
	uint16_t *row = vrs_arena_calloc(&arena, (size_t)dst->width, sizeof *row);
	enum vrs_status status = vrs_plane_scaler_init(&scaler, &arena, &frame->format, 0, eye, rect, dst->width, dst->height);
	double unit = ldexp(1.0, 15 - frame->format.bit_depth);
	double black = vrs_luma_from_grey(&frame->format, 0) * unit, white = vrs_luma_from_grey(&frame->format, 255) * unit;
	for (int y = 0; y < dst->height && status == VRS_OK; y++) {
		vrs_plane_scaler_row(&scaler, frame, y, row);
		for (int x = 0; x < dst->width; x++) {
			double grey = 255.0 * (row[x] - black) / (white - black);
			dst->data[dst->stride * y + x] = (uint8_t)lrint(grey < 0 ? 0 : grey > 255 ? 255 : grey);
		}
	}
	vrs_arena_free(&arena);
	return status;
}

enum vrs_status vrs_matte_shrink_init(struct vrs_matte_shrink *shrink, struct vrs_arena *arena, int width, int height, int from_width,
				      int from_height)
{
	if (width < 1 || height < 1 || width > from_width || height > from_height)
		return VRS_EINVAL;
	shrink->from_width = from_width;
	shrink->row = vrs_arena_calloc(arena, (size_t)from_width, sizeof *shrink->row);
	enum vrs_status status = vrs_scale_axis_init(&shrink->x, arena, from_width, 0, from_width, width, 1);
	return status != VRS_OK ? status : vrs_scale_axis_init(&shrink->y, arena, from_height, 0, from_height, height, 1);
}

void vrs_matte_shrink_run(struct vrs_matte_shrink *shrink, float *dst, const float *src)
{
	const struct vrs_scale_axis *across = &shrink->x, *down = &shrink->y;
	const float share = 1.0f / VRS_WEIGHT_ONE;
	for (int y = 0; y < down->n; y++, dst += across->n) {
		const int16_t *weights = down->weights + (size_t)y * (size_t)down->taps;
		memset(shrink->row, 0, (size_t)shrink->from_width * sizeof *shrink->row);
		for (int t = 0; t < down->used[y]; t++) {
			const float *row = src + (size_t)(down->first[y] + t) * (size_t)shrink->from_width, weight = (float)weights[t] * share;
			for (int x = 0; x < shrink->from_width; x++)
				shrink->row[x] += weight * row[x];
		}
		for (int x = 0; x < across->n; x++) {
			const float *at = shrink->row + across->first[x];
			const int16_t *weight = across->weights + (size_t)x * (size_t)across->taps;
			float sum = 0;
			for (int t = 0; t < across->used[x]; t++)
				sum += at[t] * (float)weight[t];
			sum *= share;
			dst[x] = sum < 1 ? sum : 1;
		}
	}
}
