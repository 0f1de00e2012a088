/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The packets that a decoder was given last, so that another one can be given them again: from two key frames before the first frame that has not
 * come out of it, since pictures behind a key frame may refer to some before it.  Each packet has a number, which its frames carry.
 */
#ifndef VRS_VIDEO_PACKET_HISTORY_H
#define VRS_VIDEO_PACKET_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include <libavcodec/packet.h>

struct AVFormatContext;
struct AVStream;

struct vrs_history_entry {
	AVPacket *packet;
	int64_t key; /* number of the last key frame up to it; -1: none was kept */
	int taken; /* frames of it that this decoder has given */
	int skip;  /* that decoders before have given, and this one will */
};

/* Zero at first, but for limit_bytes; used by the thread that decodes. */
struct vrs_packet_history {
	struct vrs_history_entry *entries;
	int count, room;
	int64_t first;  /* number of the first entry */
	int64_t next;   /* of the packet that the decoder is given next; first + count: a new one */
	int64_t latest; /* the highest number of a frame that has come, plus 1: none of the packets before it is in the decoder still */
	uint64_t bytes, limit_bytes;
};

/* Bytes that the packets of a stream may take: of ten seconds, 4 to 64 MiB, and no more than the file has.  0: none are needed. */
uint64_t vrs_packet_history_limit(struct AVFormatContext *demuxer, const struct AVStream *stream);
void vrs_packet_history_clear(struct vrs_packet_history *history); /* also releases all; numbers go on */
/* Keep a new packet, by reference, and forget those that are needed no more.  Where there is no memory, or the limit would not do, none is kept. */
void vrs_packet_history_add(struct vrs_packet_history *history, const AVPacket *packet);
/* Are all packets there that another decoder needs? */
bool vrs_packet_history_reaches(const struct vrs_packet_history *history);
/* From now on the packets are given again; frames that have come are left out. */
void vrs_packet_history_restart(struct vrs_packet_history *history);
/* The packet to give again, NULL: it is the turn of a new one.  *ret_number is that of the packet, also of a new one. */
const AVPacket *vrs_packet_history_next(struct vrs_packet_history *history, int64_t *ret_number);
/* A frame has come; false: it has come before. */
bool vrs_packet_history_take(struct vrs_packet_history *history, int64_t number);

#endif
