/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/av_encoder.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <libavutil/cpu.h>
#include <libavutil/fifo.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>

#include <vrseg/log.h>

#include "base/mem.h"
#include "video/av_format.h"
#include "video/av_support.h"
#include "video/codec_memory.h"
#include "video/color_profiles.h"
#include "video/encoder_light.h"
#include "video/encoder_query.h"
#include "video/encoder_rate.h"
#include "video/hw_device.h"

#define USUAL_RATE 25 /* frames a second, where the rate is not known and one is needed */

static void hold_nothing_back(AVCodecContext *context)
{
	context->flags |= AV_CODEC_FLAG_LOW_DELAY;
	context->max_b_frames = 0;
	context->thread_type = FF_THREAD_SLICE; /* threads that take a frame each hold as many */
	if (context->framerate.num > 0)
		context->gop_size = (int)fmin(fmax(2 * av_q2d(context->framerate), 1), 600);
	if (vrs_encoder_is_x26x(context->codec))
		(void)av_opt_set(context->priv_data, "tune", "zerolatency", 0);
}

/*
 * x264 keeps about four and a half times the bytes of a picture for each one it looks ahead, and for each thread that works on a picture of its own:
 * with 7680x3840 and the preset veryfast 2.7 GB.  Large pictures have parts enough for threads.
 */
static void bound_memory(AVCodecContext *context, const struct vrs_sink_options *options)
{
	int64_t ahead = 0;

	if (strcmp(context->codec->name, "libx264") != 0 || vrs_x264_looks_ahead(vrs_frame_bytes(&options->format)) ||
	    av_opt_get_int(context->priv_data, "rc-lookahead", 0, &ahead) < 0)
		return;
	context->thread_type = FF_THREAD_SLICE;
	context->max_b_frames = 0;
	(void)av_opt_set_int(context->priv_data, "rc-lookahead", 0, 0);
	vrs_log(VRS_LOG_INFO, "pictures of %dx%d: libx264 does not look ahead, which would take gigabytes", context->width, context->height);
}

/*
 * With AVX-512 x264 (164) takes memory that nobody has written for the costs of macroblocks that its mbtree passes on, unless the width is a multiple
 * of 128: the same pictures give other bytes, by what was there before.  Its code for AVX2 does not, and is no slower (docs/performance.md).
 */
static void leave_out_avx512(AVCodecContext *context)
{
	if (strncmp(context->codec->name, "libx264", 7) == 0 && (av_get_cpu_flags() & AV_CPU_FLAG_AVX512))
		(void)av_opt_set(context->priv_data, "x264-params", "asm=MMX2,SSE2Fast,LZCNT,SSSE3,SSE4.2,AVX,FMA3,BMI2,AVX2", 0);
}

/*
 * Encoders that take the time base for the duration of a frame, in their rate control or in their format: in the time base of a file, 1/12800 or so,
 * libtheora drops nearly all frames and MPEG-4 keeps a fifth of the bit rate.
 */
static bool takes_frame_clock(const AVCodec *codec)
{
	static const char *const names[] = {"libtheora", "libxvid",    "mpeg1video", "mpeg2video", "mpeg4", "msmpeg4v2", "msmpeg4", "wmv1", "wmv2", "flv",
					    "h261",      "h263",       "h263p",      "rv10",       "rv20",  "mjpeg",     "amv",     "snow", "vc2",  "dvvideo",
					    "speedhq"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(codec->name, names[i]) == 0)
			return true;
	return false;
}

/* One tick a frame; MPEG-4 has 16 bits for it, and MPEG-1 and -2 a list of rates. */
static AVRational frame_clock(const AVCodec *codec, const struct vrs_sink_options *options)
{
	AVRational rate = {USUAL_RATE, 1};

	if (options->fps_num > 0 && options->fps_den > 0)
		(void)av_reduce(&rate.num, &rate.den, options->fps_num, options->fps_den, UINT16_MAX);
	if (rate.num < 1 || rate.den < 1)
		rate = (AVRational){USUAL_RATE, 1};
	if (codec->supported_framerates)
		rate = codec->supported_framerates[av_find_nearest_q_idx(rate, codec->supported_framerates)];
	return av_inv_q(rate);
}

