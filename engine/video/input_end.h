/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether an input ends in the middle of something: what its container says at the last packets. Of a pipe nothing else tells it. */
#ifndef VRS_VIDEO_INPUT_END_H
#define VRS_VIDEO_INPUT_END_H

#include <stdbool.h>
#include <stdint.h>

#include <libavformat/avformat.h>

struct vrs_input_end {
	bool is_cut;        /* a packet or an element goes on behind the last byte */
	bool no_length;     /* it has come to the end of such an answer */
	bool in_chunks;     /* of HTTP, the last of which has not come yet */
	bool needs_farewell; /* the end of its connection is not that of the stream */
	int list;           /* of HLS: the playlist that the stream is in; -1: it is no HLS */
	uint64_t lost;      /* segments of it that were skipped, since they cannot be opened or broke off */
	int64_t packet_end; /* byte behind all packets that were read */
	int64_t packets;
	int64_t index_end;  /* of a whole AVI file: behind the last picture of its index, in time of its stream; 0: unknown */
	bool has_index;     /* of an AVI in a pipe: one of all its pictures came behind them */
};

/* In the thread that has just opened the input by vrs_av_open. */
void vrs_input_end_init(struct vrs_input_end *end, const AVFormatContext *demuxer, AVStream *stream, const char *path);
/* In the thread that has just sought: HTTP has asked for other bytes. */
void vrs_input_end_sought(struct vrs_input_end *end, const AVFormatContext *demuxer);
/*
 * After av_read_frame in the same thread, which returned rc; pkt is its packet.  Returns rc, but AVERROR_EOF for the end of an answer of HTTP that
 * had not said how long it is.
 */
int vrs_input_end_note(struct vrs_input_end *end, const AVFormatContext *demuxer, const AVPacket *pkt, int rc);
/*
 * An AVI file counts frames that were dropped when it was recorded, of which none comes where they are the last: that it is whole is told by
 * what stands behind the pictures.  With the time at which the last picture begins.
 */
bool vrs_input_end_is_whole(const struct vrs_input_end *end, int64_t last);

#endif
