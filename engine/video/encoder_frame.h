/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames as an encoder takes them: time stamps of its own, its pixel format, alpha in its depth, on its device. */
#ifndef VRS_VIDEO_ENCODER_FRAME_H
#define VRS_VIDEO_ENCODER_FRAME_H

#include <libavcodec/avcodec.h>

#include "video/av_convert.h"

struct vrs_encoder_feed {
	AVRational time_base;               /* of the frames that come in */
	struct vrs_av_converter *converter; /* NULL: frames go in as they are */
	struct vrs_av_shape shape;          /* of frames that come in, cut to the encoder's size */
	int64_t last_pts;                   /* in the encoder's time base */
	bool any_frame;
};

/*
 * The frame for an opened encoder, without a copy where that is possible.  The frame's reference is taken in every case; on success *ret_av is the
 * caller's (av_frame_free).  VRS_ENOMEM, or what the conversion or the upload says.
 */
enum vrs_status vrs_encoder_frame_make(struct vrs_encoder_feed *feed, AVCodecContext *context, struct vrs_frame *frame, AVFrame **ret_av,
				       struct vrs_error *err);

#endif
