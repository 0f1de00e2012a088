/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The FFmpeg source.  The first frame is decoded while opening: only a frame tells pixel format, colour tags and frame packing for certain.
 * Frames of direct formats pass by reference; what must be converted goes through one converter to the first frame's format and size.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <libavutil/pixdesc.h>

#include <vrseg/log.h>

#include "base/file.h"
#include "base/mem.h"
#include "video/av_convert.h"
#include "video/av_format.h"
#include "video/av_reader.h"
#include "video/av_side_data.h"
#include "video/color_profiles.h"
#include "video/frame_turn.h"
#include "video/hw_choice.h"
#include "video/mp4_boxes.h"
#include "video/picture_watch.h"
#include "video/source_kind.h"

struct source_av {
	struct vrs_source base;
	struct vrs_av_reader reader;
	struct vrs_source_options options;
	char *path;
	AVFrame *first;              /* decoded by open or rewind, not yet delivered */
	struct vrs_picture_watch watch; /* its picture: of delivered frames before they are turned */
	struct vrs_av_converter *converter;
	struct vrs_turn turn;
	struct vrs_frame_turner *turner; /* NULL: the pictures are upright */
	int64_t next_index;
	int64_t first_pts;
	bool told_turn;
};

static void unref_av_frame(void *owner)
{
	AVFrame *frame = owner;

	av_frame_free(&frame);
}

/* Planes of an AVFrame as a vrs_frame; takes the AVFrame. */
static void wrap(struct source_av *source, AVFrame *av, struct vrs_frame *ret)
{
	*ret = (struct vrs_frame){
		.format = source->base.info.format,
		.pts = av->pts,
		.duration = av->pkt_duration,
		.index = source->next_index++,
		.writable = av_frame_is_writable(av) > 0,
		.owner = av,
		.unref = unref_av_frame,
	};
	for (int p = 0; p < ret->format.planes; p++) {
		ret->data[p] = av->data[p];
		ret->stride_bytes[p] = av->linesize[p];
	}
}

/* True when the samples can be used where they are. */
static bool fits(const struct source_av *source, const AVFrame *av)
{
	bool same = source->watch.as_is;

	for (int p = 0; p < source->watch.picture.planes; p++)
		same = same && av->linesize[p] > 0; /* some decoders deliver pictures upside down */
	return same;
}

/* Photos in a row: each says how it is held. */
static void tell_turn(struct source_av *source, const AVFrame *av)
{
	const AVStream *stream = source->reader.stream;
	struct vrs_turn turn = VRS_TURN_UPRIGHT;

	if (source->told_turn || vrs_av_display_matrix(stream))
		return;
	(void)vrs_turn_read(&turn, stream, av, source->reader.name);
	if (memcmp(&turn, &source->turn, sizeof turn) == 0)
		return;
	source->told_turn = true;
	vrs_log(VRS_LOG_WARNING, "%s: picture %" PRId64 " is to be turned otherwise than the first one; all are turned as that one", source->reader.name,
		source->next_index);
}

/* Replace *av by its conversion to the source's format. */
static enum vrs_status convert(struct source_av *source, AVFrame **av, struct vrs_error *err)
{
	const struct vrs_picture_format *format = &source->watch.picture;
	struct vrs_av_shape target = {source->watch.format, format->width, format->height, format->matrix, format->range};
	AVFrame *made = av_frame_alloc();
	enum vrs_status status = made ? VRS_OK : VRS_ENOMEM;

	if (status == VRS_OK && !source->converter)
		status = vrs_av_converter_create(&source->converter, &target);
	if (status == VRS_OK)
		status = vrs_av_convert(source->converter, *av, &source->watch.now, made, err);
	if (status != VRS_OK) {
		av_frame_free(&made);
		return status == VRS_ENOMEM ? vrs_fail_nomem(err) : status;
	}
	made->pts = (*av)->pts;
	made->pkt_duration = (*av)->pkt_duration;
	av_frame_free(av);
	*av = made;
	return VRS_OK;
}

/* The next decoded frame, which is the caller's. */
static enum vrs_status next(struct source_av *source, AVFrame **ret, struct vrs_error *err)
{
	AVFrame *av = source->first;
	enum vrs_status status = VRS_OK;

	source->first = NULL;
	if (!av) {
		av = av_frame_alloc();
		status = av ? vrs_av_reader_next(&source->reader, av, err) : vrs_fail_nomem(err);
	}
	if (status != VRS_OK) {
		av_frame_free(&av);
		return status;
	}
	*ret = av;
	return VRS_OK;
}

