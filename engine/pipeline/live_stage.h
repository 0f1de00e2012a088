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

#include "flow/flow.h"
#include "pipeline/live_clock.h"
#include "pipeline/live_skip.h"
#include "video/source.h"

/* How many frames a worker takes, and how long it waits for them. */
struct vrs_live_take {
	int group;                    /* frames at a time */
	int room;                     /* with late ones of a live job before them */
	uint64_t within_ns;           /* wait for a full group after its first frame; 0: for ever */
};

/* The decoder's own. */
struct vrs_live_input {
	struct vrs_flow *flow;
	struct vrs_source *source;
	const char *name;             /* of the input */
	bool grows;                   /* it is a playlist that is still written */
	struct vrs_live_clock clock;
	struct vrs_live_skip skip;
	bool told_skip, told_jump;
	uint64_t skipped;             /* frames that were not even decoded, as counted so far */
	uint64_t waited_ns;           /* for a frame to be due */
	uint64_t waited_before_ns;    /* for that and for data, until the frame before */
	uint64_t data_before_ns;      /* for data */
};

/* The pace of an input. VRS_ECONFIG: its rate cannot be what --live-fps says. */
enum vrs_status vrs_live_open(struct vrs_live_input *input, const struct vrs_settings *settings, double own_fps, struct vrs_error *err);
/* Late frames of a format that a worker may take beside its group. */
int vrs_live_late_room(const struct vrs_picture_format *format);
/* Frames that may wait for a worker. */
int vrs_live_queue_size(const struct vrs_live_take *take);
/* Decoder: wait until the next frame of a paced file is due; false when the job is over or was asked to stop. Adds the time. */
bool vrs_live_wait(struct vrs_live_input *input, int64_t pts, uint64_t *wait_ns);
/* Decoder: the frame goes into the queue, an older one may leave it. False when aborted: the task stays the caller's. */
bool vrs_live_put(struct vrs_live_input *input, struct vrs_frame_task *task);
/* Decoder: after its last frame, counts what was left out. */
void vrs_live_end(struct vrs_live_input *input);
/*
 * Frames of a live job get their numbers when a worker takes them, so that those that go on are counted without gaps, and from the first one of their
 * loop that was not dropped.  Set before the run.
 */
void vrs_live_number(struct vrs_flow *flow);
/* Worker: the next frames, at most take->room of them, late ones first; 0 at the end.  For jobs that are not live too. */
int vrs_live_take(const struct vrs_live_take *take, struct vrs_flow *flow, struct vrs_frame_task **tasks, uint64_t *wait_ns);
/* Encoder: the frame is no longer under way.  For jobs that are not live too. */
void vrs_live_leave(struct vrs_flow *flow, const struct vrs_frame_task *task);

#endif
