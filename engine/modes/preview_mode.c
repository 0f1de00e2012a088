/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A contact sheet of one frame; and names of outputs that the user did not name. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/printable.h"
#include "base/str_parse.h"
#include "modes/program.h"

#include <vrseg/output_file.h>

/* A single picture, by its name. */
static bool is_picture_name(const char *dot)
{
	static const char *const extensions[] = {".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff", ".ppm"};
	for (size_t i = 0; dot && i < sizeof extensions / sizeof extensions[0]; i++)
		if (strcasecmp(dot, extensions[i]) == 0)
			return true;
	return false;
}

/* What a video cannot have as it is becomes an .mp4: only .mkv and .mov hold H.264 as well. Transparency needs a .mov, if not the input's .mkv. */
static const char *default_extension(const char *dot, const struct vrs_settings *settings)
{
	if (is_picture_name(dot))
		return ".png";
	if (dot && (strcmp(dot, ".mkv") == 0 || strcmp(dot, ".mov") == 0))
		return dot;
	return settings->output.mode == VRS_MODE_CUTOUT ? ".mov" : ".mp4";
}

/* clip.mp4 becomes clip_green.mp4, or has a player's tags. */
enum vrs_status vrs_default_output(struct vrs_program_state *program, const char *folder, const char *suffix, const char *extension,
				   struct vrs_error *err)
{
	char input[VRS_PATH_MAX];
	enum vrs_status status = vrs_output_like(input, sizeof input, program->input, err);
	if (status != VRS_OK)
		return status;
	if (!folder && strcmp(input, program->input) != 0)
		return vrs_fail(err, VRS_ECONFIG, "%s is not a file; name the output: -o FILE", program->input);
	const char *base = vrs_path_base(input), *dot = strrchr(base, '.');
	size_t length = dot && dot != base ? (size_t)(dot - base) : strlen(base), beside = folder ? strlen(folder) : (size_t)(base - input);
	if (!extension)
		extension = default_extension(dot, &program->settings);
	char *file = program->settings.output.file, name[VRS_PATH_MAX];
	int n = snprintf(name, sizeof name, "%.*s_%s", (int)length, base, suffix);
	if (strcmp(suffix, vrs_output_suffix(&program->settings)) == 0 && vrs_output_name_needs_input(&program->settings)) {
		status = vrs_output_name(name, sizeof name, program->input, &program->settings, err);
		if (status != VRS_OK)
			return status;
	}
	for (char *c = name; strcmp(extension, ".png") == 0 && (c = strchr(c, '%'));) /* a number would take its place */
		*c = '_';
	if (n > 0 && (size_t)n < sizeof name)
		n = snprintf(file, sizeof program->settings.output.file, "%.*s%s%s%s", (int)beside, folder ? folder : input,
			     folder && beside && folder[beside - 1] != '/' ? "/" : "", name, extension);
	return n > 0 && (size_t)n < sizeof program->settings.output.file ? VRS_OK : vrs_fail(err, VRS_ELIMIT, "the name %s is too long", input);
}

enum vrs_status vrs_mode_preview(struct vrs_program_state *program, struct vrs_error *err)
{
	char file[VRS_PATH_MAX];
	double seconds;
	if (!vrs_parse_duration(program->preview, &seconds))
		return vrs_fail(err, VRS_ECONFIG, "--preview takes a time such as 12.5 or 1:30, not \"%s\"", program->preview);
	vrs_settings_keep(&program->settings, VRS_OPTION_OF_PREVIEW);
	enum vrs_status status = program->settings.output.file[0] ? VRS_OK : vrs_default_output(program, NULL, "preview", ".png", err);
	if (status == VRS_OK)
		status = vrs_config_check_files(program->config, &program->settings, program->input, err);
	if (status == VRS_OK)
		status = vrs_job_preview(program->input, &program->settings, seconds, program->settings.output.file, err);
	if (status == VRS_OK)
		fprintf(program->results, "%s: input, matte and composite at %g s, one row per eye\n",
			vrs_printable(file, sizeof file, program->settings.output.file), seconds);
	return status;
}
