/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Vector words for the kernel templates: macros over the intrinsics of the instruction set that the including file is compiled for.
 * Only *_avx2.c and *_avx512.c files include this, through a *_template.h.  Macros and always-inline functions, so that no code is shared between
 * instruction sets.
 */
#ifndef VRS_KERNELS_SIMD_LANES_H
#define VRS_KERNELS_SIMD_LANES_H

#include <immintrin.h>
#include <stdint.h>

#ifdef __clang__
#define VRS_UNROLL _Pragma("clang loop unroll(full)")
#define VRS_UNROLL4 _Pragma("clang loop unroll_count(4)")
#else
#define VRS_UNROLL _Pragma("GCC unroll 32")
#define VRS_UNROLL4 _Pragma("GCC unroll 4")
#endif
#define VRS_INLINE static inline __attribute__((always_inline))

VRS_INLINE __m256 vrs_gather256(const float *p, const int32_t *x)
{
	return _mm256_i32gather_ps(p, _mm256_loadu_si256((const __m256i *)(const void *)x), 4);
}

#ifdef __AVX512F__
#define VL 16
#define VRS_MM(op) _mm512_##op
#define VRS_ISA(name) name##__avx512
typedef __m512 vf;
typedef __m512i vi; /* bits as integers: sign, exponent and fraction of a float */
typedef __mmask16 vm;
#define v_mask(n) ((__mmask16)((1u << (n)) - 1u)) /* first n lanes, 0 <= n <= 16 */
#define v_loadm(p, m) _mm512_maskz_loadu_ps(m, p)
#define v_storem(p, m, v) _mm512_mask_storeu_ps(p, m, v)
#define v_abs(a) _mm512_abs_ps(a)
#define v_round(a) _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define v_floor(a) _mm512_roundscale_ps(a, (_MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)) /* SIMDe shifts the bare argument */
#define v_ceil(a) _mm512_roundscale_ps(a, (_MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC))
/* a < b ? x : y */
#define v_select_lt(a, b, x, y) _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), y, x)
/* a is a NaN ? a : y */
#define v_keep_nan(a, y) _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q), y, a)
/* Lanes of the mask, 0 elsewhere. */
#define v_first(v, m) _mm512_maskz_mov_ps(m, v)
#define v_low256(v) _mm512_castps512_ps256(v)
#define v_high256(v) _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(v), 1))
#define v_halves(low, high) \
	_mm512_castpd_ps(_mm512_insertf64x4(_mm512_castps_pd(_mm512_castps256_ps512(low)), _mm256_castps_pd(high), 1))
/* p[x[i]] of VL indices */
#define v_gather(p, x) v_halves(vrs_gather256(p, x), vrs_gather256(p, (x) + 8))
#define v_bits(v) _mm512_castps_si512(v)
#define v_from_bits(i) _mm512_castsi512_ps(i)
#define v_copysign(magnitude, sign) \
	_mm512_castsi512_ps(_mm512_ternarylogic_epi32(_mm512_castps_si512(magnitude), _mm512_castps_si512(sign), \
						      _mm512_set1_epi32((int)0x80000000u), 0xd8))
