/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/av_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include <vrseg/log.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/stop.h"
#include "video/av_input.h"
#include "video/av_support.h"
#include "video/hw_device.h"
#include "video/live_watch.h"
#include "video/source_probe.h"

/* A step of the clock of more than this is a new recording, not a pause. */
#define JUMP_SECONDS 10

static enum vrs_status open_relay(struct vrs_av_reader *reader)
{
	int count = (int)reader->demuxer->nb_streams;
	bool *candidates = vrs_calloc((size_t)count, sizeof *candidates);
	enum vrs_status status;

	if (!candidates)
		return VRS_ENOMEM;
	for (int i = 0; i < count; i++) {
		enum AVMediaType type = reader->demuxer->streams[i]->codecpar->codec_type;

		candidates[i] = (type == AVMEDIA_TYPE_AUDIO || type == AVMEDIA_TYPE_SUBTITLE) &&
				vrs_av_input_accompanies(reader->demuxer, i, reader->stream);
		if (!candidates[i] && reader->demuxer->streams[i] != reader->stream)
			reader->demuxer->streams[i]->discard = AVDISCARD_ALL;
	}
	status = vrs_packet_relay_create(&reader->relay, candidates, count, VRS_RELAY_MAX_BYTES);
	reader->read_ts = AV_NOPTS_VALUE;
	vrs_free(candidates);
	return status;
}

static void reset_ts(struct vrs_av_reader *reader)
{
	AVRational tb = reader->stream->time_base;
	AVRational rate = reader->stream->avg_frame_rate;
	int64_t step = rate.num > 0 && rate.den > 0 ? av_rescale_q(1, av_inv_q(rate), tb) : av_rescale_q(1, (AVRational){1, 25}, tb);

	vrs_ts_repair_init(&reader->ts, av_rescale_q(JUMP_SECONDS, (AVRational){1, 1}, tb), step);
}

static enum vrs_status choose(struct vrs_av_reader *reader, const char *path, const struct vrs_source_options *options, struct vrs_error *err)
{
	struct vrs_stream_shape shape = vrs_av_input_shape(reader->stream->codecpar);
	struct vrs_decoder_choice choice = {options->threads, UINT64_MAX};
	enum vrs_status status = VRS_OK;

	shape.packet_bytes = reader->history.limit_bytes;
	if (options->on_stream) {
		shape.pictures = vrs_probe_pictures(reader->demuxer, reader->stream, path);
		status = options->on_stream(options->cookie, &shape, &choice, err);
		(void)vrs_av_take_said(-1); /* of other files, which the plan looks at */
	}
	reader->notes.spare_bytes = choice.spare_bytes;
	reader->on_growth = options->on_growth;
	reader->cookie = options->cookie;
	reader->threads = choice.threads;
	return status;
}

/* A picture that the decoder was refused. */
static enum vrs_status fail_growth(const struct vrs_av_reader *reader, struct vrs_error *err)
{
	const struct vrs_large_picture *large = &reader->notes.large;
	const struct vrs_stream_shape shape = {.codec = avcodec_get_name(reader->decoder->codec_id), .width = large->width, .height = large->height,
		.level = large->level, .frame_bytes = large->frame_bytes};
	enum vrs_status status = reader->on_growth ? reader->on_growth(reader->cookie, &shape, err) : VRS_OK;

	return status != VRS_OK ? status : vrs_fail(err, VRS_ELIMIT, "%s has pictures of %dx%d, for which there is too little memory", reader->name,
						    large->width, large->height);
}

/* FFmpeg goes on with the next segment of a playlist. */
static enum vrs_status note_lost(struct vrs_av_reader *reader, struct vrs_error *err)
{
	if (reader->end.lost > 0 && !reader->goes_on)
		return vrs_fail(err, VRS_EFORMAT, "%s is truncated: a segment of its playlist after frame %" PRIu64 " cannot be opened, or breaks off",
				reader->name, (uint64_t)reader->frames);
	if (reader->end.lost > 0 && !reader->told_lost)
		vrs_log(VRS_LOG_WARNING, "%s: a segment of its playlist after frame %" PRIu64 " cannot be opened, or breaks off; it is left out",
			reader->name, (uint64_t)reader->frames);
	reader->told_lost = reader->end.lost > 0;
	return VRS_OK;
}

