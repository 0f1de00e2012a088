/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blending with AVX-512: 32 samples a step, tails by masks; the arithmetic is that of the AVX2 file. */
#include "kernels/picture.h"

#include <immintrin.h>

static inline __m512i alpha_at(const uint16_t *above, const uint16_t *below, __m512i weight, __mmask32 mask)
{
	__m512i a = _mm512_maskz_loadu_epi16(mask, above), b = _mm512_maskz_loadu_epi16(mask, below);
	return _mm512_add_epi16(a, _mm512_mulhrs_epi16(_mm512_sub_epi16(b, a), weight));
}

static inline __m512i blend(__m512i sample, __m512i background, __m512i alpha)
{
	return _mm512_add_epi16(background, _mm512_mulhrs_epi16(_mm512_sub_epi16(sample, background), alpha));
}

static inline __mmask32 tail(int left)
{
	return left >= 32 ? 0xffffffffu : (1u << left) - 1;
}

void vrs_composite_row_u8__avx512(uint8_t *dst, const uint8_t *src, const uint16_t *above, const uint16_t *below, int weight,
					 int background, int n)
{
	__m512i w = _mm512_set1_epi16((short)weight), bg = _mm512_set1_epi16((short)background);
	for (int x = 0; x < n; x += 32) {
		__mmask32 mask = tail(n - x);
		__m512i s = _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(mask, src + x));
		__m512i out = blend(s, bg, alpha_at(above + x, below + x, w, mask));
		_mm256_mask_storeu_epi8(dst + x, mask, _mm512_cvtepi16_epi8(out));
	}
}

static inline __m256i blend_wide(__m256i sample, __m512i background, __m256i alpha)
{
	__m512i difference = _mm512_sub_epi32(_mm512_cvtepu16_epi32(sample), background);
	__m512i product = _mm512_mullo_epi32(difference, _mm512_cvtepu16_epi32(alpha));
	product = _mm512_srai_epi32(_mm512_add_epi32(product, _mm512_set1_epi32(1 << 14)), 15);
	return _mm512_cvtepi32_epi16(_mm512_add_epi32(background, product));
}

/* As in the AVX2 file. */
static inline __m512i keep_whole(__m512i out, __m512i sample, __m512i alpha)
{
	return _mm512_mask_mov_epi16(out, _mm512_cmpeq_epi16_mask(alpha, _mm512_set1_epi16(32767)), sample);
}

void vrs_composite_row_u16__avx512(uint16_t *dst, const uint16_t *src, const uint16_t *above, const uint16_t *below, int weight,
					  int background, int n)
{
	__m512i w = _mm512_set1_epi16((short)weight), bg = _mm512_set1_epi16((short)background), bg_wide = _mm512_set1_epi32(background);
	for (int x = 0; x < n; x += 32) {
		__mmask32 mask = tail(n - x);
		__m512i s = _mm512_maskz_loadu_epi16(mask, src + x), alpha = alpha_at(above + x, below + x, w, mask), out;
		if (_mm512_movepi16_mask(_mm512_or_si512(s, bg)) == 0) {
			out = blend(s, bg, alpha);
		} else {
			__m256i lo = blend_wide(_mm512_castsi512_si256(s), bg_wide, _mm512_castsi512_si256(alpha));
			__m256i hi = blend_wide(_mm512_extracti64x4_epi64(s, 1), bg_wide, _mm512_extracti64x4_epi64(alpha, 1));
			out = _mm512_inserti64x4(_mm512_castsi256_si512(lo), hi, 1);
		}
		_mm512_mask_storeu_epi16(dst + x, mask, keep_whole(out, s, alpha));
	}
}

void vrs_composite_over_u8__avx512(uint8_t *dst, const uint8_t *src, const uint8_t *behind, const uint16_t *above, const uint16_t *below,
					  int weight, int n)
{
	__m512i w = _mm512_set1_epi16((short)weight);
	for (int x = 0; x < n; x += 32) {
		__mmask32 mask = tail(n - x);
		__m512i s = _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(mask, src + x));
		__m512i b = _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(mask, behind + x));
		__m512i out = blend(s, b, alpha_at(above + x, below + x, w, mask));
		_mm256_mask_storeu_epi8(dst + x, mask, _mm512_cvtepi16_epi8(out));
	}
}

void vrs_composite_over_u16__avx512(uint16_t *dst, const uint16_t *src, const uint16_t *behind, const uint16_t *above, const uint16_t *below,
					   int weight, int n)
{
	__m512i w = _mm512_set1_epi16((short)weight);
	for (int x = 0; x < n; x += 32) {
		__mmask32 mask = tail(n - x);
		__m512i s = _mm512_maskz_loadu_epi16(mask, src + x), b = _mm512_maskz_loadu_epi16(mask, behind + x);
		__m512i alpha = alpha_at(above + x, below + x, w, mask), out;
		if (_mm512_movepi16_mask(_mm512_or_si512(s, b)) == 0) {
			out = blend(s, b, alpha);
		} else {
			__m256i lo = blend_wide(_mm512_castsi512_si256(s), _mm512_cvtepu16_epi32(_mm512_castsi512_si256(b)),
						_mm512_castsi512_si256(alpha));
			__m256i hi = blend_wide(_mm512_extracti64x4_epi64(s, 1), _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(b, 1)),
						_mm512_extracti64x4_epi64(alpha, 1));
			out = _mm512_inserti64x4(_mm512_castsi256_si512(lo), hi, 1);
		}
		_mm512_mask_storeu_epi16(dst + x, mask, keep_whole(out, s, alpha));
	}
}
