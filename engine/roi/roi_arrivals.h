/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who comes in where people are tracked (roi_people.h): newcomers are searched for in one of the eyes, and the eyes take turns.
 *
 * The views of roi_search.h are looked at all over the eye in the first frame and in those that have lost everybody; then those that changed
 * (matte/glance.h), three at once and no more than three of five frames, and now and then one of the others in turn, unless nothing moves there: a
 * still picture has a still matte.  Frames after the first one search the small views of a half sphere, one each: they tell who is far and in the
 * view of somebody near, whose own looks do not show them (vrs_person.apart).  Where frames wait for the one before, each of them glances; others do
 * now and then.
 */
#ifndef VRS_ROI_ROI_ARRIVALS_H
#define VRS_ROI_ROI_ARRIVALS_H

#include "roi/roi_worker.h"

/* What a worker needs for it. VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_roi_arrivals_init(struct vrs_roi_worker *worker);
/* The places of worker->search that are due in frame n, whose people have begun, into ret_places; returns their number. */
int vrs_roi_arrivals_open(struct vrs_roi_worker *worker, int n, int *ret_places);
/* What those places show: newcomers are looked at besides those who are known. */
void vrs_roi_arrivals_judge(struct vrs_roi_worker *worker, int n, const int *places, int count);

#endif
