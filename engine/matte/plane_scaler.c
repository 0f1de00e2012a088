/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/plane_scaler.h"

#include "kernels/picture.h"
#include "matte/yuv_color.h"

#define COLUMN_TAPS 8 /* the column kernel works in blocks of 8 taps */

static bool is_chroma(int plane)
{
	return plane == 1 || plane == 2;
}

/* Part of the plane in its own coordinates: luma position X is chroma position (X - offset) / 2^shift. */
static void plane_interval(const struct vrs_picture_format *format, int p, int axis, int at, int length, double *from, double *to)
{
	bool chroma = is_chroma(p);
	int shift = !chroma ? 0 : axis == 0 ? format->chroma_shift_x : format->chroma_shift_y;
	double offset = chroma ? vrs_chroma_offset(format, axis) : 0;
	*from = (at - offset) / (1 << shift);
	*to = (at + length - offset) / (1 << shift);
}

/*
 * The part's columns counted from the left edge of its eye, and the length of the axis that they lie on.  On a circle that is three turns of the eye,
 * of which the part begins in the second: filters reach across the seam on both sides.
 */
static int columns_of(struct vrs_plane_scaler *scaler, const struct vrs_rect *rect, double *from, double *to)
{
	const struct vrs_picture_format *format = &scaler->format;
	plane_interval(format, scaler->plane, 0, rect->x, rect->width, from, to);
	if (format->circle) {
		scaler->circle = format->circle >> (is_chroma(scaler->plane) ? format->chroma_shift_x : 0);
		scaler->eye.x = rect->x / format->circle * scaler->circle;
		scaler->eye.width = scaler->circle;
	}
	*from += scaler->circle - scaler->eye.x;
	*to += scaler->circle - scaler->eye.x;
	return scaler->circle ? 3 * scaler->circle : scaler->eye.width;
}

/* The same of its rows. */
static int rows_of(const struct vrs_plane_scaler *scaler, const struct vrs_rect *rect, double *from, double *to)
{
	plane_interval(&scaler->format, scaler->plane, 1, rect->y, rect->height, from, to);
	*from -= scaler->eye.y;
	*to -= scaler->eye.y;
	return scaler->eye.height;
}

/* Columns that the row pass reads; the axis counts from the first of them. */
static void read_from_first(struct vrs_plane_scaler *scaler)
{
	struct vrs_scale_axis *x = &scaler->x;
	scaler->src_first = scaler->eye.x + (scaler->circle ? x->first[0] % scaler->circle : x->first[0]);
	scaler->src_width = x->first[x->n - 1] + x->used[x->n - 1] - x->first[0];
	int begin = x->first[0];
	for (int i = 0; i < x->n; i++)
		x->first[i] -= begin;
}

enum vrs_status vrs_plane_scaler_place(struct vrs_plane_scaler *scaler, const struct vrs_rect *rect)
{
	double from, to;
	int columns = columns_of(scaler, rect, &from, &to);
	enum vrs_status status = vrs_scale_axis_place(&scaler->x, columns, from, to);
	if (status != VRS_OK)
		return status;
	read_from_first(scaler);
	int rows = rows_of(scaler, rect, &from, &to);
	status = vrs_scale_axis_place(&scaler->y, rows, from, to);
	return status != VRS_OK ? status : scaler->src_width > scaler->most_width ? VRS_EINVAL : VRS_OK;
}

enum vrs_status vrs_plane_scaler_init(struct vrs_plane_scaler *scaler, struct vrs_arena *arena, const struct vrs_picture_format *format, int p,
				      const struct vrs_rect *eye, const struct vrs_rect *rect, int width, int height)
{
	const struct vrs_rect all = {0, 0, format->width, format->height};
	*scaler = (struct vrs_plane_scaler){.plane = p, .bit_depth = format->bit_depth, .format = *format,
		.eye = vrs_plane_rect(format, eye ? eye : &all, is_chroma(p))};
	double from, to;
	int columns = columns_of(scaler, rect, &from, &to);
	enum vrs_status status = vrs_scale_axis_init(&scaler->x, arena, columns, from, to, width, COLUMN_TAPS);
	if (status != VRS_OK)
		return status;
	int rows = rows_of(scaler, rect, &from, &to);
	status = vrs_scale_axis_init(&scaler->y, arena, rows, from, to, height, 1);
	if (status != VRS_OK)
		return status;
	read_from_first(scaler);
	/* elsewhere a part of this size may touch more samples: a fraction at each end, and what the edges of the plane cut off here */
	scaler->most_width = scaler->src_width + 4;
	/* the column kernel reads whole blocks: room for the padding of the last output, zeroed once */
	scaler->row = vrs_arena_calloc(arena, (size_t)scaler->most_width + (size_t)scaler->x.most_taps, sizeof *scaler->row);
	return scaler->row ? VRS_OK : VRS_ENOMEM;
}

