/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who is who from frame to frame: each region of an eye has a slot, and keeps it as long as the same people are in it.  What belongs to people over
 * time (states of a recurrent network) lies under the number of their slot.
 *
 * Regions that tell who is in them (vrs_regions.who) have the slot of that person; others have the one whose people were looked at where they are
 * now.  A frame assigns slots as often as its regions change, and settles once; a slot that nobody has then is free.
 */
#ifndef VRS_ROI_ROI_SLOTS_H
#define VRS_ROI_ROI_SLOTS_H

#include "matte/regions.h"

/* Of one eye; zeroed memory but for count and circle: all are free. One thread at a time. */
struct vrs_roi_slots {
	int count;                              /* at least as many as an eye has regions, at most VRS_REGIONS_MAX */
	int circle;                             /* of the picture's format */
	uint32_t last_who;                      /* given to newcomers, in order */
	struct {
		uint32_t who;                   /* 0: free */
		struct vrs_rect at;             /* where they were looked at last */
	} slot[VRS_REGIONS_MAX];
};

/* A slot for each region, all different, by those of the frame settled last; regions learn who is in them. */
void vrs_roi_slots_assign(struct vrs_roi_slots *slots, struct vrs_regions *regions, int ret_slot[VRS_REGIONS_MAX]);
/* The frame was looked at there. Returns the slots that belong to somebody else from here on, or to nobody: bit s for slot s. */
uint32_t vrs_roi_slots_settle(struct vrs_roi_slots *slots, const struct vrs_regions *regions, const int slot[VRS_REGIONS_MAX]);
/* Forget all of them: a new scene. */
void vrs_roi_slots_clear(struct vrs_roi_slots *slots);
/* Between two frames; eye: that of the slots. */
bool vrs_roi_slots_archive(struct vrs_roi_slots *slots, struct vrs_archive *archive, const struct vrs_rect *eye);

#endif
