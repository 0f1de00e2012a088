/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What hours of one case say: does memory grow, do frames become slower, does heat hold the machine back. */
#ifndef VRS_BENCH_SOAK_H
#define VRS_BENCH_SOAK_H

#include <stddef.h>

#include "bench/record/soak_windows.h"
#include "bench/record/words.h"
#include "bench/stats/trend.h"

#define VRS_SOAK_MIN_WINDOWS 20
#define VRS_SOAK_MIN_SECONDS 600    /* caches fill and machines warm up for minutes: less says nothing about days */

struct vrs_soak {
	enum vrs_outcome verdict;
	unsigned causes;              /* 1u << enum vrs_soak_cause of what FAIL and INCONCLUSIVE rest on */
	char reasons[400];            /* one sentence each, "; " between; of a pass: what is ruled out */
	int windows;
	double seconds, window_seconds;
	int64_t frames;
	int stalled;                  /* windows in which no frame was done, though ten or more would have been */
	struct vrs_trend memory;      /* bytes an hour; blocks 0: not known */
	struct vrs_trend drift;       /* ms an hour of the windows' medians; blocks 0: not known */
	double drift_percent, drift_low, drift_high; /* over the whole run, of the median, with the 95 % interval */
	double worst_ms;              /* longest frame */
	double slow_from_seconds;     /* since then windows were 5 % slower than the first ones; NaN: never */
	double temperature_first_c, temperature_last_c, frequency_first_mhz, frequency_last_mhz; /* NaN: not observable */
	bool still_warming;           /* the temperature rose in the second half, beyond its interval and by more than 2 degrees */
	int64_t throttle_events;      /* during the run; -1: not observable */
};

/*
 * Trends are Theil-Sen slopes with 95 % intervals (bench/stats/trend.h); the first tenth is left out of them: caches fill.  Limits of the whole run:
 *   memory     8 MiB and 1 %         drift      2 % of the median        clock      a fall to less than 75 %
 * Fails when memory or frame times lie above 0 with their whole interval and above their limit, when the clock fell, when the system counted
 * throttle events, or when windows went by without a frame.  Passes only when the upper ends of both intervals lie below the limits, so that more
 * is ruled out, and memory does not certainly grow at a rate that a day would bring above them.  All else is inconclusive, and says what would help;
 * so is what lasted less than ten minutes or 20 windows, unless the processor was throttled or frames stopped.  VRS_ENOMEM.
 */
enum vrs_status vrs_soak_judge(const struct vrs_soak_window *windows, int count, struct vrs_soak *ret);
/* The line for scripts: "VERDICT FAIL metric=soak seconds=3600 windows=240 reason=memory,drift". */
void vrs_soak_line(const struct vrs_soak *soak, char *buf, size_t size);
/* "25 s", "10 min", "2.5 h", "3 days", "an unknown time" (not finite); returns buf. */
const char *vrs_soak_span_text(double seconds, char *buf, size_t size);

#endif
