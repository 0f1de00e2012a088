/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/av_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <vrseg/log.h>

#include "base/mem.h"
#include "video/av_input.h"
#include "video/av_support.h"

/* A step of the clock of more than this is a new recording, not a pause. */
#define JUMP_SECONDS 10
#define SEEK_MARGIN_SECONDS 1 /* before the wanted frame; grows when that was not enough */

static enum vrs_status open_relay(struct vrs_av_reader *reader)
{
	int count = (int)reader->demuxer->nb_streams;
	bool *candidates = vrs_calloc((size_t)count, sizeof *candidates);
	enum vrs_status status;

	if (!candidates)
		return VRS_ENOMEM;
	for (int i = 0; i < count; i++) {
		enum AVMediaType type = reader->demuxer->streams[i]->codecpar->codec_type;

		candidates[i] = type == AVMEDIA_TYPE_AUDIO || type == AVMEDIA_TYPE_SUBTITLE;
		if (!candidates[i] && reader->demuxer->streams[i] != reader->stream)
			reader->demuxer->streams[i]->discard = AVDISCARD_ALL;
	}
	status = vrs_packet_relay_create(&reader->relay, candidates, count);
	vrs_free(candidates);
	return status;
}

static void reset_ts(struct vrs_av_reader *reader)
{
	AVRational tb = reader->stream->time_base;
	AVRational rate = reader->stream->avg_frame_rate;
	int64_t step = rate.num > 0 && rate.den > 0 ? av_rescale_q(1, av_inv_q(rate), tb) : av_rescale_q(1, (AVRational){1, 25}, tb);

	vrs_ts_repair_init(&reader->ts, av_rescale_q(JUMP_SECONDS, (AVRational){1, 1}, tb), reader->demuxer->iformat->flags & AVFMT_TS_DISCONT,
			   step);
}

/* The file's first time stamp becomes 0, as in FFmpeg's own tools, so that audio and video keep their distance. */
static void set_origin(struct vrs_av_reader *reader, double start_seconds)
{
	int64_t first_us = reader->demuxer->start_time != AV_NOPTS_VALUE ? reader->demuxer->start_time : 0;
	AVStream *stream = reader->stream;

	reader->origin_us = first_us + (int64_t)(start_seconds * AV_TIME_BASE);
	reader->origin = av_rescale_q(reader->origin_us, AV_TIME_BASE_Q, stream->time_base);
	/* Microseconds are coarser than some time bases: where the video begins the file, its own stamp is exact. */
	if (start_seconds == 0 && stream->start_time != AV_NOPTS_VALUE &&
	    av_rescale_q(stream->start_time, stream->time_base, AV_TIME_BASE_Q) == first_us)
		reader->origin = stream->start_time;
	reader->drop_before_origin = start_seconds > 0;
}

/* Where reading begins: indices hold decoding times, so a key frame that they promise may be shown after the wanted frame. */
static int64_t seek_target(const struct vrs_av_reader *reader)
{
	return reader->skip > reader->seek_margin ? reader->origin + reader->skip - reader->seek_margin : reader->origin;
}

static enum vrs_status seek_origin(struct vrs_av_reader *reader, struct vrs_error *err)
{
	int rc;

	vrs_av_capture_begin();
	int64_t target = seek_target(reader);

	rc = avformat_seek_file(reader->demuxer, reader->stream->index, INT64_MIN, target, target, 0);
	if (rc < 0 && !reader->drop_before_origin) /* the first key frame may lie after the first time stamp */
		rc = avformat_seek_file(reader->demuxer, -1, INT64_MIN, reader->origin_us, INT64_MAX, 0);
	if (rc < 0)
		return vrs_av_fail_as(err, VRS_EUNSUPPORTED, rc, "cannot seek in %s", reader->name);
	vrs_av_capture_end();
	return VRS_OK;
}

enum vrs_status vrs_av_reader_open(struct vrs_av_reader *reader, const char *path, const struct vrs_source_options *options, struct vrs_error *err)
{
	enum vrs_status status;