/* What one attempt to open uses; the first is what was asked. */
struct attempt {
	int width, height;
	AVRational time_base;
};

static void describe(AVCodecContext *context, const struct vrs_sink_options *options, const struct vrs_encoder_format *chosen,
		     const struct attempt *attempt)
{
	const struct vrs_picture_format *tags = &options->format;

	context->width = attempt->width;
	context->height = attempt->height;
	context->pix_fmt = chosen->format;
	context->time_base = attempt->time_base;
	if (options->fps_num > 0 && options->fps_den > 0)
		context->framerate = (AVRational){options->fps_num, options->fps_den};
	if (options->sar_num > 0 && options->sar_den > 0)
		context->sample_aspect_ratio = (AVRational){options->sar_num, options->sar_den};
	context->color_range = chosen->rgb ? AVCOL_RANGE_JPEG : vrs_av_range(chosen->range);
	context->colorspace = chosen->rgb ? AVCOL_SPC_RGB : vrs_av_matrix(chosen->matrix);
	context->color_primaries = tags->primaries > 0 ? tags->primaries : AVCOL_PRI_UNSPECIFIED;
	context->color_trc = tags->transfer > 0 ? tags->transfer : AVCOL_TRC_UNSPECIFIED;
	context->chroma_sample_location = tags->chroma_location;
	context->thread_count = options->threads;
}

static enum vrs_status try_open(struct vrs_av_encoder *encoder, const AVCodec *codec, const struct vrs_sink_options *options,
				const struct vrs_encoder_format *chosen, const struct attempt *attempt, bool global_header, int64_t bit_rate,
				struct vrs_error *err)
{
	enum vrs_status status;
	int rc;

	avcodec_free_context(&encoder->context);
	encoder->context = avcodec_alloc_context3(codec);
	if (!encoder->context)
		return vrs_fail_nomem(err);
	describe(encoder->context, options, chosen, attempt);
	if (global_header)
		encoder->context->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
	encoder->context->strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL;
	if (chosen->alpha && strncmp(codec->name, "libvpx", 6) == 0) /* libvpx refuses alternate references with alpha */
		(void)av_opt_set_int(encoder->context->priv_data, "auto-alt-ref", 0, 0);
	status = vrs_encoder_rate_set(encoder->context, options, bit_rate, err);
	if (status != VRS_OK)
		return status;
	if (options->low_delay)
		hold_nothing_back(encoder->context);
	bound_memory(encoder->context, options);
	leave_out_avx512(encoder->context);
	encoder->tells_light = vrs_encoder_light_set(encoder->context, options->light_of);
	if (vrs_hw_upload_needed(codec)) {
		status = vrs_hw_upload_open(encoder->context, codec, chosen->format, err);
		if (status != VRS_OK)
			return status;
	}
	vrs_av_capture_begin();
	rc = avcodec_open2(encoder->context, codec, NULL);
	if (rc < 0)
		return vrs_av_fail(err, VRS_ECONFIG, rc, "encoder %s cannot do %dx%d %s with these settings", codec->name, attempt->width,
				      attempt->height, av_get_pix_fmt_name(chosen->format));
	vrs_av_capture_end();
	return VRS_OK;
}

/*
 * Two things that some encoders refuse are worked around and said: odd sizes with sub-sampled chroma (H.264 cannot express them) lose their
 * last column or row; time bases that a format cannot hold become one tick a frame.
 */