enum vrs_status vrs_av_reader_open(struct vrs_av_reader *reader, const char *path, const struct vrs_source_options *options, struct vrs_error *err)
{
	enum vrs_status status;

	vrs_av_init();
	memset(reader, 0, sizeof *reader);
	vrs_picture_marks_init(&reader->marks);
	snprintf(reader->name, sizeof reader->name, "%s", vrs_source_words(path));
	path = vrs_path_opened(path);
	status = vrs_av_input_open(&reader->demuxer, path, reader->name, options, options->keep_partial ? &reader->cut : NULL, &reader->cut_error);
	if (status != VRS_OK && err)
		*err = reader->cut_error;
	if (status == VRS_OK)
		status = vrs_av_input_stream(&reader->stream, reader->demuxer, reader->name, err);
	if (status == VRS_OK) {
		vrs_input_end_init(&reader->end, reader->demuxer, reader->stream, path);
		reader->history.limit_bytes = options->low_delay ? 0 : vrs_packet_history_limit(reader->demuxer, reader->stream);
		status = choose(reader, path, options, err);
	}
	reader->notes.marks = options->low_delay ? NULL : &reader->marks;
	if (status == VRS_OK)
		status = vrs_av_input_decoder(&reader->decoder, reader->stream, reader->threads, options->low_delay, options->hwdecode, &reader->notes,
					      reader->name, err);
	if (status == VRS_OK) {
		reader->packet = av_packet_alloc();
		status = reader->packet && open_relay(reader) == VRS_OK ? VRS_OK : vrs_fail_nomem(err);
		if (status == VRS_OK && !options->copies)
			vrs_packet_relay_stop(reader->relay);
		if (status == VRS_OK && vrs_packet_clock_init(&reader->clock, reader->demuxer, reader->stream) != VRS_OK)
			status = vrs_fail_nomem(err);
	}
	if (status != VRS_OK) {
		vrs_av_reader_close(reader);
		return status;
	}
	reader->sets_pace = vrs_source_sets_pace(path);
	reader->keeps_partial = options->keep_partial || reader->sets_pace;
	reader->is_live = options->low_delay;
	reader->goes_on = options->keep_partial || reader->is_live;
	(void)pthread_mutex_init(&reader->demux_lock, NULL); /* default attributes cannot fail on Linux */
	reader->lock_ready = true;
	status = note_lost(reader, err);
	if (status != VRS_OK) {
		vrs_av_reader_close(reader);
		return status;
	}
	vrs_av_seek_init(&reader->seek, reader->demuxer, reader->stream, options);
	reset_ts(reader);
	/* Where nobody can seek (a pipe), what lies before the start is decoded and dropped. */
	if (vrs_av_seek_is_due(&reader->seek) && vrs_av_seek_first(&reader->seek, reader->name, NULL))
		vrs_log(VRS_LOG_INFO, "%s cannot seek: everything before the start is decoded and dropped", reader->name);
	vrs_input_end_sought(&reader->end, reader->demuxer);
	return VRS_OK;
}

void vrs_av_reader_close(struct vrs_av_reader *reader)
{
	vrs_packet_relay_destroy(reader->relay);
	vrs_packet_clock_fini(&reader->clock);
	vrs_packet_history_clear(&reader->history);
	av_packet_free(&reader->packet);
	avcodec_free_context(&reader->decoder);
	(void)vrs_picture_marks_are_gone(&reader->marks, INT64_MAX);
	vrs_av_input_close(&reader->demuxer);
	if (reader->lock_ready)
		pthread_mutex_destroy(&reader->demux_lock);
	reader->relay = NULL;
	reader->stream = NULL;
	reader->lock_ready = false;
}

static void note_damage(struct vrs_av_reader *reader, const char *what)
{
	if (reader->damaged_at != INT64_MAX)
		reader->damaged_at = reader->number;
	if (reader->damaged++ == 0)
		vrs_log(VRS_LOG_WARNING, "%s: damaged data after frame %" PRIu64 " (%s); it is skipped or concealed", reader->name,
			(uint64_t)reader->frames, what);
}

