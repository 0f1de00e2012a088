/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a video is made in segments: the settings, the input and the output have to allow it, and it has to be long enough. */
#include "segments/long_run.h"

#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/playlist.h"
#include "job/job_content.h"
#include "segments/segment_plan.h"
#include "pipeline/matte_stage.h"
#include "video/sink.h"
#include "video/source.h"

static enum vrs_status look(const char *path, bool *ret_found, bool *ret_is_regular, struct vrs_error *err)
{
	struct stat st;
	enum vrs_status status = vrs_path_look(path, &st, ret_found, err);
	*ret_is_regular = *ret_found && S_ISREG(st.st_mode);
	return status;
}

/* What the rules of options (VRS_RULE_ONE_GO) keep apart from segments: a past, reports and mattes of one job over the whole video. */
static bool wants_one_go(const struct vrs_settings *settings)
{
	return settings->pipeline.segment_frames < 1 || settings->pipeline.live || settings->report.profile || settings->output.verify_pack;
}

static enum vrs_status check_output(const struct vrs_settings *settings, struct vrs_error *err)
{
	const char *file = settings->output.file;
	char encoder[VRS_NAME_MAX];
	vrs_sink_encoder_for(encoder, file, settings->output.encoder, settings->output.mode == VRS_MODE_CUTOUT);
	bool found, is_regular;
	enum vrs_status status = look(file, &found, &is_regular, err);
	if (status != VRS_OK)
		return status;
	if (!vrs_sink_takes_segments(file, encoder) || (found && !is_regular))
		return vrs_fail(err, VRS_ECONFIG, "the output %s cannot be joined from segments", file);
	return VRS_OK;
}

/* Segments are kept for a next run and made by several processes, which have to find the same files. */
static enum vrs_status check_playlists(const char *input, const struct vrs_settings *settings, struct vrs_error *err)
{
	const char *playlist = NULL;
	bool is;
	enum vrs_status status = vrs_playlist_look(input, &is, err);
	if (status == VRS_OK && !is)
		status = vrs_job_content_playlist(&playlist, settings, VRS_AFFECTS_PICTURE, err);
	if (status != VRS_OK || (!is && !playlist))
		return status;
	return vrs_fail(err, VRS_EUNSUPPORTED, "%s is a playlist, and what it names may change while it stays the same", is ? input : playlist);
}

static enum vrs_status check_input(const char *input, const struct vrs_settings *settings, struct vrs_media_clock *ret_clock, struct vrs_error *err)
{
	struct vrs_segment_plan plan;
	bool found, is_regular;
	enum vrs_status status = look(input, &found, &is_regular, err);
	if (status != VRS_OK)
		return status;
	if (strcmp(input, "-") == 0 || vrs_file_is_stream(input) || !is_regular) /* a worker process has other descriptors */
		return vrs_fail(err, VRS_EUNSUPPORTED, "%s is not a file", vrs_source_words(input));
	status = check_playlists(input, settings, err);
	if (status == VRS_OK)
		status = vrs_media_file_clock(input, settings->pipeline.keep_partial, ret_clock, err);
	if (status != VRS_OK) /* in one go, where the next attempt may succeed, pictures would be others */
		return vrs_status_may_pass(status) ? status : VRS_EUNSUPPORTED;
	status = vrs_segment_plan_make(&plan, ret_clock, settings, false, vrs_matte_stage_latency(settings), err);
	if (status == VRS_OK && plan.segments < 2)
		return vrs_fail(err, VRS_END, "%lld frames are less than two segments of %d", (long long)plan.frames, plan.segment_frames);
	return status;
}

enum vrs_status vrs_long_plan_make(struct vrs_long_plan **ret_plan, const char *input, const struct vrs_settings *settings, struct vrs_error *err)
{
	struct vrs_long_plan plan;
	if (wants_one_go(settings))
		return vrs_fail(err, VRS_END, "the options want it in one go");
	enum vrs_status status = check_output(settings, err);
	if (status == VRS_OK)
		status = check_input(input, settings, &plan.clock, err);
	if (status != VRS_OK)
		return status;
	*ret_plan = vrs_alloc(sizeof **ret_plan);
	if (!*ret_plan)
		return vrs_fail(err, VRS_ENOMEM, "no memory for the plan of a video");
	**ret_plan = plan;
	return VRS_OK;
}

void vrs_long_plan_free(struct vrs_long_plan *plan)
{
	vrs_free(plan);
}
