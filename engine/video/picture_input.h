/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Inputs without a container: sequences of still pictures (a name with %d, or a pattern with * ? [ that the shell was kept from expanding) and raw
 * video from a file or standard input.  FFmpeg's image2 and rawvideo demuxers read them; the rate comes from the options.
 */
#ifndef VRS_VIDEO_PICTURE_INPUT_H
#define VRS_VIDEO_PICTURE_INPUT_H

#include <stdbool.h>

#include <libavformat/avformat.h>

#include <vrseg/status.h>

#include "video/source.h"

#define VRS_SEQUENCE_FPS 25 /* as FFmpeg's tools */

/* True when vrs_picture_input_open is to open it. */
bool vrs_picture_input_is(const char *path, const struct vrs_source_options *options);
/*
 * Open and read the first headers.  VRS_ECONFIG: no size, an unknown pixel format; VRS_ENOTFOUND: no picture matches; VRS_EIO; VRS_EFORMAT.
 */
enum vrs_status vrs_picture_input_open(AVFormatContext **ret_demuxer, const char *path, const char *name, const struct vrs_source_options *options,
				       struct vrs_error *err);

#endif