static enum vrs_status open_attempts(struct vrs_av_encoder *encoder, const AVCodec *codec, const struct vrs_sink_options *options,
				     const struct vrs_encoder_format *chosen, bool global_header, int64_t bit_rate, struct vrs_error *err)
{
	const struct vrs_picture_format *format = &options->format;
	struct attempt attempt = {format->width, format->height, encoder->time_base};
	struct vrs_error ignored = {0};
	enum vrs_status status;

	if (options->frame_clock) /* its unit is the rate of a raw stream, and stands in the parameter sets of H.264 */
		attempt.time_base = (AVRational){options->fps_den, options->fps_num};
	if (takes_frame_clock(codec))
		attempt.time_base = frame_clock(codec, options);
	status = try_open(encoder, codec, options, chosen, &attempt, global_header, bit_rate, err);

	if (status == VRS_ECONFIG && ((format->width | format->height) & 1) && format->width > 1 && format->height > 1) {
		attempt.width &= ~1;
		attempt.height &= ~1;
		status = try_open(encoder, codec, options, chosen, &attempt, global_header, bit_rate, &ignored);
		if (status == VRS_OK)
			vrs_log(VRS_LOG_WARNING, "encoder %s needs even sizes: %dx%d is cut to %dx%d", codec->name, format->width, format->height,
				attempt.width, attempt.height);
	}
	if (status == VRS_ECONFIG && options->fps_num > 0 && options->fps_den > 0 && !takes_frame_clock(codec)) {
		attempt.time_base = (AVRational){options->fps_den, options->fps_num};
		status = try_open(encoder, codec, options, chosen, &attempt, global_header, bit_rate, &ignored);
		if (status == VRS_OK)
			vrs_log(VRS_LOG_INFO, "encoder %s does not accept a time base of %d/%d: time stamps are rounded to frames", codec->name,
				encoder->time_base.num, encoder->time_base.den);
	}
	return status;
}

/* Brightness is not mapped to SDR: the tags go on, and tell players what it means.  The reader says so; this is what it costs. */
static void warn_about_bands(const struct vrs_picture_format *format, const struct vrs_encoder_format *chosen, const AVCodec *codec)
{
	const char *curve = format->transfer == AVCOL_TRC_SMPTE2084 ? "PQ" : "HLG";

	if (!vrs_av_is_hdr((enum AVColorTransferCharacteristic)format->transfer))
		return;
	if (av_pix_fmt_desc_get(chosen->format)->comp[0].depth <= 8)
		vrs_log_once("hdr-bands", VRS_LOG_WARNING, "HDR (%s) in the 8 bits of encoder %s shows bands; libx264 and libx265 take 10", curve, codec->name);
}

/*
 * What the frame clock hides: such encoders get the numbers of frames, and their packets the time stamps of these, so that a variable frame rate
 * stays as it is.  Where packets come in another order, time stamps are rounded to frames.
 */
static enum vrs_status keep_stamps(struct vrs_av_encoder *encoder, struct vrs_error *err)
{
	const AVCodecContext *context = encoder->context;

	encoder->packet_base = context->time_base;
	if (!takes_frame_clock(context->codec) || context->max_b_frames > 0)
		return VRS_OK;
	encoder->stamps = av_fifo_alloc2(16, sizeof(struct vrs_frame_stamp), AV_FIFO_FLAG_AUTO_GROW);
	encoder->packet_base = encoder->time_base;
	return encoder->stamps ? VRS_OK : vrs_fail_nomem(err);
}

/* FFmpeg's encoder (5.1) would write the profile of another frame, that of the first place in its store: its pictures get theirs afterwards. */
static bool profile_comes_after(const AVCodec *codec)
{
	return strcmp(codec->name, "mjpeg") == 0;
}

static bool writes_profile(const AVCodec *codec)
{
	return codec->id == AV_CODEC_ID_PNG || profile_comes_after(codec);
}

/* Mattes have no colours, and what became SDR has others. */
static void take_profiles(struct vrs_av_encoder *encoder, const AVCodec *codec, const struct vrs_sink_options *options)
{
	const AVStream *raw = options->light_of;
	bool is_same = raw && (options->format.transfer == (int)raw->codecpar->color_trc || options->format.transfer <= 0 ||
			       raw->codecpar->color_trc == AVCOL_TRC_UNSPECIFIED);

	if (!options->profiles || options->is_coverage)
		return;
	if (is_same && writes_profile(codec))
		encoder->profiles = options->profiles;
	else
		encoder->loses_profile = vrs_color_profiles_any(options->profiles);
}

