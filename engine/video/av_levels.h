/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sample levels that swscale does not get right.  Its white of full range and RGB is 255 shifted to the depth, as its samples go from depth to
 * depth, so that white of 16 bits comes out as 65280 and goes in as more than white; and it does not map ranges of grey (av_convert.c).
 */
#ifndef VRS_VIDEO_AV_LEVELS_H
#define VRS_VIDEO_AV_LEVELS_H

#include <libavutil/frame.h>

#include <vrseg/frame.h>

struct vrs_av_levels;

/* Of what swscale makes. */
struct vrs_av_levels_made {
	int depth;                   /* of the picture that it was made of */
	bool was_full;               /* that one has full range, or is RGB */
	enum vrs_range range;        /* that the samples have now */
};

/* format, range: what the picture is to be.  *ret_levels is NULL where the samples are right as they are.  VRS_ENOMEM. */
enum vrs_status vrs_av_levels_create(struct vrs_av_levels **ret_levels, const struct vrs_av_levels_made *made, enum AVPixelFormat format,
				     enum vrs_range range);
void vrs_av_levels_destroy(struct vrs_av_levels *levels); /* NULL is fine */
/* In place; alpha stays.  The frame is of `format`.  Any number of threads with frames of their own. */
void vrs_av_levels_apply(const struct vrs_av_levels *levels, AVFrame *frame);

#endif
