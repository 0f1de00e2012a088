/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether an input ends in the middle of something: what its container says at the last packets. Of a pipe nothing else tells it. */
#ifndef VRS_VIDEO_INPUT_END_H
#define VRS_VIDEO_INPUT_END_H

#include <stdbool.h>
#include <stdint.h>

#include <libavformat/avformat.h>

struct vrs_input_end {
	bool is_cut;        /* a packet or an element goes on behind the last byte */
	int64_t packet_end; /* byte behind the packet that was read last */
};

/* In the thread that has just opened the input by vrs_av_open. */
void vrs_input_end_init(struct vrs_input_end *end, const AVFormatContext *demuxer);
/* After av_read_frame in the same thread, which returned rc; pkt is its packet. */
void vrs_input_end_note(struct vrs_input_end *end, const AVFormatContext *demuxer, const AVPacket *pkt, int rc);

#endif