void vrs_av_encoder_tell_profile(const struct vrs_av_encoder *encoder)
{
	if (encoder->loses_profile)
		vrs_log(VRS_LOG_INFO, "the colour profile (ICC) of the picture is left out; .png and .jpg hold it");
}

enum vrs_status vrs_av_encoder_open(struct vrs_av_encoder *encoder, const AVCodec *codec, const struct vrs_sink_options *options,
				    const AVOutputFormat *muxer, int64_t bit_rate, struct vrs_error *err)
{
	const struct vrs_picture_format *format = &options->format;
	bool global_header = muxer && (muxer->flags & AVFMT_GLOBALHEADER);
	struct vrs_encoder_format chosen;
	struct vrs_av_shape target;
	enum vrs_status status;

	memset(encoder, 0, sizeof *encoder);
	encoder->time_base = (AVRational){options->time_base_num, options->time_base_den};
	status = vrs_encoder_format_choose(&chosen, codec, muxer, format, err);
	if (status == VRS_OK)
		warn_about_bands(format, &chosen, codec);
	if (status == VRS_OK)
		status = open_attempts(encoder, codec, options, &chosen, global_header, bit_rate, err);
	if (status == VRS_OK)
		status = keep_stamps(encoder, err);
	if (status == VRS_OK)
		take_profiles(encoder, codec, options);
	if (status != VRS_OK)
		return status;
	encoder->shape = (struct vrs_av_shape){vrs_av_format_of(format), encoder->context->width, encoder->context->height, format->matrix,
					       format->range};
	if (!chosen.convert)
		return VRS_OK;
	target = (struct vrs_av_shape){chosen.format, encoder->context->width, encoder->context->height, chosen.matrix, chosen.range};
	status = vrs_av_converter_create(&encoder->converter, &target);
	return status != VRS_OK ? vrs_fail_nomem(err) : VRS_OK;
}

/* SVT-AV1 (1.4) waits for ever for the end of a video without a frame, also when it is freed: it gets one, which nobody sees. */
static void end_empty(struct vrs_av_encoder *encoder)
{
	AVCodecContext *context = encoder->context;
	AVFrame *blank;

	if (!context || encoder->frames || !avcodec_is_open(context) || strcmp(context->codec->name, "libsvtav1") != 0)
		return;
	blank = av_frame_alloc();
	if (!blank)
		return;
	blank->width = context->width;
	blank->height = context->height;
	blank->format = context->pix_fmt;
	if (av_frame_get_buffer(blank, 0) >= 0) {
		for (int p = 0; p < AV_NUM_DATA_POINTERS && blank->buf[p]; p++)
			memset(blank->buf[p]->data, 0, blank->buf[p]->size);
		(void)avcodec_send_frame(context, blank);
		(void)avcodec_send_frame(context, NULL);
	}
	av_frame_free(&blank);
}

void vrs_av_encoder_close(struct vrs_av_encoder *encoder)
{
	end_empty(encoder);
	avcodec_free_context(&encoder->context);
	vrs_av_converter_destroy(encoder->converter);
	av_fifo_freep2(&encoder->stamps);
	encoder->converter = NULL;
}

static void release_owner(void *opaque, uint8_t *data)
{
	struct vrs_frame *owner = opaque;

	(void)data; /* lies in the owner's memory */
	vrs_frame_unref(owner);
	vrs_free(owner);
}

