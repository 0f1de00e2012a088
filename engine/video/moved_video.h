/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A video of MPEG-TS that goes on in another stream: an encoder that starts anew may choose another PID, as may the next file of a playlist.  Told by
 * a stream of the same codec that begins when the chosen one has ended.
 */
#ifndef VRS_VIDEO_MOVED_VIDEO_H
#define VRS_VIDEO_MOVED_VIDEO_H

#include <stdbool.h>
#include <stdint.h>

#include <libavformat/avformat.h>

struct vrs_moved_video {
	uint64_t seen;   /* streams that have begun; bit 63: those behind, too */
	int64_t chosen;  /* packets of the video */
	int stream;      /* that began last, while the video had begun; -1: none */
	int64_t packets; /* of it, */
	int64_t first;   /* its first time, */
	int64_t since;   /* and packets of the video since it began */
};

void vrs_moved_video_init(struct vrs_moved_video *moved);
/* May the video go on in `other`, so that its packets have to be looked at? */
bool vrs_moved_video_may(const AVFormatContext *demuxer, const AVStream *stream, const AVStream *other);
/* With each packet. True: the video has moved to the stream of this packet. */
bool vrs_moved_video_packet(struct vrs_moved_video *moved, const AVFormatContext *demuxer, const AVStream *stream, const AVPacket *pkt);

#endif
