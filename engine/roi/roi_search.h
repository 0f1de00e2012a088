/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where to look first in pictures that one view does not show: what all views of a search show is where the frame is looked at.
 *
 * A circle of 360 degrees is looked at as a whole, where people are small and half as wide as they are high, and in square views around it that
 * overlap by half; at each frame that is looked at widely (vrs_roi_is_wide).
 *
 * A half sphere is searched in its middle (matte.view_size), and beside that in eight views that overlap by half: in all of them at the
 * first frame and as long as nobody is known, and else in another one at each frame that is looked at widely, for those who come in at the side.
 * These views are squares, or have the shape of the network's picture where that is 1.5 times as high as wide or more: a square in it would show
 * people too narrow to be seen.
 * Where people are tracked there is a row of smaller views along its horizon too: a network does not show who is small in a view of somebody near.
 */
#ifndef VRS_ROI_ROI_SEARCH_H
#define VRS_ROI_ROI_SEARCH_H

#include "matte/regions.h"
#include "roi/roi_plan.h"

struct vrs_roi_set;

/* Views of an eye: 0 is where the frame would be looked at without, the others are those above. 0: one view shows the eye, or nobody is followed. */
int vrs_roi_search_views(const struct vrs_roi_plan *plan);
/* The first of those along the horizon; the number of views where there are none. */
int vrs_roi_search_small(const struct vrs_roi_plan *plan);
/* View k of an eye, from 1 on. */
struct vrs_rect vrs_roi_search_view(const struct vrs_roi_plan *plan, int eye, int k);
/*
 * Which views of an eye are looked at in the frame with that phase (vrs_frame_task_phase), into ret_views, room for all; returns their number.
 * wide: the frame is looked at widely.  lost: nobody is known in the eye.
 */
int vrs_roi_search_due(const struct vrs_roi_plan *plan, uint64_t phase, bool wide, bool lost, int *ret_views);
/* Where the people are that views of an eye show, places[count] in the set, into *now; it stays as it is when there are none. */
void vrs_roi_search_judge(const struct vrs_roi_plan *plan, const struct vrs_roi_set *set, const int *places, int count, int eye,
			  struct vrs_regions *now);

#endif
