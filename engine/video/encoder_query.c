/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/encoder_query.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>

#include <vrseg/log.h>

#include "base/str_parse.h"
#include "video/av_format.h"
#include "video/hw_device.h"

#define MAX_ENCODERS 512

/* People name the codec; NULL: no codec has that name, or this FFmpeg does not make it. */
static const AVCodec *encoder_of_codec(const char *name)
{
	static const char *const others[][2] = {{"h265", "hevc"}, {"x264", "h264"}, {"x265", "hevc"}, {"avc", "h264"}};
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (strcasecmp(name, others[i][0]) == 0)
			name = others[i][1];
	const AVCodecDescriptor *codec = avcodec_descriptor_get_by_name(name);
	return codec && codec->type == AVMEDIA_TYPE_VIDEO ? avcodec_find_encoder(codec->id) : NULL;
}

enum vrs_status vrs_encoder_find(const AVCodec **ret_codec, const char *name, struct vrs_error *err)
{
	const AVCodec *codec = avcodec_find_encoder_by_name(name);
	const char *names[MAX_ENCODERS];
	const char *close;
	void *state = NULL;
	int count = 0;

	if (codec && codec->type == AVMEDIA_TYPE_VIDEO) {
		*ret_codec = codec;
		return VRS_OK;
	}
	if (codec)
		return vrs_fail(err, VRS_ECONFIG, "%s is not a video encoder", name);
	codec = encoder_of_codec(name);
	if (codec)
		return vrs_fail(err, VRS_ECONFIG, "there is no encoder %s; did you mean %s?", name, codec->name);
	while (count < MAX_ENCODERS - 1 && (codec = av_codec_iterate(&state)))
		if (av_codec_is_encoder(codec) && codec->type == AVMEDIA_TYPE_VIDEO)
			names[count++] = codec->name;
	names[count] = NULL;
	close = vrs_closest(name, names);
	if (close)
		return vrs_fail(err, VRS_ECONFIG, "there is no encoder %s; did you mean %s?", name, close);
	return vrs_fail(err, VRS_ECONFIG, "there is no encoder %s in this FFmpeg; see --list-encoders", name);
}

bool vrs_encoder_is_ours(const struct vrs_sink_options *options)
{
	return !options->encoder || !options->encoder[0] || strcmp(options->encoder, "auto") == 0 || strcmp(options->encoder, "hardware") == 0 ||
	       strncmp(options->encoder, VRS_ENCODER_CHOSEN, strlen(VRS_ENCODER_CHOSEN)) == 0;
}

bool vrs_encoder_is_x26x(const AVCodec *codec)
{
	return strncmp(codec->name, "libx264", 7) == 0 || strcmp(codec->name, "libx265") == 0;
}

bool vrs_encoder_has_alpha(const AVCodec *codec)
{
	for (int i = 0; codec->pix_fmts && codec->pix_fmts[i] != AV_PIX_FMT_NONE; i++) {
		const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(codec->pix_fmts[i]);

		if (desc && (desc->flags & AV_PIX_FMT_FLAG_ALPHA) && codec->pix_fmts[i] != AV_PIX_FMT_PAL8)
			return true;
	}
	return false;
}

static bool has(const AVCodec *codec, enum AVPixelFormat format)
{
	if (!codec->pix_fmts)
		return true; /* takes everything */
	for (int i = 0; codec->pix_fmts[i] != AV_PIX_FMT_NONE; i++)
		if (codec->pix_fmts[i] == format)
			return true;
	return false;
}

/* Baseline JPEG knows full range only; FFmpeg lists the limited formats for non-standard use. */
static bool wants_full_range(const AVCodec *codec)
{
	return codec->id == AV_CODEC_ID_MJPEG || codec->id == AV_CODEC_ID_LJPEG;
}

/* The format itself or its "yuvj" twin; AV_PIX_FMT_NONE: the encoder has neither. */
static enum AVPixelFormat as_is(const AVCodec *codec, enum AVPixelFormat format, enum vrs_range range)
{
	enum AVPixelFormat twin = vrs_av_format_yuvj(format);

	if (range == VRS_RANGE_FULL && twin != AV_PIX_FMT_NONE && codec->pix_fmts && has(codec, twin) &&
	    (wants_full_range(codec) || !has(codec, format)))
		return twin;
	if (!has(codec, format) || (wants_full_range(codec) && range != VRS_RANGE_FULL && twin != AV_PIX_FMT_NONE))
		return AV_PIX_FMT_NONE;
	return format;
}

static enum AVPixelFormat least_loss(const AVCodec *codec, enum AVPixelFormat format, bool alpha)
{
	enum AVPixelFormat best = AV_PIX_FMT_NONE;

