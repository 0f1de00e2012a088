/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * In frame order: the past of each eye meets its next matte.  Frames go in one by one with what the network saw, and come out with finished mattes:
 * at once, or as many frames later as smoothing looks ahead; the worker that brings a frame composes the one that comes out.  The last worker takes
 * what is left.
 */
#ifndef VRS_PIPELINE_MATTE_STAGE_H
#define VRS_PIPELINE_MATTE_STAGE_H

#include "matte/exclusion.h"
#include "matte/eye_agreement.h"
#include "matte/postprocess.h"
#include "matte/regions.h"

#include <vrseg/options.h>

struct vrs_job;
struct vrs_frame_task;
struct vrs_worker;

/* What the last seen frame left for those that reuse its matte. */
struct vrs_seen {
	float *alpha;             /* NULL: not kept */
	struct vrs_rect view;
	struct vrs_regions next;  /* where to look in later frames */
};

/* Used by the thread that has the turn. */
struct vrs_matte_stage {
	struct vrs_postprocess *post[2];
	struct vrs_seen seen[2];
	struct vrs_exclusion_view *excluded[2]; /* NULL: nothing */
	struct vrs_eye_agreement *eyes;         /* NULL: there is one */
	int disagreeing;          /* frames in a row */
	bool warned;
	bool shown;               /* a frame that is written has come out */
	struct vrs_frame_task **waiting; /* [room] frames whose mattes are not finished, in a ring */
	int room;
	uint64_t in, out;
};

/* What the settings say about mattes of that size. */
struct vrs_postprocess_options vrs_matte_stage_options(const struct vrs_settings *settings, int width, int height);
/* Frames that wait for later ones. */
int vrs_matte_stage_latency(const struct vrs_settings *settings);
/* The job's shape must be known. VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_matte_stage_init(struct vrs_matte_stage *stage, const struct vrs_job *job);
/* Also frees the frames that still wait. */
void vrs_matte_stage_fini(struct vrs_matte_stage *stage);
/*
 * Frame n of the worker's part goes in; its place there is empty then.  The frame that comes out, if any, becomes worker->ready[*ready] with its
 * mattes and shown views, and *ready counts it.  False when the job is over.
 */
bool vrs_matte_stage_pass(struct vrs_worker *worker, int n, int *ready);
/* No more frames will come: the next one that waits comes out as above. False: none waits. */
bool vrs_matte_stage_drain(struct vrs_worker *worker, int *ready);

/* The mattes of the ready frame `slot` come from the job's cache. False: the job has failed. */
bool vrs_matte_stage_recall(struct vrs_worker *worker, int slot);

#endif
