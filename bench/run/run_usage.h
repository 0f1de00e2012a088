/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the process has used up to now: taken at both ends of the measured part, the difference goes into the run. */
#ifndef VRS_BENCH_RUN_USAGE_H
#define VRS_BENCH_RUN_USAGE_H

#include <vrseg/perf_events.h>

#include "bench/record/result.h"

struct vrs_run_usage {
	double user_seconds, system_seconds;     /* of all threads; NaN */
	int64_t counts[VRS_PERF_COUNT];          /* -1: not counted */
};

void vrs_run_usage_read(const struct vrs_perf_events *events, struct vrs_run_usage *ret_usage);
/* Fill user_seconds .. miss_gbps of run, whose wall_seconds is known. user_only: the counts leave the kernel's work out. */
void vrs_run_usage_put(const struct vrs_run_usage *start, const struct vrs_run_usage *end, bool user_only, struct vrs_run *run);

#endif
