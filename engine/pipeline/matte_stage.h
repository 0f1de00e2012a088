/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * In frame order: the past of each eye meets its next matte.  Frames go in one by one with what the network saw, and come out with finished mattes:
 * at once, or as many frames later as smoothing looks ahead; the worker that brings a frame composes the one that comes out.  The last worker takes
 * what is left.
 */
#ifndef VRS_PIPELINE_MATTE_STAGE_H
#define VRS_PIPELINE_MATTE_STAGE_H

#include "job/matte_cache.h"
#include "matte/eye_agreement.h"
#include "matte/postprocess.h"
#include "roi/roi_worker.h"

/* What the last seen frame left for those that reuse its matte. */
struct vrs_seen {
	float *alpha;             /* NULL: not kept */
	struct vrs_rect view;
	struct vrs_regions next;  /* where to look in later frames */
};

/* Frames with finished mattes, of one worker. */
struct vrs_finished {
	int count;
	struct vrs_frame_task **tasks;        /* [room] */
	struct vrs_rect *shown;               /* [room * eyes] parts that their mattes cover */
	uint8_t *mattes;                      /* [room * eyes][matte_height * matte_width] */
};

/* The first four are set by whoever makes the job; all else is used by the thread that has the turn in postprocess. */
struct vrs_matte_stage {
	const struct vrs_roi_plan *plan;
	struct vrs_flow *flow;
	struct vrs_roi_past *past;
	struct vrs_job_callbacks callbacks;   /* on_matte */
	struct vrs_matte_cache *cache;        /* NULL: none; owned */
	struct vrs_arena arena;               /* of all below */
	struct vrs_postprocess *post[VRS_MAX_EYES];
	struct vrs_seen seen[VRS_MAX_EYES];
	struct vrs_exclusion_view *excluded[VRS_MAX_EYES]; /* NULL: nothing */
	struct vrs_eye_agreement *eyes;         /* NULL: there is one */
	int disagreeing;          /* frames in a row */
	bool warned;
	bool shown;               /* a frame that is written has come out */
	struct vrs_frame_task **waiting; /* [room] frames whose mattes are not finished, in a ring */
	int room;
	uint64_t in, out;
	struct vrs_frame_task before; /* stands there for those that the segment before has written */
};

/* Frames that wait for later ones. */
int vrs_matte_stage_latency(const struct vrs_settings *settings);
/* Does postprocess need the luma of pictures, beside their mattes? */
bool vrs_matte_stage_needs_luma(const struct vrs_roi_plan *plan);
/* The plan is complete. VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_matte_stage_init(struct vrs_matte_stage *stage);
/* Also frees the frames that still wait. */
void vrs_matte_stage_fini(struct vrs_matte_stage *stage);

/* Room for the frames that a worker has. VRS_ELIMIT, VRS_ENOMEM. */
enum vrs_status vrs_finished_init(struct vrs_finished *finished, struct vrs_arena *arena, const struct vrs_roi_plan *plan);
/* The matte of an eye of frame n. */
struct vrs_matte vrs_finished_matte(const struct vrs_finished *finished, const struct vrs_roi_plan *plan, int n, int eye);

/*
 * Frame n of the batch goes in; its place there is empty then.  The frame that comes out, if any, is added to the finished ones.  False when the job
 * is over.
 */
bool vrs_matte_stage_pass(struct vrs_matte_stage *stage, struct vrs_roi_batch *batch, int n, struct vrs_finished *finished);
/* No more frames will come: the next one that waits comes out as above. False: none waits. */
bool vrs_matte_stage_drain(struct vrs_matte_stage *stage, struct vrs_finished *finished);
/* The mattes of the finished frame n come from the cache. False: the job has failed. */
bool vrs_matte_stage_recall(struct vrs_matte_stage *stage, struct vrs_finished *finished, int n);
/*
 * Between two frames, with no other stage at work.  last: the finished mattes that the frame before has left, for stages without latency; else frames
 * wait, which come out of the archive as well, to be finished and not to be written.
 */
bool vrs_matte_stage_archive(struct vrs_matte_stage *stage, struct vrs_finished *last, struct vrs_archive *archive);
/* Frames go on where those of an archive ended: whoever looks at mattes sees the one before the first. */
void vrs_matte_stage_show_past(struct vrs_matte_stage *stage, const struct vrs_finished *last);

#endif
