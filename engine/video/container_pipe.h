/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which containers can be written to a pipe: not those whose muxer goes back to what it wrote at the beginning. */
#ifndef VRS_VIDEO_CONTAINER_PIPE_H
#define VRS_VIDEO_CONTAINER_PIPE_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>

#include <vrseg/status.h>

/* For video of an opened encoder; nothing is written.  VRS_ECONFIG: it cannot be written to a pipe. */
enum vrs_status vrs_container_check_pipe(const AVOutputFormat *format, const AVCodecContext *encoder, const char *path, struct vrs_error *err);

#endif
