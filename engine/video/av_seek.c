/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/av_seek.h"

#include <math.h>

#include "video/av_support.h"

/* How much earlier to try when a seek landed behind the start, in streams without an index; four times as much each time, then the beginning. */
#define LATE_SEEK_SECONDS 2
#define MOST_LATE_SEEKS 3

/* The file's first time stamp becomes 0, as in FFmpeg's own tools, so that audio and video keep their distance. */
void vrs_av_seek_begin(struct vrs_av_reader *reader, const struct vrs_source_options *options)
{
	int64_t first_us = reader->demuxer->start_time != AV_NOPTS_VALUE ? reader->demuxer->start_time : 0;
	AVStream *stream = reader->stream;

	reader->origin_us = first_us + (int64_t)llround(options->start_seconds * AV_TIME_BASE);
	reader->origin = av_rescale_q(reader->origin_us, AV_TIME_BASE_Q, stream->time_base);
	/* Microseconds are coarser than some time bases: where the video begins the file, its own stamp is exact. */
	if (!(options->start_seconds > 0) && stream->start_time != AV_NOPTS_VALUE &&
	    av_rescale_q(stream->start_time, stream->time_base, AV_TIME_BASE_Q) == first_us)
		reader->origin = stream->start_time;
	reader->drop_before_origin = options->start_seconds > 0;
	reader->skip = options->skip;
	reader->limit = INT64_MAX;
	if (options->duration_seconds > 0)
		reader->limit = av_rescale_q((int64_t)llround(options->duration_seconds * AV_TIME_BASE), AV_TIME_BASE_Q, stream->time_base);
}

/* Not every frame of the file is wanted. */
bool vrs_av_seek_starts_late(const struct vrs_av_reader *reader)
{
	return reader->drop_before_origin || reader->skip > 0;
}

/* Where the first wanted frame lies. */
static int64_t wanted_from(const struct vrs_av_reader *reader)
{
	return reader->origin + reader->skip;
}

/* To the last key frame at or before the first wanted frame, or before `earlier` (stream time base) in front of it, but not before the origin. */
static enum vrs_status seek_origin(struct vrs_av_reader *reader, int64_t earlier, struct vrs_error *err)
{
	int64_t to = wanted_from(reader) - earlier;
	int rc;

	vrs_av_capture_begin();
	rc = avformat_seek_file(reader->demuxer, reader->stream->index, INT64_MIN, to, to, 0);
	if (rc < 0 && !reader->drop_before_origin) /* the first key frame may lie after the first time stamp */
		rc = avformat_seek_file(reader->demuxer, -1, INT64_MIN, reader->origin_us, INT64_MAX, 0);
	if (rc < 0)
		return vrs_av_fail_as(err, VRS_EUNSUPPORTED, rc, "cannot seek in %s", reader->name);
	vrs_av_capture_end();
	return VRS_OK;
}

enum vrs_status vrs_av_seek_first(struct vrs_av_reader *reader, struct vrs_error *err)
{
	return seek_origin(reader, 0, err);
}

/*
 * In streams without an index seeks land where they can.  When they landed so late that no frame at or before the origin was seen: further ahead once
 * more; false when there is no need, or no way.
 */
bool vrs_av_seek_earlier(struct vrs_av_reader *reader)
{
	int64_t earlier = av_rescale_q(LATE_SEEK_SECONDS, (AVRational){1, 1}, reader->stream->time_base);
	enum vrs_status status;

	if (!vrs_av_seek_starts_late(reader) || reader->saw_earlier || reader->ts.started || reader->late_seeks > MOST_LATE_SEEKS)
		return false;
	earlier = reader->late_seeks == MOST_LATE_SEEKS ? INT64_MAX / 4 : earlier << (2 * reader->late_seeks);
	reader->late_seeks++;
	pthread_mutex_lock(&reader->demux_lock);
	status = seek_origin(reader, earlier, NULL);
	if (!status) {
		avcodec_flush_buffers(reader->decoder);
		reader->input_ended = false;
		reader->end_code = 0;
		vrs_packet_relay_clear(reader->relay); /* audio from where it landed comes again */
	}
	pthread_mutex_unlock(&reader->demux_lock);
	return status == VRS_OK;
}

bool vrs_av_seek_landed_late(struct vrs_av_reader *reader, const AVFrame *frame)
{
	int64_t ts = frame->best_effort_timestamp;

	return ts != AV_NOPTS_VALUE && ts > wanted_from(reader) && vrs_av_seek_earlier(reader);
}
