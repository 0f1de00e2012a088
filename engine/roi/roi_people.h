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
/*
 * One more, in a free place or that of somebody gone; without one the nearest person's view holds the newcomer too.  Returns their place, which may
 * lie above those that are looked at (vrs_roi_people_fit).
 */
int vrs_roi_people_add(struct vrs_roi_worker *worker, struct vrs_people *people, struct vrs_person *newcomer);
/*
 * People share views as vrs_people_join says, until those from place `first` on have places that can be looked at.  fresh, joined: of each place,
 * and move with its people; joined is set where the view has become wider.
 */
void vrs_roi_people_fit(struct vrs_roi_worker *worker, struct vrs_people *people, int first, bool fresh[VRS_REGIONS_MAX],
			bool joined[VRS_REGIONS_MAX]);
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
