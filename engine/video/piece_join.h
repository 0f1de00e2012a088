/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Puts the pieces of a film together without encoding again; audio, metadata and side data come from the source. */
#ifndef VRS_VIDEO_PIECE_JOIN_H
#define VRS_VIDEO_PIECE_JOIN_H

#include "video/sink.h"

struct vrs_piece {
	char path[1024];
	int64_t frames;    /* that it must hold */
	int64_t first_pts; /* time of its first frame on the clock of the film, in the time base of the sink options */
};

/*
 * Write `target` from `count` pieces that were made with the same sink options.  The source is fresh: nothing was read from it but its first frame.
 * whole: the pieces are the whole film, so that audio goes on to its end.  VRS_EFORMAT: a piece is damaged, and *ret_bad (optional) is its number;
 * else the statuses of vrs_sink_open.
 */
enum vrs_status vrs_piece_join(const char *target, const struct vrs_sink_options *options, struct vrs_source *source, const struct vrs_piece *pieces,
			       int count, bool whole, int *ret_bad, struct vrs_error *err) VRS_MUST_CHECK;

#endif
