/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/probe.h"

#define LANES 32

/* 32 independent sums: enough for the compiler to fill SSE2 registers and hide the latency of multiply and add. */
static VRS_PROBE_RAW uint64_t fma_ref(uint64_t rounds, float *ret_sink)
{
	float acc[LANES], sum = 0, m = 0.999f, a = 0.001f;

	for (int i = 0; i < LANES; i++)
		acc[i] = (float)i;
	for (uint64_t r = 0; r < rounds; r++) {
		for (int i = 0; i < LANES; i++)
			acc[i] = acc[i] * m + a;
	}
	for (int i = 0; i < LANES; i++)
		sum += acc[i];
	*ret_sink = sum;
	return rounds * LANES * 2;
}

static VRS_PROBE_RAW uint64_t read_ref(const void *p, size_t n)
{
	const uint64_t *words = p;
	uint64_t sum[8] = { 0 };

	for (size_t i = 0; i < n / 8; i += 8) {
		for (int k = 0; k < 8; k++)
			sum[k] += words[i + k];
	}
	return sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] + sum[7];
}

static VRS_PROBE_RAW void triad_ref(float *restrict a, const float *restrict b, const float *restrict c, float s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		a[i] = b[i] + s * c[i];
}

const struct vrs_probe_kernels vrs_probe_kernels_ref = { .fma = fma_ref, .read = read_ref, .triad = triad_ref };
