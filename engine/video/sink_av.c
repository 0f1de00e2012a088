/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/sink_av.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <libavutil/avstring.h>

#include <vrseg/log.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/stop.h"
#include "video/av_file.h"
#include "video/av_side_data.h"
#include "video/av_support.h"
#include "video/container_clock.h"
#include "video/container_pipe.h"
#include "video/encoder_choice.h"
#include "video/encoder_light.h"
#include "video/encoder_query.h"
#include "video/matroska_uids.h"
#include "video/source_kind.h"
#include "video/srt_peer.h"
#include "video/timecode.h"

#define ASTRAY_S 0.2 /* a frame that far from its time is told */
#define OGG_TICKS 8 /* of Theora's clock for a frame of a variable rate */
#define MOST_EMPTY (UINT64_C(1) << 25) /* packets in the gaps of such a video: 15 days at 25 frames a second, 90 MB, half a minute */
#define CLOSING_NS UINT64_C(10000000000) /* a peer that takes no more for that long is gone */
#define FAREWELL_NS UINT64_C(1000000000) /* to a peer after a failure, which it may be the cause of */
#define STREAM_INTERLEAVE_US 200000 /* a stream does not wait longer for a track that has nothing */

/* A connection that a wish to stop ended; protocols have several codes for it. */
static bool was_stopped(const struct vrs_sink_av *sink)
{
	return sink->is_stream && !sink->header_written && vrs_stop_requested();
}

static enum vrs_status fail_write(const struct vrs_sink_av *sink, int rc, struct vrs_error *err)
{
	if (was_stopped(sink)) {
		vrs_av_capture_end();
		return vrs_fail(err, VRS_ESTOPPED, "stopped before %s was connected", sink->target.path);
	}
	return vrs_av_fail(err, rc == AVERROR(EINVAL) ? VRS_EINTERNAL : VRS_EIO, rc, "cannot write %s", sink->target.path);
}

/* What comes of reading on for the copied streams. */
static enum vrs_status end_copy(struct vrs_sink_av *sink, int rc, struct vrs_error *err)
{
	const struct vrs_av_reader *reader = sink->copy.reader;

	if (rc < 0)
		return fail_write(sink, rc, err);
	if (!reader || !reader->rest_code)
		return VRS_OK;
	vrs_av_capture_end(); /* what was kept until here is of other files, too */
	if (reader->is_far_ahead)
		return vrs_av_reader_fail_ahead(reader, err);
	return vrs_av_fail(err, VRS_EIO, reader->rest_code, "cannot read audio and subtitles of %s to their end", reader->name);
}

/* Ogg has the times of Theora in frames, by the rate in the header of the video. */
static bool counts_theora(const AVOutputFormat *format, enum AVCodecID codec)
{
	return codec == AV_CODEC_ID_THEORA && av_match_name(format->name, "ogg,ogv");
}

/* Muxers of the MP4 family rewrite packets of these, and their parameter sets with them. */
static bool is_rewritten(enum AVCodecID codec)
{
	return codec == AV_CODEC_ID_H264 || codec == AV_CODEC_ID_HEVC || codec == AV_CODEC_ID_AV1;
}

/*
 * Packets of segments need the parameter sets that lie beside them.  All else comes from the encoder: tag, colours and aspect ratio are in each
 * container what it can say of them, and what lies there for an encoder without parameter sets is the container's own.
 */
static enum vrs_status take_extradata(AVCodecParameters *codec, const AVCodecParameters *coded, struct vrs_error *err)
{
	size_t size = (size_t)coded->extradata_size;
	uint8_t *copy;

	if (codec->codec_id != coded->codec_id || codec->width != coded->width || codec->height != coded->height)
		return vrs_fail(err, VRS_EFORMAT, "the first segment is not what the encoder makes with these options");
	if (size == 0 || (codec->extradata_size == 0 && !is_rewritten(codec->codec_id)))
		return VRS_OK;
	copy = av_mallocz(size + AV_INPUT_BUFFER_PADDING_SIZE);
	if (!copy)
		return vrs_fail_nomem(err);
	memcpy(copy, coded->extradata, size);
	av_freep(&codec->extradata);
	codec->extradata = copy;
	codec->extradata_size = coded->extradata_size;
	return VRS_OK;
}

