/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A segment of a video made by a process of its own: the parent writes a request to the child's standard input, the child makes the segment file
 * and writes what came of it to its standard output, both as JSON.
 */
#ifndef VRS_SEGMENTS_SEGMENT_PROCESS_H
#define VRS_SEGMENTS_SEGMENT_PROCESS_H

#include <vrseg/long_job.h>

#include "segments/segment_run.h"

/* What a child reports. */
struct vrs_segment_reply {
	enum vrs_status status;
	char text[512];                    /* of the failure */
	struct vrs_segment_outcome outcome;
};

/* What a child is told beside the order's own values; settings come from config, and what the order's settings say differently. */
struct vrs_segment_request {
	const struct vrs_segment_order *order; /* segment.before and segment.trace, cookie and callbacks stay here */
	const struct vrs_config *config;
	const char *trace;                  /* file for the segment's own trace; NULL: none */
	int process;                        /* number of the process in it */
};

/*
 * Run this program again for one segment; blocks.  VRS_OK when the child has reported (see reply->status), VRS_ESTOPPED after a stop request
 * without a report, else why there is none.  Thread-safe.
 */
enum vrs_status vrs_segment_process_run(const struct vrs_segment_request *request, struct vrs_segment_reply *ret_reply, struct vrs_error *err)
					VRS_MUST_CHECK;

#endif