/* An AVFrame over the samples of `frame`, without copy; the encoder may keep it as long as it likes. Takes the frame. */
static AVFrame *wrap_frame(struct vrs_frame *frame)
{
	AVFrame *av = av_frame_alloc();
	struct vrs_frame *owner = vrs_alloc(sizeof *owner);

	if (av && owner) {
		*owner = *frame;
		av->buf[0] = av_buffer_create(frame->data[0], (size_t)frame->format.height, release_owner, owner, AV_BUFFER_FLAG_READONLY);
	}
	if (!av || !owner || !av->buf[0]) {
		vrs_frame_unref(frame);
		vrs_free(owner);
		av_frame_free(&av);
		return NULL;
	}
	vrs_av_frame_tag(av, &frame->format);
	for (int p = 0; p < frame->format.planes; p++) {
		av->data[p] = frame->data[p];
		av->linesize[p] = (int)frame->stride_bytes[p];
	}
	av->pts = frame->pts;
	memset(frame, 0, sizeof *frame);
	return av;
}

/* swscale shifts alpha to another depth, so that opaque falls short of it by up to three steps: the plane is made anew, 255 is 1023. */
static void widen_alpha(const AVFrame *from, AVFrame *to)
{
	const AVComponentDescriptor *in = &av_pix_fmt_desc_get(from->format)->comp[3], *out = &av_pix_fmt_desc_get(to->format)->comp[3];
	uint32_t top_in = (1u << in->depth) - 1, top_out = (1u << out->depth) - 1;

	for (int y = 0; y < to->height; y++) {
		const uint8_t *src = from->data[3] + (ptrdiff_t)from->linesize[3] * y;
		uint16_t *dst = (uint16_t *)(void *)(to->data[3] + (ptrdiff_t)to->linesize[3] * y);

		for (int x = 0; x < to->width; x++) {
			uint32_t value = in->depth > 8 ? ((const uint16_t *)(const void *)src)[x] : src[x];

			dst[x] = (uint16_t)((value * top_out + top_in / 2) / top_in);
		}
	}
}

/* Alpha planes of one size and different depths, the second above 8 bits. */
static bool alpha_is_widened(const AVFrame *from, const AVFrame *to)
{
	const AVPixFmtDescriptor *in = av_pix_fmt_desc_get(from->format), *out = av_pix_fmt_desc_get(to->format);

	return in->nb_components == 4 && out->nb_components == 4 && out->comp[3].plane == 3 && (out->flags & AV_PIX_FMT_FLAG_PLANAR) &&
	       !(out->flags & (AV_PIX_FMT_FLAG_BE | AV_PIX_FMT_FLAG_FLOAT)) && out->comp[3].depth > 8 && out->comp[3].depth != in->comp[3].depth;
}

static enum vrs_status convert(struct vrs_av_encoder *encoder, AVFrame **av, struct vrs_error *err)
{
	AVFrame *made = av_frame_alloc();
	enum vrs_status status;

	(*av)->width = encoder->context->width; /* cut, where the encoder's size is smaller */
	(*av)->height = encoder->context->height;
	status = made ? vrs_av_convert(encoder->converter, *av, &encoder->shape, made, err) : vrs_fail_nomem(err);
	if (status != VRS_OK) {
		av_frame_free(&made);
		return status;
	}
	if (alpha_is_widened(*av, made))
		widen_alpha(*av, made);
	made->pts = (*av)->pts;
	made->color_primaries = (*av)->color_primaries;
	made->color_trc = (*av)->color_trc;
	made->chroma_location = (*av)->chroma_location;
	av_frame_free(av);
	*av = made;
	return VRS_OK;
}

/*
 * Encoders that work on whole frames in parallel hold one for each thread.  They get copies, so that a caller with a pool of frames does not
 * wait for frames that are waiting here.
 */
static enum vrs_status copy_for_threads(const AVCodecContext *context, AVFrame *av, struct vrs_error *err)
{
	int rc = context->active_thread_type & FF_THREAD_FRAME ? av_frame_make_writable(av) : 0; /* ours are read-only */

	return rc < 0 ? vrs_av_fail(err, VRS_EINTERNAL, rc, "cannot copy a frame for encoder %s", context->codec->name) : VRS_OK;
}

