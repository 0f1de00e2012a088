/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/encoder_rate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>

#include <vrseg/log.h>

#include "video/av_support.h"
#include "video/encoder_query.h"
#include "video/hw_device.h"

/*
 * Quality 0..100 on each encoder's own scale, where it has one: about the same picture for the same number, by the encoders' documents, 70 being
 * close to libx264's crf 20.  option NULL: the quantizer of AVCodecContext.  lossless: options that make it so.
 */
static const struct rate_row {
	const char *encoder, *option;
	double worst, best;
	const char *lossless[2]; /* private option and value; NULL: it cannot */
} rows[] = {
	{"libx264", "crf", 45, 10, {"qp", "0"}},
	{"libx264rgb", "crf", 45, 10, {"qp", "0"}},
	{"libx265", "crf", 48, 12, {"x265-params", "lossless=1"}},
	{"libvpx", "crf", 60, 6, {NULL, NULL}},
	{"libvpx-vp9", "crf", 60, 10, {"lossless", "1"}},
	{"libaom-av1", "crf", 60, 10, {NULL, NULL}},
	{"libsvtav1", "crf", 60, 12, {NULL, NULL}},
	{"h264_nvenc", "cq", 45, 12, {"tune", "lossless"}},
	{"hevc_nvenc", "cq", 45, 12, {"tune", "lossless"}},
	{"h264_vaapi", "qp", 45, 12, {NULL, NULL}},
	{"hevc_vaapi", "qp", 45, 12, {NULL, NULL}},
	{"h264_qsv", NULL, 45, 12, {NULL, NULL}},
	{"hevc_qsv", NULL, 45, 12, {NULL, NULL}},
	{"mpeg4", NULL, 31, 2, {NULL, NULL}},
	{"mpeg2video", NULL, 31, 2, {NULL, NULL}},
	{"mjpeg", NULL, 31, 2, {NULL, NULL}},
	{"libtheora", NULL, 1, 10, {NULL, NULL}},
};

/* What x264's names of presets are with encoders that call them otherwise. */
static const struct preset_row {
	const char *preset;
	int cpu_used;         /* libvpx, with this deadline */
	const char *deadline;
	const char *nvenc, *svt;
} presets[] = {
	{"ultrafast", 8, "realtime", "p1", "12"}, {"superfast", 7, "realtime", "p1", "11"}, {"veryfast", 5, "good", "p2", "10"},
	{"faster", 4, "good", "p3", "9"},         {"fast", 3, "good", "p3", "8"},           {"medium", 2, "good", "p4", "7"},
	{"slow", 1, "good", "p5", "5"},           {"slower", 0, "good", "p6", "4"},         {"veryslow", 0, "best", "p7", "3"},
};
#define USUAL_QUALITY 70 /* of encoders without crf that nothing was asked of */

static const struct rate_row *row_of(const AVCodec *codec)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (strcmp(rows[i].encoder, codec->name) == 0)
			return &rows[i];
	return NULL;
}

static const struct preset_row *preset_of(const char *preset)
{
	for (size_t i = 0; i < sizeof presets / sizeof presets[0]; i++)
		if (strcmp(presets[i].preset, preset) == 0)
			return &presets[i];
	return NULL;
}

static enum vrs_status set_vpx_preset(AVCodecContext *context, const char *preset, struct vrs_error *err)
{
	const struct preset_row *row = preset_of(preset);

	if (!row)
		return vrs_fail(err, VRS_ECONFIG, "encoder %s does not know the preset %s; it has ultrafast, superfast, veryfast, faster, fast, medium, "
				"slow, slower and veryslow", context->codec->name, preset);
	(void)av_opt_set(context->priv_data, "deadline", row->deadline, 0);
	(void)av_opt_set_int(context->priv_data, "cpu-used", row->cpu_used, 0);
	(void)av_opt_set_int(context->priv_data, "row-mt", 1, 0); /* VP8 has none */
	return VRS_OK;
}

/* The encoder's own name of a preset. */
static const char *translated(const AVCodec *codec, const char *preset)
{
	const struct preset_row *row = preset_of(preset);

	/* nvenc has three of the names itself */
	if (row && strstr(codec->name, "_nvenc") && strcmp(preset, "fast") != 0 && strcmp(preset, "medium") != 0 && strcmp(preset, "slow") != 0)
		return row->nvenc;
	return row && strcmp(codec->name, "libsvtav1") == 0 ? row->svt : preset;
}

bool vrs_sink_encoder_knows_preset(const char *encoder, const char *preset)
{
	const AVCodec *codec = avcodec_find_encoder_by_name(encoder);
	const AVClass *class = codec ? codec->priv_class : NULL;

	if (!class || !vrs_sink_encoder_has(encoder, "preset"))
		return false;
	const AVOption *option = av_opt_find(&class, "preset", NULL, 0, AV_OPT_SEARCH_FAKE_OBJ);
	bool is_name = option && option->unit && strspn(translated(codec, preset), "0123456789") == 0;

	return !is_name || av_opt_find(&class, translated(codec, preset), option->unit, 0, AV_OPT_SEARCH_FAKE_OBJ);
}