/*
 * A subtitle is cut to what is shown of it in the part that is wanted: where one began before 0, a muxer would shift all streams.  One without times
 * stays; `end` is its end.
 */
static void clip_subtitle(const struct vrs_av_reader *reader, const AVStream *stream, AVPacket *pkt, int64_t end)
{
	int64_t limit = reader->seek.limit;

	if (stream->codecpar->codec_type != AVMEDIA_TYPE_SUBTITLE || pkt->pts == AV_NOPTS_VALUE || pkt->duration <= 0)
		return;
	if (reader->seek.drop_before_origin && pkt->pts < 0) {
		pkt->pts = pkt->dts = 0;
		pkt->duration = end;
	}
	limit = limit != INT64_MAX ? av_rescale_q(limit, reader->stream->time_base, stream->time_base) : limit;
	if (pkt->pts < limit && end > limit)
		pkt->duration = limit - pkt->pts;
}

/* A packet of another stream: to the relay, in time relative to the origin. */
static enum vrs_status relay_packet(struct vrs_av_reader *reader, AVPacket *pkt)
{
	const AVStream *stream = reader->demuxer->streams[pkt->stream_index];
	int64_t origin = av_rescale_q(reader->seek.origin_us, AV_TIME_BASE_Q, stream->time_base);
	int64_t end = pkt->pts != AV_NOPTS_VALUE ? pkt->pts - origin + pkt->duration : 1;

	if (pkt->pts != AV_NOPTS_VALUE)
		pkt->pts -= origin;
	if (pkt->dts != AV_NOPTS_VALUE)
		pkt->dts -= origin;
	if (reader->seek.drop_before_origin && end <= 0) {
		av_packet_unref(pkt);
		return VRS_OK;
	}
	clip_subtitle(reader, stream, pkt, end);
	enum vrs_status status = vrs_packet_relay_put(reader->relay, pkt);
	reader->is_far_ahead |= status == VRS_ELIMIT;
	return status;
}

enum vrs_status vrs_av_reader_fail_ahead(const struct vrs_av_reader *reader, struct vrs_error *err)
{
	return vrs_fail(err, VRS_ELIMIT, "audio and subtitles of %s lie further ahead of its video than there is memory for; --no-audio does without audio",
			reader->name);
}

static enum vrs_status relay_waiting(struct vrs_av_reader *reader, bool all)
{
	enum vrs_status status = VRS_OK;
	AVPacket *pkt;

	while (status == VRS_OK && (pkt = vrs_packet_clock_next(&reader->clock, all))) {
		status = relay_packet(reader, pkt);
		av_packet_free(&pkt);
	}
	return status;
}

/* A packet is lost: the input must not seem to end here. */
static int out_of_memory(struct vrs_av_reader *reader, AVPacket *packet)
{
	av_packet_unref(packet);
	reader->input_ended = true;
	reader->end_code = AVERROR(ENOMEM);
	return reader->end_code;
}

/* av_read_frame that waits where a pipe has nothing yet. */
static int read_packet(struct vrs_av_reader *reader, AVPacket *packet)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	struct vrs_live_watch *watch = vrs_live_watch_of(reader->demuxer);
	uint64_t begin = vrs_now_ns();
	int rc;

	if (note_lost(reader, NULL) != VRS_OK)
		reader->input_ended = true;
	if (reader->input_ended)
		return reader->end_code == AVERROR(ENOMEM) ? reader->end_code : AVERROR_EOF;
	vrs_live_watch_begin(watch);
	while ((rc = av_read_frame(reader->demuxer, packet)) == AVERROR(EAGAIN) && !vrs_stop_requested())
		nanosleep(&pause, NULL);
	rc = rc == AVERROR(EAGAIN) ? AVERROR_EXIT : vrs_live_watch_code(watch, rc);
	reader->waited_ns += vrs_now_ns() - begin;
	rc = vrs_input_end_note(&reader->end, reader->demuxer, packet, rc);
	if (rc < 0) {
		reader->input_ended = true;
		reader->end_code = rc;
	} else if (packet->stream_index == reader->stream->index) {
		vrs_packet_clock_video(&reader->clock, packet);
		reader->read_ts = packet->dts != AV_NOPTS_VALUE ? packet->dts : packet->pts;
	}
	if ((rc < 0 || packet->stream_index == reader->stream->index) && relay_waiting(reader, rc < 0) != VRS_OK)
		rc = out_of_memory(reader, packet);
	return rc;
}

