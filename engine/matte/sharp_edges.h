/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A matte at the size of the picture whose edges are those of the picture: fast guided filter (He, Sun, "Fast Guided Filter", 2015).  Lines from
 * luma to alpha are fitted at the matte's size (guided.h), interpolated, and applied to the luma of every sample, so that hair and fingers that the
 * matte only knows as a blur get their own shape.  Works on the final matte: where that is 0 or 1 nothing changes.
 */
#ifndef VRS_MATTE_SHARP_EDGES_H
#define VRS_MATTE_SHARP_EDGES_H

#include <vrseg/frame.h>

#include "matte/matte_rows.h"

struct vrs_sharp_options {
	int radius;       /* of the windows, matte pixels; 0: off */
	double eps;       /* as vrs_guided_create */
	double limit;
};

struct vrs_sharp_edges;

/* For parts of a picture of that format, no larger than `most`, and mattes of one size. VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_sharp_edges_create(struct vrs_sharp_edges **ret_edges, struct vrs_arena *arena, const struct vrs_picture_format *format,
				       const struct vrs_rect *most, int matte_width, int matte_height, const struct vrs_sharp_options *options);
/* The matte that covers the part now, and the frame it belongs to; keeps neither. Allocates nothing. VRS_EINVAL: outside the picture or larger. */
enum vrs_status vrs_sharp_edges_learn(struct vrs_sharp_edges *edges, const struct vrs_frame *frame, const struct vrs_matte *matte,
				      const struct vrs_rect *part);
/* Row y of the part in the luma plane or (chroma) the chroma planes, whose samples vrs_plane_rect tells; valid until the next call. */
struct vrs_matte_row vrs_sharp_edges_row(struct vrs_sharp_edges *edges, bool chroma, int y);

#endif
