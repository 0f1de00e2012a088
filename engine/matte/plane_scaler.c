/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/plane_scaler.h"

#include <string.h>

#include "base/mem.h"
#include "kernels/picture.h"
#include "matte/yuv_color.h"

#define COLUMN_TAPS 8 /* the column kernel works in blocks of 8 taps */

/* Part of the plane in its own coordinates: luma position X is chroma position (X - offset) / 2^shift. */
static void plane_interval(const struct vrs_picture_format *format, int p, int axis, int at, int length, double *from, double *to)
{
	bool chroma = p == 1 || p == 2;
	int shift = !chroma ? 0 : axis == 0 ? format->chroma_shift_x : format->chroma_shift_y;
	double offset = chroma ? vrs_chroma_offset(format, axis) : 0;
	*from = (at - offset) / (1 << shift);
	*to = (at + length - offset) / (1 << shift);
}

/* Columns that the row pass reads; the axis counts from the first of them. */
static void read_from_first(struct vrs_plane_scaler *scaler)
{
	struct vrs_scale_axis *x = &scaler->x;
	scaler->src_first = x->first[0];
	scaler->src_width = x->first[x->n - 1] + x->used[x->n - 1] - x->first[0];
	for (int i = 0; i < x->n; i++)
		x->first[i] -= scaler->src_first;
}

enum vrs_status vrs_plane_scaler_place(struct vrs_plane_scaler *scaler, const struct vrs_rect *rect)
{
	const struct vrs_picture_format *format = &scaler->format;
	int p = scaler->plane;
	double from, to;
	plane_interval(format, p, 0, rect->x, rect->width, &from, &to);
	enum vrs_status status = vrs_scale_axis_place(&scaler->x, vrs_plane_width(format, p), from, to);
	if (status)
		return status;
	read_from_first(scaler);
	plane_interval(format, p, 1, rect->y, rect->height, &from, &to);
	status = vrs_scale_axis_place(&scaler->y, vrs_plane_height(format, p), from, to);
	return status ? status : scaler->src_width > scaler->most_width ? VRS_EINVAL : VRS_OK;
}

enum vrs_status vrs_plane_scaler_init(struct vrs_plane_scaler *scaler, const struct vrs_picture_format *format, int p,
				      const struct vrs_rect *rect, int width, int height)
{
	memset(scaler, 0, sizeof *scaler);
	scaler->plane = p;
	scaler->bit_depth = format->bit_depth;
	scaler->format = *format;
	double from, to;
	plane_interval(format, p, 0, rect->x, rect->width, &from, &to);
	enum vrs_status status = vrs_scale_axis_init(&scaler->x, vrs_plane_width(format, p), from, to, width, COLUMN_TAPS);
	if (status)
		return status;
	plane_interval(format, p, 1, rect->y, rect->height, &from, &to);
	status = vrs_scale_axis_init(&scaler->y, vrs_plane_height(format, p), from, to, height, 1);
	if (status) {
		vrs_plane_scaler_fini(scaler);
		return status;
	}
	read_from_first(scaler);
	/* elsewhere a part of this size may touch more samples: a fraction at each end, and what the edges of the plane cut off here */
	scaler->most_width = scaler->src_width + 4;
	/* the column kernel reads whole blocks: room for the padding of the last output, zeroed once */
	scaler->row = vrs_calloc((size_t)scaler->most_width + (size_t)scaler->x.most_taps, sizeof *scaler->row);
	if (!scaler->row) {
		vrs_plane_scaler_fini(scaler);
		return VRS_ENOMEM;
	}
	return VRS_OK;
}

void vrs_plane_scaler_fini(struct vrs_plane_scaler *scaler)
{
	vrs_scale_axis_fini(&scaler->x);
	vrs_scale_axis_fini(&scaler->y);
	vrs_free(scaler->row);
	scaler->row = NULL;
}

void vrs_plane_scaler_row(struct vrs_plane_scaler *scaler, const struct vrs_frame *frame, int i, uint16_t *dst)
{
	const struct vrs_picture_kernels *kernels = vrs_picture_kernels();
	const struct vrs_scale_axis *x = &scaler->x, *y = &scaler->y;
	ptrdiff_t stride = frame->stride_bytes[scaler->plane];
	const uint8_t *src = frame->data[scaler->plane] + stride * y->first[i];
	const int16_t *weights = y->weights + (ptrdiff_t)i * y->taps;
	if (scaler->bit_depth == 8)
		kernels->downscale_rows_u8(scaler->row, src + scaler->src_first, stride, weights, y->used[i], scaler->src_width);
	else
		kernels->downscale_rows_u16(scaler->row, (const uint16_t *)(const void *)src + scaler->src_first, stride, weights, y->used[i],
					    scaler->src_width, scaler->bit_depth);
	kernels->downscale_columns(dst, scaler->row, x->first, x->weights, x->taps, x->n);
}