/* A packet of another stream, when its time is clear. */
static int pass_on(struct vrs_av_reader *reader, AVPacket *pkt)
{
	bool waits, wanted = vrs_packet_relay_wants(reader->relay, pkt->stream_index);
	enum vrs_status status = vrs_packet_clock_other(&reader->clock, pkt, wanted, &waits);

	if (status == VRS_OK && !waits)
		status = relay_packet(reader, pkt);
	else if (status == VRS_OK && vrs_packet_clock_is_full(&reader->clock))
		status = relay_waiting(reader, false);
	return status != VRS_OK ? out_of_memory(reader, pkt) : 0;
}

/* The next packet of the video that is wanted, from the demuxer.  Codes of FFmpeg; AVERROR_EOF at any end. */
static int fetch_packet(struct vrs_av_reader *reader)
{
	int rc;

	for (;;) {
		pthread_mutex_lock(&reader->demux_lock);
		rc = read_packet(reader, reader->packet);
		if (rc >= 0 && reader->packet->stream_index != reader->stream->index) {
			rc = pass_on(reader, reader->packet);
			pthread_mutex_unlock(&reader->demux_lock);
			if (rc < 0)
				return rc;
			continue;
		}
		pthread_mutex_unlock(&reader->demux_lock);
		if (rc < 0)
			return rc == AVERROR(ENOMEM) ? rc : AVERROR_EOF;
		if (!vrs_frame_skip_packet(&reader->skip_frames, reader->decoder, reader->packet))
			break;
		av_packet_unref(reader->packet);
	}
	if (reader->cut && (reader->packet->flags & AV_PKT_FLAG_CORRUPT)) { /* half a picture: the video ends before it */
		av_packet_unref(reader->packet);
		reader->input_ended = true;
		return AVERROR_EOF;
	}
	if (!reader->is_live)
		vrs_packet_history_add(&reader->history, reader->packet);
	return 0;
}

/* A packet that the decoder before has had as well, or a new one. */
static int next_packet(struct vrs_av_reader *reader)
{
	const AVPacket *again = vrs_packet_history_next(&reader->history, &reader->number);

	return again ? av_packet_ref(reader->packet, again) : fetch_packet(reader);
}

/* Another decoder, which is given again what is not yet out of this one. */
static int decode_again(struct vrs_av_reader *reader, enum vrs_reader_care care)
{
	avcodec_free_context(&reader->decoder);
	(void)vrs_picture_marks_are_gone(&reader->marks, INT64_MAX);
	reader->notes.marks = care != VRS_CARE_KNOWN ? &reader->marks : NULL; /* they would be seen where nothing is */
	reader->care = care;
	reader->notes.clears = care != VRS_CARE_NONE;
	if (vrs_av_input_decoder(&reader->decoder, reader->stream, care ? 1 : reader->threads, false, NULL, &reader->notes, reader->name, NULL) != VRS_OK)
		return AVERROR(ENOMEM);
	vrs_packet_history_restart(&reader->history);
	reader->error_lines_seen = reader->notes.error_lines;
	return 0;
}

/*
 * How FFmpeg conceals damage depends on how many threads it has, and on what lay in memory before.  So at the first sign of any, before a frame that
 * may be concerned is delivered, decoding starts again before it, by one thread; and once more where that one meets it, so that it has always come
 * from the same key frame, however far ahead the threads were.
 */
static bool is_due_again(const struct vrs_av_reader *reader)
{
	return reader->care != VRS_CARE_KNOWN && !reader->is_live && !reader->decoder->hw_device_ctx && vrs_packet_history_reaches(&reader->history);
}

/* Damage where threads have begun again: of what they were given then, they make something else than one that goes on. */
static int start_care(struct vrs_av_reader *reader)
{
	bool begins = reader->history.next < reader->history.first + reader->history.count;

	if (reader->care == VRS_CARE_NONE)
		reader->damaged_at = begins ? INT64_MAX : reader->number;
	return decode_again(reader, reader->care == VRS_CARE_NONE ? VRS_CARE_SEEKS : VRS_CARE_KNOWN);
}