static void choose_time_base(struct vrs_sink_av *sink, bool coded, const struct vrs_sink_options *options)
{
	sink->last_dts = INT64_MIN;
	sink->fills_gaps = counts_theora(sink->muxer->oformat, sink->encoder.context->codec_id);
	sink->counts_frames = sink->fills_gaps || vrs_container_counts_frames(sink->muxer->oformat, sink->source_stream, options);
	if (sink->fills_gaps)
		sink->video->time_base = sink->encoder.context->time_base;
	else if (sink->counts_frames)
		sink->video->time_base = (AVRational){options->fps_den, options->fps_num};
	else
		sink->video->time_base = coded ? sink->time_base : sink->encoder.packet_base;
}

static void tell_lost_light(const struct vrs_sink_av *sink)
{
	const AVOutputFormat *muxer = sink->muxer->oformat;

	if (!sink->encoder.tells_light && !vrs_encoder_light_is_held(muxer) &&
	    vrs_encoder_light_applies(sink->source_stream, sink->video->codecpar->color_trc))
		vrs_log(VRS_LOG_WARNING, "mastering display and light levels of the video are left out: a %s file cannot hold them, nor does encoder %s write "
			"them; .mp4 and .mkv hold them, libx264, libx265 and libsvtav1 write them", muxer->name, sink->encoder.context->codec->name);
}

/* The video stream, as the encoder describes it; coded: its packets exist already, this is what their file says of them. */
static enum vrs_status add_video(struct vrs_sink_av *sink, const AVCodecParameters *coded, const struct vrs_sink_options *options,
				 struct vrs_error *err)
{
	const AVCodecContext *context = sink->encoder.context;
	AVStream *video = avformat_new_stream(sink->muxer, NULL);
	enum vrs_status status;

	if (!video || avcodec_parameters_from_context(video->codecpar, context) < 0)
		return vrs_fail_nomem(err);
	status = coded ? take_extradata(video->codecpar, coded, err) : VRS_OK;
	if (status != VRS_OK)
		return status;
	sink->video = video;
	choose_time_base(sink, coded, options);
	video->avg_frame_rate = context->framerate;
	video->sample_aspect_ratio = context->sample_aspect_ratio;
	video->disposition = AV_DISPOSITION_DEFAULT;
	if (options->segment_of)
		return VRS_OK;
	if (video->codecpar->codec_id == AV_CODEC_ID_HEVC && av_match_name(sink->muxer->oformat->name, "mp4,mov"))
		video->codecpar->codec_tag = MKTAG('h', 'v', 'c', '1'); /* Apple's players refuse hev1 */
	status = sink->source_stream ? vrs_stream_copy_tags(&video->metadata, sink->source_stream->metadata) : VRS_OK;
	if (options->format.planes == 4 && (video->codecpar->codec_id == AV_CODEC_ID_VP8 || video->codecpar->codec_id == AV_CODEC_ID_VP9))
		(void)av_dict_set(&video->metadata, "alpha_mode", "1", 0); /* Matroska's flag that alpha lies beside the packets */
	if (status == VRS_OK)
		status = vrs_av_side_write(video, sink->muxer->oformat, options->side, sink->source_stream);
	tell_lost_light(sink);
	vrs_av_encoder_tell_profile(&sink->encoder);
	return status != VRS_OK ? vrs_fail_nomem(err) : VRS_OK;
}

static int open_bytes(struct vrs_sink_av *sink, const char *url)
{
	AVIOContext **bytes = &sink->muxer->pb;

	if (!sink->is_file)
		return avio_open2(bytes, url, AVIO_FLAG_WRITE, &sink->interrupt, &sink->io_options);
	*bytes = vrs_av_file_open(sink->target.temp.fd);
	return *bytes ? 0 : AVERROR(ENOMEM);
}

/* A protocol may have words of its own for the end (rtmp), and wait for room for each of them. */
static int close_bytes(struct vrs_sink_av *sink, uint64_t most_ns)
{
	sink->deadline_ns = vrs_now_ns() + most_ns;
	return sink->is_file ? vrs_av_file_close(&sink->muxer->pb) : avio_closep(&sink->muxer->pb);
}

/* Do its files have identifiers that FFmpeg draws at random, and nobody replaces at the end?  All of Ogg have the same muxer. */
static bool draws_identifiers(const AVOutputFormat *format, bool is_file)
{
	return av_match_name(format->name, "mxf,ogg,oga,ogv,opus,spx") > 0 || (vrs_av_is_matroska(format) && !is_file);
}

