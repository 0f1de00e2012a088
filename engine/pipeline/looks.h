/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The network's part of a worker: every eye of a few frames goes through it, as often as it takes to see the people well.
 *
 * Where a job follows people, a frame looks where they were VRS_FOLLOW_LAG frames before, whatever the number of streams and the batch size are: the
 * pictures depend on neither.  A frame waits for that one, so no more frames than that are before their postprocess at a time.  The first frames
 * of a film look where its first frame found them.  A frame whose matte shows that this was the wrong place (vrs_follow_judge) is looked at again.
 *
 * With matte.max_regions people who stand apart are looked at one by one (region_looks.h); with matte.scales each is looked at in wider views too.
 */
#ifndef VRS_PIPELINE_LOOKS_H
#define VRS_PIPELINE_LOOKS_H

#include "pipeline/job.h"

/* What the looks of a worker need: VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_looks_init(struct vrs_worker *worker);
void vrs_looks_fini(struct vrs_worker *worker);
/* Is the frame one of those that look wider for newcomers? */
bool vrs_looks_are_wide(const struct vrs_job *job, const struct vrs_work *work);
/* Where an eye of a frame is looked at first. Adds the time spent waiting. False when the job is over. */
bool vrs_looks_first_view(struct vrs_worker *worker, const struct vrs_work *work, int eye, struct vrs_regions *ret_regions, uint64_t *wait_ns);
/*
 * The first `frames` frames of worker->part, except those that reuse a matte: fills worker->alpha, luma, scenes, views and next. False when the
 * job is over; its error is recorded.
 */
bool vrs_looks_run(struct vrs_worker *worker, int frames);

#endif
