/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which encoder a file gets: the one that is named, or the usual one of its container; with transparency, one that can hold it. */
#ifndef VRS_VIDEO_ENCODER_CHOICE_H
#define VRS_VIDEO_ENCODER_CHOICE_H

#include <libavformat/avformat.h>

#include "video/sink.h"

/*
 * Choose for the sink options (encoder NULL or "auto": by the container) and check that the container holds what comes out, transparency of
 * four-plane pictures included.  VRS_ECONFIG says what would do.
 */
enum vrs_status vrs_encoder_choose(const AVCodec **ret_codec, const AVOutputFormat *muxer, const char *path, const struct vrs_sink_options *options,
				   struct vrs_error *err);
/* Name of the encoder that the options want in a container; NULL: none is usual there. muxer NULL: only what the options name. */
const char *vrs_encoder_wanted(const AVOutputFormat *muxer, const char *encoder, bool alpha);

#endif