/* An error of the decoder, which has cost it a packet. */
static int take_damage(struct vrs_av_reader *reader, const char *what)
{
	if (is_due_again(reader))
		return start_care(reader);
	note_damage(reader, what);
	return 0;
}

/* Two key frames behind the damage threads may help again, unless that had no end where they had begun again before. */
static bool is_over(const struct vrs_av_reader *reader)
{
	const struct vrs_packet_history *history = &reader->history;

	return reader->care != VRS_CARE_NONE && history->first > reader->damaged_at && history->next == history->first + history->count &&
	       vrs_packet_history_reaches(history);
}

/* Give the decoder its next packet, or start draining at the end.  Codes of FFmpeg; damage is noted and is no error. */
static int feed_decoder(struct vrs_av_reader *reader)
{
	bool ended;
	int rc = is_over(reader) ? decode_again(reader, VRS_CARE_NONE) : 0;

	if (rc >= 0)
		rc = next_packet(reader);
	if (rc < 0 && rc != AVERROR_EOF)
		return rc;
	ended = rc < 0;
	if (ended)
		reader->skip_frames.jumping = false;
	reader->decoder->reordered_opaque = reader->number;
	rc = avcodec_send_packet(reader->decoder, ended ? NULL : reader->packet);
	av_packet_unref(reader->packet);
	if (rc == AVERROR(ENOMEM))
		return rc;
	if (rc < 0 && !ended)
		return take_damage(reader, av_err2str(rc));
	if (!ended)
		vrs_frame_skip_sent(&reader->skip_frames);
	return 0;
}

/* In the stream's time base, from the origin; where the file does not say, a pause after the latest frame. */
static int64_t stated_end(const struct vrs_av_reader *reader)
{
	const AVFormatContext *demuxer = reader->demuxer;
	AVRational own = reader->stream->time_base;
	int64_t end;

	if (demuxer->duration <= 0) /* AV_NOPTS_VALUE, too */
		return reader->ts.last + av_rescale_q(JUMP_SECONDS, (AVRational){1, 1}, own);
	end = av_rescale_q_rnd(demuxer->duration - (reader->seek.origin_us - reader->seek.first_us), AV_TIME_BASE_Q, own, AV_ROUND_UP);
	return av_clip64(end, 0, INT64_MAX / 2); /* sums with time stamps stay in range */
}

/* Containers may tell of durations that are none: a frame that lasts longer than the others does not pass the end of the file. */
static bool is_duration(const struct vrs_av_reader *reader, const AVFrame *frame)
{
	return frame->pkt_duration > 0 &&
	       (frame->pkt_duration <= reader->ts.default_step || frame->pkt_duration <= stated_end(reader) - frame->pts);
}

/* Sets pts; false when the frame lies before the origin and is not wanted. */
static bool stamp_frame(struct vrs_av_reader *reader, AVFrame *frame)
{
	int64_t ts = frame->best_effort_timestamp;

	/* AVI has no stamps for the last pictures that the decoder holds: they follow those that lie before the origin. */
	if (ts == AV_NOPTS_VALUE && reader->seek.saw_earlier && !reader->ts.started)
		ts = reader->last_ts += reader->ts.default_step;
	if (ts != AV_NOPTS_VALUE)
		ts -= reader->seek.origin;
	if (vrs_av_seek_starts_late(&reader->seek) && ts != AV_NOPTS_VALUE && ts < reader->seek.skip && !reader->ts.started) {
		reader->seek.saw_earlier = true;
		return false;
	}
	frame->pts = vrs_ts_repair_next(&reader->ts, ts, frame->pkt_duration);
	if (!is_duration(reader, frame))
		frame->pkt_duration = reader->ts.default_step;
	return true;
}

/* SRT has no other way to say that a stream is over. */
static bool sender_left(const struct vrs_av_reader *reader, int rc)
{
	return rc == AVERROR(EIO) && reader->frames > 0 && strncasecmp(reader->name, "srt://", 6) == 0;
}