/* Time stamp in the packets' time base, strictly increasing there too; with a frame clock the encoder gets the frame's number. */
static enum vrs_status stamp(struct vrs_av_encoder *encoder, AVFrame *av, int64_t index, struct vrs_error *err)
{
	struct vrs_frame_stamp known = {.number = encoder->frames, .index = index};

	av->pts = av_rescale_q(av->pts, encoder->time_base, encoder->packet_base);
	if (encoder->frames > 0 && av->pts <= encoder->last_pts)
		av->pts = encoder->last_pts + 1;
	if (encoder->frames == 0)
		encoder->first_pts = av->pts;
	encoder->last_pts = av->pts;
	encoder->frames++;
	if (!encoder->stamps)
		return VRS_OK;
	known.pts = av->pts;
	av->pts = known.number;
	return av_fifo_write(encoder->stamps, &known, 1) < 0 ? vrs_fail_nomem(err) : VRS_OK;
}

/*
 * The frame for an opened encoder, without a copy where that is possible.  The frame's reference is taken in every case; on success *ret_av is the
 * caller's (av_frame_free).  VRS_ENOMEM, or what the conversion or the upload says.
 */
static enum vrs_status make_frame(struct vrs_av_encoder *encoder, struct vrs_frame *frame, AVFrame **ret_av, struct vrs_error *err)
{
	AVCodecContext *context = encoder->context;
	int64_t index = frame->index; /* wrap_frame takes the frame */
	AVFrame *av = wrap_frame(frame);
	enum vrs_status status;

	if (!av)
		return vrs_fail_nomem(err);
	status = stamp(encoder, av, index, err);
	if (status == VRS_OK && encoder->converter) {
		status = convert(encoder, &av, err);
	} else if (status == VRS_OK) {
		av->format = context->pix_fmt; /* "yuvj" twin, or without the alpha plane */
		av->width = context->width;
		av->height = context->height;
		av->color_range = context->color_range;
		status = copy_for_threads(context, av, err);
	}
	if (context->flags & AV_CODEC_FLAG_QSCALE)
		av->quality = context->global_quality; /* some encoders look at the frame alone */
	if (status == VRS_OK && encoder->profiles && !profile_comes_after(context->codec) && vrs_color_profiles_give(encoder->profiles, index, av))
		status = vrs_fail_nomem(err);
	if (status == VRS_OK && context->hw_frames_ctx)
		status = vrs_hw_upload(context, av, err);
	if (status != VRS_OK)
		av_frame_free(&av);
	else
		*ret_av = av;
	return status;
}

/*
 * x265 subtracts a time from each decoding time that it first sets with the frame after those that B frames wait for, the third at most; a video of
 * fewer gets whatever memory held (x265 issue 781).  A decoding time that is after its frame's own, or earlier than all frames until now explain, is
 * that.  So few frames are none of them B frames, and need no earlier decoding time.
 */
static void mend_dts(struct vrs_av_encoder *encoder, AVPacket *pkt)
{
	if (encoder->packets == 0 && strcmp(encoder->context->codec->name, "libx265") == 0)
		encoder->dts_is_pts = pkt->dts > pkt->pts || pkt->dts < encoder->first_pts - (encoder->last_pts - encoder->first_pts);
	if (encoder->dts_is_pts)
		pkt->dts = pkt->pts;
}

/*
 * The time stamp of the frame with the packet's number.  MPEG-1 and -2 without the flag for low delay are decoded one frame ahead of what is shown,
 * which demuxers of streams without time stamps of decoding reckon with.
 */
static enum vrs_status restore_stamp(struct vrs_av_encoder *encoder, AVPacket *pkt)
{
	struct vrs_frame_stamp known = {.number = -1};
	bool is_ahead = pkt->dts != AV_NOPTS_VALUE && pkt->dts < pkt->pts;

