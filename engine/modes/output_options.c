/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of encoders that the output at hand has no use for: typed ones are refused, those of profiles, files and the environment give way. */
#include <string.h>

#include "base/printable.h"
#include "base/str_parse.h"
#include "modes/program.h"

static const char *const keys[] = {"output.encoder", "output.preset", "output.crf", "output.quality", "output.bitrate", "output.lossless"};

/* What asks for nothing suits every output. */
static bool asks(const struct vrs_settings *settings, const char *key, const struct vrs_option *row)
{
	char text[VRS_PATH_MAX];
	const char *nothing = row->min_name ? row->min_name : row->default_text;

	if (vrs_option_text(row, settings, text, sizeof text) != VRS_OK)
		return true;
	return strcmp(key, "output.preset") == 0 || strcmp(text, nothing) != 0;
}

static enum vrs_status refuse(const struct vrs_program_state *program, const char *key, struct vrs_error *err)
{
	const struct vrs_settings *settings = &program->settings;
	const char *flag = vrs_config_where(program->config, key);
	char file[VRS_PATH_MAX];
	bool of_encoder = strcmp(key, "output.encoder") != 0 && strcmp(settings->output.encoder, "auto") != 0 &&
			  vrs_job_output_uses(settings, "output.encoder");

	return vrs_fail(err, VRS_ECONFIG, "%s has no effect with the %s %s; leave it out", flag[0] ? flag : key, of_encoder ? "encoder" : "output",
			of_encoder ? settings->output.encoder : vrs_printable(file, sizeof file, settings->output.file));
}

/* Ask for nothing.  Another encoder than that of a picture is told by the sink. */
static void give_way(struct vrs_settings *settings, const char *key)
{
	if (strcmp(key, "output.preset") == 0)
		settings->output.preset[0] = '\0';
	else if (strcmp(key, "output.crf") == 0)
		settings->output.crf = -1;
	else if (strcmp(key, "output.quality") == 0)
		settings->output.quality = -1;
	else if (strcmp(key, "output.bitrate") == 0)
		(void)vrs_strcpy(settings->output.bitrate, sizeof settings->output.bitrate, "auto"); /* fits */
	else if (strcmp(key, "output.lossless") == 0)
		settings->output.lossless = false;
}

enum vrs_status vrs_program_settle_output(struct vrs_program_state *program, bool refuses, struct vrs_error *err)
{
	struct vrs_settings *settings = &program->settings;

	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		const struct vrs_option *row = vrs_option_find(keys[i]);

		if (!row || !asks(settings, keys[i], row) || vrs_job_output_uses(settings, keys[i]))
			continue;
		if (refuses && vrs_config_source(program->config, keys[i]) == VRS_SOURCE_FLAG)
			return refuse(program, keys[i], err);
		give_way(settings, keys[i]);
	}
	return VRS_OK;
}
