/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/av_seek.h"

#include <math.h>

#include <libavutil/avstring.h>

#include "video/av_support.h"

/* How much earlier to try when a seek landed behind the start, in streams without an index; four times as much each time, then the beginning. */
#define LATE_SEEK_SECONDS 2
#define MOST_LATE_SEEKS 3
#define ROUNDED_US 1000 /* times are told in milliseconds */

/*
 * The first time stamp of the stream at or after a time.  Both are rounded, so that the nearest one counts as the same; of a time base as coarse as a
 * frame only one within a millisecond.
 */
static int64_t first_at(int64_t us, const AVStream *stream)
{
	double half_unit_us = av_q2d(stream->time_base) * AV_TIME_BASE / 2;

	return av_rescale_q_rnd(us - (int64_t)fmin(half_unit_us, ROUNDED_US), AV_TIME_BASE_Q, stream->time_base, AV_ROUND_UP);
}

/*
 * The file's first time stamp becomes 0, as in FFmpeg's own tools, so that audio and video keep their distance.  They do with a start as well: where
 * the time base of the video is a frame (AVI), the clock of all streams begins with the first frame that is wanted.
 */
void vrs_av_seek_init(struct vrs_av_seek *seek, AVFormatContext *demuxer, const AVStream *stream, const struct vrs_source_options *options)
{
	int64_t first_us = demuxer->start_time != AV_NOPTS_VALUE ? demuxer->start_time : 0;

	*seek = (struct vrs_av_seek){
		.demuxer = demuxer, .stream = stream, .first_us = first_us, .skip = options->skip, .limit = INT64_MAX, .at_beginning = true};
	int64_t start_us = first_us + (int64_t)llround(options->start_seconds * AV_TIME_BASE);
	bool has_start = options->start_seconds > 0;
	seek->origin = has_start ? first_at(start_us, stream) : av_rescale_q(start_us, AV_TIME_BASE_Q, stream->time_base);
	seek->origin_us = has_start ? av_rescale_q(seek->origin, stream->time_base, AV_TIME_BASE_Q) : start_us;
	/* Microseconds are coarser than some time bases: where the video begins the file, its own stamp is exact. */
	if (!has_start && stream->start_time != AV_NOPTS_VALUE &&
	    av_rescale_q(stream->start_time, stream->time_base, AV_TIME_BASE_Q) == first_us)
		seek->origin = stream->start_time;
	seek->drop_before_origin = has_start;
	if (options->duration_seconds > 0)
		seek->limit = first_at(start_us + (int64_t)llround(options->duration_seconds * AV_TIME_BASE), stream) - seek->origin;
}

bool vrs_av_seek_starts_late(const struct vrs_av_seek *seek)
{
	return seek->drop_before_origin || seek->skip > 0;
}

bool vrs_av_seek_is_due(const struct vrs_av_seek *seek)
{
	int64_t begin = seek->stream->start_time;

	return vrs_av_seek_starts_late(seek) && (begin == AV_NOPTS_VALUE || seek->origin + seek->skip > begin);
}

bool vrs_av_opens_its_own(const AVFormatContext *demuxer)
{
	return av_match_name(demuxer->iformat->name, "hls,dash,imf,concat") > 0;
}

/*
 * Demuxers look for a place by reading on, and tell of success or failure when it is too late: what they have read, a pipe does not give back.  Those
 * without bytes of their own (RTSP, devices) know better, and some protocols (RTMP) go to a time.
 */
static bool can_seek(const AVFormatContext *demuxer)
{
	if (demuxer->ctx_flags & AVFMTCTX_UNSEEKABLE)
		return false;
	return !demuxer->pb || demuxer->pb->seekable != 0 || vrs_av_opens_its_own(demuxer);
}

/*
 * To the last key frame at or before the first wanted frame, or before `earlier` (stream time base) in front of it.  Where none lies there, AVI says
 * so, while other containers go to the first one: then to the beginning.
 */
static int seek_ahead(struct vrs_av_seek *seek, int64_t earlier)
{
	int64_t to = seek->origin + seek->skip - earlier;
	int rc = avformat_seek_file(seek->demuxer, seek->stream->index, INT64_MIN, to, to, 0);

	seek->at_beginning = rc < 0;
	if (rc < 0 && (earlier > 0 || !seek->drop_before_origin))
		rc = avformat_seek_file(seek->demuxer, -1, INT64_MIN, seek->first_us, INT64_MAX, 0);
	return rc;
}

enum vrs_status vrs_av_seek_first(struct vrs_av_seek *seek, const char *name, struct vrs_error *err)
{
	int rc;

	if (!can_seek(seek->demuxer))
		return vrs_fail(err, VRS_EUNSUPPORTED, "cannot seek in %s", name);
	vrs_av_capture_begin();
	rc = seek_ahead(seek, 0);
	if (rc < 0)
		return vrs_av_fail(err, VRS_EUNSUPPORTED, rc, "cannot seek in %s", name);
	vrs_av_capture_end();
	seek->saw_earlier = false;
	seek->late_seeks = 0;
	return VRS_OK;
}

bool vrs_av_seek_earlier(struct vrs_av_seek *seek)
{
	int64_t earlier = av_rescale_q(LATE_SEEK_SECONDS, (AVRational){1, 1}, seek->stream->time_base);
	int rc;

	if (!vrs_av_seek_starts_late(seek) || seek->saw_earlier || seek->at_beginning || seek->late_seeks > MOST_LATE_SEEKS || !can_seek(seek->demuxer))
		return false;
	earlier = seek->late_seeks == MOST_LATE_SEEKS ? INT64_MAX / 4 : earlier << (2 * seek->late_seeks);
	seek->late_seeks++;
	vrs_av_capture_begin();
	rc = seek_ahead(seek, earlier);
	vrs_av_capture_end();
	return rc >= 0;
}

bool vrs_av_seek_is_late(const struct vrs_av_seek *seek, int64_t ts)
{
	return ts != AV_NOPTS_VALUE && ts > seek->origin + seek->skip;
}
