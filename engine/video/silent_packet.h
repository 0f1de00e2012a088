/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A packet of compressed sound in which nothing is heard. */
#ifndef VRS_VIDEO_SILENT_PACKET_H
#define VRS_VIDEO_SILENT_PACKET_H

#include <libavcodec/avcodec.h>

/* One of `samples` samples that fits between packets of this sound, without times.  NULL: there is no encoder of such, or no memory. */
AVPacket *vrs_silent_packet(const AVCodecParameters *sound, int samples);

#endif
