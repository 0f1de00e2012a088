/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A part of a film made by a process of its own: the parent writes a request to the child's standard input, the child makes the piece and writes what
 * came of it to its standard output, both as JSON.
 */
#ifndef VRS_FILM_PART_PROCESS_H
#define VRS_FILM_PART_PROCESS_H

#include <vrseg/long_job.h>

#include "film/part_job.h"

/* What a child reports. */
struct vrs_part_reply {
	enum vrs_status status;
	char text[512];                    /* of the failure */
	struct vrs_part_outcome outcome;
};

/* What a child is told beside the order's own values; settings come from config, and what the order's settings say differently. */
struct vrs_part_request {
	const struct vrs_part_order *order; /* part.before and part.trace, cookie and callbacks stay here */
	const struct vrs_config *config;
	const char *trace;                  /* file for the part's own trace; NULL: none */
	int process;                        /* number of the process in it */
};

/*
 * Run this program again for one part; blocks.  VRS_OK when the child has reported (see reply->status), VRS_ESTOPPED after a stop request without a
 * report, else why there is none.  Thread-safe.
 */
enum vrs_status vrs_part_process_run(const struct vrs_part_request *request, struct vrs_part_reply *ret_reply, struct vrs_error *err) VRS_MUST_CHECK;

#endif
