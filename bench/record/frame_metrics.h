/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What one run says about its frames, from their times.  Memory is bounded: up to VRS_METRICS_EXACT frames quantiles are exact, of longer runs they
 * are right to within 0.8 % (base/latency.h).
 *
 * Live: frames are due hz times a second.  Latency counts from the intended start of a frame, so that waiting behind a slow one is charged
 * (coordinated omission); a gap between the intended starts of two shown frames is frames that were dropped.
 */
#ifndef VRS_BENCH_FRAME_METRICS_H
#define VRS_BENCH_FRAME_METRICS_H

#include "bench/record/frames_file.h"

#define VRS_METRICS_EXACT 262144

struct vrs_live_goal {
	double hz;            /* 0: offline */
	double deadline_ms;   /* from the intended start */
};

/*
 * Fill frames, wall_seconds, fps, frame_*, latency_* and, live, live_* of a run.  The reader's first frame ends the warm-up and is not counted.
 * VRS_EINVAL: fewer than two frames; VRS_EFORMAT, VRS_EIO of the reader; VRS_ENOMEM.
 */
enum vrs_status vrs_frame_metrics(struct vrs_frames_reader *reader, const struct vrs_live_goal *goal, struct vrs_run *run, struct vrs_error *err);

/*
 * Pass or fail of a live case over the runs that its figures are made of (vrs_case_result_uses), in c->live_verdict and c->live_note: at most 1 % of
 * the frames that were due may miss their deadline.  Empty for offline cases and without runs.
 */
void vrs_live_judge(struct vrs_case_result *c);

#endif
