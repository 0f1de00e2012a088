/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A frame on its way from the decoder to the encoder.  One stage has it at a time. */
#ifndef VRS_FLOW_FRAME_TASK_H
#define VRS_FLOW_FRAME_TASK_H

#include <vrseg/pipeline.h>

#define VRS_MAX_EYES 2

struct vrs_frame_task {
	struct vrs_frame frame;
	struct vrs_frame behind;  /* picture of a background video for this frame; empty: none */
	uint64_t seq;             /* 0, 1, 2 .. over all loops */
	uint64_t place;           /* among the frames that are written; not for those of the preroll */
	int64_t number;           /* the same in the whole video where the job makes a segment */
	uint64_t loop_seq;        /* of the first frame of this loop: the past is forgotten before it */
	uint64_t unseen;          /* frames of the video before that one */
	bool has_past;            /* the job knows what came before its first frame, which is no first frame therefore */
	bool late;                /* live: newer ones wait for the network already, so that it gets the matte of the frame before */
	bool preroll;             /* only for the past or the future that other frames need: not composed, not written */
	int64_t intended_ns;      /* live: when the frame was meant to begin, since the run began */
	struct vrs_frame_times times;
};

/* The first frame of its loop, without a past: nothing came before it. */
bool vrs_frame_task_is_first(const struct vrs_frame_task *task);
/* Frames of its loop before it, those of the video before a segment with them: what comes every n frames goes by it, whoever makes which segment. */
uint64_t vrs_frame_task_phase(const struct vrs_frame_task *task);
void vrs_frame_task_free(struct vrs_frame_task *task); /* NULL is fine */

#endif
