/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Latencies of any number of frames in fixed memory: a histogram whose buckets are at most 1/128 of their value wide, so a quantile is right to
 * within 0.8 %, not thread-safe; and the rule for a target.
 */
#ifndef VRS_BASE_LATENCY_H
#define VRS_BASE_LATENCY_H

#include <stdbool.h>
#include <stdint.h>

#define VRS_LATENCY_FINE 128                                /* buckets of each power of two */
#define VRS_LATENCY_BUCKETS (VRS_LATENCY_FINE * 32)         /* microseconds up to 2^38: three days */

struct vrs_latency {
	uint64_t count, max_ns;
	uint64_t bucket[VRS_LATENCY_BUCKETS];
};

void vrs_latency_add(struct vrs_latency *latency, uint64_t ns);
/* Frames that a quantile (0 .. 1) needs: ten beyond it. P50 20, P95 200, P99 1000. */
uint64_t vrs_latency_needs(double quantile);
/* The upper end of the quantile's bucket; false when there are too few frames. */
bool vrs_latency_quantile(const struct vrs_latency *latency, double quantile, uint64_t *ret_ns);

#define VRS_LATENCY_NOT_LIVE "offline latency is mostly waiting in queues; a live run (--live, vrbench --mode live@HZ) measures it"

struct vrs_latency_reading {
	bool live;
	double p99_ms;             /* NaN: too few frames */
	double max_ms;             /* NaN: not known */
};

enum vrs_latency_state { VRS_LATENCY_MET, VRS_LATENCY_MISSED, VRS_LATENCY_TOO_FEW, VRS_LATENCY_OFFLINE };

/*
 * The one rule for a latency target (--max-latency-ms, target.max_latency_ms, latency.max_ms): the P99 of live latency, from a frame's intended
 * start to the output.  Where there are too few frames for a P99, a target that even the slowest frame kept is met; all else is not known.  Offline
 * latency is mostly waiting in queues and is never held against a target.
 * *ret_ms is the figure that decided, NaN for TOO_FEW and OFFLINE; *ret_figure its name, "P99" or "max".
 */
enum vrs_latency_state vrs_latency_judge(const struct vrs_latency_reading *reading, double target_ms, double *ret_ms, const char **ret_figure);

#endif
