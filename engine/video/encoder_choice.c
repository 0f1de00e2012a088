/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/encoder_choice.h"

#include <stdio.h>
#include <string.h>

#include <libavutil/avstring.h>
#include <libavutil/pixdesc.h>

#include <vrseg/log.h>
#include <vrseg/options.h>

#include "base/file.h"
#include "video/av_encoder.h"
#include "video/av_side_data.h"
#include "video/container_clock.h"
#include "video/encoder_query.h"
#include "video/hw_device.h"
#include "video/live_input.h"
#include "video/sink_target.h"

#define HARDWARE_H264_SIDE 4096 /* most hardware encodes no larger H.264 */

/* What a container gets when nothing is named; muxers by FFmpeg's names.  alpha NULL: the container, or what is usual in it, has no transparency. */
static const struct {
	const char *muxer, *opaque, *alpha;
} usual[] = {
	{"mp4", "libx264", NULL},          {"mov", "libx264", "prores_ks"}, {"matroska", "libx264", "ffv1"}, {"webm", "libvpx-vp9", "libvpx-vp9"},
	{"avi", "libx264", "ffv1"},        {"nut", "libx264", "ffv1"},      {"gif", "gif", NULL},            {"apng", "apng", "apng"},
	{"flv", "libx264", NULL},          {"mpegts", "libx264", NULL},     {"ogg", "libtheora", NULL},      {"ivf", "libvpx-vp9", NULL},
	{"ogv", "libtheora", NULL},        {"obu", "libsvtav1", NULL},         {"webp", "libwebp_anim", "libwebp_anim"},
};

/*
 * Video of one codec, whose name the file has: FFmpeg's muxers of the video alone write whatever they get, and do not say what a reader expects.
 * ROQ is as simple.
 */
static bool holds_one_codec(const AVOutputFormat *muxer)
{
	return vrs_container_is_video_alone(muxer) || av_match_name(muxer->name, "roq") > 0;
}

static bool holds(const AVOutputFormat *muxer, const AVCodec *codec)
{
	return holds_one_codec(muxer) ? codec->id == muxer->video_codec : vrs_encoder_muxes(muxer, codec->id) != 0;
}

static const char *usual_encoder(const AVOutputFormat *muxer, bool alpha)
{
	for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
		if (strcmp(usual[i].muxer, muxer->name) == 0)
			return alpha ? usual[i].alpha : usual[i].opaque;
	const AVCodec *own = holds_one_codec(muxer) ? avcodec_find_encoder(muxer->video_codec) : NULL;

	if (alpha || (holds_one_codec(muxer) && !own))
		return NULL;
	return own ? own->name : "libx264";
}

const char *vrs_encoder_wanted(const AVOutputFormat *muxer, const char *encoder, bool alpha)
{
	if (encoder && strncmp(encoder, VRS_ENCODER_CHOSEN, strlen(VRS_ENCODER_CHOSEN)) == 0)
		return encoder + strlen(VRS_ENCODER_CHOSEN);
	if (encoder && encoder[0] && strcmp(encoder, "auto") != 0)
		return encoder;
	return muxer ? usual_encoder(muxer, alpha) : NULL;
}

void vrs_sink_encoder_for(char *ret_encoder, const char *target, const char *encoder, bool alpha)
{
	const AVOutputFormat *muxer = av_guess_format(NULL, vrs_path_base(target), NULL);
	const char *name = strcmp(encoder, "auto") == 0 || !encoder[0] ? vrs_encoder_wanted(muxer, encoder, alpha) : NULL;

	snprintf(ret_encoder, VRS_NAME_MAX, "%s%s", name ? VRS_ENCODER_CHOSEN : "", name ? name : encoder);
}

static bool is_deep(const AVCodec *codec)
{
	for (int i = 0; codec->pix_fmts && codec->pix_fmts[i] != AV_PIX_FMT_NONE; i++) {
		const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(codec->pix_fmts[i]);

		if ((desc->flags & AV_PIX_FMT_FLAG_HWACCEL) || desc->comp[0].depth > 8)
			return true;
	}
	return !codec->pix_fmts; /* takes everything */
}

bool vrs_sink_keeps_depth(const char *target, const char *encoder)
{
	const char *name = vrs_encoder_wanted(av_guess_format(NULL, vrs_path_base(target), NULL), encoder, false);
	const AVCodec *codec = name ? avcodec_find_encoder_by_name(name) : NULL;

	if (vrs_is_video_device(target))
		return false;
	if (vrs_sink_is_virtual(target) || strncmp(target, "y4m:", 4) == 0)
		return true;
	if (vrs_image_has_extension(target))
		return av_match_ext(target, "png,tif,tiff") > 0;
	return !codec || is_deep(codec);
}