static enum vrs_status open_muxer(struct vrs_sink_av *sink, const AVOutputFormat *format, const char *url, struct vrs_error *err)
{
	char name[PATH_MAX + 8];
	int rc;

	sink->is_file = !url && !sink->target.direct;
	if (!url) {
		snprintf(name, sizeof name, "file:%s", sink->target.path);
		url = name;
	}
	rc = avformat_alloc_output_context2(&sink->muxer, format, NULL, url);
	if (rc < 0)
		return vrs_fail_nomem(err);
	/* st3d and sv3d boxes, high bit depths in y4m, and FLAC in .mp4 are beyond the strict standards. */
	sink->muxer->strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL;
	if (draws_identifiers(format, sink->is_file)) /* they are left out, or are the numbers of the streams */
		sink->muxer->flags |= AVFMT_FLAG_BITEXACT;
	if (sink->is_stream) {
		sink->muxer->flags |= AVFMT_FLAG_FLUSH_PACKETS;
		sink->muxer->max_delay = 0;
		sink->muxer->max_interleave_delta = STREAM_INTERLEAVE_US;
	}
	rc = format->flags & AVFMT_NOFILE ? 0 : open_bytes(sink, url);
	return rc < 0 ? fail_write(sink, rc, err) : VRS_OK;
}

static enum vrs_status write_header(struct vrs_sink_av *sink, struct vrs_error *err)
{
	int rc;

	vrs_av_capture_begin();
	rc = avformat_write_header(sink->muxer, NULL);
	if (rc < 0 && was_stopped(sink))
		return fail_write(sink, rc, err);
	if (rc < 0)
		return vrs_av_fail(err, rc == AVERROR(EINVAL) || rc == AVERROR_INVALIDDATA ? VRS_ECONFIG : VRS_EIO, rc, "cannot begin %s",
				      sink->target.path);
	vrs_av_capture_end();
	sink->header_written = true;
	return VRS_OK;
}

/* Segments do not have the name of the video. */
static enum vrs_status segment_encoder(const AVCodec **ret_codec, const struct vrs_sink_options *options, struct vrs_error *err)
{
	const char *name = vrs_encoder_wanted(NULL, options->encoder, options->format.planes == 4);

	return vrs_encoder_find(ret_codec, name ? name : "libx264", err);
}

/* What colours mean has to be the same in all segments, and in what is joined of them. */
static const AVOutputFormat *whole_format(const struct vrs_sink_options *options, const AVOutputFormat *format)
{
	const AVOutputFormat *whole = options->segment_of ? av_guess_format(NULL, vrs_path_base(options->segment_of), NULL) : NULL;

	return whole ? whole : format;
}

/*
 * Theora in Ogg, of a video with a variable frame rate: its clock is made faster than the frames come on average, so that each finds its place, and
 * the bit rate with it, which is one for each tick.
 */
static enum vrs_status open_encoder(struct vrs_sink_av *sink, const AVOutputFormat *format, const AVCodec *codec,
				    const struct vrs_sink_options *options, const struct vrs_source *source, bool coded, struct vrs_error *err)
{
	struct vrs_sink_options own = *options;
	int64_t bit_rate = source ? source->info.bit_rate : 0;
	enum vrs_status status;

	own.light_of = source && source->reader ? source->reader->stream : NULL;
	own.profiles = source ? source->profiles : NULL;
	own.frame_clock = vrs_container_counts_frames(format, sink->source_stream, options);
	if (!coded && counts_theora(format, codec->id) && !vrs_av_has_one_rate(sink->source_stream) && own.fps_num <= INT_MAX / OGG_TICKS) {
		own.fps_num *= OGG_TICKS;
		own.bit_rate *= own.bit_rate > 0 && own.bit_rate < INT32_MAX ? OGG_TICKS : 1;
		bit_rate *= bit_rate < INT32_MAX ? OGG_TICKS : 1;
	}
	status = vrs_av_encoder_open(&sink->encoder, codec, &own, whole_format(options, format), bit_rate, err);
	return status != VRS_OK ? status : vrs_container_check_rate(format, sink->source_stream, sink->encoder.context, sink->target.path, options, err);
}

