/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/probe.h"

#include <immintrin.h>

#define LANES 8 /* floats of a vector */

/* 12 independent chains: two units of latency 4 or 5 need 8 to 10. */
static VRS_PROBE_RAW uint64_t fma_avx2(uint64_t rounds, float *ret_sink)
{
	const __m256 m = _mm256_set1_ps(0.999f), a = _mm256_set1_ps(0.001f);
	__m256 x0 = a, x1 = a, x2 = a, x3 = a, x4 = a, x5 = a, x6 = a, x7 = a, x8 = a, x9 = a, x10 = a, x11 = a;
	float sum[LANES], total = 0;

	for (uint64_t r = 0; r < rounds; r++) {
		x0 = _mm256_fmadd_ps(x0, m, a);
		x1 = _mm256_fmadd_ps(x1, m, a);
		x2 = _mm256_fmadd_ps(x2, m, a);
		x3 = _mm256_fmadd_ps(x3, m, a);
		x4 = _mm256_fmadd_ps(x4, m, a);
		x5 = _mm256_fmadd_ps(x5, m, a);
		x6 = _mm256_fmadd_ps(x6, m, a);
		x7 = _mm256_fmadd_ps(x7, m, a);
		x8 = _mm256_fmadd_ps(x8, m, a);
		x9 = _mm256_fmadd_ps(x9, m, a);
		x10 = _mm256_fmadd_ps(x10, m, a);
		x11 = _mm256_fmadd_ps(x11, m, a);
		/* Equal chains would be computed once: the compiler must take each register for changed. */
		__asm__ volatile("" : "+x"(x0), "+x"(x1), "+x"(x2), "+x"(x3), "+x"(x4), "+x"(x5));
		__asm__ volatile("" : "+x"(x6), "+x"(x7), "+x"(x8), "+x"(x9), "+x"(x10), "+x"(x11));
	}
	x0 = _mm256_add_ps(_mm256_add_ps(_mm256_add_ps(x0, x1), _mm256_add_ps(x2, x3)), _mm256_add_ps(_mm256_add_ps(x4, x5), _mm256_add_ps(x6, x7)));
	x0 = _mm256_add_ps(x0, _mm256_add_ps(_mm256_add_ps(x8, x9), _mm256_add_ps(x10, x11)));
	_mm256_storeu_ps(sum, x0);
	for (int i = 0; i < LANES; i++)
		total += sum[i];
	*ret_sink = total;
	return rounds * 12 * LANES * 2;
}

static VRS_PROBE_RAW void triad_avx2(float *a, const float *b, const float *c, float s, size_t n)
{
	const __m256 factor = _mm256_set1_ps(s);

	for (size_t i = 0; i < n; i += 2 * LANES) {
		_mm256_store_ps(a + i, _mm256_fmadd_ps(factor, _mm256_load_ps(c + i), _mm256_load_ps(b + i)));
		_mm256_store_ps(a + i + LANES, _mm256_fmadd_ps(factor, _mm256_load_ps(c + i + LANES), _mm256_load_ps(b + i + LANES)));
	}
}

const struct vrs_probe_kernels vrs_probe_kernels_avx2 = {.fma = fma_avx2, .triad = triad_avx2};
