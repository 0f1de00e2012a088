/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The trace of a video in segments: one file over all that a run does.  Times count from the beginning of the run in every process, frames through
 * the whole video.
 */
#include <unistd.h>

#include "segments/long_run.h"
#include "flow/trace.h"

enum vrs_status vrs_long_run_trace_begin(struct vrs_long_run *run, struct vrs_error *err)
{
	const struct vrs_settings *wanted = run->request->settings;
	if (!wanted->report.trace[0])
		return VRS_OK;
	bool made = vrs_work_folder_has_made(&run->folder, wanted->output.file);
	return vrs_trace_create(&run->trace, wanted->report.trace, run->request->input, 1, vrs_trace_over(wanted->output.overwrite, made), err);
}

bool vrs_long_run_trace_segment(const struct vrs_long_run *run, int number, char *ret_path, size_t size)
{
	return run->trace && vrs_segment_worker_trace(&run->folder, number, run->mark, ret_path, size);
}

void vrs_long_run_trace_take(struct vrs_long_run *run, const char *path)
{
	vrs_trace_append(run->trace, path);
	unlink(path);
}