/*
 * Most containers have their chapters before the video, when its end is known from the options alone: where no more frames are asked for than there
 * are.  In the time base of the reader's stream, from the origin; INT64_MAX: not known.
 */
static int64_t foreseen_end(const struct vrs_av_reader *reader, const struct vrs_sink_options *options)
{
	int64_t asked = reader ? reader->seek.limit : INT64_MAX, begin, end, last;

	if (!reader || options->most_frames < 1 || options->fps_num < 1 || options->fps_den < 1 || !vrs_av_has_one_rate(reader->stream) ||
	    reader->stream->duration <= 0 || reader->stream->start_time == AV_NOPTS_VALUE)
		return asked;
	begin = av_sat_sub64(reader->stream->start_time, reader->seek.origin);
	last = av_sat_add64(begin, reader->stream->duration);
	end = av_rescale_q(options->most_frames, (AVRational){options->fps_den, options->fps_num}, reader->stream->time_base);
	end = av_sat_add64(begin > 0 ? begin : 0, end);
	return end > 0 && end <= last && end < asked ? end : asked;
}

/* A tag of the file or of the video: that of the first frame that is wanted, in the rate of the output. */
static enum vrs_status settle_timecode(struct vrs_sink_av *sink, const struct vrs_sink_options *options, const struct vrs_source *source,
				       struct vrs_error *err)
{
	const struct vrs_av_reader *reader = sink->copy.reader;
	int64_t skipped = 0;

	if (!reader)
		return VRS_OK;
	AVRational from = {source->info.fps_num, source->info.fps_den}, to = {options->fps_num, options->fps_den};
	if (reader->seek.drop_before_origin && reader->stream->start_time != AV_NOPTS_VALUE && from.num > 0 && from.den > 0)
		skipped = av_rescale_q(av_sat_sub64(reader->seek.origin, reader->stream->start_time), reader->stream->time_base, av_inv_q(from));
	skipped = skipped > 0 ? skipped : 0;
	if (vrs_timecode_tag(&sink->muxer->metadata, from, to, skipped) < 0 || vrs_timecode_tag(&sink->video->metadata, from, to, skipped) < 0)
		return vrs_fail_nomem(err);
	return VRS_OK;
}

enum vrs_status vrs_sink_av_start(struct vrs_sink_av *sink, const AVOutputFormat *format, const AVCodec *codec, const AVCodecParameters *coded,
				  const char *url, const struct vrs_sink_options *options, struct vrs_source *source, struct vrs_error *err)
{
	struct vrs_av_reader *reader = source && !options->segment_of ? source->reader : NULL;
	enum vrs_status status = VRS_OK;

	sink->source_stream = reader ? reader->stream : NULL;
	sink->time_base = (AVRational){options->time_base_num, options->time_base_den};
	sink->step = options->fps_num > 0 ? av_rescale_q(1, (AVRational){options->fps_den, options->fps_num}, sink->time_base) : 1;
	sink->every_nth = options->every_nth > 1 ? options->every_nth : 1;
	sink->last_index = -1;
	sink->last_pts = INT64_MIN;
	sink->has_no_times = vrs_container_has_no_times(format);
	if (coded)
		status = segment_encoder(&codec, options, err);
	if (status == VRS_OK)
		status = open_encoder(sink, format, codec, options, source, coded, err);
	if (status == VRS_OK && sink->target.is_pipe) /* before it waits for a reader */
		status = vrs_container_check_pipe(format, sink->encoder.context, sink->target.path, err);
	if (status == VRS_OK)
		status = open_muxer(sink, format, url, err);
	if (status == VRS_OK)
		status = add_video(sink, coded, options, err);
	if (status == VRS_OK && sink->is_file && !options->segment_of && vrs_av_is_mp4(format)) /* joining needs segments as they are encoded */
		status = vrs_track_end_init(&sink->track, sink->step, sink->time_base) == VRS_OK ? VRS_OK : vrs_fail_nomem(err);
	if (coded)
		vrs_av_encoder_close(&sink->encoder);
	if (status == VRS_OK)
		status = vrs_stream_copy_open(&sink->copy, reader, sink->muxer, options->audio, foreseen_end(reader, options), err);
	if (status == VRS_OK)
		status = settle_timecode(sink, options, source, err);
	return status != VRS_OK ? status : write_header(sink, err);
}

