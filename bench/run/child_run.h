/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of a measured process: child.c (the job), child_quality.c (its mattes), child_output.c (what it wrote), child_net.c (the network alone). */
#ifndef VRS_BENCH_CHILD_RUN_H
#define VRS_BENCH_CHILD_RUN_H

#include "bench/record/frames_file.h"
#include "bench/record/soak_windows.h"
#include "bench/run/run_request.h"
#include "bench/run/run_samples.h"
#include "bench/run/slow_pace.h"

/* One run in progress. on_frame and on_matte come from threads of the job, one at a time for each kind. */
struct vrs_child {
	const struct vrs_run_request *request;
	const struct vrs_settings *settings;
	struct vrs_job *job;
	struct vrs_recorder recorder;
	struct vrs_frames_writer writer;
	struct vrs_matte_set mattes;
	enum vrs_status matte_status;
	struct vrs_job_stats start, end;   /* counters at both ends of the measured part */
	struct vrs_perf_events events;     /* from before the job's threads begin */
	struct vrs_run_usage start_usage, end_usage;
	struct vrs_sampler *sampler;       /* NULL: nothing is sampled */
	struct vrs_slow_pace pace;
	struct vrs_soak_writer *soak;      /* of a long run; NULL: none */
	uint64_t last_end_ns;              /* of the frame before */
};

/*
 * Quality after the clock has stopped.  What cannot be compared stays absent; the speed is measured all the same.  VRS_ENOMEM: there was no room for
 * the mattes; statuses of reading and writing them.
 */
enum vrs_status vrs_child_quality(struct vrs_child *child, struct vrs_run *run, struct vrs_error *err);
/*
 * Size of what was written and, where the request asks for it, how near the encoded pictures come to those that the encoder was given.  Comes last:
 * the job may be gone afterwards.  A value that cannot be had stays absent; VRS_ESTOPPED, and what a second, short job without loss can fail with.
 */
enum vrs_status vrs_child_output(struct vrs_child *child, struct vrs_run *run, struct vrs_error *err);
/* Scope net_only: no job, no frames. */
enum vrs_status vrs_child_net(const struct vrs_run_request *request, const struct vrs_settings *settings, struct vrs_run_reply *reply,
			      struct vrs_error *err);

#endif
