/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the name of an output from the input's name, what the input is, and the player that it is for. */
#include <vrseg/output_name.h>

#include <stdio.h>

#include "job/job_input.h"
#include "job/player_tags.h"
#include "vr/name_tags.h"

bool vrs_output_name_needs_input(const struct vrs_settings *settings)
{
	return settings->output.mode == VRS_MODE_ALPHA || settings->output.player != VRS_PLAYER_NONE;
}

bool vrs_output_name_is_packed(const char *name)
{
	struct vrs_name_tags tags;

	vrs_name_tags_parse(&tags, name);
	return tags.alpha_packed;
}

static enum vrs_status layout_of(struct vrs_layout *ret_layout, const char *input, const struct vrs_settings *settings, struct vrs_error *err)
{
	const struct vrs_source_options options = {.threads = 1};
	struct vrs_source *source = NULL;
	enum vrs_status status = vrs_source_open(&source, input, &options, err);

	if (status == VRS_OK)
		status = vrs_input_layout(ret_layout, settings, vrs_source_info(source), input, err);
	vrs_source_close(source);
	return status;
}

enum vrs_status vrs_output_name(char *ret, size_t size, const char *input, const struct vrs_settings *settings, struct vrs_error *err)
{
	struct vrs_layout layout;
	char tags[64], stem[VRS_PATH_MAX];
	enum vrs_status status = layout_of(&layout, input, settings, err);

	if (status == VRS_OK)
		status = vrs_player_tags(tags, sizeof tags, settings, &layout, input, err);
	if (status != VRS_OK)
		return status;
	bool fits = vrs_name_tags_strip(stem, sizeof stem, input);
	const char *mode = settings->output.mode == VRS_MODE_GREEN ? "_green" : ""; /* alpha stands among the tags */
	int n = fits ? snprintf(ret, size, "%s%s%s%s", stem, mode, tags[0] ? "_" : "", tags) : -1;
	return n > 0 && (size_t)n < size ? VRS_OK : vrs_fail(err, VRS_ELIMIT, "the name %s is too long", input);
}

enum vrs_status vrs_output_name_check(const char *input, const struct vrs_settings *settings, struct vrs_error *err)
{
	struct vrs_layout layout;

	if (!vrs_output_name_needs_input(settings))
		return VRS_OK;
	enum vrs_status status = layout_of(&layout, input, settings, err);
	return status != VRS_OK ? status : vrs_player_check(settings, &layout, input, err);
}