/*
 * The MP4 family keeps time stamps of both kinds exactly; which member depends on the codec.  What it does not know goes into NUT, which keeps one
 * kind: enough where pictures are decoded in the order in which they are shown.
 */
static const AVOutputFormat *segment_format(const AVCodec *codec)
{
	static const char *const names[] = {"mov", "mp4", "nut"};
	const AVCodecDescriptor *descriptor = avcodec_descriptor_get(codec->id);
	bool in_order = descriptor && !(descriptor->props & AV_CODEC_PROP_REORDER);

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		const AVOutputFormat *format = av_guess_format(names[i], NULL, NULL);

		if (format && (in_order || strcmp(names[i], "nut") != 0) && vrs_encoder_muxes(format, codec->id) == 1)
			return format;
	}
	return NULL;
}

static enum vrs_status sink_av_open(struct vrs_sink *base, const char *path, const struct vrs_sink_options *options, struct vrs_source *source,
				    struct vrs_error *err)
{
	struct vrs_sink_av *sink = (struct vrs_sink_av *)base;
	const AVOutputFormat *format = av_guess_format(NULL, vrs_path_base(path), NULL);
	const AVCodec *codec = NULL;
	enum vrs_status status;

	if (options->segment_of) {
		status = segment_encoder(&codec, options, err);
		format = status != VRS_OK ? NULL : segment_format(codec);
		if (status == VRS_OK && !format)
			status = vrs_fail(err, VRS_EUNSUPPORTED, "video of encoder %s cannot be joined from segments", codec->name);
	} else {
		if (!format && strcmp(path, "/dev/null") == 0)
			format = av_guess_format("matroska", NULL, NULL);
		if (!format || (format->flags & AVFMT_NOFILE))
			return vrs_fail(err, VRS_ECONFIG, "cannot tell the container from the name %s; end it in .mp4, .mkv, .mov or .webm", path);
		status = vrs_encoder_choose(&codec, format, path, options, err);
	}
	if (status == VRS_OK)
		status = vrs_sink_target_open(&sink->target, path, options, options->segment_of ? NULL : source, err);
	return status != VRS_OK ? status : vrs_sink_av_start(sink, format, codec, NULL, NULL, options, source, err);
}

bool vrs_sink_av_takes_segments(const char *target, const char *encoder)
{
	const AVOutputFormat *format = av_guess_format(NULL, vrs_path_base(target), NULL);
	const char *name = vrs_encoder_wanted(format, encoder, false);
	const AVCodec *codec = name ? avcodec_find_encoder_by_name(name) : NULL;

	/*
	 * Parameter sets apart from the packets, as in the segments; the opacity of VP8 and VP9 lies beside them and would be lost.  FFmpeg reads ASF
	 * without the borders of packets, and takes what an encoder says of itself before the first picture of each segment for a picture.
	 */
	return format && (format->flags & AVFMT_GLOBALHEADER) && !(format->flags & (AVFMT_NOFILE | AVFMT_NOTIMESTAMPS)) &&
	       strcmp(format->name, "asf") != 0 && codec && codec->id != AV_CODEC_ID_VP8 && codec->id != AV_CODEC_ID_VP9 && segment_format(codec);
}

static int write_empty(const struct vrs_sink_av *sink, AVPacket *empty, int64_t dts)
{
	int rc = av_new_packet(empty, 0);

	if (rc < 0)
		return rc;
	empty->stream_index = sink->video->index;
	empty->pts = empty->dts = dts;
	vrs_stop_moved();
	return av_interleaved_write_frame(sink->muxer, empty);
}

/* Theora in Ogg has a packet for each unit of time, an empty one where the picture before stays.  Times of damaged files may be anywhere. */
static enum vrs_status fill_gap(struct vrs_sink_av *sink, int64_t dts, struct vrs_error *err)
{
	bool has_gap = sink->last_dts != INT64_MIN && dts > sink->last_dts;
	uint64_t gap = has_gap ? (uint64_t)dts - (uint64_t)sink->last_dts - 1 : 0;
	AVPacket *empty;
	int rc = 0;

