/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where people were in frames before, which is where later frames look first.
 *
 * Where a job follows people, a frame looks where they were plan->lag frames before, whatever the number of streams and the batch size are: the
 * pictures depend on neither.  A frame waits for that one, so no more frames than that are before their postprocess at a time.  The first frames
 * of a video look where its first frame found them.
 *
 * Now and then a frame looks first around all of them and the start view, for newcomers; with a recurrent network, whose states belong to those who
 * are known, that is a search of its own.
 */
#ifndef VRS_ROI_ROI_PAST_H
#define VRS_ROI_ROI_PAST_H

#include "flow/flow.h"
#include "matte/people.h"
#include "roi/roi_plan.h"

/* Written by whoever has the turn in postprocess, through vrs_roi_past_put. */
struct vrs_roi_past {
	const struct vrs_roi_plan *plan;
	struct vrs_flow *flow;
	struct vrs_regions followed[VRS_MAX_EYES][VRS_FOLLOW_LAG]; /* where to look after frame seq, in [seq % lag] */
	struct vrs_people people, known[VRS_FOLLOW_LAG]; /* where people are tracked: all who are known; of them after frame seq, in [seq % lag] */
};

/* With the turn of frame seq: where to look after it. */
void vrs_roi_past_put(struct vrs_roi_past *past, uint64_t seq, int eye, const struct vrs_regions *next);
/* The same where people are tracked: what the frame saw (NULL: it was not looked at) is known from here on. */
void vrs_roi_past_put_people(struct vrs_roi_past *past, const struct vrs_frame_task *task, const struct vrs_people *frame);
/* Who is known when the frame comes, where people are tracked. Adds the time spent waiting. False when the job is over. */
bool vrs_roi_past_people(const struct vrs_roi_past *past, const struct vrs_frame_task *task, struct vrs_people *ret_people, uint64_t *wait_ns);
/* Where an eye of a frame is looked at first. Adds the time spent waiting. False when the job is over. */
bool vrs_roi_past_first_view(const struct vrs_roi_past *past, const struct vrs_frame_task *task, int eye, struct vrs_regions *ret_regions,
			     uint64_t *wait_ns);
/* The view around those regions and the start view of an eye. */
struct vrs_rect vrs_roi_past_widen(const struct vrs_roi_past *past, int eye, const struct vrs_regions *regions);
/* Is nobody known in an eye when the frame comes? Its first view is known by now. */
bool vrs_roi_past_is_lost(const struct vrs_roi_past *past, const struct vrs_frame_task *task, int eye);
/* After a frame and before the next one, which is number next_seq, where plan->lag is 1. */
bool vrs_roi_past_archive(struct vrs_roi_past *past, struct vrs_archive *archive, uint64_t next_seq);

#endif
