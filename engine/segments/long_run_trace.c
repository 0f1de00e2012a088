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
	const char *path = run->request->settings->report.trace;
	if (!path[0])
		return VRS_OK;
	return vrs_trace_create(&run->trace, path, run->request->input, 1, run->settings.output.overwrite, err);
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