	vrs_av_init();
	memset(reader, 0, sizeof *reader);
	snprintf(reader->name, sizeof reader->name, "%s", strcmp(path, "-") == 0 ? "standard input" : path);
	status = vrs_av_input_open(&reader->demuxer, path, reader->name, options && options->keep_partial ? &reader->cut : NULL, &reader->cut_error);
	if (status && err)
		*err = reader->cut_error;
	if (!status)
		status = vrs_av_input_stream(&reader->stream, reader->demuxer, reader->name, err);
	if (!status)
		status = vrs_av_input_decoder(&reader->decoder, reader->stream, options ? options->threads : 0, &reader->error_lines,
					      reader->name, err);
	if (status)
		goto fail;
	status = VRS_ENOMEM;
	reader->packet = av_packet_alloc();
	if (!reader->packet || open_relay(reader)) {
		(void)vrs_fail(err, status, "no memory to open %s", reader->name);
		goto fail;
	}
	(void)pthread_mutex_init(&reader->demux_lock, NULL); /* default attributes cannot fail on Linux */
	reader->lock_ready = true;
	set_origin(reader, options ? options->start_seconds : 0);
	reader->skip = options ? options->skip : 0;
	reader->seek_margin = av_rescale_q(SEEK_MARGIN_SECONDS, (AVRational){1, 1}, reader->stream->time_base);
	reset_ts(reader);
	/* Where seeking fails (a pipe), what lies before the start is decoded and dropped. */
	if ((reader->drop_before_origin || reader->skip > 0) && seek_origin(reader, NULL))
		vrs_log(VRS_LOG_INFO, "%s cannot seek: everything before the start is decoded and dropped", reader->name);
	return VRS_OK;
fail:
	vrs_av_reader_close(reader);
	return status;
}

void vrs_av_reader_close(struct vrs_av_reader *reader)
{
	vrs_packet_relay_destroy(reader->relay);
	av_packet_free(&reader->packet);
	avcodec_free_context(&reader->decoder);
	avformat_close_input(&reader->demuxer);
	if (reader->lock_ready)
		pthread_mutex_destroy(&reader->demux_lock);
	reader->relay = NULL;
	reader->stream = NULL;
	reader->lock_ready = false;
}

static void note_damage(struct vrs_av_reader *reader, const char *what)
{
	if (reader->damaged++ == 0)
		vrs_log(VRS_LOG_WARNING, "%s: damaged data after frame %" PRIu64 " (%s); damaged parts are skipped or concealed", reader->name,
			(uint64_t)reader->frames, what);
}

/* A packet of another stream: to the relay, in time relative to the origin. */
static enum vrs_status relay_packet(struct vrs_av_reader *reader, AVPacket *pkt)
{
	const AVStream *stream = reader->demuxer->streams[pkt->stream_index];
	int64_t origin = av_rescale_q(reader->origin_us, AV_TIME_BASE_Q, stream->time_base);
	int64_t end = pkt->pts != AV_NOPTS_VALUE ? pkt->pts - origin + pkt->duration : 1;

	if (pkt->pts != AV_NOPTS_VALUE)
		pkt->pts -= origin;
	if (pkt->dts != AV_NOPTS_VALUE)
		pkt->dts -= origin;
	if (reader->drop_before_origin && end <= 0) {
		av_packet_unref(pkt);
		return VRS_OK;
	}
	return vrs_packet_relay_put(reader->relay, pkt);
}

/* av_read_frame that waits where a pipe has nothing yet. */
static int read_packet(struct vrs_av_reader *reader)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	int rc;

	if (reader->input_ended)
		return AVERROR_EOF;
	while ((rc = av_read_frame(reader->demuxer, reader->packet)) == AVERROR(EAGAIN))
		nanosleep(&pause, NULL);
	if (rc < 0) {
		reader->input_ended = true;
		reader->end_code = rc;
	}
	return rc;
}

/* Give the decoder its next packet, or start draining at the end.  Codes of FFmpeg; damage is noted and is no error. */
static int feed_decoder(struct vrs_av_reader *reader)
{
	int rc;

	for (;;) {
		pthread_mutex_lock(&reader->demux_lock);
		rc = read_packet(reader);
		if (rc >= 0 && reader->packet->stream_index != reader->stream->index) {
			enum vrs_status status = relay_packet(reader, reader->packet);

			pthread_mutex_unlock(&reader->demux_lock);
			if (status)
				return AVERROR(ENOMEM);
			continue;
		}
		pthread_mutex_unlock(&reader->demux_lock);
		break;
	}
	if (rc >= 0 && reader->cut && (reader->packet->flags & AV_PKT_FLAG_CORRUPT)) { /* half a picture: the film ends before it */
		av_packet_unref(reader->packet);
		pthread_mutex_lock(&reader->demux_lock);
		reader->input_ended = true;
		pthread_mutex_unlock(&reader->demux_lock);
		rc = AVERROR_EOF;
	}
	rc = avcodec_send_packet(reader->decoder, rc < 0 ? NULL : reader->packet);
	av_packet_unref(reader->packet);
	if (rc == AVERROR(ENOMEM))
		return rc;
	if (rc < 0 && rc != AVERROR_EOF)
		note_damage(reader, av_err2str(rc));
	return 0;
}

/* Sets pts; false when the frame lies before the origin and is not wanted. */
static bool stamp_frame(struct vrs_av_reader *reader, AVFrame *frame)
{
	int64_t ts = frame->best_effort_timestamp;

	if (ts != AV_NOPTS_VALUE)
		ts -= reader->origin;
	if ((reader->drop_before_origin || reader->skip > 0) && ts != AV_NOPTS_VALUE && ts < reader->skip && !reader->ts.started) {
		reader->saw_earlier = true;
		return false;
	}
	frame->pts = vrs_ts_repair_next(&reader->ts, ts, frame->pkt_duration);
	if (frame->pkt_duration <= 0)
		frame->pkt_duration = reader->ts.default_step;
	return true;
}