static bool encoder_uses(const char *name, const char *option)
{
	bool is_known = name && vrs_sink_encoder_exists(name);

	if (!is_known || (strcmp(option, "preset") != 0 && strcmp(option, "crf") != 0))
		return true; /* what is wrong with a name or a rate is told when the encoder is opened */
	return vrs_sink_encoder_has(name, option) || (strcmp(option, "preset") == 0 && strncmp(name, "libvpx", 6) == 0);
}

static bool is_pictures(const char *target)
{
	return strncmp(target, VRS_PICTURES_PREFIX, strlen(VRS_PICTURES_PREFIX)) == 0 || vrs_image_has_extension(target);
}

/* A picture has the encoder of its extension, or the one that is named where that makes the same; NULL: there is none. */
static const AVCodec *picture_codec(const char *target, const char *encoder)
{
	const struct vrs_sink_options named = {.encoder = encoder};
	const AVCodec *codec = vrs_encoder_is_ours(&named) ? NULL : avcodec_find_encoder_by_name(encoder);
	const AVOutputFormat *format = av_guess_format("image2", NULL, NULL);
	bool is_folder = strncmp(target, VRS_PICTURES_PREFIX, strlen(VRS_PICTURES_PREFIX)) == 0;
	const char *name = is_folder ? VRS_PICTURES_NAME : vrs_path_base(target);
	enum AVCodecID id = format ? av_guess_codec(format, NULL, name, NULL, AVMEDIA_TYPE_VIDEO) : AV_CODEC_ID_NONE;

	return codec && codec->id == id ? codec : avcodec_find_encoder(id);
}

static bool picture_uses(const char *target, const char *encoder, const char *option)
{
	const AVCodec *codec = picture_codec(target, encoder);

	if (strcmp(option, "encoder") == 0)
		return codec && strcmp(codec->name, encoder) == 0;
	return encoder_uses(codec ? codec->name : NULL, option);
}

void vrs_sink_encoder_used(char *ret_encoder, const char *target, const char *encoder, bool alpha)
{
	const AVCodec *codec = is_pictures(target) ? picture_codec(target, encoder) : NULL;
	char chosen[VRS_NAME_MAX];

	vrs_sink_encoder_for(chosen, target, encoder, alpha);
	const char *name = strrchr(chosen, ':');
	if (is_pictures(target))
		snprintf(ret_encoder, VRS_NAME_MAX, "%s", codec ? codec->name : "");
	else
		snprintf(ret_encoder, VRS_NAME_MAX, "%s", name ? name + 1 : chosen);
}

bool vrs_sink_uses(const char *target, const char *encoder, bool alpha, const char *option)
{
	const struct vrs_sink_options named = {.encoder = encoder};
	const AVOutputFormat *muxer = av_guess_format(NULL, vrs_path_base(target), NULL);

	if (vrs_sink_is_virtual(target))
		return true;
	if (vrs_is_video_device(target))
		return strcmp(option, "encoder") == 0; /* refused when the device is opened */
	if (strncmp(target, "y4m:", 4) == 0 || av_match_ext(target, "y4m") > 0)
		return false;
	if (is_pictures(target))
		return picture_uses(target, encoder, option);
	if (!vrs_encoder_is_ours(&named))
		return encoder_uses(encoder, option);
	return strcmp(encoder, "hardware") == 0 || vrs_sink_is_stream(target) || encoder_uses(vrs_encoder_wanted(muxer, "auto", alpha), option);
}

static enum vrs_status check_container(const AVOutputFormat *muxer, const AVCodec *codec, const char *path, struct vrs_error *err)
{
	const AVCodec *fitting = avcodec_find_encoder(muxer->video_codec);

	if (holds(muxer, codec))
		return VRS_OK;
	return vrs_fail(err, VRS_ECONFIG, "a %s file (%s) cannot hold video of encoder %s; name it .mkv%s%s", muxer->name, vrs_path_base(path), codec->name,
			fitting ? " or choose --encoder " : "", fitting ? fitting->name : "");
}

/* VP8 and VP9 keep alpha beside their packets, which only Matroska and WebM store. */
static bool container_loses_alpha(const AVOutputFormat *muxer, const AVCodec *codec)
{
	bool beside = codec->id == AV_CODEC_ID_VP8 || codec->id == AV_CODEC_ID_VP9;

	return av_match_name(muxer->name, "mp4,ipod,psp,3gp,3g2,f4v,ismv") || (beside && !vrs_av_is_matroska(muxer));
}

