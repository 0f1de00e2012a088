/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a child is asked for one run of a case: clip, files, reference mattes and truth. */
#ifndef VRS_BENCH_RUNNER_REQUEST_H
#define VRS_BENCH_RUNNER_REQUEST_H

#include "bench/run/runner_state.h"

/* The clip of a case, made where it is not there yet. Statuses of vrs_clip_provide. */
enum vrs_status vrs_runner_provide_clip(const struct vrs_runner *runner, const struct vrs_case_result *c, struct vrs_clip *clip,
					struct vrs_error *err);
/*
 * Fill a request for one run. A case whose mattes were not compared yet is compared: the reference is made now, by a run of its own.
 * frames_name: the file of frame times relative to the folder, for the record; "" when the run has no frames.
 */
enum vrs_status vrs_runner_request_fill(struct vrs_runner *runner, int index, const struct vrs_clip *clip, int round, struct vrs_run_request *request,
					char frames_name[128], struct vrs_error *err);
/* The configuration of a case on that clip. On success *ret_config is the caller's. */
enum vrs_status vrs_runner_request_config(const struct vrs_runner *runner, int index, const struct vrs_clip *clip, struct vrs_config **ret_config,
					  struct vrs_error *err);

#endif
