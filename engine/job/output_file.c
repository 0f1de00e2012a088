/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes the name of an output from the input's name, what the input is, and the player that it is for; compares an output that exists with the input
 * that it should have been made of.
 */
#include <vrseg/output_file.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "job/job_request.h"
#include "job/player_tags.h"
#include "video/media_file.h"
#include "vr/name_tags.h"

#define FRAMES_SHARE 0.001   /* of the frames may be missing: damaged ones are lost */
#define SECONDS_SHARE 0.001
#define SECONDS_LEAST 0.5

struct media {
	int64_t frames;   /* of the video stream: by the container's index where it has one, else counted */
	double seconds;   /* from the first frame to the end of the last */
	bool complete;    /* the container was finished, and the file is as long as it says */
};

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

/* What --start and --duration leave of the input. */
static void cut(struct media *in, const struct vrs_settings *settings)
{
	double seconds = in->seconds - settings->input.start;
	if (settings->input.duration > 0)
		seconds = fmin(seconds, settings->input.duration);
	if (in->seconds > 0 && seconds > 0)
		in->frames = llround((double)in->frames * seconds / in->seconds);
	in->seconds = fmax(seconds, 0);
}

bool vrs_output_is_complete(const char *input, const char *output, const struct vrs_settings *settings, char *ret_reason, size_t size)
{
	struct media in, out;
	struct vrs_error err = {0};
	if (vrs_media_file_measure(output, &out.frames, &out.seconds, &out.complete, &err) ||
	    vrs_media_file_measure(input, &in.frames, &in.seconds, &in.complete, &err)) {
		snprintf(ret_reason, size, "%s", err.text);
		return false;
	}
	if (!out.complete) {
		snprintf(ret_reason, size, "%s was not finished", output);
		return false;
	}
	cut(&in, settings);
	int64_t nth = settings->pipeline.every_nth, max = settings->pipeline.max_frames;
	int64_t wanted = (in.frames + nth - 1) / nth;
	bool all = max <= 0 || wanted <= max;
	if (!all)
		wanted = max;
	double slack = fmax(2, FRAMES_SHARE * (double)wanted), seconds_slack = fmax(SECONDS_LEAST, SECONDS_SHARE * in.seconds);
	if (fabs((double)(out.frames - wanted)) > slack) {
		snprintf(ret_reason, size, "%s holds %" PRId64 " of %" PRId64 " frames", output, out.frames, wanted);
		return false;
	}
	if (all && in.seconds > 0 && out.seconds > 0 && fabs(out.seconds - in.seconds) > seconds_slack) {
		snprintf(ret_reason, size, "%s lasts %.2f of %.2f seconds", output, out.seconds, in.seconds);
		return false;
	}
	return true;
}
