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

static VRS_PROBE_RAW void triad_ref(float *restrict a, const float *restrict b, const float *restrict c, float s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		a[i] = b[i] + s * c[i];
}

const struct vrs_probe_kernels vrs_probe_kernels_ref = {.fma = fma_ref, .triad = triad_ref};
