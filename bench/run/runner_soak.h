/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The windows of a soak in its result folder, and what they mean for its case. */
#ifndef VRS_BENCH_RUNNER_SOAK_H
#define VRS_BENCH_RUNNER_SOAK_H

#include "bench/run/runner_state.h"

/* Where the windows of a run lie. VRS_ELIMIT. */
enum vrs_status vrs_runner_soak_file(const struct vrs_runner *runner, const char *id, int round, char path[VRS_PATH_MAX]);
/* Put into the case what the windows of that file say. Statuses of vrs_soak_windows_read. */
enum vrs_status vrs_runner_soak_judge(const struct vrs_runner *runner, const char *path, struct vrs_case_result *c, struct vrs_error *err);

#endif
