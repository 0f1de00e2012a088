/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A matte that covers one part of the picture, as it looks from another part: what smoothing over time needs where views follow people. */
#ifndef VRS_MATTE_ROI_WARP_H
#define VRS_MATTE_ROI_WARP_H

#include <stdint.h>

#include <vrseg/frame.h>

#include "base/mem.h"

#define VRS_ROI_WARP_RUNS 3 /* on a circle: the old place may be cut by the middle's far side, and by an end of the new one */

/* One axis: where the pixels of the new place lie in the old one. */
struct vrs_roi_warp_axis {
	int n, from_n;    /* new and old pixels */
	int first[VRS_ROI_WARP_RUNS], end[VRS_ROI_WARP_RUNS]; /* runs of pixels that have something in the old one; from and share are of these only */
	int32_t *from;    /* [n] lower of the two old pixels */
	float *share;     /* [n] of the upper one */
};

/* Rows that close to a circle: each pixel of the new place is the one at most half a turn from `middle`, as is what it sees of the old one. */
struct vrs_roi_warp_circle {
	double from, to;  /* a turn, in widths of the old and of the new place; at least 1 */
	double middle;    /* across the new place, as p below: of what moves */
};

struct vrs_roi_warp {
	struct vrs_roi_warp_axis x, y;
};

/* Sizes of the new and of the old one. VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_roi_warp_init(struct vrs_roi_warp *moved, struct vrs_arena *arena, int width, int height, int from_width, int from_height);
/* From the part `from` of a picture to the part `to`; circle: of the picture's format. */
void vrs_roi_warp_set(struct vrs_roi_warp *moved, const struct vrs_rect *from, const struct vrs_rect *to, int circle);
/*
 * Position p (0..1 across the new place) lies at scale[axis] * p + offset[axis] across the old one, whatever the scale no part of which is seen
 * twice. circle: of rows; NULL: they have ends.
 */
void vrs_roi_warp_map(struct vrs_roi_warp *moved, const double scale[2], const double offset[2], const struct vrs_roi_warp_circle *circle);
/* dst gets src at its new place, between its pixels, and none where src has nothing. dst may be none, not src. */
void vrs_roi_warp_alpha(const struct vrs_roi_warp *moved, float *dst, const float *src, const float *none);
/* The same where src is more than dst has. */
void vrs_roi_warp_most(const struct vrs_roi_warp *moved, float *dst, const float *src);
void vrs_roi_warp_luma(const struct vrs_roi_warp *moved, uint8_t *dst, const uint8_t *src, const uint8_t *none);

#endif