/* Raw streams have none, and no seek finds a place in them; other containers do, as do few of those. */
static bool has_times(const struct vrs_av_reader *reader)
{
	bool is_raw = reader->demuxer->iformat->flags & AVFMT_GENERIC_INDEX;

	return !is_raw || reader->stream->start_time != AV_NOPTS_VALUE || reader->read_ts != AV_NOPTS_VALUE;
}

static enum vrs_status no_times(const struct vrs_av_reader *reader, struct vrs_error *err)
{
	return vrs_fail(err, VRS_EFORMAT, "%s is raw %s without time stamps, in which no start can be found; copy it to .mkv or .mp4 first",
			reader->name, avcodec_get_name(reader->stream->codecpar->codec_id));
}

/* Where no seek was possible: whether the frame lies before the start cannot be told. */
static bool is_anywhere(const struct vrs_av_reader *reader, const AVFrame *frame)
{
	return frame->best_effort_timestamp == AV_NOPTS_VALUE && reader->seek.drop_before_origin && !reader->seek.saw_earlier && !has_times(reader);
}

/* Why an input that ended has given no frame. */
static enum vrs_status no_frame(const struct vrs_av_reader *reader, struct vrs_error *err)
{
	bool late = reader->seek.drop_before_origin && reader->damaged == 0 && !reader->cut;

	if (reader->seek.saw_earlier || (late && has_times(reader)))
		return VRS_END; /* all pictures lie before */
	if (late) /* the seek has read it to its end */
		return no_times(reader, err);
	return vrs_fail(err, VRS_EFORMAT, "%s: no picture could be decoded (%s, %" PRIu64 " damaged packets)", reader->name,
			avcodec_get_name(reader->stream->codecpar->codec_id), reader->damaged);
}

/* Also where a segment of a job ends: its frames may be among those. */
static enum vrs_status lost_segments(const struct vrs_av_reader *reader, struct vrs_error *err)
{
	return vrs_fail(err, VRS_EFORMAT, "%s is truncated: segments of its playlist cannot be opened, or break off (%" PRIu64 ")", reader->name,
			reader->end.lost);
}

static enum vrs_status end_status(struct vrs_av_reader *reader, struct vrs_error *err)
{
	if (reader->cut && reader->frames > 0) {
		if (err)
			*err = reader->cut_error;
		return VRS_EFORMAT;
	}
	if (reader->end_code == 0 || reader->end_code == AVERROR_EOF) {
		if (note_lost(reader, err) != VRS_OK)
			return VRS_EFORMAT;
		if (reader->frames == 0)
			return no_frame(reader, err);
		if (reader->end.needs_farewell)
			return vrs_fail(err, VRS_EIO, "%s broke off after frame %" PRIu64 ": its sender did not say that the stream is over",
					reader->name, (uint64_t)reader->frames);
		reader->complete = true;
		if (reader->end.lost > 0 && !reader->is_live)
			return lost_segments(reader, err);
		if (vrs_frame_skip_count(&reader->skip_frames) > 0)
			return VRS_END; /* the last frames may be among those */
		if (reader->end.is_cut)
			return vrs_fail(err, VRS_EFORMAT, "%s is truncated: it ends after frame %" PRIu64 " in the middle of its data", reader->name,
					(uint64_t)reader->frames);
		if (vrs_input_end_is_whole(&reader->end, reader->ts.last + reader->seek.origin))
			return VRS_END;
		return vrs_av_input_complete(reader->demuxer, reader->stream, reader->ts.last + reader->ts.step + reader->seek.origin, reader->name, err);
	}
	if (sender_left(reader, reader->end_code)) {
		vrs_log(VRS_LOG_INFO, "the sender of %s left after frame %" PRIu64, reader->name, (uint64_t)reader->frames);
		return VRS_END;
	}
	if (reader->end_code == AVERROR_EXIT)
		return vrs_fail(err, VRS_ESTOPPED, "stopped while waiting for %s", reader->name);
	if (reader->end_code == AVERROR(ETIMEDOUT) && reader->end.list >= 0)
		return vrs_fail(err, VRS_EIO, "%s has no end mark, and no longer grows after frame %" PRIu64, reader->name, (uint64_t)reader->frames);
	if (reader->frames == 0 && vrs_av_input_is_passed(reader->demuxer))
		return vrs_fail(err, VRS_EFORMAT, "%s has its index behind the pictures, and cannot go back to them; give the file, or move the index to the "
				"front: ffmpeg -i FILE -c copy -movflags faststart NEW", reader->name);
	return vrs_av_fail(err, VRS_OK, reader->end_code, "cannot read %s after frame %" PRIu64, reader->name, (uint64_t)reader->frames);
}

