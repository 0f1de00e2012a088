/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What frames behind the end of a segment need of those before it: states of a recurrent network, people and views, mattes for smoothing, what frames
 * are compared with.  A segment leaves it in a file, and the next one begins where that ended: with the same bits as if there were no border.
 *
 * One thread at a time has all of it, since recurrent networks take frames one after another.
 */
#ifndef VRS_PIPELINE_SEGMENT_PAST_H
#define VRS_PIPELINE_SEGMENT_PAST_H

#include "pipeline/matte_stage.h"
#include "pipeline/segment.h"
#include "roi/reuse.h"

#define VRS_SEGMENT_PAST_MAX_BYTES (UINT64_C(1) << 32)

/* Who remembers. */
struct vrs_segment_memory {
	const struct vrs_roi_plan *plan;
	struct vrs_matte_stage *mattes;
	struct vrs_reference *reference;
	struct vrs_roi_states *states;
	struct vrs_finished *last;            /* the mattes of the last frame */
};

/* What was written. */
struct vrs_segment_past {
	bool written;
	int64_t bytes, hash;                  /* hash: above 0 */
};

/* Hash of such a file, above 0. VRS_ENOTFOUND, VRS_EIO. */
enum vrs_status vrs_segment_past_hash(const char *path, int64_t *ret_hash, struct vrs_error *err) VRS_MUST_CHECK;
/* From the file that a segment begins with, before its first frame. VRS_EFORMAT: damaged; VRS_EIO, VRS_ELIMIT, VRS_ENOMEM. */
enum vrs_status vrs_segment_past_read(const struct vrs_segment_memory *memory, const struct vrs_segment *segment, struct vrs_error *err)
				      VRS_MUST_CHECK;
/*
 * After a frame, for the one that is number next_seq: what all remember, or what was kept of it with the cached mattes, into the segment's past_to.
 * VRS_EIO, VRS_ENOSPC, VRS_ELIMIT, VRS_ENOMEM; VRS_EEXIST: another process has taken over the folder.
 */
enum vrs_status vrs_segment_past_write(struct vrs_segment_past *ret_past, const struct vrs_segment_memory *memory, uint64_t next_seq,
				       const struct vrs_segment *segment, struct vrs_error *err) VRS_MUST_CHECK;

#endif
