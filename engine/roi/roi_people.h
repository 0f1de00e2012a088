/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Looks at people one by one, in all eyes of a frame together (matte.max_regions of more than one): person r of a frame's people is region r of
 * each of its eyes (matte/people.h).
 *
 * A frame looks first where people were in the frame before.  What the looks show moves their views, tells people apart who part, and joins those
 * who meet; whom one eye shows alone is looked for in the other one.
 *
 * Those who come in are found by searches (roi_arrivals.h).
 */
#ifndef VRS_ROI_ROI_PEOPLE_H
#define VRS_ROI_ROI_PEOPLE_H

#include "roi/roi_worker.h"

/* The eyes of a worker's frames. */
struct vrs_people_eyes vrs_roi_people_eyes(const struct vrs_roi_worker *worker);
/* Frame n of the batch: who is known goes into batch.people and batch.now; adds the time spent waiting. False when the job is over. */
bool vrs_roi_people_begin(struct vrs_roi_worker *worker, int n, uint64_t *wait_ns);
/* Is that nobody, but the start views in the place of a person, because nobody is known? */
bool vrs_roi_people_is_anyone(const struct vrs_roi_worker *worker, const struct vrs_person *person);
/* Does the view of somebody besides person `but` (-1: of anybody) hold a part of an eye with people? */
bool vrs_roi_people_is_known(const struct vrs_roi_worker *worker, int n, int eye, const struct vrs_rect *part, int but);
/* One more, in a free place or that of somebody gone; without one the nearest person's view holds the newcomer too.  Returns their place. */
int vrs_roi_people_add(struct vrs_roi_worker *worker, struct vrs_people *people, struct vrs_person *newcomer);
/* Before frame n is looked at: its regions are where batch.people are. */
void vrs_roi_people_to_regions(struct vrs_roi_worker *worker, int n);
/*
 * What the looks at frame n, all done, say: where its people are, and the places in looks that are to be looked at (again) into open; returns their
 * number.  last: none.
 */
int vrs_roi_people_judge(struct vrs_roi_worker *worker, int n, bool last, int *open);
/* All looks at frame n are done. */
void vrs_roi_people_end(struct vrs_roi_worker *worker, int n);
/* Is region r of input i part of its eye's matte? */
bool vrs_roi_people_is_shown(const struct vrs_roi_worker *worker, int i, int r);

#endif