/* A picture without a profile of its own has that of the container. */
static enum vrs_status note_profile(struct source_av *source, const AVFrame *av, struct vrs_error *err)
{
	const AVFrameSideData *own = av_frame_get_side_data(av, AV_FRAME_DATA_ICC_PROFILE);
	size_t size;
	const uint8_t *profile = vrs_av_profile(source->reader.stream, &size);

	if (own) {
		profile = own->data;
		size = own->size;
	}
	return vrs_color_profiles_note(source->base.profiles, source->next_index, profile, size) ? vrs_fail_nomem(err) : VRS_OK;
}

static enum vrs_status source_av_read(struct vrs_source *base, struct vrs_frame *ret_frame, struct vrs_error *err)
{
	struct source_av *source = (struct source_av *)base;
	AVFrame *av = NULL;
	enum vrs_status status;

	if (!source->first)
		vrs_packet_relay_begin(source->reader.relay);
	status = next(source, &av, err);
	if (status == VRS_OK)
		tell_turn(source, av);
	if (status == VRS_OK)
		status = note_profile(source, av, err);
	if (status == VRS_OK)
		status = vrs_picture_watch_look(&source->watch, av, source->options.skip > 0 ? -1 : source->next_index, err);
	if (status == VRS_OK && !fits(source, av))
		status = convert(source, &av, err);
	if (status == VRS_OK && source->turner && vrs_frame_turner_run(source->turner, &av))
		status = vrs_fail_nomem(err);
	if (status != VRS_OK) {
		av_frame_free(&av);
		return status;
	}
	wrap(source, av, ret_frame);
	return VRS_OK;
}

static void copy_rational(int *num, int *den, AVRational value, int default_num)
{
	bool good = value.num > 0 && value.den > 0;

	*num = good ? value.num : default_num;
	*den = good ? value.den : 1;
}

/* Of a video that is delivered from a start, or for a while only; the duration stays that of the whole. */
static void cut_estimate(struct vrs_source_info *info, const struct vrs_source_options *options)
{
	double left = info->duration_seconds - options->start_seconds, wanted = options->duration_seconds;

	if (!info->fps_num || !(options->start_seconds > 0 || wanted > 0))
		return;
	if (wanted > 0 && (!(info->duration_seconds > 0) || wanted < left))
		left = wanted;
	if (left > 0)
		info->frames = llround(left * info->fps_num / info->fps_den);
}

/* Since the video stream begins, or the file where that is not known. */
static double first_seconds(const struct vrs_av_reader *reader, int64_t first_pts)
{
	const AVStream *stream = reader->stream;
	int64_t begin = stream->start_time;

	if (begin == AV_NOPTS_VALUE)
		begin = av_rescale_q(reader->seek.first_us, AV_TIME_BASE_Q, stream->time_base);
	return (double)(reader->seek.origin + first_pts - begin) * av_q2d(stream->time_base);
}

static void fill_info(struct source_av *source, const AVFrame *first)
{
	struct vrs_source_info *info = &source->base.info;
	AVFormatContext *demuxer = source->reader.demuxer;
	const AVStream *stream = source->reader.stream;
	AVRational rate = stream->avg_frame_rate.num > 0 ? stream->avg_frame_rate : av_guess_frame_rate(demuxer, source->reader.stream, NULL);

	snprintf(info->container, sizeof info->container, "%s", demuxer->iformat->name);
	snprintf(info->codec, sizeof info->codec, "%s", avcodec_get_name(stream->codecpar->codec_id));
	copy_rational(&info->fps_num, &info->fps_den, rate, 0);
	copy_rational(&info->time_base_num, &info->time_base_den, stream->time_base, 1);
	copy_rational(&info->sar_num, &info->sar_den, av_guess_sample_aspect_ratio(demuxer, source->reader.stream, NULL), 1);
	if (demuxer->duration != AV_NOPTS_VALUE && demuxer->duration > 0)
		info->duration_seconds = (double)demuxer->duration / AV_TIME_BASE;
	if (stream->duration != AV_NOPTS_VALUE && stream->duration > 0)
		info->duration_seconds = (double)stream->duration * av_q2d(stream->time_base);
	info->frames = stream->nb_frames;
	if (info->frames <= 0 && info->fps_num)
		info->frames = llround(info->duration_seconds * info->fps_num / info->fps_den);
	cut_estimate(info, &source->options);
	info->first_seconds = first_seconds(&source->reader, source->first_pts);
	info->bit_rate = stream->codecpar->bit_rate > 0 ? stream->codecpar->bit_rate : 0;
	info->decoder_threads = source->reader.decoder->thread_count;
	info->has_audio = av_find_best_stream(demuxer, AVMEDIA_TYPE_AUDIO, -1, -1, NULL, 0) >= 0;
	vrs_av_side_read(&info->side, stream, first);
	info->peak_nits = vrs_av_peak_read(stream, first);
	const char *path = vrs_path_opened(source->path);

	if (strstr(demuxer->iformat->name, "mp4") && strcmp(path, "-") != 0) {
		struct vrs_mp4_boxes boxes;

		vrs_mp4_boxes_read(&boxes, path);
		vrs_mp4_boxes_apply(&boxes, (uint32_t)stream->id, &info->side); /* the demuxer's id is the track's */
	}
}