	if (gap > MOST_EMPTY - sink->empty)
		return vrs_fail(err, VRS_EUNSUPPORTED, "%s: pauses of %.0f s are too long for Ogg; choose another container, such as .mkv",
				sink->target.path, ((double)sink->empty + (double)gap) * av_q2d(sink->video->time_base));
	if (gap == 0)
		return VRS_OK;
	empty = av_packet_alloc();
	if (!empty)
		return vrs_fail_nomem(err);
	for (int64_t next = sink->last_dts + 1; rc >= 0 && next < dts; next++)
		rc = write_empty(sink, empty, next);
	sink->empty += gap;
	av_packet_free(&empty);
	return rc < 0 ? fail_write(sink, rc, err) : VRS_OK;
}

/*
 * The first picture comes.  Where it has to be at 0 all times count from it, sound with it: FFmpeg's AVI muxer would have it there and the second one
 * at its own time, with empty ones between.
 */
static void begin_video(struct vrs_sink_av *sink, int64_t pts)
{
	if (!vrs_container_begins_with_picture(sink->muxer->oformat))
		return;
	sink->origin = av_rescale_q(pts, sink->time_base, sink->video->time_base);
	vrs_stream_copy_begin(&sink->copy, pts, sink->time_base);
}

/* A packet of the video with times in `time_base`. */
static enum vrs_status write_at_once(struct vrs_sink_av *sink, AVPacket *pkt, AVRational time_base, struct vrs_error *err)
{
	enum vrs_status status;
	int rc;

	av_packet_rescale_ts(pkt, time_base, sink->video->time_base);
	vrs_av_packet_advance(pkt, sink->origin);
	if (sink->counts_frames && pkt->dts != AV_NOPTS_VALUE) { /* times that are not quite even may round to the same frame */
		pkt->dts = pkt->dts > sink->last_dts ? pkt->dts : sink->last_dts + 1;
		pkt->pts = pkt->pts != AV_NOPTS_VALUE && pkt->pts < pkt->dts ? pkt->dts : pkt->pts;
	}
	pkt->duration = pkt->duration > INT32_MAX ? 0 : pkt->duration; /* more is an error to the MP4 family */
	pkt->stream_index = sink->video->index;
	status = sink->fills_gaps ? fill_gap(sink, pkt->dts, err) : VRS_OK;
	if (status != VRS_OK)
		return status;
	sink->last_dts = pkt->dts;
	rc = av_interleaved_write_frame(sink->muxer, pkt);
	if (rc >= 0 && sink->muxer->pb && sink->muxer->pb->error < 0)
		rc = sink->muxer->pb->error;
	vrs_stop_moved(); /* an encoder that is flushed, segments that are joined */
	return rc < 0 ? fail_write(sink, rc, err) : VRS_OK;
}

/* The same, of files in the MP4 family the one before it. */
static enum vrs_status write_packet(struct vrs_sink_av *sink, AVPacket *pkt, AVRational time_base, struct vrs_error *err)
{
	return sink->track.held && !vrs_track_end_swap(&sink->track, pkt, time_base) ? VRS_OK : write_at_once(sink, pkt, time_base, err);
}

/* What is held back, when it is the last one. */
static enum vrs_status write_last(struct vrs_sink_av *sink, struct vrs_error *err)
{
	AVPacket *pkt = vrs_track_end_last(&sink->track, sink->end);

	return pkt ? write_at_once(sink, pkt, sink->track.base, err) : VRS_OK;
}

/*
 * Where copied streams end.  Those of a whole video have their own end, which may lie behind its last frame, but not behind that of the time that is
 * asked of the source; else it is the end of the last frame.
 */
static int64_t copy_limit(const struct vrs_sink_av *sink, bool whole)
{
	int64_t asked = sink->copy.reader ? sink->copy.reader->seek.limit : INT64_MAX;

	return whole || sink->end > asked ? asked : sink->end;
}

/*
 * Up to where they may be written while frames come, of which the latest has this time.  What is in a file cannot be taken back: where that frame
 * ends is known when the next one comes, and may be earlier than it says.
 */
static int64_t interim_limit(const struct vrs_sink_av *sink, int64_t latest)
{
	int64_t limit = copy_limit(sink, false);

	return sink->is_file && latest < limit ? latest : limit;
}

/* The latest frame ends by its own duration, but not before its successor would come that is left out, and not behind the time that is asked for. */
static void note_end(struct vrs_sink_av *sink, int64_t pts, int64_t own)
{
	int64_t left = sink->copy.reader && sink->copy.reader->seek.limit < INT64_MAX ? sink->copy.reader->seek.limit - pts : INT64_MAX;

	if (own < 1 || (sink->every_nth > 1 && own < sink->step))
		own = sink->step;
	if (own > sink->step && own > left)
		own = left > sink->step ? left : sink->step;
	sink->end = pts + own;
	sink->ends_late = own > sink->step + 1 && !sink->counts_frames;
}

