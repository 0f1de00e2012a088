/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How good, how large: what --crf, --quality, --bitrate and --lossless mean to each encoder, and presets of those that call them otherwise. */
#ifndef VRS_VIDEO_ENCODER_RATE_H
#define VRS_VIDEO_ENCODER_RATE_H

#include <libavcodec/avcodec.h>

#include "video/sink.h"

/*
 * Set preset, quality or rate of an encoder that is about to be opened.  source_bit_rate: of the video that frames come from; 0: not known.
 * VRS_ECONFIG: the encoder has none of what is asked, or two are asked for that exclude each other; err says what would do.
 */
enum vrs_status vrs_encoder_rate_set(AVCodecContext *context, const struct vrs_sink_options *options, int64_t source_bit_rate, struct vrs_error *err);

#endif
