/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Watches the frames of a job as they complete: decides when warm-up is over, keeps the times of measured frames, and says when there are enough.
 *
 * Warm-up ends when all hold: at least min_seconds and min_frames (a third of it below 10 FPS); the medians of the last two windows differ
 * by at most 2 %; the Theil-Sen slope over the last three windows is at most 1 % per window.  A window has max(50 frames, 1 s) above 10 FPS
 * and 10 frames below.  After max_seconds the measurement starts anyway and says that it was not settled.
 */
#ifndef VRS_BENCH_FRAME_RECORDER_H
#define VRS_BENCH_FRAME_RECORDER_H

#include <vrseg/pipeline.h>

#include "base/buf.h"

struct vrs_recorder_rules {
	double warmup_min_seconds, warmup_max_seconds;
	int warmup_min_frames;
	double duration_seconds;     /* measured part */
	int64_t min_frames;          /* go on until there are as many, but at most 3 x the duration */
	int64_t max_frames;          /* stop at so many measured frames; 0: no limit */
};

enum vrs_recorder_event { VRS_RECORDER_GO_ON, VRS_RECORDER_START, VRS_RECORDER_ENOUGH };

struct vrs_recorder {
	struct vrs_recorder_rules rules;
	struct vrs_frame_times *frames; /* all frames so far */
	size_t count, capacity;
	size_t first;                /* first measured frame: the last one of the warm-up, its end is the start of the measurement */
	bool measuring, settled, done, failed; /* failed: out of memory */
	double first_frame_ms;
};

void vrs_recorder_init(struct vrs_recorder *recorder, const struct vrs_recorder_rules *rules);
void vrs_recorder_fini(struct vrs_recorder *recorder);
/* One completed frame, in order. START: the measurement begins with the end of this frame; ENOUGH: it ends with it. */
enum vrs_recorder_event vrs_recorder_frame(struct vrs_recorder *recorder, const struct vrs_frame_times *times);
/* Measured frames: *ret_frames points at the frame that ends the warm-up, followed by n measured ones. Returns n. */
size_t vrs_recorder_measured(const struct vrs_recorder *recorder, const struct vrs_frame_times **ret_frames);

#endif
