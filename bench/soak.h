/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What hours of one cell say: does memory grow, do frames become slower, does heat hold the machine back. */
#ifndef VRS_BENCH_SOAK_H
#define VRS_BENCH_SOAK_H

#include <stdio.h>

#include "bench/soak_windows.h"
#include "bench/trend.h"

enum vrs_soak_verdict { VRS_SOAK_INCONCLUSIVE, VRS_SOAK_PASS, VRS_SOAK_FAIL };

struct vrs_soak {
	enum vrs_soak_verdict verdict;
	char reasons[400];            /* one sentence each, "; " between */
	int windows;
	double seconds;
	int64_t frames;
	struct vrs_trend memory;      /* bytes an hour; blocks 0: not known */
	struct vrs_trend drift;       /* ms an hour of the windows' medians; blocks 0: not known */
	double drift_percent;         /* over the whole run, of the median */
	double worst_ms;              /* longest frame */
	double slow_from_seconds;     /* since then windows were 5 % slower than the first ones; NaN: never */
	double temperature_first_c, temperature_last_c, frequency_first_mhz, frequency_last_mhz; /* NaN: not observable */
	int64_t throttle_events;      /* during the run; -1: not observable */
};

/*
 * The first tenth is left out of the trends: caches fill.  Fails when
 *   memory     its slope lies above 0 with its whole interval, and over the run it grew by more than 8 MiB and 1 %
 *   drift      frames became slower beyond the interval, by more than 2 % over the run
 *   throttling the system counted throttle events
 * Fewer than 20 windows are inconclusive.  VRS_ENOMEM, VRS_EINVAL.
 */
enum vrs_status vrs_soak_judge(const struct vrs_soak_window *windows, int count, struct vrs_soak *ret);
/* "pass", "fail", "inconclusive". */
const char *vrs_soak_verdict_name(enum vrs_soak_verdict verdict);
/* Lines for people; the last one is "VERDICT soak pass|fail|inconclusive ...". */
void vrs_soak_print(const struct vrs_soak *soak, FILE *out);

#endif