/* By the flags of the frame, or by what the decoder said since the frame before: one of its threads may be ahead of this frame. */
static bool is_damaged(struct vrs_av_reader *reader, const AVFrame *frame)
{
	uint64_t lines = reader->notes.error_lines;
	bool said = lines != reader->error_lines_seen;

	reader->error_lines_seen = lines;
	return said || (frame->flags & AV_FRAME_FLAG_CORRUPT) || frame->decode_error_flags;
}

/*
 * In streams without an index seeks land where they can.  When they landed so late that no frame at or before the first wanted one was seen:
 * further ahead once more; false when there is no need, or no way.
 */
static bool seek_earlier(struct vrs_av_reader *reader)
{
	bool moved;

	if (reader->ts.started)
		return false;
	pthread_mutex_lock(&reader->demux_lock);
	moved = vrs_av_seek_earlier(&reader->seek);
	vrs_input_end_sought(&reader->end, reader->demuxer);
	if (moved) {
		avcodec_flush_buffers(reader->decoder);
		vrs_packet_history_clear(&reader->history);
		(void)vrs_picture_marks_are_gone(&reader->marks, INT64_MAX);
		reader->input_ended = false;
		reader->end_code = 0;
		vrs_packet_clock_restart(&reader->clock);
		vrs_packet_relay_clear(reader->relay); /* audio from where it landed comes again */
	}
	pthread_mutex_unlock(&reader->demux_lock);
	return moved;
}

/* Nothing is left to give to the decoder. */
static bool is_drained(const struct vrs_av_reader *reader)
{
	return reader->input_ended && reader->history.next == reader->history.first + reader->history.count;
}

enum vrs_status vrs_av_reader_next(struct vrs_av_reader *reader, AVFrame *frame, struct vrs_error *err)
{
	while (!reader->limit_reached) {
		/* what the decoder still holds lies before the place to jump to */
		int rc = reader->skip_frames.jumping ? AVERROR(EAGAIN) : avcodec_receive_frame(reader->decoder, frame);

		if (reader->notes.too_large) {
			av_frame_unref(frame);
			return fail_growth(reader, err);
		}
		if (reader->notes.no_memory)
			rc = AVERROR(ENOMEM);
		if (rc == 0) {
			bool damaged = is_damaged(reader, frame);

			damaged |= !vrs_picture_marks_are_gone(&reader->marks, frame->reordered_opaque);
			if (damaged && is_due_again(reader)) {
				av_frame_unref(frame);
				rc = start_care(reader);
				if (rc < 0)
					return vrs_av_fail(err, VRS_OK, rc, "cannot decode %s after frame %" PRIu64, reader->name, (uint64_t)reader->frames);
				continue;
			}
			if (!reader->is_live && !vrs_packet_history_take(&reader->history, frame->reordered_opaque)) {
				av_frame_unref(frame);
				continue;
			}
			bool late = vrs_av_seek_is_late(&reader->seek, frame->best_effort_timestamp);

			if (is_anywhere(reader, frame)) {
				av_frame_unref(frame);
				return no_times(reader, err);
			}
			vrs_frame_skip_got(&reader->skip_frames);
			if (frame->best_effort_timestamp != AV_NOPTS_VALUE)
				reader->last_ts = frame->best_effort_timestamp;
			if (!(late && seek_earlier(reader)) && stamp_frame(reader, frame)) {
				reader->limit_reached = frame->pts >= reader->seek.limit;
				if (reader->limit_reached)
					break;
				if (damaged)
					note_damage(reader, "errors in the picture data");
				reader->frames++;
				rc = vrs_hw_fetch(frame);
				return rc < 0 ? vrs_av_fail(err, VRS_OK, rc, "cannot fetch pictures of %s from the device", reader->name) : VRS_OK;
			}
			av_frame_unref(frame);
			continue;
		}
		if (rc == AVERROR_EOF && seek_earlier(reader))
			continue;
		if (rc == AVERROR_EOF) {
			vrs_frame_skip_ended(&reader->skip_frames);
			return end_status(reader, err);
		}
		if (rc != AVERROR(EAGAIN) && rc != AVERROR(ENOMEM)) {
			rc = take_damage(reader, av_err2str(rc));
			if (rc >= 0 && !is_drained(reader))
				rc = feed_decoder(reader);
		} else if (rc == AVERROR(EAGAIN)) {
			rc = feed_decoder(reader);
		}
		if (rc < 0 && reader->is_far_ahead)
			return vrs_av_reader_fail_ahead(reader, err);
		if (rc < 0)
			return vrs_av_fail(err, VRS_OK, rc, "cannot decode %s after frame %" PRIu64, reader->name, (uint64_t)reader->frames);
	}
	av_frame_unref(frame);
	return reader->end.lost > 0 && !reader->is_live ? lost_segments(reader, err) : VRS_END;
}

