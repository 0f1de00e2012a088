/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/packet_clock.h"

#include <string.h>

#include "base/mem.h"

#define JUMP_SECONDS 10
#define BACK_SECONDS 1    /* no stream goes back by more on one clock, nor does a wrong stamp count for longer */
#define WAIT_SECONDS 3    /* of the video: streams of one clock are no further apart in the file */
#define TS_LIMIT (INT64_C(1) << 60) /* stamps beyond this come from damaged files */

struct waiting_packet {
	AVPacket *pkt;
	int64_t since; /* time of the video; AV_NOPTS_VALUE: it had not begun */
};

static int64_t seconds(const struct vrs_packet_clock *clock, int count)
{
	return av_rescale_q(count, (AVRational){1, 1}, clock->video->time_base);
}

enum vrs_status vrs_packet_clock_init(struct vrs_packet_clock *clock, const AVFormatContext *demuxer, const AVStream *video)
{
	AVRational rate = video->avg_frame_rate;

	*clock = (struct vrs_packet_clock){.demuxer = demuxer, .video = video, .active = (demuxer->iformat->flags & AVFMT_TS_DISCONT) != 0};
	if (!clock->active)
		return VRS_OK;
	clock->jump = seconds(clock, JUMP_SECONDS);
	clock->step = av_rescale_q(1, rate.num > 0 && rate.den > 0 ? av_inv_q(rate) : (AVRational){1, 25}, video->time_base);
	clock->stream_count = (int)demuxer->nb_streams;
	clock->last = vrs_calloc(demuxer->nb_streams, sizeof *clock->last);
	clock->moved = vrs_calloc(demuxer->nb_streams, sizeof *clock->moved);
	clock->held = vrs_calloc(demuxer->nb_streams, sizeof *clock->held);
	clock->waiting = av_fifo_alloc2(16, sizeof(struct waiting_packet), AV_FIFO_FLAG_AUTO_GROW);
	if (!clock->last || !clock->moved || !clock->held || !clock->waiting)
		return VRS_ENOMEM;
	vrs_packet_clock_restart(clock);
	return VRS_OK;
}

void vrs_packet_clock_restart(struct vrs_packet_clock *clock)
{
	struct waiting_packet held;

	if (!clock->active)
		return;
	while (av_fifo_read(clock->waiting, &held, 1) >= 0)
		av_packet_free(&held.pkt);
	for (int i = 0; i < clock->stream_count; i++)
		clock->last[i] = AV_NOPTS_VALUE;
	memset(clock->held, 0, (size_t)clock->stream_count * sizeof *clock->held);
	clock->waiting_bytes = 0;
	clock->video_time = clock->other_time = clock->jumped = clock->stepped_from = AV_NOPTS_VALUE;
	clock->by_dts = false;
	clock->offset = clock->previous = 0;
}

void vrs_packet_clock_fini(struct vrs_packet_clock *clock)
{
	if (clock->waiting && clock->last && clock->held)
		vrs_packet_clock_restart(clock);
	av_fifo_freep2(&clock->waiting);
	vrs_free(clock->last);
	vrs_free(clock->moved);
	vrs_free(clock->held);
	memset(clock, 0, sizeof *clock);
}

static bool is_sane(int64_t ts)
{
	return ts < TS_LIMIT && ts > -TS_LIMIT;
}

/* In the video's time base; AV_NOPTS_VALUE: none, or none that can be. */
static int64_t time_of(const struct vrs_packet_clock *clock, const AVPacket *pkt)
{
	int64_t ts = pkt->dts != AV_NOPTS_VALUE ? pkt->dts : pkt->pts;

	if (ts == AV_NOPTS_VALUE)
		return ts;
	ts = av_rescale_q(ts, clock->demuxer->streams[pkt->stream_index]->time_base, clock->video->time_base);
	return is_sane(ts) ? ts : AV_NOPTS_VALUE;
}