	for (int i = 0; codec->pix_fmts && codec->pix_fmts[i] != AV_PIX_FMT_NONE; i++) {
		if (!sws_isSupportedOutput(codec->pix_fmts[i]))
			continue;
		if (wants_full_range(codec) && !vrs_av_format_is_yuvj(codec->pix_fmts[i]))
			continue;
		best = av_find_best_pix_fmt_of_2(best, codec->pix_fmts[i], format, alpha, NULL);
	}
	return best;
}

static void tell_loss(const AVCodec *codec, enum AVPixelFormat from, enum AVPixelFormat to, bool alpha)
{
	static const struct {
		int flag;
		const char *what;
	} losses[] = {
		{FF_LOSS_DEPTH, "bit depth"},
		{FF_LOSS_RESOLUTION, "chroma resolution"},
		{FF_LOSS_ALPHA, "alpha"},
		{FF_LOSS_CHROMA, "colour"},
	}; /* between YUV and RGB only rounding is lost */
	int loss = av_get_pix_fmt_loss(to, from, alpha);
	char text[96] = "";

	if (av_pix_fmt_desc_get(from)->nb_components == 1)
		loss &= ~FF_LOSS_RESOLUTION; /* grey has no chroma to lose */
	for (size_t i = 0; i < sizeof losses / sizeof losses[0]; i++)
		if (loss & losses[i].flag)
			snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", text[0] ? ", " : "", losses[i].what);
	if (text[0])
		vrs_log(VRS_LOG_WARNING, "encoder %s: %s converted from %s: loses %s", codec->name, av_get_pix_fmt_name(to), av_get_pix_fmt_name(from),
			text);
	else
		vrs_log(VRS_LOG_INFO, "encoder %s: %s converted from %s", codec->name, av_get_pix_fmt_name(to), av_get_pix_fmt_name(from));
}

enum vrs_status vrs_encoder_format_find(struct vrs_encoder_format *ret, const AVCodec *codec, const struct vrs_picture_format *format,
					struct vrs_error *err)
{
	enum AVPixelFormat own = vrs_av_format_of(format);
	enum AVPixelFormat chosen = own == AV_PIX_FMT_NONE ? own : as_is(codec, own, format->range);
	bool alpha = format->planes == 4;
	const AVPixFmtDescriptor *desc;
	bool convert = false;

	if (vrs_hw_upload_needed(codec)) {
		*ret = (struct vrs_encoder_format){.format = vrs_hw_upload_format(format->bit_depth), .range = format->range, .convert = true};
		return VRS_OK;
	}
	if (own == AV_PIX_FMT_NONE)
		return vrs_fail(err, VRS_ECONFIG,
				"FFmpeg has no pixel format%s for %d bits and this chroma sampling; convert the video to 10-bit 4:2:0 first, or write its matte",
				alpha ? " with alpha" : "", format->bit_depth);
	if (chosen == AV_PIX_FMT_NONE && alpha && !vrs_encoder_has_alpha(codec)) {
		struct vrs_picture_format opaque = *format;
		enum AVPixelFormat without;

		opaque.planes = 3;
		without = vrs_av_format_of(&opaque);
		if (without != AV_PIX_FMT_NONE)
			chosen = as_is(codec, without, format->range);
	}
	if (chosen == AV_PIX_FMT_NONE) {
		chosen = least_loss(codec, own, alpha);
		convert = true;
	}
	if (chosen == AV_PIX_FMT_NONE)
		return vrs_fail(err, VRS_ECONFIG, "encoder %s does not accept pictures of format %s; choose another encoder", codec->name,
				av_get_pix_fmt_name(own));
	desc = av_pix_fmt_desc_get(chosen);
	*ret = (struct vrs_encoder_format){
		.format = chosen,
		.range = vrs_av_format_is_yuvj(chosen) ? VRS_RANGE_FULL : format->range,
		.rgb = (desc->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL)) != 0,
		.alpha = (desc->flags & AV_PIX_FMT_FLAG_ALPHA) != 0,
		.convert = convert,
	};
	return VRS_OK;
}

enum vrs_status vrs_encoder_format_choose(struct vrs_encoder_format *ret, const AVCodec *codec, const struct vrs_picture_format *format,
					  struct vrs_error *err)
{
	enum AVPixelFormat own = vrs_av_format_of(format);
	enum vrs_status status = vrs_encoder_format_find(ret, codec, format, err);
	bool alpha = format->planes == 4;

	if (status == VRS_OK && !vrs_hw_upload_needed(codec) && (av_get_pix_fmt_loss(ret->format, own, alpha) || ret->convert))
		tell_loss(codec, own, ret->format, alpha);
	return status;
}
