/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The network's part of a worker: every eye of a few frames goes through it, as often as it takes to see the people well.
 *
 * Where a job follows people, a frame looks where they were VRS_FOLLOW_LAG frames before, whatever the number of streams and the batch size are: the
 * pictures depend on neither.  A frame waits for that one, so no more frames than that are before their postprocess at a time.  The first frames
 * of a video look where its first frame found them.  A frame whose matte shows that this was the wrong place (vrs_follow_judge) is looked at again.
 *
 * With matte.max_regions people who stand apart are looked at one by one (region_looks.h); with matte.scales each is looked at in wider views too.
 */
#ifndef VRS_ROI_ROI_INFERENCE_H
#define VRS_ROI_ROI_INFERENCE_H

#include "pipeline/job.h"

#define VRS_ROI_WIDE_EVERY 30 /* frames from one wider look for newcomers to the next */

/* A network that looks, with what it needs of a worker. */
struct vrs_roi_network {
	struct vrs_session *session;
	struct vrs_head *head;
	struct vrs_preprocess *const *preprocess; /* [eyes] */
	const struct vrs_network_shape *shape;
	bool keeps_luma;                          /* its pictures have the size of mattes, and their luma is needed */
	/* Take batch entry k as the matte of a place of the set. False: the place stays open. */
	bool (*take)(struct vrs_worker *worker, const struct vrs_roi_set *set, int k, int place);
};

/* What the looks of a worker need: VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_roi_inference_init(struct vrs_worker *worker);
void vrs_roi_inference_fini(struct vrs_worker *worker);
/* Is the frame one of those that look wider for newcomers? */
bool vrs_roi_is_wide(const struct vrs_job *job, const struct vrs_frame_task *task);
/* Where an eye of a frame is looked at first. Adds the time spent waiting. False when the job is over. */
bool vrs_roi_first_view(struct vrs_worker *worker, const struct vrs_frame_task *task, int eye, struct vrs_regions *ret_regions, uint64_t *wait_ns);
/*
 * The first `frames` frames of worker->part, except those that reuse a matte: fills worker->alpha, luma, scenes, views and next. False when the
 * job is over; its error is recorded.
 */
bool vrs_roi_inference_run(struct vrs_worker *worker, int frames);

/* What scales the largest part of an eye to a network's pictures. Statuses of vrs_preprocess_create. */
enum vrs_status vrs_roi_preprocess(struct vrs_preprocess **ret_preprocess, const struct vrs_job *job, int eye, const struct vrs_manifest *manifest,
				     const struct vrs_network_shape *shape);
/*
 * The open places of a set through a network, batch by batch.  Those that it does not take go to `left` (room for all; NULL: it takes all), and their
 * number is returned; -1 when the job is over.
 */
int vrs_roi_run_network(struct vrs_worker *worker, const struct vrs_roi_network *through, const struct vrs_roi_set *set, const int *open, int count,
		      int *left);
/* Nobody where matte.exclude says so, in the alphas of a place. */
void vrs_roi_exclude(struct vrs_worker *worker, const struct vrs_roi_set *set, int place, float *alpha);

#endif