	while (known.number < pkt->pts && av_fifo_read(encoder->stamps, &known, 1) >= 0)
		continue;
	pkt->duration = av_rescale_q(pkt->duration, encoder->context->time_base, encoder->packet_base);
	pkt->pts = pkt->dts = known.pts;
	if (is_ahead && encoder->packets > 0)
		pkt->dts = encoder->stamp_before;
	else if (is_ahead)
		pkt->dts -= av_rescale_q(1, encoder->context->time_base, encoder->packet_base);
	encoder->stamp_before = known.pts;
	if (encoder->profiles && profile_comes_after(encoder->context->codec))
		return vrs_color_profiles_give_jpeg(encoder->profiles, known.index, pkt);
	return VRS_OK;
}

static enum vrs_status take_packet(struct vrs_av_encoder *encoder, AVPacket *pkt)
{
	enum vrs_status status = VRS_OK;

	if (encoder->stamps)
		status = restore_stamp(encoder, pkt);
	else
		mend_dts(encoder, pkt);
	encoder->packets += pkt->size > 0 || !pkt->side_data_elems;
	encoder->empty += pkt->size == 0 && !pkt->side_data_elems;
	return status;
}

/* Theora's empty packets show the picture before once more: it may be the same, and it may be that there were no bits left for another. */
static void tell_empty(const struct vrs_av_encoder *encoder)
{
	const AVCodecContext *context = encoder->context;

	if (encoder->empty > 0 && !(context->flags & AV_CODEC_FLAG_QSCALE))
		vrs_log(VRS_LOG_WARNING, "encoder %s repeats a picture %" PRId64 " times in %" PRId64 " frames: either nothing moves, or %" PRId64 " kb/s are "
			"too few; --quality does without a limit", context->codec->name, encoder->empty, encoder->frames, context->bit_rate / 1000);
}

/* A packet of several frames, as some make them, cannot be told from lost frames by counting. */
static enum vrs_status check_count(const struct vrs_av_encoder *encoder, struct vrs_error *err)
{
	const char *name = encoder->context->codec->name;

	if (encoder->packets >= encoder->frames || strncmp(name, "a64multi", 8) == 0 || strcmp(name, "libwebp_anim") == 0)
		return VRS_OK;
	return vrs_fail(err, VRS_EINTERNAL, "encoder %s made %" PRId64 " packets of %" PRId64 " frames; choose another encoder", name, encoder->packets,
			encoder->frames);
}

static enum vrs_status receive(struct vrs_av_encoder *encoder, vrs_av_packet_fn on_packet, void *cookie, struct vrs_error *err)
{
	AVPacket *pkt = av_packet_alloc();
	enum vrs_status status = pkt ? VRS_OK : vrs_fail_nomem(err);

	while (status == VRS_OK) {
		int rc = avcodec_receive_packet(encoder->context, pkt);

		if (rc == AVERROR(EAGAIN) || rc == AVERROR_EOF)
			break;
		if (rc < 0) {
			status = vrs_av_fail(err, VRS_EINTERNAL, rc, "encoder %s failed", encoder->context->codec->name);
		} else {
			status = take_packet(encoder, pkt);
			status = status == VRS_OK ? on_packet(cookie, pkt, err) : vrs_fail_nomem(err);
		}
		av_packet_unref(pkt);
	}
	av_packet_free(&pkt);
	return status;
}

enum vrs_status vrs_av_encoder_write(struct vrs_av_encoder *encoder, struct vrs_frame *frame, vrs_av_packet_fn on_packet, void *cookie,
				     struct vrs_error *err)
{
	AVFrame *av = NULL;
	enum vrs_status status = frame ? make_frame(encoder, frame, &av, err) : VRS_OK;

	if (status == VRS_OK) {
		int rc = avcodec_send_frame(encoder->context, av);

		if (rc < 0 && rc != AVERROR_EOF)
			status = vrs_av_fail(err, VRS_EINTERNAL, rc, "encoder %s failed", encoder->context->codec->name);
	}
	av_frame_free(&av);
	if (status == VRS_OK)
		status = receive(encoder, on_packet, cookie, err);
	if (status != VRS_OK || frame)
		return status;
	tell_empty(encoder);
	return check_count(encoder, err);
}
