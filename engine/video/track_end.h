/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The end of a video track in the MP4 family, whose tables know the times of decoding alone: a packet lasts until the next one is decoded.  Where
 * pictures are reordered, the last packet is not the last picture, and its decoding time may lie seconds before: a track of uneven frames ended with
 * it.  So the latest packet is held back until it is known whether it is the last.
 */
#ifndef VRS_VIDEO_TRACK_END_H
#define VRS_VIDEO_TRACK_END_H

#include <stdbool.h>
#include <stdint.h>

#include <libavcodec/avcodec.h>

#include <vrseg/status.h>

struct vrs_track_end {
	AVPacket *held, *spare;              /* the latest packet; NULL: nothing is held back */
	int64_t step;                        /* what a muxer takes for the duration of a packet that has none, in step_base */
	AVRational step_base, base;          /* base: of packets, which is the same for all */
	int64_t packets;
	int64_t first_dts, first_pts, shown; /* of all packets: the first times, and the end of the last picture as they say it */
};

/* VRS_ENOMEM.  Release with vrs_track_end_fini; one of zeros holds nothing back. */
enum vrs_status vrs_track_end_init(struct vrs_track_end *end, int64_t step, AVRational step_base);
void vrs_track_end_fini(struct vrs_track_end *end);
/* Exchange the packet for the one before it; false: it is the first one, which is taken. */
bool vrs_track_end_swap(struct vrs_track_end *end, AVPacket *pkt, AVRational base);
/*
 * The last packet, as it has to be written where the last picture ends at `stop` (in step_base): decoding, too, takes as long as what is shown, and
 * so the packet may last longer and be decoded later, but not after its picture is shown.  NULL: there is none.
 */
AVPacket *vrs_track_end_last(struct vrs_track_end *end, int64_t stop);

#endif
