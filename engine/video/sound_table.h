/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which sound a container holds, where FFmpeg's muxers say nothing of it, less than what they write, or more than what a reader understands. */
#ifndef VRS_VIDEO_SOUND_TABLE_H
#define VRS_VIDEO_SOUND_TABLE_H

#include <libavformat/avformat.h>

/* NULL: the file that the muxer writes can hold one more stream of this kind; else what it cannot hold, as in "it cannot hold ...". */
const char *vrs_sound_refused(const AVFormatContext *muxer, const AVCodecParameters *sound);

#endif
