/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decoding less than all of a stream, for live jobs whose decoder is too slow: without the frames that no other frame needs, or with a jump to a
 * key frame, before which packets are thrown away.  The decoder begins anew there, as after a seek, so that no picture refers to one that is missing.
 *
 * What is left out is counted by what went into the decoder and did not come out.  Frames that it holds back in any case (reordering, threads) are
 * known from the time before, so the count may be off by those until the stream has ended.
 */
#ifndef VRS_VIDEO_FRAME_SKIP_H
#define VRS_VIDEO_FRAME_SKIP_H

#include <stdbool.h>
#include <stdint.h>

#include <libavcodec/avcodec.h>

/* Zero at first; used by the thread that decodes. */
struct vrs_frame_skip {
	bool unreferenced;    /* frames that no other one needs are left out */
	bool jumping;
	int64_t jump_from, jump_ts; /* see vrs_frame_skip_jump */
	uint64_t sent, got;   /* packets into the decoder, frames out of it, since its last new beginning */
	bool partial;         /* since then some may have been left out */
	uint64_t held;        /* the most that were inside the decoder while nothing was left out */
	uint64_t keys;        /* key frames that were read */
	uint64_t lost;        /* frames that will never come, without those that `sent` tells of */
};

/* Leave out, or no longer, the frames that no other one needs. */
void vrs_frame_skip_unreferenced(struct vrs_frame_skip *skip, AVCodecContext *decoder, bool leave_out);
/*
 * Leave out all packets up to the first key frame at or after ts, in the packets' own time.  `from`: the frame that came last.  A key frame of before
 * ends the jump too: it comes later than that frame, in the decoder's order as well, so the sender's clock began anew, and may never get to ts.
 */
void vrs_frame_skip_jump(struct vrs_frame_skip *skip, int64_t from, int64_t ts);
/* Before a packet is sent: true when it is left out.  At the end of a jump the decoder is flushed. */
bool vrs_frame_skip_packet(struct vrs_frame_skip *skip, AVCodecContext *decoder, const AVPacket *packet);
/* The decoder was flushed and begins elsewhere. */
void vrs_frame_skip_restart(struct vrs_frame_skip *skip);
/* The decoder took a packet; it gave a frame; it was drained. */
void vrs_frame_skip_sent(struct vrs_frame_skip *skip);
void vrs_frame_skip_got(struct vrs_frame_skip *skip);
void vrs_frame_skip_ended(struct vrs_frame_skip *skip);
/* Frames left out so far. */
uint64_t vrs_frame_skip_count(const struct vrs_frame_skip *skip);

#endif
