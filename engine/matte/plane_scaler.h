/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Area scaling of a part of one plane to a small size, row by row, straight from the decoded samples.
 */
#ifndef VRS_MATTE_PLANE_SCALER_H
#define VRS_MATTE_PLANE_SCALER_H

#include "matte/scale_axis.h"
#include "matte/scene_cut.h"

struct vrs_plane_scaler {
	struct vrs_scale_axis x, y;
	int plane, bit_depth;
	struct vrs_rect eye;      /* samples of the plane that may be read; on a circle its columns are those of the part's eye */
	int circle;               /* columns of an eye that closes to a circle, 0: none */
	int src_first, src_width; /* columns that the row pass reads, from which one on; on a circle across its seam */
	struct vrs_picture_format format;
	int most_width;           /* row has room for that many, and the padding of the last output */
	uint16_t *row;            /* sample15, one source row after the vertical half */
};

/*
 * Scale the part of plane p that lies under rect (luma samples) to width x height; format.circle counts.  Samples outside `eye`, which holds the
 * part, are not read: they belong to somebody else's view (NULL: the whole picture).  VRS_EINVAL, VRS_ENOMEM.
 */
enum vrs_status vrs_plane_scaler_init(struct vrs_plane_scaler *scaler, struct vrs_arena *arena, const struct vrs_picture_format *format, int p,
				      const struct vrs_rect *eye, const struct vrs_rect *rect, int width, int height);
/* Another part of the eye, no wider and no higher than the first one: no memory is allocated. VRS_EINVAL. */
enum vrs_status vrs_plane_scaler_place(struct vrs_plane_scaler *scaler, const struct vrs_rect *rect);
/* Output row i as sample15. Uses the scaler's row: one thread at a time. */
void vrs_plane_scaler_row(struct vrs_plane_scaler *scaler, const struct vrs_frame *frame, int i, uint16_t *dst);
/* Columns [first, end) of output row i, of which there is at least one; dst is that of `first`. What belongs to other columns alone is not read. */
void vrs_plane_scaler_columns(struct vrs_plane_scaler *scaler, const struct vrs_frame *frame, int i, int first, int end, uint16_t *dst);

/* The luma of a part of a frame at matte size: what mattes are compared with where the network did not look just there. */
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