/*
 * Muxers take the average of all frames for the duration of a packet, and the latest end for that of the file.  Where the rate varies the last frames
 * may be shorter: no packet reaches beyond the end of the frames that came until now.  The last one may also be a picture that stays: then its packet
 * lasts to its end, and so do those of B frames that come behind it.  Not in Matroska, where only the header would say so: a file whose last picture
 * ends earlier is taken for a truncated one.
 */
static void set_duration(const struct vrs_sink_av *sink, AVPacket *pkt, AVRational time_base, int64_t end, bool is_last)
{
	if (pkt->pts == AV_NOPTS_VALUE || sink->counts_frames)
		return;
	int64_t left = av_sat_sub64(end, av_rescale_q(pkt->pts, time_base, sink->time_base));
	int64_t taken = pkt->duration > 0 ? av_rescale_q(pkt->duration, time_base, sink->time_base) : sink->step;
	bool stays = is_last && sink->ends_late && !vrs_av_is_matroska(sink->muxer->oformat);

	if (left > 0 && (stays || left < taken - 1))
		pkt->duration = av_rescale_q(left, sink->time_base, time_base);
}

enum vrs_status vrs_sink_av_coded(struct vrs_sink_av *sink, AVPacket *pkt, int64_t segment_end, bool is_last, struct vrs_error *err)
{
	int64_t end = pkt->pts + (pkt->duration > 0 ? pkt->duration : sink->step); /* MP4 says nothing of durations where there are B frames */
	bool is_first = sink->last_pts == INT64_MIN;
	enum vrs_status status;

	if (end > sink->end)
		sink->end = end;
	if (pkt->pts > sink->last_pts)
		sink->last_pts = pkt->pts;
	is_last = is_last && segment_end > sink->last_pts;
	if (is_last)
		note_end(sink, sink->last_pts, segment_end - sink->last_pts);
	set_duration(sink, pkt, sink->time_base, is_last ? sink->end : segment_end, is_last);
	if (is_first)
		begin_video(sink, pkt->pts);
	status = end_copy(sink, vrs_stream_copy_catch_up(&sink->copy, sink->muxer, interim_limit(sink, sink->last_pts), sink->time_base), err);
	pkt->pos = -1;
	return status != VRS_OK ? status : write_packet(sink, pkt, sink->time_base, err);
}

/* Complete the file: what is left of the copied streams, the trailer, identifiers, the name. */
static enum vrs_status close_file(struct vrs_sink_av *sink, int64_t limit, struct vrs_error *err)
{
	enum vrs_status status = end_copy(sink, vrs_stream_copy_finish(&sink->copy, sink->muxer, limit, sink->time_base), err);
	int rc;

	if (status != VRS_OK)
		return status;
	rc = vrs_stream_copy_pad(&sink->copy, sink->muxer, sink->end, sink->time_base);
	if (rc >= 0)
		rc = av_write_trailer(sink->muxer);
	if (rc >= 0 && sink->is_srt)
		rc = vrs_srt_await_peer(sink->muxer->pb);
	if (rc >= 0)
		rc = close_bytes(sink, CLOSING_NS);
	if (rc < 0)
		return fail_write(sink, rc, err);
	if (!sink->is_file)
		return VRS_OK;
	status = vrs_stream_copy_complete(&sink->copy, sink->target.temp.path, err);
	if (status == VRS_OK)
		status = vrs_av_is_matroska(sink->muxer->oformat) ? vrs_matroska_uids_set(sink->target.temp.path, err) : VRS_OK;
	return status != VRS_OK ? status : vrs_sink_target_commit(&sink->target, err);
}

enum vrs_status vrs_sink_av_end_coded(struct vrs_sink_av *sink, bool whole, struct vrs_error *err)
{
	int64_t limit = copy_limit(sink, whole);
	enum vrs_status status = write_last(sink, err);

