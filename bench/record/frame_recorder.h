/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Watches the frames of a job as they complete: decides when warm-up is over, passes the times of measured frames on to their file, and says when
 * there are enough.  It holds the last few thousand completions only, however long the run.
 *
 * Warm-up ends when all hold: at least min_seconds and min_frames (a third of it below 10 FPS); the levels of the last two windows differ by at
 * most 2 %; the Theil-Sen slope over the last three windows is at most 1 % per window; both beyond what the noise of a level makes of them (one
 * standard error): where frames come in bursts, or others use the machine, waiting would not make levels agree.  A window has max(50 frames, 1 s)
 * above 10 FPS and 10 frames below, in five blocks.  Its level is the median of their mean frame times; the noise is how far neighbouring blocks
 * differ, which a trend does not change.  After max_seconds or max_frames the measurement starts anyway and says that it was not settled.
 */
#ifndef VRS_BENCH_FRAME_RECORDER_H
#define VRS_BENCH_FRAME_RECORDER_H

#include <vrseg/pipeline.h>

struct vrs_recorder_rules {
	double warmup_min_seconds, warmup_max_seconds;
	int warmup_min_frames;
	int64_t warmup_max_frames;   /* 0: no limit */
	double duration_seconds;     /* measured part */
	int64_t min_frames;          /* go on until there are as many, but at most 3 x the duration */
	int64_t max_frames;          /* stop at so many measured frames; 0: no limit */
};

enum vrs_recorder_event { VRS_RECORDER_GO_ON, VRS_RECORDER_START, VRS_RECORDER_ENOUGH };

#define VRS_RECORDER_RING 6001       /* completions: three windows of at most 2000 frames */

struct vrs_frames_writer;

struct vrs_recorder {
	struct vrs_recorder_rules rules;
	struct vrs_frames_writer *writer; /* gets the frame that ends the warm-up, and the measured ones; NULL: nobody */
	double end_seconds[VRS_RECORDER_RING]; /* completion of frame i in [i % VRS_RECORDER_RING] */
	int64_t count;               /* all frames so far */
	int64_t measured;            /* after the one that ended the warm-up */
	double start_seconds;        /* completion of that one */
	bool measuring, settled, done;
	double first_frame_ms;
};

/* No more than max_frames measured frames (0: no limit); a run that is short in frames warms up for a tenth of them, at least three. */
void vrs_recorder_rules_limit(struct vrs_recorder_rules *rules, int max_frames);
void vrs_recorder_init(struct vrs_recorder *recorder, const struct vrs_recorder_rules *rules, struct vrs_frames_writer *writer);
/* One completed frame, in order. START: the measurement begins with the end of this frame; ENOUGH: it ends with it. */
enum vrs_recorder_event vrs_recorder_frame(struct vrs_recorder *recorder, const struct vrs_frame_times *times);
/* The measurement ends with what there is: true when a frame was measured. */
bool vrs_recorder_end(struct vrs_recorder *recorder);

#endif