static enum vrs_status set_preset(AVCodecContext *context, const struct vrs_sink_options *options, struct vrs_error *err)
{
	const char *preset = options->preset, *name = context->codec->name;
	int rc;

	if (!preset || !preset[0])
		return VRS_OK;
	if (strncmp(name, "libvpx", 6) == 0)
		return set_vpx_preset(context, preset, err);
	if (!vrs_sink_encoder_has(name, "preset")) {
		if (vrs_encoder_is_ours(options))
			return VRS_OK;
		return vrs_fail(err, VRS_ECONFIG, "encoder %s has no preset; leave --preset out", name);
	}
	/* libx264 and libx265 print to standard error when they meet an unknown preset */
	if (vrs_encoder_is_x26x(context->codec) && !preset_of(preset) && strcmp(preset, "placebo") != 0)
		return vrs_fail(err, VRS_ECONFIG, "encoder %s does not know the preset %s; it has ultrafast, superfast, veryfast, faster, fast, "
				"medium, slow, slower, veryslow and placebo", name, preset);
	if (vrs_encoder_is_ours(options) && !vrs_sink_encoder_knows_preset(name, preset))
		return VRS_OK; /* a name of another encoder's */
	rc = av_opt_set(context->priv_data, "preset", translated(context->codec, preset), 0);
	return rc < 0 ? vrs_av_fail(err, VRS_ECONFIG, rc, "encoder %s does not know the preset %s", name, preset) : VRS_OK;
}

static enum vrs_status set_crf(AVCodecContext *context, const struct vrs_sink_options *options, struct vrs_error *err)
{
	const char *name = context->codec->name;
	const AVOption *option;
	int rc;

	if (!vrs_sink_encoder_has(name, "crf")) {
		if (vrs_encoder_is_ours(options))
			return VRS_OK;
		return vrs_fail(err, VRS_ECONFIG, "encoder %s has no crf; leave --crf out", name);
	}
	option = av_opt_find(context->priv_data, "crf", NULL, 0, 0);
	rc = av_opt_set_double(context->priv_data, "crf", options->crf, 0);
	if (rc < 0)
		return vrs_av_fail(err, VRS_ECONFIG, rc, "encoder %s takes a crf of at most %g, not %d", name, option->max, options->crf);
	return VRS_OK;
}

static void set_quantizer(AVCodecContext *context, double value)
{
	context->flags |= AV_CODEC_FLAG_QSCALE;
	context->global_quality = (int)lrint(value * FF_QP2LAMBDA);
}

static enum vrs_status set_quality(AVCodecContext *context, int quality, struct vrs_error *err)
{
	const struct rate_row *row = row_of(context->codec);
	double value;

	if (!row && vrs_hw_device_of(context->codec->name) != AV_HWDEVICE_TYPE_NONE && quality == USUAL_QUALITY)
		return VRS_OK;
	if (!row)
		return vrs_fail(err, VRS_ECONFIG, "encoder %s has no quality setting; leave --quality out", context->codec->name);
	value = row->worst + (row->best - row->worst) * quality / 100;
	if (!row->option) {
		if (strstr(row->encoder, "_qsv"))
			context->global_quality = (int)lrint(value); /* its own scale, without the flag */
		else
			set_quantizer(context, value);
	} else if (av_opt_set_double(context->priv_data, row->option, floor(value + 0.5), 0) < 0) {
		return vrs_fail(err, VRS_EINTERNAL, "encoder %s refuses %s %g", context->codec->name, row->option, value);
	}
	if (strstr(row->encoder, "_nvenc"))
		(void)av_opt_set(context->priv_data, "rc", "vbr", 0); /* cq means something in that mode alone */
	vrs_log(VRS_LOG_DEBUG, "encoder %s: quality %d is %s %g", context->codec->name, quality, row->option ? row->option : "quantizer", value);
	return VRS_OK;
}

/* Encoders that cannot do otherwise, as long as pictures go in as they are. */
static bool is_lossless_by_nature(const AVCodec *codec)
{
	const AVCodecDescriptor *desc = avcodec_descriptor_get(codec->id);

	return desc && (desc->props & AV_CODEC_PROP_LOSSLESS) && !(desc->props & AV_CODEC_PROP_LOSSY);
}