static enum vrs_status end_status(struct vrs_av_reader *reader, struct vrs_error *err)
{
	if (reader->cut && reader->frames > 0) {
		if (err)
			*err = reader->cut_error;
		return VRS_EFORMAT;
	}
	if (reader->end_code == 0 || reader->end_code == AVERROR_EOF) {
		if (reader->frames == 0)
			return vrs_fail(err, VRS_EFORMAT, "%s: no picture could be decoded (%s, %" PRIu64 " damaged parts)", reader->name,
					avcodec_get_name(reader->stream->codecpar->codec_id), reader->damaged);
		return vrs_av_input_complete(reader->stream, reader->ts.last + reader->ts.step + reader->origin, reader->name, err);
	}
	return vrs_av_fail(err, reader->end_code, "cannot read %s after frame %" PRIu64, reader->name, (uint64_t)reader->frames);
}

/* By the flags of the frame, or by what the decoder said since the frame before: one of its threads may be ahead of this frame. */
static bool is_damaged(struct vrs_av_reader *reader, const AVFrame *frame)
{
	uint64_t lines = reader->error_lines;
	bool said = lines != reader->error_lines_seen;

	reader->error_lines_seen = lines;
	return said || (frame->flags & AV_FRAME_FLAG_CORRUPT) || frame->decode_error_flags;
}

enum vrs_status vrs_av_reader_next(struct vrs_av_reader *reader, AVFrame *frame, struct vrs_error *err)
{
	for (;;) {
		int rc = avcodec_receive_frame(reader->decoder, frame);

		if (rc == 0) {
			bool damaged = is_damaged(reader, frame);

			if (stamp_frame(reader, frame)) {
				if (damaged)
					note_damage(reader, "errors in the picture data");
				reader->frames++;
				return VRS_OK;
			}
			av_frame_unref(frame);
			continue;
		}
		if (rc == AVERROR_EOF)
			return end_status(reader, err);
		if (rc != AVERROR(EAGAIN) && rc != AVERROR(ENOMEM)) {
			note_damage(reader, av_err2str(rc));
			rc = vrs_av_reader_ended(reader) ? 0 : feed_decoder(reader);
		} else if (rc == AVERROR(EAGAIN)) {
			rc = feed_decoder(reader);
		}
		if (rc < 0)
			return vrs_av_fail(err, rc, "cannot decode %s after frame %" PRIu64, reader->name, (uint64_t)reader->frames);
	}
}

enum vrs_status vrs_av_reader_rewind(struct vrs_av_reader *reader, struct vrs_error *err)
{
	enum vrs_status status;

	pthread_mutex_lock(&reader->demux_lock);
	status = seek_origin(reader, err);
	if (!status) {
		avcodec_flush_buffers(reader->decoder);
		reset_ts(reader);
		reader->input_ended = false;
		reader->end_code = 0;
	}
	pthread_mutex_unlock(&reader->demux_lock);
	/* A repeated film has no one audio track: what was relayed belongs to the first pass. */
	if (!status)
		vrs_packet_relay_stop(reader->relay);
	return status;
}

bool vrs_av_reader_landed(const struct vrs_av_reader *reader, int64_t first_pts)
{
	return reader->skip <= 0 || reader->saw_earlier || first_pts == reader->skip || seek_target(reader) == reader->origin;
}

enum vrs_status vrs_av_reader_back(struct vrs_av_reader *reader, struct vrs_error *err)
{
	reader->seek_margin *= 10;
	reader->saw_earlier = false;
	return vrs_av_reader_rewind(reader, err);
}

bool vrs_av_reader_pump(struct vrs_av_reader *reader)
{
	AVPacket *pkt = av_packet_alloc();
	bool more = false;
	int rc;

	if (!pkt)
		return false;
	pthread_mutex_lock(&reader->demux_lock);
	if (!reader->input_ended) {
		rc = av_read_frame(reader->demuxer, pkt);
		more = rc >= 0;
		reader->input_ended = !more;
		if (more && pkt->stream_index != reader->stream->index)
			more = relay_packet(reader, pkt) == VRS_OK;
	}
	pthread_mutex_unlock(&reader->demux_lock);
	av_packet_free(&pkt);
	return more;
}

bool vrs_av_reader_ended(struct vrs_av_reader *reader)
{
	bool ended;

	pthread_mutex_lock(&reader->demux_lock);
	ended = reader->input_ended;
	pthread_mutex_unlock(&reader->demux_lock);
	return ended;
}
