/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/matte_expand.h"

#include <math.h>
#include <string.h>

#include "base/wraparound.h"
#include "base/mem.h"
#include "kernels/picture.h"
#include "matte/matte_rows.h"
#include "matte/plane_scaler.h"
#include "matte/yuv_color.h"

enum vrs_status vrs_matte_init(struct vrs_matte *matte, int width, int height)
{
	size_t n;
	if (width < 1 || height < 1 || !vrs_mul_size((size_t)width, (size_t)height, &n))
		return VRS_EINVAL;
	uint8_t *data = vrs_calloc(n, 1);
	if (!data)
		return VRS_ENOMEM;
	*matte = (struct vrs_matte){.width = width, .height = height, .stride = width, .data = data};
	return VRS_OK;
}

void vrs_matte_fini(struct vrs_matte *matte)
{
	vrs_free(matte->data);
	memset(matte, 0, sizeof *matte);
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
	struct vrs_matte_rows rows;
	const double step[2] = {1, 1}, offset[2] = {0, 0}, extent[2] = {covers->width, covers->height};
	enum vrs_status status = vrs_matte_rows_init(&rows, matte->width, matte->height, covers->width, covers->height, step, offset, extent);
	uint8_t *white = vrs_alloc((size_t)covers->width);
	if (status != VRS_OK || !white) {
		vrs_free(white);
		if (status == VRS_OK)
			vrs_matte_rows_fini(&rows);
		return status != VRS_OK ? status : VRS_ENOMEM;
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
	vrs_matte_rows_fini(&rows);
	vrs_free(white);
	return VRS_OK;
}

enum vrs_status vrs_matte_from_luma(struct vrs_matte *dst, const struct vrs_frame *frame, const struct vrs_rect *eye, const struct vrs_rect *rect)
{
	struct vrs_plane_scaler scaler;
	enum vrs_status status = vrs_plane_scaler_init(&scaler, &frame->format, 0, eye, rect, dst->width, dst->height);
	if (status != VRS_OK)
		return status;
	uint16_t *row = vrs_calloc((size_t)dst->width, sizeof *row);
	if (!row) {
		vrs_plane_scaler_fini(&scaler);
		return VRS_ENOMEM;
	}
	double unit = ldexp(1.0, 15 - frame->format.bit_depth);
	double black = vrs_luma_from_grey(&frame->format, 0) * unit, white = vrs_luma_from_grey(&frame->format, 255) * unit;
	for (int y = 0; y < dst->height; y++) {
		vrs_plane_scaler_row(&scaler, frame, y, row);
		for (int x = 0; x < dst->width; x++) {
			double grey = 255.0 * (row[x] - black) / (white - black);
			dst->data[dst->stride * y + x] = (uint8_t)lrint(grey < 0 ? 0 : grey > 255 ? 255 : grey);
		}
	}
	vrs_free(row);
	vrs_plane_scaler_fini(&scaler);
	return VRS_OK;
}
