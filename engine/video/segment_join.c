/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/segment_join.h"

#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "video/av_input.h"
#include "video/av_support.h"
#include "video/sink_av.h"

struct join {
	struct vrs_sink_av sink;
	const struct vrs_sink_options *options;
	AVFormatContext *file;   /* the one that is read */
	AVStream *stream;         /* of it */
	AVCodecParameters *codec; /* of the first segment */
	AVPacket *packet;
	int64_t last_dts;
	int64_t shift;            /* of decoding times of the segment that is read, to earlier ones */
	bool is_last;             /* no segment follows */
};

static enum vrs_status open_piece(struct join *join, const struct vrs_segment_file *file, struct vrs_error *err)
{
	enum vrs_status status = vrs_av_input_open(&join->file, file->path, file->path, NULL, NULL, err);

	if (status == VRS_OK)
		status = vrs_av_input_stream(&join->stream, join->file, file->path, err);
	return status == VRS_ENOTFOUND || status == VRS_EIO ? vrs_fail(err, VRS_EFORMAT, "the segment %s is missing or cannot be read", file->path) : status;
}

/* Packets of one parameter set follow each other only under the same parameter set. */
static bool same_codec(const AVCodecParameters *a, const AVCodecParameters *b)
{
	return a->codec_id == b->codec_id && a->width == b->width && a->height == b->height && a->extradata_size == b->extradata_size &&
	       (a->extradata_size == 0 || memcmp(a->extradata, b->extradata, (size_t)a->extradata_size) == 0);
}

static enum vrs_status start(struct join *join, const char *target, struct vrs_source *source, struct vrs_error *err)
{
	const AVOutputFormat *format = av_guess_format(NULL, vrs_path_base(target), NULL);
	enum vrs_status status;

	join->codec = avcodec_parameters_alloc();
	if (!join->codec || avcodec_parameters_copy(join->codec, join->stream->codecpar) < 0)
		return vrs_fail_nomem(err);
	if (!format)
		return vrs_fail(err, VRS_ECONFIG, "cannot tell the container from the name %s", target);
	status = vrs_sink_target_open(&join->sink.target, target, join->options, source, err);
	return status != VRS_OK ? status : vrs_sink_av_start(&join->sink, format, NULL, join->codec, NULL, join->options, source, err);
}

/*
 * A segment with B frames begins with as many packets as pictures are reordered whose decoding times lie before its first picture, but one that ends
 * before has none of them.  It leaves room for those of the next segment, a tick for each: more where a tick is short is not needed.
 */
static int64_t room_for_next(const struct join *join)
{
	int64_t lead = join->packet->pts - join->packet->dts, wanted = join->stream->codecpar->video_delay;

	return join->is_last || lead >= wanted ? 0 : wanted - lead;
}

/* The packet onto the clock of the video; decoding times stay strictly increasing over the joints. */
static bool place(struct join *join, const struct vrs_segment_file *file, bool is_first)
{
	AVPacket *packet = join->packet;

	av_packet_rescale_ts(packet, join->stream->time_base, join->sink.time_base);
	if (packet->pts == AV_NOPTS_VALUE || packet->dts == AV_NOPTS_VALUE)
		return false;
	if (is_first)
		join->shift = room_for_next(join);
	packet->pts += file->first_pts;
	packet->dts += file->first_pts - join->shift;
	if (packet->dts <= join->last_dts)
		packet->dts = join->last_dts + 1;
	join->last_dts = packet->dts;
	return packet->dts <= packet->pts;
}

static enum vrs_status copy_piece(struct join *join, const struct vrs_segment_file *file, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	int64_t frames = 0;
	int rc = 0;

	vrs_av_capture_begin();
	while (status == VRS_OK && (rc = av_read_frame(join->file, join->packet)) >= 0) {
		if (join->packet->stream_index == join->stream->index) {
			frames++;
			bool is_last = join->is_last && frames == file->frames;
			status = place(join, file, frames == 1) ? vrs_sink_av_coded(&join->sink, join->packet, file->end_pts, is_last, err)
						    : vrs_fail(err, VRS_EFORMAT, "the segment %s has impossible time stamps", file->path);
		}
		av_packet_unref(join->packet);
	}
	vrs_av_capture_end();
	if (status == VRS_OK && (rc != AVERROR_EOF || frames != file->frames))
		status = vrs_fail(err, VRS_EFORMAT, "the segment %s is damaged: it holds %" PRId64 " of %" PRId64 " frames", file->path, frames,
				  file->frames);
	return status;
}

static enum vrs_status add_piece(struct join *join, const struct vrs_segment_file *file, const char *target, struct vrs_source *source,
				 struct vrs_error *err)
{
	enum vrs_status status = open_piece(join, file, err);

	if (status == VRS_OK && !join->codec)
		status = start(join, target, source, err);
	else if (status == VRS_OK && !same_codec(join->codec, join->stream->codecpar))
		status = vrs_fail(err, VRS_ECONFIG, "the segment %s is encoded in another way than the first one; --no-resume starts anew", file->path);
	if (status == VRS_OK)
		status = copy_piece(join, file, err);
	vrs_av_input_close(&join->file);
	return status;
}

enum vrs_status vrs_segment_join(const char *target, const struct vrs_sink_options *options, struct vrs_source *source,
				 const struct vrs_segment_file *files, int count, bool whole, int *ret_bad, struct vrs_error *err)
{
	struct join join = {.options = options, .packet = av_packet_alloc(), .last_dts = INT64_MIN};
	enum vrs_status status = join.packet ? VRS_OK : vrs_fail_nomem(err);

	vrs_av_init();
	if (status == VRS_OK && count < 1)
		status = vrs_fail(err, VRS_EINVAL, "there is no segment to join into %s", target);
	for (int i = 0; status == VRS_OK && i < count; i++) {
		join.is_last = i == count - 1;
		status = add_piece(&join, &files[i], target, source, err);
		if (status == VRS_EFORMAT && ret_bad)
			*ret_bad = i;
	}
	if (status == VRS_OK)
		status = vrs_sink_av_end_coded(&join.sink, whole, err);
	vrs_sink_av_close(&join.sink.base);
	avcodec_parameters_free(&join.codec);
	av_packet_free(&join.packet);
	return status;
}