static enum vrs_status check_alpha(const AVOutputFormat *muxer, const AVCodec *codec, const char *path, struct vrs_error *err)
{
	const char *fitting = usual_encoder(muxer, true);

	if (container_loses_alpha(muxer, codec))
		return vrs_fail(err, VRS_ECONFIG, "a %s file (%s) with encoder %s cannot hold transparency; name it .mov (ProRes 4444), .webm (VP9) or "
				".mkv (FFV1), or pictures like name_%%06d.png", muxer->name, vrs_path_base(path), codec->name);
	if (!vrs_encoder_has_alpha(codec))
		return vrs_fail(err, VRS_ECONFIG, "encoder %s has no transparency; choose --encoder %s, or another of prores_ks, libvpx-vp9, ffv1, "
				"utvideo, qtrle and png", codec->name, fitting ? fitting : "ffv1");
	return VRS_OK;
}

/* Does this encoder open for the frames at hand? Nothing is said about it. */
static bool opens(const AVCodec *codec, const AVOutputFormat *muxer, const struct vrs_sink_options *options)
{
	struct vrs_av_encoder encoder;
	struct vrs_error ignored = {0};
	enum vrs_status status = vrs_av_encoder_open(&encoder, codec, options, muxer, 0, &ignored);

	vrs_av_encoder_close(&encoder);
	return status == VRS_OK;
}

/* The first hardware encoder that works, else the usual one; said once. H.264 where it reaches, HEVC above. */
static const char *hardware_or_usual(const AVOutputFormat *muxer, const struct vrs_sink_options *options)
{
	static const char *const names[2][3] = {{"h264_nvenc", "h264_vaapi", "h264_qsv"}, {"hevc_nvenc", "hevc_vaapi", "hevc_qsv"}};
	bool large = options->format.width > HARDWARE_H264_SIDE || options->format.height > HARDWARE_H264_SIDE || options->format.bit_depth > 8;
	const char *usual_name = usual_encoder(muxer, options->format.planes == 4);
	char causes[400] = "", cause[120];

	for (int i = 0; i < 3 && options->format.planes < 4; i++) {
		const AVCodec *codec = avcodec_find_encoder_by_name(names[large][i]);
		size_t used = strlen(causes);

		if (!codec || !holds(muxer, codec))
			continue;
		if (vrs_hw_device_opens(vrs_hw_device_of(names[large][i]), cause, sizeof cause) && opens(codec, muxer, options)) {
			vrs_log(VRS_LOG_INFO, "hardware encoder %s", names[large][i]);
			return names[large][i];
		}
		snprintf(causes + used, sizeof causes - used, "%s%s", used ? "; " : "", cause[0] ? cause : names[large][i]);
	}
	vrs_log(VRS_LOG_WARNING, "no hardware encoder works here%s%s%s: %s is used", causes[0] ? " (" : "", causes, causes[0] ? ")" : "",
		usual_name ? usual_name : "none");
	return usual_name;
}

enum vrs_status vrs_encoder_choose(const AVCodec **ret_codec, const AVOutputFormat *muxer, const char *path, const struct vrs_sink_options *options,
				   struct vrs_error *err)
{
	bool alpha = options->format.planes == 4;
	bool hardware = options->encoder && strcmp(options->encoder, "hardware") == 0;
	const char *name = hardware ? hardware_or_usual(muxer, options) : vrs_encoder_wanted(muxer, options->encoder, alpha);
	const AVCodec *codec;
	enum vrs_status status;

	if (muxer->video_codec == AV_CODEC_ID_NONE)
		return vrs_fail(err, VRS_ECONFIG, "a %s file (%s) holds no video; name the output .mp4 or .mkv", muxer->name, vrs_path_base(path));
	if (!name && !alpha)
		return vrs_fail(err, VRS_ECONFIG, "a %s file (%s) holds %s video, which this FFmpeg cannot encode; name it .mkv or .mp4", muxer->name,
				vrs_path_base(path), avcodec_get_name(muxer->video_codec));
	if (!name)
		return vrs_fail(err, VRS_ECONFIG, "a %s file (%s) cannot hold transparency; name it .mov (ProRes 4444), .webm (VP9) or .mkv (FFV1), or "
				"pictures like name_%%06d.png", muxer->name, vrs_path_base(path));
	status = vrs_encoder_find(&codec, name, err);
	if (status == VRS_OK && alpha)
		status = check_alpha(muxer, codec, path, err);
	if (status == VRS_OK)
		status = check_container(muxer, codec, path, err);
	if (status == VRS_OK)
		*ret_codec = codec;
	return status;
}
