/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/av_encoder.h"

#include <math.h>
#include <string.h>

#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>

#include <vrseg/log.h>

#include "base/mem.h"
#include "video/av_format.h"
#include "video/av_support.h"
#include "video/encoder_query.h"
#include "video/encoder_rate.h"
#include "video/hw_device.h"

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
	uint64_t bytes = vrs_frame_bytes(&options->format);
	int64_t ahead = 0;

	if (strcmp(context->codec->name, "libx264") != 0 || bytes <= VRS_LARGE_PICTURE || av_opt_get_int(context->priv_data, "rc-lookahead", 0, &ahead) < 0)
		return;
	context->thread_type = FF_THREAD_SLICE;
	context->max_b_frames = 0;
	(void)av_opt_set_int(context->priv_data, "rc-lookahead", 0, 0);
	vrs_log(VRS_LOG_INFO, "pictures of %dx%d: libx264 does not look ahead, which would take gigabytes", context->width, context->height);
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
	context->colorspace = chosen->rgb ? AVCOL_SPC_RGB : vrs_av_matrix(tags->matrix);
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
	if (chosen->alpha && strcmp(codec->name, "libvpx-vp9") == 0) /* libvpx refuses alternate references with alpha */
		(void)av_opt_set_int(encoder->context->priv_data, "auto-alt-ref", 0, 0);
	status = vrs_encoder_rate_set(encoder->context, options, bit_rate, err);
	if (status != VRS_OK)
		return status;
	if (options->low_delay)
		hold_nothing_back(encoder->context);
	bound_memory(encoder->context, options);
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
 * last column or row; time bases that a format cannot hold (MPEG-1, -2, -4) become one tick a frame.
 */
static enum vrs_status open_attempts(struct vrs_av_encoder *encoder, const AVCodec *codec, const struct vrs_sink_options *options,
				     const struct vrs_encoder_format *chosen, bool global_header, int64_t bit_rate, struct vrs_error *err)
{
	const struct vrs_picture_format *format = &options->format;
	struct attempt attempt = {format->width, format->height, encoder->time_base};
	struct vrs_error ignored = {0};
	enum vrs_status status;

	/* Raw streams have no time stamps: their rate is the time base. */
	if (codec->id == AV_CODEC_ID_WRAPPED_AVFRAME && options->fps_num > 0 && options->fps_den > 0)
		attempt.time_base = (AVRational){options->fps_den, options->fps_num};
	status = try_open(encoder, codec, options, chosen, &attempt, global_header, bit_rate, err);

	if (status == VRS_ECONFIG && ((format->width | format->height) & 1) && format->width > 1 && format->height > 1) {
		attempt.width &= ~1;
		attempt.height &= ~1;
		status = try_open(encoder, codec, options, chosen, &attempt, global_header, bit_rate, &ignored);
		if (status == VRS_OK)
			vrs_log(VRS_LOG_WARNING, "encoder %s needs even sizes: %dx%d is cut to %dx%d", codec->name, format->width, format->height,
				attempt.width, attempt.height);
	}
	if (status == VRS_ECONFIG && options->fps_num > 0 && options->fps_den > 0) {
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

	if (format->transfer != AVCOL_TRC_SMPTE2084 && format->transfer != AVCOL_TRC_ARIB_STD_B67)
		return;
	if (av_pix_fmt_desc_get(chosen->format)->comp[0].depth <= 8)
		vrs_log_once("hdr-bands", VRS_LOG_WARNING, "HDR (%s) in the 8 bits of encoder %s shows bands; libx264 and libx265 take 10", curve, codec->name);
}

enum vrs_status vrs_av_encoder_open(struct vrs_av_encoder *encoder, const AVCodec *codec, const struct vrs_sink_options *options,
				    bool global_header, int64_t bit_rate, struct vrs_error *err)
{
	const struct vrs_picture_format *format = &options->format;
	struct vrs_encoder_format chosen;
	struct vrs_av_shape target;
	enum vrs_status status;

	memset(encoder, 0, sizeof *encoder);
	encoder->time_base = (AVRational){options->time_base_num, options->time_base_den};
	status = vrs_encoder_format_choose(&chosen, codec, format, err);
	if (status == VRS_OK)
		warn_about_bands(format, &chosen, codec);
	if (status == VRS_OK)
		status = open_attempts(encoder, codec, options, &chosen, global_header, bit_rate, err);
	if (status != VRS_OK)
		return status;
	encoder->shape = (struct vrs_av_shape){vrs_av_format_of(format), encoder->context->width, encoder->context->height, format->matrix,
					       format->range};
	if (!chosen.convert)
		return VRS_OK;
	target = (struct vrs_av_shape){chosen.format, encoder->context->width, encoder->context->height, format->matrix, chosen.range};
	status = vrs_av_converter_create(&encoder->converter, &target);
	return status != VRS_OK ? vrs_fail_nomem(err) : VRS_OK;
}

void vrs_av_encoder_close(struct vrs_av_encoder *encoder)
{
	avcodec_free_context(&encoder->context);
	vrs_av_converter_destroy(encoder->converter);
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

/* Time stamp in the encoder's time base, strictly increasing there too. */
static void stamp(struct vrs_av_encoder *encoder, AVFrame *av)
{
	av->pts = av_rescale_q(av->pts, encoder->time_base, encoder->context->time_base);
	if (encoder->any_frame && av->pts <= encoder->last_pts)
		av->pts = encoder->last_pts + 1;
	if (!encoder->any_frame)
		encoder->first_pts = av->pts;
	encoder->last_pts = av->pts;
	encoder->any_frame = true;
}

/*
 * The frame for an opened encoder, without a copy where that is possible.  The frame's reference is taken in every case; on success *ret_av is the
 * caller's (av_frame_free).  VRS_ENOMEM, or what the conversion or the upload says.
 */
static enum vrs_status make_frame(struct vrs_av_encoder *encoder, struct vrs_frame *frame, AVFrame **ret_av, struct vrs_error *err)
{
	AVCodecContext *context = encoder->context;
	AVFrame *av = wrap_frame(frame);
	enum vrs_status status;

	if (!av)
		return vrs_fail_nomem(err);
	stamp(encoder, av);
	if (encoder->converter) {
		status = convert(encoder, &av, err);
	} else {
		av->format = context->pix_fmt; /* "yuvj" twin, or without the alpha plane */
		av->width = context->width;
		av->height = context->height;
		av->color_range = context->color_range;
		status = copy_for_threads(context, av, err);
	}
	if (context->flags & AV_CODEC_FLAG_QSCALE)
		av->quality = context->global_quality; /* some encoders look at the frame alone */
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
	if (!encoder->any_packet && strcmp(encoder->context->codec->name, "libx265") == 0)
		encoder->dts_is_pts = pkt->dts > pkt->pts || pkt->dts < encoder->first_pts - (encoder->last_pts - encoder->first_pts);
	encoder->any_packet = true;
	if (encoder->dts_is_pts)
		pkt->dts = pkt->pts;
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
			mend_dts(encoder, pkt);
			status = on_packet(cookie, pkt, err);
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
	return status != VRS_OK ? status : receive(encoder, on_packet, cookie, err);
}
