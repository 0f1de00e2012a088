/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/av_encoder.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <libavutil/opt.h>

#include <vrseg/log.h>

#include "video/av_format.h"
#include "video/av_support.h"
#include "video/encoder_format.h"
#include "video/encoder_rate.h"
#include "video/hw_upload.h"

#define LARGE_PICTURE (UINT64_C(32) << 20) /* bytes: above 6720x3360 in 8-bit 4:2:0 */

static bool is_x26x(const AVCodec *codec)
{
	return strncmp(codec->name, "libx264", 7) == 0 || strcmp(codec->name, "libx265") == 0;
}

static void hold_nothing_back(AVCodecContext *context)
{
	context->flags |= AV_CODEC_FLAG_LOW_DELAY;
	context->max_b_frames = 0;
	context->thread_type = FF_THREAD_SLICE; /* threads that take a frame each hold as many */
	if (context->framerate.num > 0)
		context->gop_size = (int)fmin(fmax(2 * av_q2d(context->framerate), 1), 600);
	if (is_x26x(context->codec))
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

	if (strcmp(context->codec->name, "libx264") != 0 || bytes <= LARGE_PICTURE || av_opt_get_int(context->priv_data, "rc-lookahead", 0, &ahead) < 0)
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
	struct vrs_picture_format tags = options->format;

	tags.range = chosen->range;
	context->width = attempt->width;
	context->height = attempt->height;
	context->pix_fmt = chosen->format;
	context->time_base = attempt->time_base;
	if (options->fps_num > 0 && options->fps_den > 0)
		context->framerate = (AVRational){options->fps_num, options->fps_den};
	if (options->sar_num > 0 && options->sar_den > 0)
		context->sample_aspect_ratio = (AVRational){options->sar_num, options->sar_den};
	context->color_range = chosen->rgb ? AVCOL_RANGE_JPEG : vrs_av_range(&tags);
	context->colorspace = chosen->rgb ? AVCOL_SPC_RGB : vrs_av_matrix(&tags);
	context->color_primaries = tags.primaries > 0 ? tags.primaries : AVCOL_PRI_UNSPECIFIED;
	context->color_trc = tags.transfer > 0 ? tags.transfer : AVCOL_TRC_UNSPECIFIED;
	context->chroma_sample_location = tags.chroma_location;
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
		return vrs_fail(err, VRS_ENOMEM, "no memory for the encoder %s", codec->name);
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
		return vrs_av_fail_as(err, VRS_ECONFIG, rc, "encoder %s cannot do %dx%d %s with these settings", codec->name, attempt->width,
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
	struct attempt attempt = {format->width, format->height, encoder->feed.time_base};
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
				encoder->feed.time_base.num, encoder->feed.time_base.den);
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
	encoder->feed.time_base = (AVRational){options->time_base_num, options->time_base_den};
	status = vrs_encoder_format_choose(&chosen, codec, format, err);
	if (status == VRS_OK)
		warn_about_bands(format, &chosen, codec);
	if (status == VRS_OK)
		status = open_attempts(encoder, codec, options, &chosen, global_header, bit_rate, err);
	if (status != VRS_OK)
		return status;
	encoder->feed.shape = (struct vrs_av_shape){vrs_av_format_of(format), encoder->context->width, encoder->context->height, format->matrix,
					       format->range};
	if (!chosen.convert)
		return VRS_OK;
	target = (struct vrs_av_shape){chosen.format, encoder->context->width, encoder->context->height, format->matrix, chosen.range};
	status = vrs_av_converter_create(&encoder->feed.converter, &target);
	return status != VRS_OK ? vrs_fail(err, status, "no memory to convert pictures for encoder %s", codec->name) : VRS_OK;
}

void vrs_av_encoder_close(struct vrs_av_encoder *encoder)
{
	avcodec_free_context(&encoder->context);
	vrs_av_converter_destroy(encoder->feed.converter);
	encoder->feed.converter = NULL;
}

static enum vrs_status receive(struct vrs_av_encoder *encoder, vrs_av_packet_fn on_packet, void *cookie, struct vrs_error *err)
{
	AVPacket *pkt = av_packet_alloc();
	enum vrs_status status = pkt ? VRS_OK : vrs_fail(err, VRS_ENOMEM, "no memory for a packet");

	while (status == VRS_OK) {
		int rc = avcodec_receive_packet(encoder->context, pkt);

		if (rc == AVERROR(EAGAIN) || rc == AVERROR_EOF)
			break;
		if (rc < 0)
			status = vrs_av_fail_as(err, VRS_EINTERNAL, rc, "encoder %s failed", encoder->context->codec->name);
		else
			status = on_packet(cookie, pkt, err);
		av_packet_unref(pkt);
	}
	av_packet_free(&pkt);
	return status;
}

enum vrs_status vrs_av_encoder_write(struct vrs_av_encoder *encoder, struct vrs_frame *frame, vrs_av_packet_fn on_packet, void *cookie,
				     struct vrs_error *err)
{
	AVFrame *av = NULL;
	enum vrs_status status = frame ? vrs_encoder_frame_make(&encoder->feed, encoder->context, frame, &av, err) : VRS_OK;

	if (status == VRS_OK) {
		int rc = avcodec_send_frame(encoder->context, av);

		if (rc < 0 && rc != AVERROR_EOF)
			status = vrs_av_fail_as(err, VRS_EINTERNAL, rc, "encoder %s failed", encoder->context->codec->name);
	}
	av_frame_free(&av);
	return status != VRS_OK ? status : receive(encoder, on_packet, cookie, err);
}
