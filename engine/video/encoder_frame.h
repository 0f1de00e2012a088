/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames as an encoder takes them: time stamps of its own, its pixel format, alpha in its depth, on its device. */
#ifndef VRS_VIDEO_ENCODER_FRAME_H
#define VRS_VIDEO_ENCODER_FRAME_H

#include "video/av_encoder.h"

/*
 * The frame for encoder->context, without a copy where that is possible.  The frame's reference is taken in every case; on success *ret_av is the
 * caller's (av_frame_free).  VRS_ENOMEM, or what the conversion or the upload says.
 */
enum vrs_status vrs_encoder_frame_make(struct vrs_av_encoder *encoder, struct vrs_frame *frame, AVFrame **ret_av, struct vrs_error *err);

#endif
