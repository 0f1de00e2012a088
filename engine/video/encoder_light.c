/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/encoder_light.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <libavutil/avstring.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/opt.h>

#include "video/av_format.h"

struct light {
	const AVMasteringDisplayMetadata *display; /* NULL: not told, or not all of it */
	const AVContentLightMetadata *content;
};

/* What the encoder's parameters are called, and the units of its display: chromaticity, nits. */
struct words {
	const char *encoder, *params, *display, *content;
	double chromaticity, nits;
	const char *format; /* of numbers in these units */
};

static const struct words all_words[] = {
	{"libx265", "x265-params", "master-display", "max-cll", 50000, 10000, "%.0f,%.0f"},
	{"libx264", "x264-params", "mastering-display", "cll", 50000, 10000, "%.0f,%.0f"},
	{"libsvtav1", "svtav1-params", "mastering-display", "content-light", 1, 1, "%.5f,%.5f"},
};

static struct light read_light(const AVStream *raw)
{
	struct light light = {0};
	size_t size = 0;
	const void *data = raw ? av_stream_get_side_data(raw, AV_PKT_DATA_MASTERING_DISPLAY_METADATA, &size) : NULL;

	if (data && size >= sizeof *light.display)
		light.display = data;
	if (light.display && !(light.display->has_primaries && light.display->has_luminance))
		light.display = NULL;
	size = 0;
	data = raw ? av_stream_get_side_data(raw, AV_PKT_DATA_CONTENT_LIGHT_LEVEL, &size) : NULL;
	if (data && size >= sizeof *light.content)
		light.content = data;
	return light;
}

bool vrs_encoder_light_applies(const AVStream *raw, enum AVColorTransferCharacteristic transfer)
{
	struct light light = read_light(raw);

	return (light.display || light.content) && (vrs_av_is_hdr(transfer) || !vrs_av_is_hdr(raw->codecpar->color_trc));
}

/* Another parameter beside those that the encoder has got. */
static bool add_param(AVCodecContext *context, const char *option, const char *name, const char *value)
{
	AVDictionary *params = NULL;
	int rc = av_opt_get_dict_val(context->priv_data, option, 0, &params);

	if (rc >= 0)
		rc = av_dict_set(&params, name, value, 0);
	if (rc >= 0)
		rc = av_opt_set_dict_val(context->priv_data, option, params, 0);
	av_dict_free(&params);
	return rc >= 0;
}

static double scaled(AVRational value, double units)
{
	return value.den > 0 && value.num > 0 ? av_q2d(value) * units : 0;
}

static void print_pair(char *text, size_t size, const char *name, const struct words *words, double a, double b)
{
	size_t length = strlen(text);

	snprintf(text + length, size - length, "%s(", name);
	length = strlen(text);
	snprintf(text + length, size - length, words->format, a, b);
	(void)av_strlcat(text, ")", size);
}

/* "G(x,y)B(x,y)R(x,y)WP(x,y)L(brightest,darkest)" */
static void print_display(char *text, size_t size, const AVMasteringDisplayMetadata *display, const struct words *words)
{
	static const char *const names[] = {"G", "B", "R"};
	static const int places[] = {1, 2, 0}; /* in FFmpeg's order */
	double unit = words->chromaticity;

	text[0] = '\0';
	for (int i = 0; i < 3; i++)
		print_pair(text, size, names[i], words, scaled(display->display_primaries[places[i]][0], unit),
			   scaled(display->display_primaries[places[i]][1], unit));
	print_pair(text, size, "WP", words, scaled(display->white_point[0], unit), scaled(display->white_point[1], unit));
	print_pair(text, size, "L", words, scaled(display->max_luminance, words->nits), scaled(display->min_luminance, words->nits));
}

bool vrs_encoder_light_set(AVCodecContext *context, const AVStream *raw)
{
	const struct words *words = NULL;
	struct light light = read_light(raw);
	bool set = true;
	char text[256];

	for (size_t i = 0; i < sizeof all_words / sizeof all_words[0]; i++)
		if (strcmp(all_words[i].encoder, context->codec->name) == 0)
			words = &all_words[i];
	if (!words || !vrs_encoder_light_applies(raw, context->color_trc))
		return false;
	if (light.display) {
		print_display(text, sizeof text, light.display, words);
		set = add_param(context, words->params, words->display, text);
	}
	if (light.content && set) {
		snprintf(text, sizeof text, "%u,%u", light.content->MaxCLL, light.content->MaxFALL);
		set = add_param(context, words->params, words->content, text);
	}
	return set;
}

bool vrs_encoder_light_is_held(const AVOutputFormat *muxer)
{
	return av_match_name(muxer->name, "mp4,mov,matroska,webm,mxf") > 0;
}
