/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/luma_view.h"

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
