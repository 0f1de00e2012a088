/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which pixel format an encoder gets for given frames, and what is lost by it. */
#ifndef VRS_VIDEO_ENCODER_FORMAT_H
#define VRS_VIDEO_ENCODER_FORMAT_H

#include <libavcodec/avcodec.h>
#include <libavutil/pixdesc.h>

#include <vrseg/frame.h>

struct vrs_encoder_format {
	enum AVPixelFormat format;
	enum vrs_range range;
	bool rgb, alpha;
	bool convert;   /* false: the planes go in as they are */
};

/*
 * The frames' own format where the encoder has it (alpha is dropped where it has none with alpha); else the one with the least loss.  Losses of
 * depth, chroma, colour or alpha are logged as one warning.  VRS_ECONFIG: nothing fits.
 */
enum vrs_status vrs_encoder_format_choose(struct vrs_encoder_format *ret, const AVCodec *codec, const struct vrs_picture_format *format,
					  struct vrs_error *err);

#endif