static enum vrs_status set_lossless(AVCodecContext *context, const struct vrs_sink_options *options, struct vrs_error *err)
{
	const struct rate_row *row = row_of(context->codec);
	const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(context->pix_fmt);
	const struct vrs_picture_format *format = &options->format;
	bool as_is = desc && !(desc->flags & AV_PIX_FMT_FLAG_RGB) && desc->comp[0].depth == format->bit_depth &&
		     (format->planes == 1 || (desc->log2_chroma_w == format->chroma_shift_x && desc->log2_chroma_h == format->chroma_shift_y));
	char value[64];

	if (!as_is)
		return vrs_fail(err, VRS_ECONFIG, "encoder %s takes %s, which is not lossless; choose --encoder ffv1 for lossless video",
				context->codec->name, desc ? desc->name : "another format");
	if (is_lossless_by_nature(context->codec))
		return VRS_OK;
	if (!row || !row->lossless[0])
		return vrs_fail(err, VRS_ECONFIG, "encoder %s has no lossless mode; choose --encoder libx264, libx265, libvpx-vp9, ffv1 or utvideo",
				context->codec->name);
	snprintf(value, sizeof value, "%s%s", strcmp(row->encoder, "libx265") == 0 ? "log-level=error:" : "", row->lossless[1]);
	if (av_opt_set(context->priv_data, row->lossless[0], value, 0) < 0)
		return vrs_fail(err, VRS_EINTERNAL, "encoder %s refuses %s", context->codec->name, row->lossless[0]);
	return VRS_OK;
}

static enum vrs_status set_bit_rate(AVCodecContext *context, int64_t bit_rate, int64_t source_bit_rate, struct vrs_error *err)
{
	bool of_source = bit_rate == VRS_BIT_RATE_SOURCE;

	if (of_source && source_bit_rate <= 0)
		return vrs_fail(err, VRS_ECONFIG, "the file does not say its bit rate; give a number, as in --bitrate 20M");
	if (is_lossless_by_nature(context->codec))
		return vrs_fail(err, VRS_ECONFIG, "encoder %s is lossless and has no bit rate; leave --bitrate out", context->codec->name);
	context->bit_rate = of_source ? source_bit_rate : bit_rate;
	if (of_source)
		vrs_log(VRS_LOG_INFO, "encoder %s: bit rate of the source, %" PRId64 " kb/s", context->codec->name, source_bit_rate / 1000);
	return VRS_OK;
}

/* Lossy encoders that know only a bit rate would fall to FFmpeg's 200 kb/s: they get the source's. */
static void default_rate(AVCodecContext *context, int64_t bit_rate)
{
	static const char *const quality[] = {"crf", "cq", "qp", "rc_mode", "qmin"};
	const AVCodecDescriptor *desc = avcodec_descriptor_get(context->codec_id);

	if (bit_rate <= 0 || !desc || !(desc->props & AV_CODEC_PROP_LOSSY) || (desc->props & AV_CODEC_PROP_INTRA_ONLY))
		return;
	for (size_t i = 0; i < sizeof quality / sizeof quality[0]; i++)
		if (vrs_sink_encoder_has(context->codec->name, quality[i]))
			return;
	context->bit_rate = bit_rate;
	vrs_log(VRS_LOG_INFO, "encoder %s knows no crf: it gets the bit rate of the source, %" PRId64 " kb/s", context->codec->name,
		bit_rate / 1000);
}

enum vrs_status vrs_encoder_rate_set(AVCodecContext *context, const struct vrs_sink_options *options, int64_t source_bit_rate, struct vrs_error *err)
{
	int asked = (options->crf >= 0) + (options->quality > 0) + (options->bit_rate != 0) + options->lossless;
	enum vrs_status status;

	if (asked > 1)
		return vrs_fail(err, VRS_ECONFIG, "crf, quality, bitrate and lossless each decide on size and quality; give one of them");
	if (strcmp(context->codec->name, "libx265") == 0) /* it prints by itself, and writes its level into the video, whatever ours is */
		(void)av_opt_set(context->priv_data, "x265-params", "log-level=error", 0);
	status = set_preset(context, options, err);
	if (status != VRS_OK)
		return status;
	if (options->lossless)
		return set_lossless(context, options, err);
	if (options->bit_rate != 0)
		return set_bit_rate(context, options->bit_rate, source_bit_rate, err);
	if (options->quality > 0)
		return set_quality(context, options->quality - 1, err);
	if (vrs_hw_device_of(context->codec->name) != AV_HWDEVICE_TYPE_NONE)
		return set_quality(context, USUAL_QUALITY, err); /* their own default is a bit rate for small pictures */
	if (strcmp(context->codec->name, "libtheora") == 0 && (options->crf < 0 || vrs_encoder_is_ours(options)))
		return set_quality(context, USUAL_QUALITY, err); /* with a bit rate it drops frames of more than that */
	default_rate(context, source_bit_rate);
	return options->crf >= 0 ? set_crf(context, options, err) : VRS_OK;
}