static void shift(const struct vrs_packet_clock *clock, AVPacket *pkt, int64_t offset)
{
	int64_t own = av_rescale_q(offset, clock->video->time_base, clock->demuxer->streams[pkt->stream_index]->time_base);

	if (is_sane(own) && is_sane(pkt->dts)) /* which AV_NOPTS_VALUE is not */
		pkt->dts += own;
	if (is_sane(own) && is_sane(pkt->pts))
		pkt->pts += own;
}

static bool is_near(const struct vrs_packet_clock *clock, int64_t time, int64_t other)
{
	return other != AV_NOPTS_VALUE && time - other <= clock->jump && other - time <= clock->jump;
}

/* The step ahead before it was of a wrong stamp, with which no sound has gone: the picture goes on from those before that. */
static bool was_wrong(const struct vrs_packet_clock *clock, int64_t time)
{
	int64_t back = seconds(clock, BACK_SECONDS);

	return clock->stepped_from != AV_NOPTS_VALUE && clock->video_time - clock->stepped_to <= back && time >= clock->stepped_from &&
	       time - clock->stepped_from <= back && (clock->other_time == AV_NOPTS_VALUE || clock->other_time < clock->stepped_to - back);
}

/* Ahead of the audio is a pause of the video.  Decoding times go back by more than BACK_SECONDS at a jump alone, times of presentation also else. */
static bool is_jump(const struct vrs_packet_clock *clock, const AVPacket *pkt, int64_t time)
{
	if (clock->video_time == AV_NOPTS_VALUE)
		return false;
	if (time < clock->video_time - seconds(clock, BACK_SECONDS) && pkt->dts != AV_NOPTS_VALUE && clock->by_dts && !was_wrong(clock, time))
		return true;
	return !is_near(clock, time, clock->video_time) && (time < clock->video_time || !is_near(clock, time, clock->other_time));
}

/* What was taken for a jump was a wrong stamp: the picture goes on from those before it. */
static bool returns(const struct vrs_packet_clock *clock, int64_t ts)
{
	int64_t back = seconds(clock, BACK_SECONDS), before = ts + clock->previous - clock->video_time;

	return clock->jumped != AV_NOPTS_VALUE && clock->video_time - clock->jumped <= back && before >= 0 && before <= back &&
	       ts + clock->offset - clock->video_time > back;
}

static void set_offset(struct vrs_packet_clock *clock, int64_t offset)
{
	clock->previous = clock->offset;
	clock->offset = offset;
	clock->jumped = clock->video_time;
	memset(clock->moved, 0, (size_t)clock->stream_count * sizeof *clock->moved);
}

void vrs_packet_clock_video(struct vrs_packet_clock *clock, AVPacket *pkt)
{
	int64_t ts = clock->active ? time_of(clock, pkt) : AV_NOPTS_VALUE;

	if (ts == AV_NOPTS_VALUE)
		return;
	if (is_jump(clock, pkt, ts + clock->offset))
		set_offset(clock, clock->video_time + clock->step - ts);
	else if (returns(clock, ts))
		set_offset(clock, clock->previous);
	if (clock->video_time != AV_NOPTS_VALUE && ts + clock->offset - clock->video_time > seconds(clock, BACK_SECONDS)) {
		clock->stepped_from = clock->video_time;
		clock->stepped_to = ts + clock->offset;
	}
	clock->by_dts = pkt->dts != AV_NOPTS_VALUE;
	clock->video_time = ts + clock->offset;
	shift(clock, pkt, clock->offset);
}

static bool agrees(const struct vrs_packet_clock *clock, int64_t time)
{
	return is_near(clock, time, clock->video_time) || is_near(clock, time, clock->other_time);
}

/* The packet can be of the clock by which it has this time. */
static bool fits(const struct vrs_packet_clock *clock, int64_t time, int64_t last)
{
	return (agrees(clock, time) || is_near(clock, time, last) || clock->video_time == AV_NOPTS_VALUE) &&
	       (last == AV_NOPTS_VALUE || time >= last - seconds(clock, BACK_SECONDS));
}

/*
 * True where the packet belongs to one of the two clocks.  Sound that can be of both, for the jump was small, is of the one before the jump if
 * that was short ago, it goes on from what came there, and none has come from behind the jump.
 */
