/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * States of a recurrent network in a job: one for the people of each region of each eye (roi_slots.h).
 *
 * They advance once a frame.  Every look of a frame starts from what the frame before it left, moved to the view of the look where that is another
 * one; the last look of a region counts.  Looks for newcomers have no past and leave none.  What a view shows that the one before did not, has the
 * past of its border; where that is most of it, and at a new scene, there is no past.
 *
 * Frames come in order, one at a time, so that one thread has all of this.
 */
#ifndef VRS_ROI_ROI_STATES_H
#define VRS_ROI_ROI_STATES_H

#include "roi/roi_worker.h"

struct vrs_roi_states;

/* What a network's picture shows. */
struct vrs_roi_look {
	struct vrs_rect rect;
	struct vrs_rectilinear_aim aim;       /* of a camera at it; all 0: at all of it */
};

/* The worker's plan, arena and head are set. *ret_states stays NULL where the network has no states. VRS_EINVAL, VRS_ELIMIT, VRS_ENOMEM. */
enum vrs_status vrs_roi_states_create(struct vrs_roi_states **ret_states, const struct vrs_roi_worker *worker);

/* All that follows does nothing without states (NULL). */

/* A frame begins: an eye with a new scene has no past, and neither has the first frame of a video. */
void vrs_roi_states_begin(struct vrs_roi_states *states, const struct vrs_frame_task *task);
/* Those regions of an eye are looked at next, all of them. */
void vrs_roi_states_assign(struct vrs_roi_states *states, int eye, struct vrs_regions *regions);
/* Region r of an eye is looked at once more: its look before does not count. */
void vrs_roi_states_open(struct vrs_roi_states *states, int eye, int r);
/* A view of region r of an eye is looked at in batch entry `entry`: its past goes in.  r less than 0: it has none. */
void vrs_roi_states_load(struct vrs_roi_states *states, int entry, int eye, int r, const struct vrs_roi_look *look);
/* That was a look at the region itself: if no other one follows, it is what later frames know. */
void vrs_roi_states_hold(struct vrs_roi_states *states, int entry, int eye, int r, const struct vrs_roi_look *look);
/* The frame is done; regions[eyes] is where people were looked at. */
void vrs_roi_states_end(struct vrs_roi_states *states, const struct vrs_frame_task *task, const struct vrs_regions *regions);
/* Between two frames, before they are archived: states from the device to the host. VRS_EDEVICE. */
enum vrs_status vrs_roi_states_bring_down(struct vrs_roi_states *states, struct vrs_error *err) VRS_MUST_CHECK;
/* Between two frames; next_seq: number of the second one. */
bool vrs_roi_states_archive(struct vrs_roi_states *states, struct vrs_archive *archive, uint64_t next_seq);

#endif
