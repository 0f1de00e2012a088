/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The job over one part of a film with what goes along with it, in whichever process it runs. */
#ifndef VRS_FILM_PART_JOB_H
#define VRS_FILM_PART_JOB_H

#include <vrseg/quality.h>

#include "pipeline/job_part.h"

struct vrs_part_order {
	const char *input;
	const struct vrs_settings *settings; /* of the part: its piece is the output */
	struct vrs_job_part part;
	int number;
	const char *truth;                   /* NULL: mattes are not compared */
	void *cookie;                        /* of the callbacks of struct vrs_long_job */
	void (*on_job)(void *cookie, struct vrs_job *job);
	void (*on_frame)(void *cookie, const struct vrs_frame_times *times);
};

struct vrs_part_outcome {
	struct vrs_job_part_result result;
	struct vrs_job_stats stats;
	struct vrs_truth_sums truth;
	struct vrs_error truth_error;        /* why the mattes could not be compared, which does not fail the part */
};

/* Statuses of vrs_job_create_part and vrs_job_run; VRS_END: the film is shorter than its container says. */
enum vrs_status vrs_part_make(const struct vrs_part_order *order, struct vrs_part_outcome *ret_outcome, struct vrs_error *err) VRS_MUST_CHECK;

#endif
