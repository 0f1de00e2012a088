/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/encoder_query.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <libavutil/avstring.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>

#include <vrseg/log.h>

#include "base/str_parse.h"
#include "video/av_format.h"
#include "video/encoder_color.h"
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

/* Codecs of full range alone have it for YUV in "yuvj" formats; FFmpeg lists others for non-standard use (JPEG, TIFF). */
static bool fits(const AVCodec *codec, enum AVPixelFormat format)
{
	bool is_yuv = av_pix_fmt_desc_get(format)->nb_components >= 3 && !vrs_av_format_is_rgb(format);

	return has(codec, format) && (!is_yuv || !vrs_encoder_color_is_full(codec) || vrs_av_format_is_yuvj(format));
}

/* The format itself or its "yuvj" twin; AV_PIX_FMT_NONE: the encoder has neither. */
static enum AVPixelFormat as_is(const AVCodec *codec, enum AVPixelFormat format, enum vrs_range range)
{
	enum AVPixelFormat twin = vrs_av_format_yuvj(format);

	if (fits(codec, format))
		return format;
	return range == VRS_RANGE_FULL && twin != AV_PIX_FMT_NONE && fits(codec, twin) ? twin : AV_PIX_FMT_NONE;
}

static enum AVPixelFormat least_loss(const AVCodec *codec, enum AVPixelFormat format, bool alpha)
{
	enum AVPixelFormat best = AV_PIX_FMT_NONE;

	for (int i = 0; codec->pix_fmts && codec->pix_fmts[i] != AV_PIX_FMT_NONE; i++)
		if (sws_isSupportedOutput(codec->pix_fmts[i]) && fits(codec, codec->pix_fmts[i]))
			best = av_find_best_pix_fmt_of_2(best, codec->pix_fmts[i], format, alpha, NULL);
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

/* The frames' own format, without their alpha where the encoder has none; AV_PIX_FMT_NONE: it has neither. */
static enum AVPixelFormat own_format(const AVCodec *codec, const struct vrs_picture_format *format)
{
	struct vrs_picture_format opaque = *format;
	enum AVPixelFormat own = as_is(codec, vrs_av_format_of(format), format->range), without;

	if (own != AV_PIX_FMT_NONE || format->planes != 4 || vrs_encoder_has_alpha(codec))
		return own;
	opaque.planes = 3;
	without = vrs_av_format_of(&opaque);
	return without == AV_PIX_FMT_NONE ? without : as_is(codec, without, format->range);
}

static void set_colors(struct vrs_encoder_format *chosen, const AVCodec *codec, const AVOutputFormat *muxer, const struct vrs_picture_format *format)
{
	const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(chosen->format);

	chosen->range = vrs_encoder_color_range(codec, muxer, chosen->format, format);
	chosen->matrix = vrs_encoder_color_matrix(codec, chosen->format, format);
	chosen->rgb = vrs_av_format_is_rgb(chosen->format);
	chosen->alpha = (desc->flags & AV_PIX_FMT_FLAG_ALPHA) != 0;
	if (chosen->range != format->range || (chosen->matrix != format->matrix && format->planes > 1))
		chosen->convert = true;
}

int vrs_encoder_muxes(const AVOutputFormat *muxer, enum AVCodecID codec)
{
	bool mp4_only = codec == AV_CODEC_ID_AV1 || codec == AV_CODEC_ID_VP9; /* which QuickTime's muxer has names for and refuses */

	return mp4_only && strcmp(muxer->name, "mov") == 0 ? 0 : avformat_query_codec(muxer, codec, FF_COMPLIANCE_UNOFFICIAL);
}

/*
 * What would not be read as it was written: FFmpeg's JPEG 2000 encoder has other colours above 8 bits, and raw video in AVI and QuickTime has names
 * for three formats alone.
 */
static enum vrs_status check_readable(const AVCodec *codec, const AVOutputFormat *muxer, enum AVPixelFormat format, struct vrs_error *err)
{
	bool is_named = format == AV_PIX_FMT_YUV420P || format == AV_PIX_FMT_YUV422P || format == AV_PIX_FMT_GRAY8;

	if (strcmp(codec->name, "jpeg2000") == 0 && av_pix_fmt_desc_get(format)->comp[0].depth > 8)
		return vrs_fail(err, VRS_ECONFIG, "encoder jpeg2000 makes other colours of more than 8 bits; choose --encoder libopenjpeg");
	if (codec->id == AV_CODEC_ID_RAWVIDEO && muxer && av_match_name(muxer->name, "avi,mov") && !is_named)
		return vrs_fail(err, VRS_ECONFIG, "raw video of format %s cannot be read back from %s; name it .mkv or choose --encoder ffv1",
				av_get_pix_fmt_name(format), muxer->name);
	return VRS_OK;
}

enum vrs_status vrs_encoder_format_find(struct vrs_encoder_format *ret, const AVCodec *codec, const AVOutputFormat *muxer,
					const struct vrs_picture_format *format, struct vrs_error *err)
{
	enum AVPixelFormat own = vrs_av_format_of(format);
	bool alpha = format->planes == 4, uploaded = vrs_hw_upload_needed(codec);

	*ret = (struct vrs_encoder_format){.format = AV_PIX_FMT_NONE};
	if (uploaded)
		ret->format = vrs_hw_upload_format(format->bit_depth);
	else if (own == AV_PIX_FMT_NONE)
		return vrs_fail(err, VRS_ECONFIG,
				"FFmpeg has no pixel format%s for %d bits and this chroma sampling; convert the video to 10-bit 4:2:0 first, or write its matte",
				alpha ? " with alpha" : "", format->bit_depth);
	else
		ret->format = own_format(codec, format);
	ret->convert = uploaded || ret->format == AV_PIX_FMT_NONE;
	if (ret->format == AV_PIX_FMT_NONE)
		ret->format = least_loss(codec, own, alpha);
	if (ret->format == AV_PIX_FMT_NONE)
		return vrs_fail(err, VRS_ECONFIG, "encoder %s does not accept pictures of format %s; choose another encoder", codec->name,
				av_get_pix_fmt_name(own));
	set_colors(ret, codec, muxer, format);
	return check_readable(codec, muxer, ret->format, err);
}

enum vrs_status vrs_encoder_format_choose(struct vrs_encoder_format *ret, const AVCodec *codec, const AVOutputFormat *muxer,
					  const struct vrs_picture_format *format, struct vrs_error *err)
{
	enum AVPixelFormat own = vrs_av_format_of(format);
	enum vrs_status status = vrs_encoder_format_find(ret, codec, muxer, format, err);
	bool alpha = format->planes == 4;

	if (status != VRS_OK || vrs_hw_upload_needed(codec))
		return status;
	if (own != ret->format && (ret->convert || av_get_pix_fmt_loss(ret->format, own, alpha)))
		tell_loss(codec, own, ret->format, alpha);
	if (format->range == VRS_RANGE_FULL && ret->range == VRS_RANGE_LIMITED)
		vrs_log_once("encoder-range", VRS_LOG_INFO, "encoder %s%s%s cannot tag full range: pictures are converted to limited range", codec->name,
			     muxer ? " in " : "", muxer ? muxer->name : "");
	if (format->matrix != ret->matrix && format->planes > 1)
		vrs_log_once("encoder-matrix", VRS_LOG_INFO, "encoder %s has a colour matrix of its own: pictures are converted from %s to %s",
			     codec->name, av_color_space_name(vrs_av_matrix(format->matrix)), av_color_space_name(vrs_av_matrix(ret->matrix)));
	return VRS_OK;
}