static bool place(struct vrs_packet_clock *clock, AVPacket *pkt)
{
	int64_t ts = time_of(clock, pkt), *last = &clock->last[pkt->stream_index];
	bool is_audio = clock->demuxer->streams[pkt->stream_index]->codecpar->codec_type == AVMEDIA_TYPE_AUDIO;

	if (ts == AV_NOPTS_VALUE)
		return true;
	int64_t now = ts + clock->offset, before = ts + clock->previous;
	bool is_now = fits(clock, now, *last), is_before = fits(clock, before, *last);

	if (!is_now && !is_before)
		return false;
	bool recent = clock->jumped != AV_NOPTS_VALUE && clock->video_time - clock->jumped < seconds(clock, WAIT_SECONDS);

	if (is_now && is_before && is_audio && recent && !clock->moved[pkt->stream_index] && *last != AV_NOPTS_VALUE)
		is_now = before <= *last || before - *last > seconds(clock, BACK_SECONDS) || now - *last <= before - *last;
	int64_t time = is_now ? now : before;

	if (is_audio && agrees(clock, time) && (clock->other_time == AV_NOPTS_VALUE || time > clock->other_time))
		clock->other_time = time;
	clock->moved[pkt->stream_index] |= is_now;
	*last = time;
	shift(clock, pkt, time - ts);
	return true;
}

enum vrs_status vrs_packet_clock_other(struct vrs_packet_clock *clock, AVPacket *pkt, bool wanted, bool *ret_waits)
{
	struct waiting_packet held = {.since = clock->video_time};

	*ret_waits = false;
	if (!clock->active || pkt->stream_index >= clock->stream_count)
		return VRS_OK;
	if (!clock->held[pkt->stream_index] && place(clock, pkt)) /* packets of a stream stay in order */
		return VRS_OK;
	if (!wanted)
		return VRS_OK;
	held.pkt = av_packet_alloc();
	if (!held.pkt || av_packet_make_refcounted(pkt) < 0 || av_fifo_write(clock->waiting, &held, 1) < 0) {
		av_packet_free(&held.pkt);
		return VRS_ENOMEM;
	}
	clock->held[pkt->stream_index]++;
	clock->waiting_bytes += (uint64_t)pkt->size;
	av_packet_move_ref(held.pkt, pkt);
	*ret_waits = true;
	return VRS_OK;
}

bool vrs_packet_clock_is_full(const struct vrs_packet_clock *clock)
{
	return clock->active &&
	       (av_fifo_can_read(clock->waiting) >= VRS_CLOCK_MOST_PACKETS || clock->waiting_bytes >= VRS_CLOCK_MOST_BYTES);
}

/* Nothing goes on from it: of audio that has begun the time is not known, all else is taken at its word. */
static void give_up(struct vrs_packet_clock *clock, AVPacket *pkt)
{
	bool is_audio = clock->demuxer->streams[pkt->stream_index]->codecpar->codec_type == AVMEDIA_TYPE_AUDIO;

	if (is_audio && clock->last[pkt->stream_index] != AV_NOPTS_VALUE) {
		pkt->pts = pkt->dts = AV_NOPTS_VALUE;
		return;
	}
	clock->last[pkt->stream_index] = time_of(clock, pkt) + clock->offset;
	shift(clock, pkt, clock->offset);
}

AVPacket *vrs_packet_clock_next(struct vrs_packet_clock *clock, bool all)
{
	struct waiting_packet held;

	if (!clock->active || av_fifo_peek(clock->waiting, &held, 1, 0) < 0)
		return NULL;
	if (!place(clock, held.pkt)) {
		bool may_wait = held.since != AV_NOPTS_VALUE && clock->video_time - held.since < seconds(clock, WAIT_SECONDS);

		if (!all && may_wait && !vrs_packet_clock_is_full(clock))
			return NULL;
		give_up(clock, held.pkt);
	}
	av_fifo_drain2(clock->waiting, 1);
	clock->held[held.pkt->stream_index]--;
	clock->waiting_bytes -= (uint64_t)held.pkt->size;
	return held.pkt;
}
