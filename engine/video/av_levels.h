/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sample levels of YUV and grey pictures from one range and depth to another: what swscale leaves to do where it is told that both sides have
 * the same range, and so shifts samples from depth to depth.
 */
#ifndef VRS_VIDEO_AV_LEVELS_H
#define VRS_VIDEO_AV_LEVELS_H

#include <libavutil/frame.h>

#include <vrseg/frame.h>

struct vrs_av_levels;

/*
 * depth, from: of the picture before swscale.  format, to: what it is to be; not RGB.  *ret_levels is NULL where the samples are right as they are.
 * VRS_ENOMEM.
 */
enum vrs_status vrs_av_levels_create(struct vrs_av_levels **ret_levels, int depth, enum vrs_range from, enum AVPixelFormat format,
				     enum vrs_range to);
void vrs_av_levels_destroy(struct vrs_av_levels *levels); /* NULL is fine */
/* In place; alpha stays.  The frame is of `format`.  Any number of threads with frames of their own. */
void vrs_av_levels_apply(const struct vrs_av_levels *levels, AVFrame *frame);

#endif