/* What the file asks players to turn is turned here; the output has nothing left to ask for. */
static enum vrs_status stand_upright(struct source_av *source, const AVFrame *first, struct vrs_error *err)
{
	struct vrs_source_info *info = &source->base.info;

	source->turn = VRS_TURN_UPRIGHT;
	if (!vrs_turn_read(&source->turn, source->reader.stream, first, source->reader.name))
		return VRS_OK;
	if (vrs_frame_turner_create(&source->turner, &source->turn, &source->watch.picture))
		return vrs_fail_nomem(err);
	vrs_log(VRS_LOG_INFO, "%s: pictures are %s, as the file asks; the output is upright", source->reader.name, vrs_turn_words(&source->turn));
	vrs_turn_format(&info->format, &source->turn);
	if (source->turn.xy) {
		int num = info->sar_num;

		info->sar_num = info->sar_den;
		info->sar_den = num;
	}
	vrs_turn_forget(source->reader.stream);
	return VRS_OK;
}

/* Decode the first frame and learn from it. */
static enum vrs_status learn(struct source_av *source, struct vrs_error *err)
{
	AVFrame *first = NULL;
	enum vrs_status status = next(source, &first, err);

	if (status == VRS_END && source->options.skip > 0)
		return vrs_fail(err, VRS_END, "%s ends before", source->reader.name);
	if (status == VRS_END)
		status = vrs_source_fail_start(source->reader.name, source->options.start_seconds, err);
	if (status != VRS_OK)
		return status;
	source->first = first;
	source->first_pts = first->pts;
	status = note_profile(source, first, err);
	if (status != VRS_OK)
		return status;
	if (!source->watch.name)
		status = vrs_picture_watch_begin(&source->watch, vrs_source_words(source->path), source->reader.decoder->codec_id, first, err);
	else
		status = vrs_picture_watch_look(&source->watch, first, -1, err);
	if (status != VRS_OK)
		return status;
	source->base.info.format = source->base.info.stored = source->watch.picture;
	source->base.info.converted = !fits(source, first);
	if (source->base.info.converted)
		vrs_log(VRS_LOG_INFO, "%s: pictures are converted from %s to %s", source->reader.name, av_get_pix_fmt_name(first->format),
			av_get_pix_fmt_name(source->watch.format));
	if (first->interlaced_frame)
		vrs_log(VRS_LOG_WARNING, "%s is interlaced; its frames are treated as progressive", source->reader.name);
	if (vrs_av_side_adopt(source->reader.stream, first))
		return vrs_fail_nomem(err);
	status = vrs_av_side_check_colors(source->reader.stream, source->reader.name, err);
	if (status != VRS_OK)
		return status;
	fill_info(source, first);
	return stand_upright(source, first, err);
}

/* Of an input that is read from later on: pictures become what they are where it is read from its start. */
static enum vrs_status learn_start(struct source_av *source, const char *path, struct vrs_error *err)
{
	struct vrs_source_options options = source->options;
	struct vrs_av_reader reader;
	AVFrame *first = av_frame_alloc();
	enum vrs_status status;