#define v_load_half(p) _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)(p)))
#define v_store_half(p, v) _mm256_storeu_si256((__m256i *)(void *)(p), _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT))
#else
#define VL 8
#define VRS_MM(op) _mm256_##op
#define VRS_ISA(name) name##__avx2
typedef __m256 vf;
typedef __m256i vi;
typedef int vm;          /* number of lanes: AMD's masked store costs tens of cycles, pieces do not */
static const int32_t vrs_mask_table[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
#define v_mask(n) (n)    /* first n lanes, 0 <= n <= 8 */
#define v_loadm(p, m) _mm256_maskload_ps(p, _mm256_loadu_si256((const __m256i *)(const void *)(vrs_mask_table + 8 - (m))))
#define v_storem(p, m, v) vrs_store_lanes(p, m, v)
#define v_abs(a) _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a)
#define v_round(a) _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define v_floor(a) _mm256_round_ps(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)
#define v_ceil(a) _mm256_round_ps(a, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC)
#define v_select_lt(a, b, x, y) _mm256_blendv_ps(y, x, _mm256_cmp_ps(a, b, _CMP_LT_OQ))
#define v_keep_nan(a, y) _mm256_blendv_ps(y, a, _mm256_cmp_ps(a, a, _CMP_UNORD_Q))
#define v_first(v, m) _mm256_and_ps(v, _mm256_loadu_ps((const float *)(const void *)(vrs_mask_table + 8 - (m))))
#define v_gather(p, x) vrs_gather256(p, x)
#define v_bits(v) _mm256_castps_si256(v)
#define v_from_bits(i) _mm256_castsi256_ps(i)
#define v_copysign(magnitude, sign) \
	_mm256_or_ps(_mm256_andnot_ps(_mm256_set1_ps(-0.0f), magnitude), _mm256_and_ps(_mm256_set1_ps(-0.0f), sign))
VRS_INLINE void vrs_store_lanes(float *p, int lanes, __m256 v)
{
	__m128 part = _mm256_castps256_ps128(v);
	if (lanes & 8) {
		_mm256_storeu_ps(p, v);
		return;
	}
	if (lanes & 4) {
		_mm_storeu_ps(p, part);
		part = _mm256_extractf128_ps(v, 1);
		p += 4;
	}
	if (lanes & 2) {
		_mm_storel_pi((__m64 *)(void *)p, part);
		part = _mm_movehl_ps(part, part);
		p += 2;
	}
	if (lanes & 1)
		_mm_store_ss(p, part);
}
#define v_load_half(p) _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(p)))
#define v_store_half(p, v) _mm_storeu_si128((__m128i *)(void *)(p), _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT))
#endif

/* Words that differ by the width alone. */
#define v_load(p) VRS_MM(loadu_ps)(p)
#define v_store(p, v) VRS_MM(storeu_ps)(p, v)
#define v_set1(x) VRS_MM(set1_ps)(x)
#define v_zero() VRS_MM(setzero_ps)()
#define v_add(a, b) VRS_MM(add_ps)(a, b)
#define v_sub(a, b) VRS_MM(sub_ps)(a, b)
#define v_mul(a, b) VRS_MM(mul_ps)(a, b)
#define v_div(a, b) VRS_MM(div_ps)(a, b)
#define v_fma(a, b, c) VRS_MM(fmadd_ps)(a, b, c)
#define v_fnma(a, b, c) VRS_MM(fnmadd_ps)(a, b, c)
/* A NaN in the second operand is kept. */
#define v_min(a, b) VRS_MM(min_ps)(a, b)
#define v_max(a, b) VRS_MM(max_ps)(a, b)
#define v_sqrt(a) VRS_MM(sqrt_ps)(a)
/* Lanes in pairs ab cd, changed to ba dc; and in fours abcd to cdab. */
#define v_swap1(v) VRS_MM(permute_ps)(v, 0xb1)
#define v_swap2(v) VRS_MM(permute_ps)(v, 0x4e)
#define v_from_int(i) VRS_MM(cvtepi32_ps)(i)
#define vi_set1(i) VRS_MM(set1_epi32)(i)
#define vi_sub(a, b) VRS_MM(sub_epi32)(a, b)
#define vi_shift_right(i, n) VRS_MM(srai_epi32)(i, n) /* keeps the sign */
#define vi_shift_left(i, n) VRS_MM(slli_epi32)(i, n)
/* 2^a for integral a in -126..127; 0 for -127, infinity for 128 */
#define v_pow2(a) v_from_bits(vi_shift_left(VRS_MM(add_epi32)(VRS_MM(cvtps_epi32)(a), vi_set1(127)), 23))

#define v_clamp(v, lo, hi) v_min(hi, v_max(lo, v))
#define v_hswish(v) v_mul(v_mul(v, v_set1(1.0f / 6.0f)), v_min(v_set1(6.0f), v_max(v_zero(), v_add(v, v_set1(3.0f)))))

#endif
