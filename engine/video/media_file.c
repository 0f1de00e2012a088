/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/media_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "video/av_input.h"
#include "video/av_seek.h"
#include "video/av_support.h"
#include "video/live_watch.h"

struct count {
	int64_t begin, limit; /* of what is wanted, in the stream's time base */
	int64_t most, least;
	int64_t key;          /* time of the first key frame; AV_NOPTS_VALUE: none so far */
	int64_t first, end;   /* of what is wanted */
	int64_t file_end;     /* of all that was read */
};

static void count_packet(struct count *count, const AVPacket *packet)
{
	int64_t pts = packet->pts != AV_NOPTS_VALUE ? packet->pts : packet->dts;
	bool timed = pts != AV_NOPTS_VALUE, has_key = count->key != AV_NOPTS_VALUE;

	if (timed && pts + packet->duration > count->file_end)
		count->file_end = pts + packet->duration;
	if (!has_key && timed && (packet->flags & AV_PKT_FLAG_KEY))
		count->key = pts;
	has_key = count->key != AV_NOPTS_VALUE;
	if (timed && (pts < count->begin || pts >= count->limit))
		return;
	count->most++;
	count->least += has_key && (!timed || pts >= count->key);
	if (timed && pts < count->first)
		count->first = pts;
	if (timed && pts + packet->duration > count->end)
		count->end = pts + packet->duration;
}

/* The packets of the stream up to the limit; codes of FFmpeg, AVERROR_EOF at a regular end, 0 where the limit ends it. */
static int count_packets(AVFormatContext *demuxer, const AVStream *stream, struct count *count)
{
	AVPacket *packet = av_packet_alloc();
	int rc = packet ? 0 : AVERROR(ENOMEM);
	bool wanted = true;

	while (rc >= 0 && wanted) {
		vrs_live_watch_begin(vrs_live_watch_of(demuxer));
		rc = av_read_frame(demuxer, packet);
		if (rc >= 0 && packet->stream_index == stream->index && !(packet->flags & (AV_PKT_FLAG_CORRUPT | AV_PKT_FLAG_DISCARD)))
			count_packet(count, packet);
		wanted = rc < 0 || packet->stream_index != stream->index || packet->dts == AV_NOPTS_VALUE || packet->dts < count->limit;
		av_packet_unref(packet);
	}
	av_packet_free(&packet);
	return rc;
}

/* Frames of an index that no edit list hides; an empty one of AVI stands for the frame before it. */
static void count_index(AVStream *stream, struct vrs_media_frames *ret)
{
	int64_t shown = 0, full = 0;
	int count = avformat_index_get_entries_count(stream);

	for (int i = 0; i < count; i++) {
		const AVIndexEntry *entry = avformat_index_get_entry(stream, i);
		bool hidden = entry->flags & AVINDEX_DISCARD_FRAME;

		shown += !hidden;
		full += !hidden && entry->size > 0;
	}
	ret->most = ret->exact && shown > 0 ? shown : stream->nb_frames;
	ret->least = full > 0 && full < ret->most ? full : ret->most;
	ret->seconds = (double)stream->duration * av_q2d(stream->time_base);
	ret->complete = true;
}

static void discard_others(AVFormatContext *demuxer, const AVStream *stream)
{
	for (unsigned i = 0; i < demuxer->nb_streams; i++)
		if (demuxer->streams[i] != stream)
			demuxer->streams[i]->discard = AVDISCARD_ALL;
}

/* The file and its video stream; demuxer is the caller's (vrs_av_input_close), also after a failure. */
static enum vrs_status open_stream(AVFormatContext **ret_demuxer, AVStream **ret_stream, const char *path, bool *ret_cut, struct vrs_error *err)
{
	enum vrs_status status;

	*ret_demuxer = NULL;
	vrs_av_init();
	const char *name = vrs_source_words(path);

	status = vrs_av_input_open(ret_demuxer, path, name, NULL, ret_cut, err);
	return status != VRS_OK ? status : vrs_av_input_stream(ret_stream, *ret_demuxer, name, err);
}

