/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/job_request.h"

#include <stdio.h>
#include <string.h>

#include "base/str_parse.h"

#define LEAST_BIT_RATE 1000
#define MOST_BIT_RATE 1e10

struct vrs_source_options vrs_input_options(const struct vrs_settings *settings, int threads)
{
	return (struct vrs_source_options){.threads = threads, .start_seconds = settings->input.start,
		.hwdecode = settings->input.hwdecode, .fps = settings->input.fps, .raw_format = settings->input.raw_format,
		.raw_size = {settings->input.raw_size[0], settings->input.raw_size[1]}, .duration_seconds = settings->input.duration,
		.keep_partial = settings->pipeline.keep_partial};
}

enum vrs_status vrs_input_layout(struct vrs_layout *ret_layout, const struct vrs_settings *settings, const struct vrs_source_info *source,
				 const char *name, struct vrs_error *err)
{
	struct vrs_layout_request request = {.layout = (enum vrs_layout_choice)settings->input.layout};
	const char *projection = settings->input.projection[0] ? settings->input.projection : "auto";
	enum vrs_status status = vrs_projection_ask(&request, projection, err);
	return status != VRS_OK ? status : vrs_layout_decide(ret_layout, &request, &source->side, name, source->format.width, source->format.height, err);
}

/* "20M", "800k", "1.5M", "2000000": thousands, as video people count. */
static bool parse_bit_rate(const char *text, int64_t *ret)
{
	char number[VRS_NAME_MAX];
	double factor = 1, value;
	size_t n = strlen(text);
	if (n < 1 || !vrs_strcpy(number, sizeof number, text))
		return false;
	char unit = number[n - 1];
	if (unit == 'k' || unit == 'K')
		factor = 1e3;
	else if (unit == 'm' || unit == 'M')
		factor = 1e6;
	if (factor > 1)
		number[n - 1] = '\0';
	if (!vrs_parse_double(number, 0, MOST_BIT_RATE, &value) || value * factor < LEAST_BIT_RATE || value * factor > MOST_BIT_RATE)
		return false;
	*ret = (int64_t)(value * factor + 0.5);
	return true;
}

static bool is_default(const char *key, const char *value)
{
	const struct vrs_option *row = vrs_option_find(key);
	return row && strcmp(value, row->default_text) == 0;
}

enum vrs_status vrs_encoder_request(const struct vrs_settings *settings, struct vrs_sink_options *options, struct vrs_error *err)
{
	const char *encoder = settings->output.encoder, *bitrate = settings->output.bitrate;
	char crf[16];
	snprintf(crf, sizeof crf, "%d", settings->output.crf);
	options->preset = settings->output.preset;
	options->quality = settings->output.quality + 1;
	options->lossless = settings->output.lossless;
	options->bit_rate = 0;
	if (strcmp(bitrate, "source") == 0)
		options->bit_rate = VRS_BIT_RATE_SOURCE;
	else if (strcmp(bitrate, "auto") != 0 && !parse_bit_rate(bitrate, &options->bit_rate))
		return vrs_fail(err, VRS_ECONFIG, "--bitrate: \"%s\" is not a bit rate; write source, or a number from 1k to 10000M, such as 20M", bitrate);
	bool other = options->quality > 0 || options->lossless || options->bit_rate != 0;
	options->crf = other && is_default("output.crf", crf) ? -1 : settings->output.crf;
	/* encoders without presets or crf refuse them; one that the sink chooses gets what it knows */
	if (!encoder[0] || strncmp(encoder, "auto", 4) == 0 || strcmp(encoder, "hardware") == 0)
		return VRS_OK;
	if (is_default("output.preset", settings->output.preset) && !vrs_sink_encoder_knows_preset(encoder, settings->output.preset))
		options->preset = NULL;
	if (!vrs_sink_encoder_has(encoder, "crf") && is_default("output.crf", crf))
		options->crf = -1;
	return VRS_OK;
}