int64_t vrs_av_reader_peek(struct vrs_av_reader *reader)
{
	if (reader->sets_pace || reader->end.list >= 0)
		return INT64_MIN; /* a pipe, a stream or a list that grows may be silent for ever behind the last frame that is wanted */
	AVFrame *frame = av_frame_alloc();
	uint64_t frames = reader->frames;
	int64_t pts = frame && vrs_av_reader_next(reader, frame, NULL) == VRS_OK ? frame->pts : INT64_MIN;

	av_frame_free(&frame);
	reader->frames = frames;
	reader->complete = reader->limit_reached = false; /* copied streams would go on to their own end */
	return pts;
}

enum vrs_status vrs_av_reader_rewind(struct vrs_av_reader *reader, struct vrs_error *err)
{
	enum vrs_status status;

	pthread_mutex_lock(&reader->demux_lock);
	status = vrs_av_seek_first(&reader->seek, reader->name, err);
	vrs_input_end_sought(&reader->end, reader->demuxer);
	if (status == VRS_OK) {
		avcodec_flush_buffers(reader->decoder);
		vrs_packet_history_clear(&reader->history);
		(void)vrs_picture_marks_are_gone(&reader->marks, INT64_MAX);
		vrs_frame_skip_restart(&reader->skip_frames);
		vrs_packet_clock_restart(&reader->clock);
		reset_ts(reader);
		reader->input_ended = false;
		reader->end_code = 0;
		reader->frames = 0; /* as in an input that is opened again */
		reader->complete = reader->limit_reached = false;
	}
	pthread_mutex_unlock(&reader->demux_lock);
	/* A repeated video has no one audio track: what was relayed belongs to the first pass. */
	if (status == VRS_OK)
		vrs_packet_relay_stop(reader->relay);
	return status;
}

/* What comes live does not come again, and a file that is shorter than it says may end in any way: what was read until then is kept. */
static void note_rest(struct vrs_av_reader *reader, int rc)
{
	if (rc >= 0 || rc == AVERROR_EOF || rc == AVERROR_EXIT || sender_left(reader, rc) || (reader->cut && rc != AVERROR(ENOMEM)))
		return;
	if (reader->keeps_partial && rc != AVERROR(ENOMEM))
		vrs_log(VRS_LOG_WARNING, "cannot read %s to its end: %s; audio and subtitles are kept up to there", reader->name, av_err2str(rc));
	else
		reader->rest_code = rc;
}

bool vrs_av_reader_pump(struct vrs_av_reader *reader)
{
	AVPacket *pkt = av_packet_alloc();
	int rc = AVERROR(ENOMEM);

	pthread_mutex_lock(&reader->demux_lock);
	if (pkt)
		rc = read_packet(reader, pkt);
	if (rc >= 0 && pkt->stream_index != reader->stream->index)
		rc = pass_on(reader, pkt);
	note_rest(reader, rc);
	pthread_mutex_unlock(&reader->demux_lock);
	av_packet_free(&pkt);
	return rc >= 0;
}
