/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The luma of a part of a frame at matte size: what mattes are compared with where the network did not look just there. */
#ifndef VRS_MATTE_LUMA_VIEW_H
#define VRS_MATTE_LUMA_VIEW_H

#include "matte/plane_scaler.h"
#include "matte/scene_cut.h"

struct vrs_luma_view {
	struct vrs_plane_scaler scaler;
	int width, height;
	uint16_t *row;
};

/* Parts of the eye (NULL: the picture), outside of which nothing is read, at most as wide and as high as `most`. VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_luma_view_init(struct vrs_luma_view *view, struct vrs_arena *arena, const struct vrs_picture_format *format,
				   const struct vrs_rect *eye, const struct vrs_rect *most, int width, int height);
/*
 * height * width bytes 0..255 of the part, and its signature (may be NULL), as vrs_preprocess_run makes it.  VRS_EINVAL: outside the picture or
 * larger.
 */
enum vrs_status vrs_luma_view_get(struct vrs_luma_view *view, const struct vrs_frame *frame, const struct vrs_rect *part, uint8_t *dst,
				  struct vrs_scene_signature *ret_signature);

#endif
