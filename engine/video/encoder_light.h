/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mastering display and content light level of HDR video, which some encoders write into their pictures, for containers that hold none. */
#ifndef VRS_VIDEO_ENCODER_LIGHT_H
#define VRS_VIDEO_ENCODER_LIGHT_H

#include <stdbool.h>

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>

/* Does the video tell of them, and do they hold for pictures of that transfer?  Not for what became SDR. raw NULL: no. */
bool vrs_encoder_light_applies(const AVStream *raw, enum AVColorTransferCharacteristic transfer);
/* Before the encoder is opened: it writes what raw (NULL: nothing) says.  False: it cannot, or there is nothing, or no memory. */
bool vrs_encoder_light_set(AVCodecContext *context, const AVStream *raw);
/* Is there a place for them in files of the muxer? */
bool vrs_encoder_light_is_held(const AVOutputFormat *muxer);

#endif
