/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loops of probe.h on vectors of the instruction set that the including file is compiled for. */
#include <immintrin.h>

#include "machine/probe.h"

#ifdef __AVX512F__
typedef __m512 vector;
#define MM(op) _mm512_##op
#define PROBE(name) name##_avx512
#else
typedef __m256 vector;
#define MM(op) _mm256_##op
#define PROBE(name) name##_avx2
#endif
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 12")
#endif
#define LANES ((int)(sizeof(vector) / sizeof(float)))
#define CHAINS 12 /* independent ones: two units of latency 4 or 5 need 8 to 10 */

static VRS_PROBE_RAW uint64_t PROBE(fma)(uint64_t rounds, float *ret_sink)
{
	const vector m = MM(set1_ps)(0.999f), a = MM(set1_ps)(0.001f);
	vector x[CHAINS];
	float sum[LANES], total = 0;

	for (int i = 0; i < CHAINS; i++)
		x[i] = a;
	for (uint64_t r = 0; r < rounds; r++) {
		UNROLL
		for (int i = 0; i < CHAINS; i++) {
			vector v = MM(fmadd_ps)(x[i], m, a);
			/* Equal chains would be computed once: the compiler must take each register for changed. */
			__asm__ volatile("" : "+v"(v));
			x[i] = v;
		}
	}
	for (int i = 1; i < CHAINS; i++)
		x[0] = MM(add_ps)(x[0], x[i]);
	MM(storeu_ps)(sum, x[0]);
	for (int i = 0; i < LANES; i++)
		total += sum[i];
	*ret_sink = total;
	return rounds * CHAINS * (uint64_t)LANES * 2;
}

static VRS_PROBE_RAW void PROBE(triad)(float *a, const float *b, const float *c, float s, size_t n)
{
	const vector factor = MM(set1_ps)(s);

	for (size_t i = 0; i < n; i += 2 * (size_t)LANES) {
		MM(store_ps)(a + i, MM(fmadd_ps)(factor, MM(load_ps)(c + i), MM(load_ps)(b + i)));
		MM(store_ps)(a + i + LANES, MM(fmadd_ps)(factor, MM(load_ps)(c + i + LANES), MM(load_ps)(b + i + LANES)));
	}
}

const struct vrs_probe_kernels PROBE(vrs_probe_kernels) = {.fma = PROBE(fma), .triad = PROBE(triad)};
