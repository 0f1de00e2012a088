/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Latencies of any number of frames in fixed memory: a histogram whose buckets are at most 1/128 of their value wide, so a quantile is right to
 * within 0.8 %.  Not thread-safe.
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

#endif
