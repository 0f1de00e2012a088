/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An encoder by its name: whether it exists, whether the user or we chose it, whether it holds transparency. */
#ifndef VRS_VIDEO_ENCODER_NAME_H
#define VRS_VIDEO_ENCODER_NAME_H

#include <libavcodec/avcodec.h>

#include "video/sink.h"

#define VRS_ENCODER_CHOSEN "auto:" /* before a name that was chosen here earlier */

/* The video encoder of that name.  VRS_ECONFIG: there is none, with a suggestion, or it encodes no video. */
enum vrs_status vrs_encoder_find(const AVCodec **ret_codec, const char *name, struct vrs_error *err);
/* True if the options leave the choice to us: then quality settings that the encoder lacks are left out without a word. */
bool vrs_encoder_is_ours(const struct vrs_sink_options *options);
/* True for libx264, libx264rgb and libx265. */
bool vrs_encoder_is_x26x(const AVCodec *codec);
/* True if an encoder takes pictures with an alpha plane. */
bool vrs_encoder_has_alpha(const AVCodec *codec);

#endif
