/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of encoders that the output at hand has no use for: typed ones are refused, those of profiles, files and the environment give way. */
#include <string.h>

#include "base/printable.h"
#include "base/str_parse.h"
#include "modes/program.h"

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
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);

	for (int i = 0; i < count; i++) {
		const char *key = rows[i].key;

		if (!(rows[i].traits & VRS_OPTION_OF_ENCODER) || !asks(settings, key, &rows[i]) || vrs_job_output_uses(settings, key))
			continue;
		if (refuses && vrs_config_source(program->config, key) == VRS_SOURCE_FLAG)
			return refuse(program, key, err);
		give_way(settings, key);
	}
	return VRS_OK;
}
