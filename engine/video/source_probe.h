/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a file says of its video, and of how many pictures it has, before it is decoded. */
#ifndef VRS_VIDEO_SOURCE_PROBE_H
#define VRS_VIDEO_SOURCE_PROBE_H

#include "video/source.h"

struct AVFormatContext;
struct AVStream;

/*
 * Of a regular file, or of "synth:".  FFmpeg decodes a PNG picture to tell what it is: its header is read here instead.  VRS_EUNSUPPORTED: a pipe, a
 * device, an address, pictures by pattern; statuses of vrs_source_open.
 */
enum vrs_status vrs_source_probe(struct vrs_stream_shape *ret, const char *path, struct vrs_error *err) VRS_MUST_CHECK;
/* Pictures of an open input of that path where their number is certain: still pictures, also by pattern; 0: it is not. */
int64_t vrs_probe_pictures(const struct AVFormatContext *demuxer, const struct AVStream *stream, const char *path);

#endif
