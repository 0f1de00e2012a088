/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs that are no part of the result. */
#include "base/file.h"
#include "bench/run/runner_folder.h"
#include "bench/run/runner_request.h"

static enum vrs_status profile_config(const struct vrs_runner *runner, const char *trace_name, struct vrs_config *config, struct vrs_error *err)
{
	char path[VRS_PATH_MAX];
	enum vrs_status status = vrs_path_join(path, sizeof path, runner->folder, trace_name);
	if (status == VRS_OK)
		status = vrs_config_set(config, "report.trace", path, VRS_SOURCE_FLAG, NULL, err);
	return status == VRS_OK ? vrs_config_set(config, "report.profile", "true", VRS_SOURCE_FLAG, NULL, err) : status;
}

enum vrs_status vrs_runner_run_unrecorded(struct vrs_runner *runner, int index, const struct vrs_unrecorded_run *unrecorded,
					  struct vrs_run_reply *ret_reply, struct vrs_error *err)
{
	struct vrs_run_request request;
	struct vrs_config *config = NULL;
	struct vrs_clip clip;
	char unused[128];
	enum vrs_status status = vrs_runner_provide_clip(runner, &runner->result->cases[index], &clip, err);
	if (status == VRS_OK)
		status = vrs_runner_request_fill(runner, index, &clip, 0, &request, unused, err);
	if (status == VRS_OK)
		status = vrs_path_join(request.frames_file, sizeof request.frames_file, runner->folder, unrecorded->frames_name);
	if (status == VRS_OK)
		status = vrs_runner_request_config(runner, index, &clip, &config, err);
	if (status == VRS_OK && unrecorded->trace_name)
		status = profile_config(runner, unrecorded->trace_name, config, err);
	request.rules = unrecorded->rules;
	request.quality_frames = 0;
	if (status == VRS_OK)
		status = vrs_run_process(runner, &request, config, ret_reply, err);
	vrs_config_destroy(config);
	vrs_runner_folder_clear_work(runner);
	return status;
}
