/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The host's tables (scalers, matte rows, maps) as the device's frame functions take them. */
#ifndef VRS_TEST_FRAME_TABLES_H
#define VRS_TEST_FRAME_TABLES_H

#include <string.h>

#include "kernels/picture.h"
#include "matte/matte_rows.h"
#include "matte/plane_scaler.h"
#include "matte/yuv_color.h"
#include "opencl/ocl_frame_compose.h"
#include "opencl/ocl_frame_scale.h"

static inline struct vrs_ocl_axis axis_tables(const struct vrs_scale_axis *axis)
{
	return (struct vrs_ocl_axis){.n = axis->n, .taps = axis->taps, .first = axis->first, .used = axis->used, .weights = axis->weights};
}

static inline struct vrs_ocl_plane_scale plane_tables(const struct vrs_plane_scaler *scaler)
{
	return (struct vrs_ocl_plane_scale){.x = axis_tables(&scaler->x), .y = axis_tables(&scaler->y), .first_column = scaler->src_first,
		.columns = scaler->src_width, .first_row = scaler->eye.y, .left = scaler->eye.x, .circle = scaler->circle};
}

/* A part of a frame to width x height; tables are made in the arena. eye: NULL, the picture. */
static inline enum vrs_status scale_tables(struct vrs_ocl_scale_options *ret, struct vrs_arena *arena, const struct vrs_picture_format *format,
					   const struct vrs_rect *eye, const struct vrs_rect *part, int width, int height, bool bgr,
					   const float mean[3], const float scale[3])
{
	struct vrs_plane_scaler scalers[2] = {0};
	struct vrs_color_kernel_args color;
	enum vrs_status status = VRS_OK;

	for (int p = 0; p < (format->planes == 1 ? 1 : 2) && status == VRS_OK; p++)
		status = vrs_plane_scaler_init(&scalers[p], arena, format, p, eye, part, width, height);
	*ret = (struct vrs_ocl_scale_options){.format = *format, .luma = plane_tables(&scalers[0]), .chroma = plane_tables(&scalers[1])};
	vrs_yuv_kernel_args(&color, format, bgr, mean, scale);
	memcpy(ret->m, color.m, sizeof ret->m);
	memcpy(ret->bias, color.bias, sizeof ret->bias);
	memcpy(ret->scale, color.scale, sizeof ret->scale);
	memcpy(ret->offset, color.offset, sizeof ret->offset);
	return status;
}

/* The matte of a view of the output. */
static inline enum vrs_status view_tables(struct vrs_ocl_matte_axes ret[2], struct vrs_arena *arena, const struct vrs_picture_format *format,
					  const struct vrs_rect *view, int matte_width, int matte_height)
{
	for (int group = 0; group < (format->planes == 1 ? 1 : 2); group++) {
		struct vrs_rect plane = vrs_plane_rect(format, view, group);
		struct vrs_plane_grid grid = vrs_plane_grid_make(format, view, group);
		struct vrs_matte_rows rows;
		enum vrs_status status = vrs_matte_rows_init(&rows, arena, matte_width, matte_height, plane.width, plane.height, &grid);

		if (status != VRS_OK)
			return status;
		ret[group] = (struct vrs_ocl_matte_axes){.rect = plane, .index = rows.index, .row = rows.row, .weight = rows.weight,
			.row_weight = rows.row_weight};
	}
	return VRS_OK;
}

#endif
