/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A segment of a video made by a process of its own: the parent writes a request to the child's standard input, the child makes the segment file
 * and writes what came of it to its standard output, both as JSON.  Both sides are one program of one build: readers check that all is there and in
 * range, and know no earlier forms.
 */
#ifndef VRS_SEGMENTS_SEGMENT_PROCESS_H
#define VRS_SEGMENTS_SEGMENT_PROCESS_H

#include <vrseg/long_job.h>

#include "base/json.h"
#include "segments/segment_run.h"

struct vrs_segment_request {
	struct vrs_settings settings; /* of the segment: its segment file is the output */
	const char *input;
	const char *truth;            /* NULL: mattes are not compared */
	const char *trace;            /* file for the segment's own trace; NULL: none */
	int64_t number;               /* of the segment */
	int64_t process;              /* number of the process in the trace */
	struct vrs_segment segment;   /* without joins, frames_total, before, begin_cpu_ns and trace */
	cJSON *json;                  /* of a request that was read: holds the texts */
};

struct vrs_segment_reply {
	struct vrs_error error;       /* status VRS_OK: the segment is done */
	struct vrs_segment_outcome outcome;
};

/* One line of JSON, freed with vrs_json_free_text. NULL: out of memory. */
char *vrs_segment_request_write(const struct vrs_segment_request *request);
/* VRS_EFORMAT, VRS_ENOMEM, VRS_ECONFIG. Release with vrs_segment_request_fini, also after a failure. */
enum vrs_status vrs_segment_request_read(struct vrs_segment_request *ret, const char *text, size_t size, struct vrs_error *err) VRS_MUST_CHECK;
void vrs_segment_request_fini(struct vrs_segment_request *request);
char *vrs_segment_reply_write(const struct vrs_segment_reply *reply);
/* VRS_EFORMAT, VRS_ELIMIT, VRS_ENOMEM. */
enum vrs_status vrs_segment_reply_read(struct vrs_segment_reply *ret, const char *text, size_t size, struct vrs_error *err) VRS_MUST_CHECK;

/*
 * Run this program again for one segment; blocks.  VRS_OK when the child has reported (see reply->error) and ended as it reported, VRS_ESTOPPED
 * after a stop request without a report, VRS_ENOMEM when it was killed, VRS_EINTERNAL when it ended otherwise than it should.  Thread-safe.
 */
enum vrs_status vrs_segment_process_run(const struct vrs_segment_request *request, struct vrs_segment_reply *ret_reply, struct vrs_error *err)
					VRS_MUST_CHECK;

#endif
