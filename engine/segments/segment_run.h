/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The job over one segment of a video with what goes along with it, in whichever process it runs. */
#ifndef VRS_SEGMENTS_SEGMENT_RUN_H
#define VRS_SEGMENTS_SEGMENT_RUN_H

#include <vrseg/quality.h>

#include "pipeline/segment.h"

struct vrs_segment_order {
	const char *input;
	const struct vrs_settings *settings; /* of the segment: its segment file is the output */
	struct vrs_segment segment;
	int number;
	const char *truth;                   /* NULL: mattes are not compared */
	void *cookie;                        /* of the callbacks of struct vrs_long_job */
	void (*on_job)(void *cookie, struct vrs_job *job);
	void (*on_frame)(void *cookie, const struct vrs_frame_times *times);
};

struct vrs_segment_outcome {
	struct vrs_job_segment_result result;
	struct vrs_job_stats stats;
	struct vrs_truth_sums truth;
	struct vrs_error truth_error;        /* why the mattes could not be compared, which does not fail the segment */
};

/* Statuses of vrs_job_create_segment and vrs_job_run; VRS_END: the video is shorter than its container says. */
enum vrs_status vrs_segment_run(const struct vrs_segment_order *order, struct vrs_segment_outcome *ret_outcome, struct vrs_error *err) VRS_MUST_CHECK;

#endif