	if (status != VRS_OK)
		return status;
	while (limit == INT64_MAX && sink->copy.reader && vrs_av_reader_pump(sink->copy.reader)) {
		int rc = vrs_stream_copy_write(&sink->copy, sink->muxer, INT64_MAX, sink->time_base);

		vrs_stop_moved();
		if (rc < 0)
			return fail_write(sink, rc, err);
	}
	return close_file(sink, limit, err);
}

static enum vrs_status on_packet(void *cookie, AVPacket *pkt, struct vrs_error *err)
{
	struct vrs_sink_av *sink = cookie;

	sink->last_is_out = sink->last_is_out || pkt->pts >= sink->encoder.last_pts;
	set_duration(sink, pkt, sink->encoder.packet_base, sink->end, sink->last_is_out);
	return write_packet(sink, pkt, sink->encoder.packet_base, err);
}

/* Frames may be left out of a live job, or missing in the source. */
static void note_place(struct vrs_sink_av *sink, int64_t pts)
{
	if (sink->base.frames == 0) {
		sink->first_pts = pts;
		begin_video(sink, pts);
	}
	int64_t place = av_rescale_q(sink->base.frames, sink->encoder.context->time_base, sink->time_base);
	int64_t off = av_sat_sub64(av_sat_sub64(pts, sink->first_pts), place);

	off = off < 0 ? av_sat_sub64(0, off) : off;
	sink->astray = off > sink->astray ? off : sink->astray;
}

static void tell_astray(const struct vrs_sink_av *sink)
{
	double seconds = (double)sink->astray * av_q2d(sink->time_base);

	if (sink->has_no_times && seconds > ASTRAY_S)
		vrs_log(VRS_LOG_WARNING, "%s: %s has no time stamps, and the frames do not come at an even rate: they are up to %.1f s away from their time; "
			".mkv and .mp4 keep it", sink->target.path, sink->muxer->oformat->name, seconds);
}

enum vrs_status vrs_sink_av_write(struct vrs_sink *base, struct vrs_frame *frame, struct vrs_error *err)
{
	struct vrs_sink_av *sink = (struct vrs_sink_av *)base;
	enum vrs_status status;
	int rc;

	if (frame->pts == INT64_MIN)
		frame->pts = sink->end;
	note_place(sink, frame->pts);
	note_end(sink, frame->pts, frame->duration);
	sink->last_is_out = false;
	sink->last_index = frame->index;
	status = vrs_av_encoder_write(&sink->encoder, frame, on_packet, sink, err);
	if (status != VRS_OK)
		return status;
	rc = vrs_stream_copy_write(&sink->copy, sink->muxer, interim_limit(sink, frame->pts), sink->time_base);
	return rc < 0 ? fail_write(sink, rc, err) : VRS_OK;
}

/* All that the source has was written, but for what is left out of every so many frames. */
static bool is_whole(const struct vrs_sink_av *sink)
{
	struct vrs_av_reader *reader = sink->copy.reader;

	return reader && (reader->complete || reader->limit_reached) && sink->last_index + sink->every_nth >= (int64_t)reader->frames;
}

enum vrs_status vrs_sink_av_finish(struct vrs_sink *base, struct vrs_error *err)
{
	struct vrs_sink_av *sink = (struct vrs_sink_av *)base;
	enum vrs_status status = vrs_av_encoder_write(&sink->encoder, NULL, on_packet, sink, err);

	tell_astray(sink);
	if (status == VRS_OK)
		status = write_last(sink, err);
	if (status == VRS_OK)
		vrs_av_encoder_close(&sink->encoder); /* its memory is for whoever checks the file */
	return status != VRS_OK ? status : close_file(sink, copy_limit(sink, is_whole(sink)), err);
}

void vrs_sink_av_close(struct vrs_sink *base)
{
	struct vrs_sink_av *sink = (struct vrs_sink_av *)base;

	vrs_av_encoder_close(&sink->encoder);
	vrs_stream_copy_close(&sink->copy);
	vrs_track_end_fini(&sink->track);
	if (sink->muxer) {
		(void)close_bytes(sink, FAREWELL_NS); /* not finished: the file goes away */
		avformat_free_context(sink->muxer);
	}
	vrs_sink_target_discard(&sink->target);
}

const struct vrs_sink_kind vrs_sink_av_kind = {
	.state_size = sizeof(struct vrs_sink_av),
	.open = sink_av_open,
	.write = vrs_sink_av_write,
	.finish = vrs_sink_av_finish,
	.close = vrs_sink_av_close,
};
