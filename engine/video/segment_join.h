/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Puts the segments of a video together without encoding again; audio, metadata and side data come from the source. */
#ifndef VRS_VIDEO_SEGMENT_JOIN_H
#define VRS_VIDEO_SEGMENT_JOIN_H

#include "video/sink.h"

struct vrs_segment_file {
	char path[1024];
	int64_t frames;    /* that it must hold */
	int64_t first_pts, end_pts; /* of its first frame, and where the last one ends, on the clock of the video in the time base of the sink options */
};

/*
 * Write `target` from `count` segments that were made with the same sink options.  The source is fresh: nothing was read from it but its first frame.
 * whole: the segments are all that is asked of the source, so that audio goes on to the end of that.  VRS_EFORMAT: a segment is
 * damaged, and *ret_bad (optional) is its number; VRS_ECONFIG: one is encoded in another way than the first; else the statuses of vrs_sink_open.
 */
enum vrs_status vrs_segment_join(const char *target, const struct vrs_sink_options *options, struct vrs_source *source,
				 const struct vrs_segment_file *files, int count, bool whole, int *ret_bad, struct vrs_error *err) VRS_MUST_CHECK;

#endif
