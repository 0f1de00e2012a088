/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A part of a film made by a process of its own: the parent writes a request to the child's standard input, the child makes the piece and writes what
 * came of it to its standard output, both as JSON.
 */
#ifndef VRS_FILM_PART_PROCESS_H
#define VRS_FILM_PART_PROCESS_H

#include <vrseg/long_job.h>

#include "pipeline/job_part.h"

/* What a child reports. */
struct vrs_part_reply {
	enum vrs_status status;
	char text[512];                    /* of the failure */
	struct vrs_job_part_result result;
	struct vrs_job_stats stats;
};

/*
 * Run this program again for one part; blocks.  settings: those of the part, with the piece as output; config: where they come from.  VRS_OK when the
 * child has reported (see reply->status), VRS_ESTOPPED after a stop request without a report, else why there is none.  Thread-safe.
 */
enum vrs_status vrs_part_process_run(const struct vrs_config *config, const char *input, const struct vrs_settings *settings,
				     const struct vrs_job_part *part, struct vrs_part_reply *ret_reply, struct vrs_error *err) VRS_MUST_CHECK;

#endif
