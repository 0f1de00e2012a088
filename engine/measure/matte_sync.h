/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Do mattes lie on the people of their own frame, or of one before or after it? */
#ifndef VRS_MEASURE_MATTE_SYNC_H
#define VRS_MEASURE_MATTE_SYNC_H

#include <vrseg/matte_measure.h>

#include "base/mem.h"

#define VRS_SYNC_FRAMES (2 * VRS_MATTE_MOST_LAG + 1)

/*
 * The outline of each matte on the pictures of the frames around it: where it lies on people, the picture is steep under it.  What does not move is
 * equally steep in all of them.
 */
struct vrs_matte_sync_finder {
	int factor, eyes;                                /* samples of a side that become one */
	struct vrs_matte matte[VRS_SYNC_FRAMES][2], luma[VRS_SYNC_FRAMES][2];
	int64_t frames;                                  /* seen */
	double slope[VRS_SYNC_FRAMES];                   /* sums under outlines, by the frame of the picture less that of the matte */
	double near[VRS_SYNC_FRAMES];                    /* of the steepest places beside them */
	int64_t compared;
};

/* Of eyes of width x height. VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_matte_sync_init(struct vrs_matte_sync_finder *finder, struct vrs_arena *arena, int eyes, int width, int height) VRS_MUST_CHECK;
/* The next frame. VRS_ENOMEM. */
enum vrs_status vrs_matte_sync_add(struct vrs_matte_sync_finder *finder, const struct vrs_matte *mattes, const struct vrs_matte *lumas)
	VRS_MUST_CHECK;
struct vrs_matte_sync vrs_matte_sync_result(const struct vrs_matte_sync_finder *finder);

/* Means of factor x factor samples; what is left over at the right and lower edge is not looked at. dst: sizes divided by it. */
void vrs_matte_reduce(struct vrs_matte *dst, const struct vrs_matte *src, int factor);

#endif
