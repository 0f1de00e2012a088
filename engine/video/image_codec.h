/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Picture files by their extension: which encoder makes them. */
#ifndef VRS_VIDEO_IMAGE_CODEC_H
#define VRS_VIDEO_IMAGE_CODEC_H

#include <libavcodec/avcodec.h>

#include "video/sink.h"

/* True if the name ends in an extension of a picture. */
bool vrs_image_has_extension(const char *path);
/*
 * Encoder for a picture of that name.  Another one that the options name is replaced, and said; *ret_options are the options for it.
 * VRS_ECONFIG: there is no such encoder, or the pictures have alpha and files of that kind cannot; VRS_EUNSUPPORTED.
 */
enum vrs_status vrs_image_codec_choose(const AVCodec **ret_codec, struct vrs_sink_options *ret_options, const char *path,
				       const struct vrs_sink_options *options, struct vrs_error *err);

#endif
