/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One clock for the packets of all streams, in containers whose clock may jump (MPEG-TS): where it does, all of them get the same offset, so that
 * they keep their distance.  The video decides: a step of more than one second back (joined recordings) is a jump, and one of more than ten seconds
 * ahead, unless another stream has gone on up to there.  A packet that fits neither clock waits for the video's; pauses of one stream stay as they
 * are.  In other containers packets pass unchanged.  What waits is bounded, in packets and in bytes: above that the oldest go on, as they do where
 * the video has gone on for three seconds.
 */
#ifndef VRS_VIDEO_PACKET_CLOCK_H
#define VRS_VIDEO_PACKET_CLOCK_H

#include <stdbool.h>

#include <libavformat/avformat.h>
#include <libavutil/fifo.h>

#include <vrseg/status.h>

/* What may wait: well interleaved files hold a second or two. */
#define VRS_CLOCK_MOST_PACKETS 4096
#define VRS_CLOCK_MOST_BYTES (UINT64_C(64) << 20)

struct vrs_packet_clock {
	bool active;             /* the container's clock may jump */
	const AVFormatContext *demuxer;
	const AVStream *video;   /* all times below are in its time base, on the clock that goes on */
	int stream_count;
	int64_t *last;           /* [stream_count] of each stream's packets; AV_NOPTS_VALUE: none yet */
	bool *moved;             /* [stream_count] a packet of the stream has come from behind the last jump */
	int *held;               /* [stream_count] packets of each stream that wait */
	AVFifo *waiting;         /* of struct waiting_packet */
	uint64_t waiting_bytes;
	int64_t jump, step;      /* what a jump is; the distance of two pictures */
	int64_t video_time, other_time; /* of the video's last packet, and of the latest of those that agree with it */
	int64_t offset, previous; /* added to time stamps now, and before the last jump */
	bool by_dts;             /* video_time is a decoding time */
	int64_t stepped_from, stepped_to; /* video_time at the last step of more than a second ahead that was no jump; AV_NOPTS_VALUE: none */
	int64_t jumped;          /* video_time before the last jump; AV_NOPTS_VALUE: there was none */
};

/* VRS_ENOMEM.  Release with vrs_packet_clock_fini, also where nothing was initialized but zeroed. */
enum vrs_status vrs_packet_clock_init(struct vrs_packet_clock *clock, const AVFormatContext *demuxer, const AVStream *video);
void vrs_packet_clock_fini(struct vrs_packet_clock *clock);
/* After a seek: times begin anew, and what waits is dropped. */
void vrs_packet_clock_restart(struct vrs_packet_clock *clock);
/* A packet of the video: its time stamps go on from those before. */
void vrs_packet_clock_video(struct vrs_packet_clock *clock, AVPacket *pkt);
/*
 * One of another stream, the same; ret_waits: it waits, and pkt is empty.  One that nobody wants does not wait, and stays as it is where it would.
 * VRS_ENOMEM: pkt has no place, and stays with the caller.
 */
enum vrs_status vrs_packet_clock_other(struct vrs_packet_clock *clock, AVPacket *pkt, bool wanted, bool *ret_waits);
/* More waits than may: vrs_packet_clock_next is due. */
bool vrs_packet_clock_is_full(const struct vrs_packet_clock *clock);
/*
 * After a packet of the video, where too much waits, and at the end with all: the next packet that need not wait any more, which the caller frees;
 * NULL: none.
 */
AVPacket *vrs_packet_clock_next(struct vrs_packet_clock *clock, bool all);

#endif
