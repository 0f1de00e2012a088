/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames of one pixel format made into another through swscale: for decoders and encoders that do not speak planar YUV, and for size changes. */
#ifndef VRS_VIDEO_AV_CONVERT_H
#define VRS_VIDEO_AV_CONVERT_H

#include <libavutil/frame.h>

#include <vrseg/frame.h>

/* One side of a conversion; no padding.  For RGB the matrix is that of the YUV side and the range is ignored. */
struct vrs_av_shape {
	enum AVPixelFormat format;
	int width, height;
	enum vrs_matrix matrix;
	enum vrs_range range;
};

struct vrs_av_converter; /* scaler + buffer pool; used by one thread at a time */

/* VRS_ENOMEM. */
enum vrs_status vrs_av_converter_create(struct vrs_av_converter **ret_converter, const struct vrs_av_shape *target);
void vrs_av_converter_destroy(struct vrs_av_converter *converter); /* NULL is fine */
/*
 * Fill the empty frame dst with src in the target's shape: samples, size, format, range, matrix; time stamps are the caller's.  src's shape
 * may change from call to call.  VRS_EUNSUPPORTED, VRS_ENOMEM.
 */
enum vrs_status vrs_av_convert(struct vrs_av_converter *converter, const AVFrame *src, const struct vrs_av_shape *shape, AVFrame *dst,
			       struct vrs_error *err);

#endif