static bool is_exact(const AVFormatContext *demuxer)
{
	return strstr(demuxer->iformat->name, "mp4") || strstr(demuxer->iformat->name, "matroska");
}

/* By reading. */
static enum vrs_status count_file(AVFormatContext *demuxer, AVStream *stream, const char *path, const struct vrs_source_options *part,
				  struct vrs_media_frames *ret, struct vrs_error *err)
{
	struct vrs_av_seek seek;

	vrs_av_seek_init(&seek, demuxer, stream, part);
	struct count count = {.begin = seek.drop_before_origin ? seek.origin : INT64_MIN,
		.limit = seek.limit < INT64_MAX - llabs(seek.origin) ? seek.origin + seek.limit : INT64_MAX,
		.key = AV_NOPTS_VALUE, .first = INT64_MAX, .end = INT64_MIN, .file_end = INT64_MIN};
	discard_others(demuxer, stream);
	vrs_av_capture_begin();
	int rc = count_packets(demuxer, stream, &count);
	vrs_av_capture_end();
	ret->most = count.most;
	ret->least = count.least;
	ret->seconds = count.end > count.first && count.most ? (double)(count.end - count.first) * av_q2d(stream->time_base) : 0;
	/* A muxer that was killed has written neither the length of the whole file nor the end of the track. */
	ret->complete = rc == AVERROR_EOF && demuxer->duration_estimation_method != AVFMT_DURATION_FROM_BITRATE && demuxer->duration > 0 &&
			vrs_av_input_complete(demuxer, stream, count.file_end == INT64_MIN ? 0 : count.file_end, path, NULL) == VRS_END;
	return rc == AVERROR(ENOMEM) ? vrs_fail_nomem(err) : VRS_OK;
}

enum vrs_status vrs_media_file_measure(const char *path, double start, double duration, struct vrs_media_frames *ret, struct vrs_error *err)
{
	const struct vrs_source_options part = {.start_seconds = start, .duration_seconds = duration};
	AVFormatContext *demuxer;
	AVStream *stream = NULL;
	enum vrs_status status = open_stream(&demuxer, &stream, path, NULL, err);

	if (status == VRS_OK) {
		*ret = (struct vrs_media_frames){.exact = is_exact(demuxer)};
		if (stream->nb_frames > 0 && stream->duration > 0 && start <= 0 && duration <= 0)
			count_index(stream, ret); /* mp4 and the like: vrs_av_input_open has checked the index */
		else
			status = count_file(demuxer, stream, path, &part, ret, err);
	}
	vrs_av_input_close(&demuxer);
	return status;
}

enum vrs_status vrs_media_file_clock(const char *path, bool keep_partial, struct vrs_media_clock *ret_clock, struct vrs_error *err)
{
	AVFormatContext *demuxer;
	AVStream *stream = NULL;
	bool cut = false;
	enum vrs_status status = open_stream(&demuxer, &stream, path, keep_partial ? &cut : NULL, err);

	if (status == VRS_OK) {
		AVRational rate = stream->avg_frame_rate.num > 0 ? stream->avg_frame_rate : av_guess_frame_rate(demuxer, stream, NULL);
		bool known = rate.num > 0 && rate.den > 0;

		*ret_clock = (struct vrs_media_clock){
			.time_base_num = stream->time_base.num,
			.time_base_den = stream->time_base.den,
			.fps_num = known ? rate.num : 0,
			.fps_den = known ? rate.den : 1,
			.frames = stream->nb_frames,
			.size = demuxer->pb ? avio_size(demuxer->pb) : 0,
			.seconds = stream->duration > 0 ? (double)stream->duration * av_q2d(stream->time_base)
				   : demuxer->duration > 0 ? (double)demuxer->duration / AV_TIME_BASE : 0,
			.bit_rate = demuxer->bit_rate,
			.exact = is_exact(demuxer),
		};
		if (ret_clock->frames <= 0 && known)
			ret_clock->frames = llround(ret_clock->seconds * av_q2d(rate));
	}
	vrs_av_input_close(&demuxer);
	return status;
}
