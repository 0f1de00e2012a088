/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --max-frames: the last segment takes what the segments before it have left, and is made when they are done.  Where frames come at an uneven rate
 * the segments before the last one may hold more than the clock says; then the segment that holds the last wanted frame is made again, and those
 * behind it are left out.
 */
#include "segments/long_run.h"

int64_t vrs_long_run_frames_left(const struct vrs_long_run *run, int number)
{
	int64_t left = run->ckpt.plan.max_frames;
	if (left <= 0)
		return INT64_MAX;
	for (int i = 0; i < number; i++)
		left -= run->ckpt.segments[i].frames;
	return left > 0 ? left : 0;
}

enum vrs_status vrs_long_run_trim(struct vrs_long_run *run, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	for (int i = 0; i < run->ckpt.plan.segments && status == VRS_OK; i++) {
		struct vrs_segment_record *segment = &run->ckpt.segments[i];
		int64_t left = vrs_long_run_frames_left(run, i), frames = segment->frames;
		if (frames <= left)
			continue;
		run->trims = true;
		status = vrs_long_run_make_segment(run, i, err);
		run->trims = false;
		run->stats.frames_done -= run->stats.frames_done > (uint64_t)frames ? (uint64_t)frames : run->stats.frames_done;
	}
	return status;
}
