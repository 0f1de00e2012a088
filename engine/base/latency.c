/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Buckets: microseconds below 128 have one each; above, each power of two is split into 128.  Bucket of us with top bit t >= 7:
 * 128 (t - 6) + (us >> (t - 7)) - 128.
 */
#include "base/latency.h"

#include <math.h>

#define FINE_BITS 7

static int bucket_of(uint64_t us)
{
	if (us < VRS_LATENCY_FINE)
		return (int)us;
	int shift = 63 - __builtin_clzll(us) - FINE_BITS;
	int bucket = VRS_LATENCY_FINE * (shift + 1) + (int)(us >> shift) - VRS_LATENCY_FINE;
	return bucket < VRS_LATENCY_BUCKETS ? bucket : VRS_LATENCY_BUCKETS - 1;
}

/* The first microsecond after the bucket. */
static uint64_t bucket_end(int bucket)
{
	if (bucket < VRS_LATENCY_FINE)
		return (uint64_t)bucket + 1;
	int shift = bucket / VRS_LATENCY_FINE - 1;
	return (uint64_t)(bucket % VRS_LATENCY_FINE + VRS_LATENCY_FINE + 1) << shift;
}

void vrs_latency_add(struct vrs_latency *latency, uint64_t ns)
{
	latency->count++;
	latency->bucket[bucket_of(ns / 1000)]++;
	if (ns > latency->max_ns)
		latency->max_ns = ns;
}

uint64_t vrs_latency_needs(double quantile)
{
	return (uint64_t)llround(ceil(10 / (1 - quantile) - 1e-6));
}

bool vrs_latency_quantile(const struct vrs_latency *latency, double quantile, uint64_t *ret_ns)
{
	if (latency->count == 0 || latency->count < vrs_latency_needs(quantile))
		return false;
	uint64_t rank = (uint64_t)ceil(quantile * (double)latency->count), seen = 0;
	int bucket = 0;
	for (; bucket < VRS_LATENCY_BUCKETS - 1; bucket++) {
		seen += latency->bucket[bucket];
		if (seen >= rank)
			break;
	}
	uint64_t ns = bucket_end(bucket) * 1000;
	*ret_ns = ns < latency->max_ns ? ns : latency->max_ns;
	return true;
}

enum vrs_latency_state vrs_latency_judge(const struct vrs_latency_reading *reading, double target_ms, double *ret_ms, const char **ret_figure)
{
	bool judged = reading->live && isfinite(reading->p99_ms), kept = reading->live && reading->max_ms <= target_ms;
	*ret_figure = judged || !kept ? "P99" : "max";
	*ret_ms = judged ? reading->p99_ms : kept ? reading->max_ms : NAN;
	if (!reading->live)
		return VRS_LATENCY_OFFLINE;
	if (!judged && !kept)
		return VRS_LATENCY_TOO_FEW;
	return *ret_ms <= target_ms ? VRS_LATENCY_MET : VRS_LATENCY_MISSED;
}
