/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A live job (--live).  The decoder never waits for a worker: frames go into a queue of at most two (or of one batch), and a few late ones before
 * those, where a new frame pushes the oldest one out, so frames are dropped before they cost an inference, and what is shown is new.  A worker that
 * comes takes the late ones too, and they are shown with the matte of the frame before (pipeline.late_frames); when it had to wait for the encoder,
 * late ones are dropped instead, since more frames would make the encoder later still.  Workers take frames only while the number under way allows
 * it; places in the sequence are given when a frame is taken, so those that go on are numbered without gaps.
 */
#ifndef VRS_PIPELINE_LIVE_STAGE_H
#define VRS_PIPELINE_LIVE_STAGE_H

#include "pipeline/job.h"

/* After the network is loaded: decide pace and bound. VRS_ECONFIG: the bound is too small for a batch; VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_live_prepare(struct vrs_job *job, const char *input, struct vrs_error *err);
/* Frames that may wait for a worker. */
int vrs_live_queue_size(const struct vrs_job *job);
/* Decoder: wait until the next frame of a paced file is due; false when the job is over or was asked to stop. Adds the time. */
bool vrs_live_wait(struct vrs_job *job, int64_t pts, uint64_t *wait_ns);
/* Decoder: the frame goes into the queue, an older one may leave it. False when aborted: the work stays the caller's. */
bool vrs_live_put(struct vrs_job *job, struct vrs_frame_task *task);
/* Decoder: after its last frame, counts what was left out. */
void vrs_live_end(struct vrs_job *job);
/* Worker: the next frames in works, at most job->room of them, late ones first; 0 at the end.  For jobs that are not live too. */
int vrs_job_take(struct vrs_job *job, struct vrs_frame_task **tasks, uint64_t *wait_ns);
/* So many late frames get the matte of the frame before. */
void vrs_live_count_reused(struct vrs_job *job, int frames);
/* Encoder: the frame is no longer under way.  For jobs that are not live too. */
void vrs_live_leave(struct vrs_job *job, const struct vrs_frame_task *task);
/* Encoder: the frame is about to be handed to the sink. */
void vrs_live_show(struct vrs_job *job, const struct vrs_frame_task *task);

#endif