	options.skip = 0;
	options.copies = false;
	options.on_stream = NULL;
	options.on_growth = NULL;
	options.hwdecode = NULL;
	options.threads = 1;
	status = first ? vrs_av_reader_open(&reader, path, &options, err) : vrs_fail_nomem(err);
	if (status == VRS_OK) {
		status = vrs_av_reader_next(&reader, first, err);
		if (status == VRS_END)
			status = vrs_source_fail_start(reader.name, options.start_seconds, err);
		if (status == VRS_OK)
			status = vrs_picture_watch_begin(&source->watch, vrs_source_words(source->path), reader.decoder->codec_id, first, err);
		vrs_av_reader_close(&reader);
	}
	av_frame_free(&first);
	return status;
}

static enum vrs_status source_av_open(struct vrs_source *base, const char *path, const struct vrs_source_options *options, struct vrs_error *err)
{
	struct source_av *source = (struct source_av *)base;
	enum vrs_status status;

	source->options = *options;
	source->path = vrs_strdup(path);
	if (!source->path || vrs_color_profiles_create(&base->profiles))
		return vrs_fail_nomem(err);
	source->options.hwdecode = vrs_hw_choose(vrs_path_opened(path), &source->options);
	bool is_later = source->options.skip > 0 && !vrs_source_reads_once(path), is_known = options->stored.width > 0;

	status = is_later && !is_known ? learn_start(source, path, err) : VRS_OK;
	if (status != VRS_OK)
		return status;
	status = vrs_av_reader_open(&source->reader, path, &source->options, err);
	if (status != VRS_OK)
		return status;
	if (is_later && is_known)
		vrs_picture_watch_resume(&source->watch, vrs_source_words(source->path), source->reader.decoder->codec_id, &options->stored);
	base->reader = &source->reader;
	source->options.on_stream = NULL; /* what was chosen stays, also where the input is opened again */
	source->options.threads = source->reader.threads;
	return learn(source, err);
}

/* The long way back: everything is opened again.  For inputs whose demuxer cannot seek, or lands somewhere else. */
static enum vrs_status reopen(struct source_av *source, struct vrs_error *err)
{
	uint64_t damaged = source->reader.damaged, skipped = vrs_frame_skip_count(&source->reader.skip_frames), waited_ns = source->reader.waited_ns;
	uint64_t spare = source->reader.notes.spare_bytes, planned = source->reader.notes.frame_bytes;
	enum vrs_status status;

	if (vrs_source_reads_once(source->path))
		return vrs_fail(err, VRS_EUNSUPPORTED, "%s cannot be played again", source->reader.name);
	av_frame_free(&source->first);
	vrs_av_reader_close(&source->reader);
	status = vrs_av_reader_open(&source->reader, source->path, &source->options, err);
	if (status != VRS_OK)
		return status;
	vrs_packet_relay_stop(source->reader.relay);
	source->reader.notes.spare_bytes = spare;
	source->reader.notes.frame_bytes = planned;
	source->reader.damaged = damaged;
	source->reader.skip_frames.lost = skipped;
	source->reader.waited_ns = waited_ns;
	return next(source, &source->first, err);
}

static enum vrs_status source_av_rewind(struct vrs_source *base, struct vrs_error *err)
{
	struct source_av *source = (struct source_av *)base;
	enum vrs_status status;

	source->next_index = 0;
	if (vrs_source_reads_once(source->path))
		return reopen(source, err);
	av_frame_free(&source->first);
	status = vrs_av_reader_rewind(&source->reader, NULL);
	if (status == VRS_OK)
		status = next(source, &source->first, NULL);
	if (status != VRS_OK || source->first->pts != source->first_pts)
		return reopen(source, err);
	return VRS_OK;
}

static void source_av_close(struct vrs_source *base)
{
	struct source_av *source = (struct source_av *)base;

	if (source->reader.damaged > 1)
		vrs_log(VRS_LOG_WARNING, "%s: %" PRIu64 " damaged packets or frames in all", source->reader.name, source->reader.damaged);
	if (source->reader.end.lost > 1 && source->reader.is_live)
		vrs_log(VRS_LOG_WARNING, "%s: %" PRIu64 " segments of its playlist are left out in all", source->reader.name, source->reader.end.lost);
	av_frame_free(&source->first);
	vrs_av_converter_destroy(source->converter);
	vrs_frame_turner_destroy(source->turner);
	vrs_av_reader_close(&source->reader);
	vrs_color_profiles_destroy(source->base.profiles);
	vrs_free(source->path);
}

const struct vrs_source_kind vrs_source_av_kind = {
	.state_size = sizeof(struct source_av),
	.open = source_av_open,
	.read = source_av_read,
	.rewind = source_av_rewind,
	.close = source_av_close,
};
