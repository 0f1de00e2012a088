/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mattes at other sizes, for comparing and showing: the same interpolation as compose, and area averages the other way. */
#ifndef VRS_MATTE_MATTE_EXPAND_H
#define VRS_MATTE_MATTE_EXPAND_H

#include "matte/scale_axis.h"

/*
 * dst is all background but for the part `covers` (in dst's pixels), which gets the up-sampled matte; what reaches beyond the right edge
 * goes on at the left one.  VRS_EINVAL, VRS_ENOMEM.
 */
enum vrs_status vrs_matte_expand(struct vrs_matte *dst, const struct vrs_matte *matte, const struct vrs_rect *covers);
/*
 * dst is the area average of the part `rect` of a luma plane, black 0 and white 255 by the frame's range; nothing outside `eye` (NULL: the frame) is
 * read.  VRS_EINVAL, VRS_ENOMEM.
 */
enum vrs_status vrs_matte_from_luma(struct vrs_matte *dst, const struct vrs_frame *frame, const struct vrs_rect *eye, const struct vrs_rect *rect);
/* A matte whose pixels are in the arena. VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_matte_init(struct vrs_matte *matte, struct vrs_arena *arena, int width, int height);

/* A matte at a smaller size: each alpha is the mean over the area that it covers. */
struct vrs_matte_shrink {
	struct vrs_scale_axis x, y;
	int from_width;
	float *row; /* [from_width] mean of rows */
};

/* From mattes of one size to another one, no larger either way. VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_matte_shrink_init(struct vrs_matte_shrink *shrink, struct vrs_arena *arena, int width, int height, int from_width,
				      int from_height);
/* dst: height * width alphas, src: from_height * from_width. One thread at a time. */
void vrs_matte_shrink_run(struct vrs_matte_shrink *shrink, float *dst, const float *src);

#endif