/* Columns [from, from + n) of the plane after the vertical half of output row i. */
static void read_columns(const struct vrs_plane_scaler *scaler, const struct vrs_frame *frame, int i, int from, int n, uint16_t *dst)
{
	const struct vrs_picture_kernels *kernels = vrs_picture_kernels();
	const struct vrs_scale_axis *y = &scaler->y;
	ptrdiff_t stride = frame->stride_bytes[scaler->plane];
	const uint8_t *src = frame->data[scaler->plane] + stride * (scaler->eye.y + y->first[i]);
	const int16_t *weights = y->weights + (ptrdiff_t)i * y->taps;
	if (scaler->bit_depth == 8)
		kernels->downscale_rows_u8(dst, src + from, stride, weights, y->used[i], n);
	else
		kernels->downscale_rows_u16(dst, (const uint16_t *)(const void *)src + from, stride, weights, y->used[i], n, scaler->bit_depth);
}

void vrs_plane_scaler_columns(struct vrs_plane_scaler *scaler, const struct vrs_frame *frame, int i, int first, int end, uint16_t *dst)
{
	const struct vrs_scale_axis *x = &scaler->x;
	int done = x->first[first], until = x->first[end - 1] + x->used[end - 1], edge = scaler->eye.x + scaler->circle;
	int from = scaler->src_first + done;
	while (scaler->circle && from >= edge)
		from -= scaler->circle;
	for (; scaler->circle && until - done > edge - from; from = scaler->eye.x) {
		read_columns(scaler, frame, i, from, edge - from, scaler->row + done);
		done += edge - from;
	}
	read_columns(scaler, frame, i, from, until - done, scaler->row + done);
	vrs_picture_kernels()->downscale_columns(dst, scaler->row, x->first + first, x->weights + (ptrdiff_t)first * x->taps, x->taps, end - first);
}

void vrs_plane_scaler_row(struct vrs_plane_scaler *scaler, const struct vrs_frame *frame, int i, uint16_t *dst)
{
	vrs_plane_scaler_columns(scaler, frame, i, 0, scaler->x.n, dst);
}

enum vrs_status vrs_luma_view_init(struct vrs_luma_view *view, struct vrs_arena *arena, const struct vrs_picture_format *format,
				   const struct vrs_rect *eye, const struct vrs_rect *most, int width, int height)
{
	if (!vrs_rect_fits(most, format) || width < 1)
		return VRS_EINVAL;
	view->width = width;
	view->height = height;
	view->row = vrs_arena_calloc(arena, (size_t)width, sizeof *view->row);
	return vrs_plane_scaler_init(&view->scaler, arena, format, 0, eye, most, width, height);
}

enum vrs_status vrs_luma_view_get(struct vrs_luma_view *view, const struct vrs_frame *frame, const struct vrs_rect *part, uint8_t *dst,
				  struct vrs_scene_signature *ret_signature)
{
	enum vrs_status status = vrs_rect_fits(part, &view->scaler.format) ? vrs_plane_scaler_place(&view->scaler, part) : VRS_EINVAL;
	if (status != VRS_OK)
		return status;
	if (ret_signature)
		vrs_scene_signature_begin(ret_signature);
	for (int y = 0; y < view->height; y++, dst += view->width) {
		vrs_plane_scaler_row(&view->scaler, frame, y, view->row);
		for (int x = 0; x < view->width; x++)
			dst[x] = (uint8_t)(view->row[x] >> 7);
		if (ret_signature)
			vrs_scene_signature_row(ret_signature, view->row, y, view->width, view->height);
	}
	if (ret_signature)
		vrs_scene_signature_end(ret_signature);
	return VRS_OK;
}
