/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a muxer writes into an open file of ours: FFmpeg itself would open it by name, and follow a link that has been put there meanwhile. */
#ifndef VRS_VIDEO_AV_FILE_H
#define VRS_VIDEO_AV_FILE_H

#include <libavformat/avio.h>

/* The descriptor stays the caller's. NULL: no memory. */
AVIOContext *vrs_av_file_open(int fd);
/* Write what is left, and close; 0 or the first error as FFmpeg numbers it. NULL is fine. */
int vrs_av_file_close(AVIOContext **file);

#endif
