/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/moved_video.h"

#include <string.h>

#define LAST_BIT 63
#define MOVED_SECONDS 1   /* streams that run side by side are interleaved closer than this, */
#define MOVED_PACKETS 250 /* or this where they have no times */
#define LATE_PACKETS 1    /* the demuxer keeps the last packet of a stream to the end */

void vrs_moved_video_init(struct vrs_moved_video *moved)
{
	*moved = (struct vrs_moved_video){.stream = -1};
}

bool vrs_moved_video_may(const AVFormatContext *demuxer, const AVStream *stream, const AVStream *other)
{
	bool is_ts = strcmp(demuxer->iformat->name, "mpegts") == 0;
	bool is_list = strcmp(demuxer->iformat->name, "hls") == 0 && other->id == stream->id; /* the same playlist: others are other sizes */

	return (is_ts || is_list) && other != stream && other->codecpar->codec_type == AVMEDIA_TYPE_VIDEO &&
	       other->codecpar->codec_id == stream->codecpar->codec_id;
}

static bool is_long(const struct vrs_moved_video *moved, const AVStream *stream, int64_t time)
{
	if (time == AV_NOPTS_VALUE || moved->first == AV_NOPTS_VALUE)
		return moved->packets > MOVED_PACKETS;
	return av_compare_ts(time - moved->first, stream->time_base, MOVED_SECONDS, (AVRational){1, 1}) >= 0;
}

bool vrs_moved_video_packet(struct vrs_moved_video *moved, const AVFormatContext *demuxer, const AVStream *stream, const AVPacket *pkt)
{
	const AVStream *other = demuxer->streams[pkt->stream_index];
	uint64_t bit = UINT64_C(1) << FFMIN(pkt->stream_index, LAST_BIT);
	int64_t time = pkt->dts != AV_NOPTS_VALUE ? pkt->dts : pkt->pts;

	if (other == stream) {
		moved->chosen++;
		moved->since++;
		return false;
	}
	if (!vrs_moved_video_may(demuxer, stream, other))
		return false;
	if (!(moved->seen & bit)) {
		moved->seen |= bit;
		if (moved->chosen > 0) {
			moved->stream = pkt->stream_index;
			moved->first = time;
			moved->packets = moved->since = 0;
		}
	}
	if (moved->stream != pkt->stream_index || moved->since > LATE_PACKETS)
		return false;
	moved->packets++;
	return is_long(moved, other, time);
}
