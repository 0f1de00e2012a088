/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/media_file.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "video/av_input.h"
#include "video/av_support.h"
#include "video/live_watch.h"

struct count {
	int64_t frames;
	int64_t first, end; /* in the stream's time base */
};

/* Every packet of the stream; codes of FFmpeg, AVERROR_EOF at a regular end. */
static int count_packets(AVFormatContext *demuxer, const AVStream *stream, struct count *count)
{
	AVPacket *packet = av_packet_alloc();
	int rc = packet ? 0 : AVERROR(ENOMEM);

	*count = (struct count){.first = INT64_MAX, .end = INT64_MIN};
	while (rc >= 0) {
		vrs_live_watch_begin(vrs_live_watch_of(demuxer));
		rc = av_read_frame(demuxer, packet);
		if (rc >= 0 && packet->stream_index == stream->index && !(packet->flags & AV_PKT_FLAG_CORRUPT)) {
			int64_t pts = packet->pts != AV_NOPTS_VALUE ? packet->pts : packet->dts;

			count->frames++;
			if (pts != AV_NOPTS_VALUE && pts < count->first)
				count->first = pts;
			if (pts != AV_NOPTS_VALUE && pts + packet->duration > count->end)
				count->end = pts + packet->duration;
		}
		av_packet_unref(packet);
	}
	av_packet_free(&packet);
	return rc;
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

enum vrs_status vrs_media_file_measure(const char *path, int64_t *ret_frames, double *ret_seconds, bool *ret_complete, struct vrs_error *err)
{
	AVFormatContext *demuxer;
	AVStream *stream = NULL;
	struct count count;
	enum vrs_status status = open_stream(&demuxer, &stream, path, NULL, err);
	int rc;

	if (status != VRS_OK) {
		vrs_av_input_close(&demuxer);
		return status;
	}
	if (stream->nb_frames > 0 && stream->duration > 0) { /* mp4 and the like: vrs_av_input_open has checked the index */
		*ret_frames = stream->nb_frames;
		*ret_seconds = (double)stream->duration * av_q2d(stream->time_base);
		*ret_complete = true;
		vrs_av_input_close(&demuxer);
		return VRS_OK;
	}
	discard_others(demuxer, stream);
	vrs_av_capture_begin();
	rc = count_packets(demuxer, stream, &count);
	vrs_av_capture_end();
	if (rc == AVERROR(ENOMEM))
		status = vrs_fail_nomem(err);
	*ret_frames = count.frames;
	*ret_seconds = count.end > count.first && count.frames ? (double)(count.end - count.first) * av_q2d(stream->time_base) : 0;
	/* A muxer that was killed has written neither the length of the whole file nor the end of the track. */
	*ret_complete = rc == AVERROR_EOF && demuxer->duration_estimation_method != AVFMT_DURATION_FROM_BITRATE && demuxer->duration > 0 &&
			vrs_av_input_complete(demuxer, stream, count.end == INT64_MIN ? 0 : count.end, path, NULL) == VRS_END;
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
			.exact = strstr(demuxer->iformat->name, "mp4") || strstr(demuxer->iformat->name, "matroska"),
		};
		if (ret_clock->frames <= 0 && known)
			ret_clock->frames = llround(ret_clock->seconds * av_q2d(rate));
	}
	vrs_av_input_close(&demuxer);
	return status;
}
