/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Blending with AVX2.  pmulhrsw is exactly (a * b + 2^14) >> 15, the rounding of the reference.  Differences of samples fit its 16 bits up to a
 * depth of 15; the 16-bit kernel works in 32 bits where background or samples may be larger.
 */
#include "kernels/picture.h"

#include <immintrin.h>

static inline __m256i load(const void *p)
{
	return _mm256_loadu_si256((const __m256i *)p);
}

static inline __m256i alpha_at(const uint16_t *above, const uint16_t *below, __m256i weight)
{
	__m256i a = load(above);
	return _mm256_add_epi16(a, _mm256_mulhrs_epi16(_mm256_sub_epi16(load(below), a), weight));
}

static inline __m256i blend(__m256i sample, __m256i background, __m256i alpha)
{
	return _mm256_add_epi16(background, _mm256_mulhrs_epi16(_mm256_sub_epi16(sample, background), alpha));
}

void vrs_composite_row_u8__avx2(uint8_t *dst, const uint8_t *src, const uint16_t *above, const uint16_t *below, int weight, int background,
				       int n)
{
	__m256i w = _mm256_set1_epi16((short)weight), bg = _mm256_set1_epi16((short)background), zero = _mm256_setzero_si256();
	int x = 0;
	for (; x + 32 <= n; x += 32) {
		/* 64-bit quarters 0 2 1 3, so that unpacking inside the halves leaves pixels 0..15 and 16..31 in order */
		__m256i s = _mm256_permute4x64_epi64(load(src + x), 0xd8);
		__m256i lo = blend(_mm256_unpacklo_epi8(s, zero), bg, alpha_at(above + x, below + x, w));
		__m256i hi = blend(_mm256_unpackhi_epi8(s, zero), bg, alpha_at(above + x + 16, below + x + 16, w));
		_mm256_storeu_si256((__m256i *)(void *)(dst + x), _mm256_permute4x64_epi64(_mm256_packus_epi16(lo, hi), 0xd8));
	}
	vrs_composite_row_u8__ref(dst + x, src + x, above + x, below + x, weight, background, n - x);
}

/* Eight samples of any depth in 32 bits: (65535 * 32767 + 2^14) still fits a signed word. */
static inline __m256i blend_wide(__m128i sample, __m256i background, __m128i alpha)
{
	__m256i difference = _mm256_sub_epi32(_mm256_cvtepu16_epi32(sample), background);
	__m256i product = _mm256_mullo_epi32(difference, _mm256_cvtepu16_epi32(alpha));
	return _mm256_add_epi32(background, _mm256_srai_epi32(_mm256_add_epi32(product, _mm256_set1_epi32(1 << 14)), 15));
}

/* The sample itself where alpha is as large as it gets: 16 bits would lose up to two steps. */
static inline __m256i keep_whole(__m256i out, __m256i sample, __m256i alpha)
{
	return _mm256_blendv_epi8(out, sample, _mm256_cmpeq_epi16(alpha, _mm256_set1_epi16(32767)));
}

void vrs_composite_row_u16__avx2(uint16_t *dst, const uint16_t *src, const uint16_t *above, const uint16_t *below, int weight,
					int background, int n)
{
	__m256i w = _mm256_set1_epi16((short)weight), bg = _mm256_set1_epi16((short)background), bg_wide = _mm256_set1_epi32(background);
	int x = 0;
	for (; x + 16 <= n; x += 16) {
		__m256i s = load(src + x), alpha = alpha_at(above + x, below + x, w), out;
		/* the sign bits of samples and background tell whether 16 bits are enough */
		if (_mm256_testz_si256(_mm256_or_si256(s, bg), _mm256_set1_epi16((short)0x8000))) {
			out = blend(s, bg, alpha);
		} else {
			__m256i lo = blend_wide(_mm256_castsi256_si128(s), bg_wide, _mm256_castsi256_si128(alpha));
			__m256i hi = blend_wide(_mm256_extracti128_si256(s, 1), bg_wide, _mm256_extracti128_si256(alpha, 1));
			out = _mm256_permute4x64_epi64(_mm256_packus_epi32(lo, hi), 0xd8);
		}
		_mm256_storeu_si256((__m256i *)(void *)(dst + x), keep_whole(out, s, alpha));
	}
	vrs_composite_row_u16__ref(dst + x, src + x, above + x, below + x, weight, background, n - x);
}

void vrs_composite_over_u8__avx2(uint8_t *dst, const uint8_t *src, const uint8_t *behind, const uint16_t *above, const uint16_t *below,
					int weight, int n)
{
	__m256i w = _mm256_set1_epi16((short)weight), zero = _mm256_setzero_si256();
	int x = 0;
	for (; x + 32 <= n; x += 32) {
		__m256i s = _mm256_permute4x64_epi64(load(src + x), 0xd8), b = _mm256_permute4x64_epi64(load(behind + x), 0xd8);
		__m256i lo = blend(_mm256_unpacklo_epi8(s, zero), _mm256_unpacklo_epi8(b, zero), alpha_at(above + x, below + x, w));
		__m256i hi = blend(_mm256_unpackhi_epi8(s, zero), _mm256_unpackhi_epi8(b, zero), alpha_at(above + x + 16, below + x + 16, w));
		_mm256_storeu_si256((__m256i *)(void *)(dst + x), _mm256_permute4x64_epi64(_mm256_packus_epi16(lo, hi), 0xd8));
	}
	vrs_composite_over_u8__ref(dst + x, src + x, behind + x, above + x, below + x, weight, n - x);
}

void vrs_composite_over_u16__avx2(uint16_t *dst, const uint16_t *src, const uint16_t *behind, const uint16_t *above, const uint16_t *below,
					 int weight, int n)
{
	__m256i w = _mm256_set1_epi16((short)weight);
	int x = 0;
	for (; x + 16 <= n; x += 16) {
		__m256i s = load(src + x), b = load(behind + x), alpha = alpha_at(above + x, below + x, w), out;
		if (_mm256_testz_si256(_mm256_or_si256(s, b), _mm256_set1_epi16((short)0x8000))) {
			out = blend(s, b, alpha);
		} else {
			__m256i lo = blend_wide(_mm256_castsi256_si128(s), _mm256_cvtepu16_epi32(_mm256_castsi256_si128(b)),
						_mm256_castsi256_si128(alpha));
			__m256i hi = blend_wide(_mm256_extracti128_si256(s, 1), _mm256_cvtepu16_epi32(_mm256_extracti128_si256(b, 1)),
						_mm256_extracti128_si256(alpha, 1));
			out = _mm256_permute4x64_epi64(_mm256_packus_epi32(lo, hi), 0xd8);
		}
		_mm256_storeu_si256((__m256i *)(void *)(dst + x), keep_whole(out, s, alpha));
	}
	vrs_composite_over_u16__ref(dst + x, src + x, behind + x, above + x, below + x, weight, n - x);
}
