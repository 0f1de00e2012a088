/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares an output that exists with the input that it should have been made of. */
#include <vrseg/output_complete.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "video/media_file.h"

#define FRAMES_SHARE 0.001   /* of the frames may be missing: damaged ones are lost */
#define SECONDS_SHARE 0.001
#define SECONDS_LEAST 0.5

/*
 * Measure a file.  A file that breaks off is VRS_OK with complete false, as far as it can be opened.  VRS_ENOTFOUND, VRS_EIO, VRS_EFORMAT (not
 * even its headers can be read), VRS_ENOMEM.
 */
static enum vrs_status media_measure(const char *path, struct vrs_media_info *ret_info, struct vrs_error *err)
{
	return vrs_media_file_measure(path, &ret_info->frames, &ret_info->seconds, &ret_info->complete, err);
}

/* What --start and --duration leave of the input. */
static void cut(struct vrs_media_info *in, const struct vrs_settings *settings)
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
	struct vrs_media_info in, out;
	struct vrs_error err = {0};
	if (media_measure(output, &out, &err) || media_measure(input, &in, &err)) {
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
