/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/run/run_usage.h"

#include <math.h>
#include <sys/resource.h>

enum { CACHE_LINE = 64 }; /* bytes, of every x86-64 */

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + 1e-6 * (double)t->tv_usec;
}

void vrs_run_usage_read(const struct vrs_perf_events *events, struct vrs_run_usage *ret_usage)
{
	struct rusage usage;
	bool known = getrusage(RUSAGE_SELF, &usage) == 0;
	ret_usage->user_seconds = known ? seconds(&usage.ru_utime) : NAN;
	ret_usage->system_seconds = known ? seconds(&usage.ru_stime) : NAN;
	vrs_perf_events_read(events, ret_usage->counts);
}

static int64_t counted(const struct vrs_run_usage *start, const struct vrs_run_usage *end, enum vrs_perf_kind kind)
{
	int64_t a = start->counts[kind], b = end->counts[kind];
	return a >= 0 && b > a ? b - a : -1; /* a measured part without a single cycle was not counted */
}

void vrs_run_usage_put(const struct vrs_run_usage *start, const struct vrs_run_usage *end, bool user_only, struct vrs_run *run)
{
	run->user_seconds = end->user_seconds - start->user_seconds;
	run->system_seconds = end->system_seconds - start->system_seconds;
	run->cycles = counted(start, end, VRS_PERF_CYCLES);
	run->instructions = counted(start, end, VRS_PERF_INSTRUCTIONS);
	run->cache_misses = counted(start, end, VRS_PERF_CACHE_MISSES);
	double busy = user_only ? run->user_seconds : run->user_seconds + run->system_seconds;
	if (run->cycles > 0 && busy > 0)
		run->cycles_mhz = 1e-6 * (double)run->cycles / busy;
	if (run->cache_misses > 0 && run->wall_seconds > 0)
		run->miss_gbps = 1e-9 * CACHE_LINE * (double)run->cache_misses / run->wall_seconds;
}
