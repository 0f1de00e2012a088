/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A segment of a video made by a process of its own: the parent writes a request to the child's standard input, the child makes the segment file
 * and writes what came of it to its standard output.
 */
#ifndef VRS_SEGMENTS_SEGMENT_PROCESS_H
#define VRS_SEGMENTS_SEGMENT_PROCESS_H

#include <vrseg/long_job.h>

#include "segments/segment_wire.h"

/*
 * Run this program again for one segment; blocks.  VRS_OK when the child has reported (see reply->error) and ended as it reported, VRS_ESTOPPED
 * after a stop request without a report, VRS_ENOMEM when it was killed, VRS_EINTERNAL when it ended otherwise than it should.  Thread-safe.
 */
enum vrs_status vrs_segment_process_run(const struct vrs_segment_request *request, struct vrs_segment_reply *ret_reply, struct vrs_error *err)
					VRS_MUST_CHECK;

#endif
