/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A matte at a smaller size: each alpha is the mean over the area that it covers. */
#ifndef VRS_MATTE_MATTE_SHRINK_H
#define VRS_MATTE_MATTE_SHRINK_H

#include "matte/scale_axis.h"

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
