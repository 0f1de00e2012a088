/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Frames that do without the network: late ones of a live job, those between every matte.stride-th one, and those that hardly differ from the last
 * one that it saw (matte.skip_similar).  The latter is decided frame after frame on the pictures alone, before any of them is looked at, so that it
 * depends neither on streams nor on the batch.
 */
#ifndef VRS_ROI_REUSE_H
#define VRS_ROI_REUSE_H

#include "roi/roi_worker.h"

/* What later frames are compared with; used by the thread that has the turn in comparison. */
struct vrs_reference {
	bool exists;
	struct vrs_rect view[VRS_MAX_EYES];     /* where the network looked at the frame first */
	uint8_t *luma[VRS_MAX_EYES];            /* [input_height][input_width] of it */
};

/* Do the settings want frames to do without the network? */
bool vrs_reuse_wanted(const struct vrs_settings *settings);
/* VRS_ENOMEM. */
enum vrs_status vrs_reference_init(struct vrs_reference *reference, struct vrs_arena *arena, const struct vrs_roi_plan *plan);
/* What a worker needs to compare: VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_reuse_init(struct vrs_roi_worker *worker);
/* Fills batch.reuse for the first frames of the batch. False when the job is over. */
bool vrs_reuse_decide(struct vrs_roi_worker *worker, int frames);
/* Between two frames, by the thread that has the turn in comparison. */
bool vrs_reference_archive(struct vrs_reference *reference, const struct vrs_roi_plan *plan, struct vrs_archive *archive);

#endif
