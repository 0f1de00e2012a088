/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Row half of the down-scale with AVX-512: 32 samples a step, tails by masks.  The column half gains nothing from wider vectors. */
#include "kernels/picture.h"

#include <immintrin.h>

static inline __m512i pair_weights(const int16_t *weights, int t, int taps)
{
	uint32_t second = t + 1 < taps ? (uint16_t)weights[t + 1] : 0;
	return _mm512_set1_epi32((int)((uint32_t)(uint16_t)weights[t] | second << 16));
}

void vrs_downscale_rows_u8__avx512(uint16_t *dst, const uint8_t *src, ptrdiff_t stride_bytes, const int16_t *weights, int taps, int width)
{
	for (int x = 0; x < width; x += 32) {
		__mmask32 mask = width - x >= 32 ? 0xffffffffu : (1u << (width - x)) - 1;
		__m512i lo = _mm512_set1_epi32(1 << 6), hi = lo;
		const uint8_t *p = src + x;
		for (int t = 0; t < taps; t += 2, p += 2 * stride_bytes) {
			__m512i a = _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(mask, p));
			__m512i b = t + 1 < taps ? _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(mask, p + stride_bytes)) : a;
			__m512i w = pair_weights(weights, t, taps);
			lo = _mm512_add_epi32(lo, _mm512_madd_epi16(_mm512_unpacklo_epi16(a, b), w));
			hi = _mm512_add_epi32(hi, _mm512_madd_epi16(_mm512_unpackhi_epi16(a, b), w));
		}
		_mm512_mask_storeu_epi16(dst + x, mask, _mm512_packus_epi32(_mm512_srai_epi32(lo, 7), _mm512_srai_epi32(hi, 7)));
	}
}

/* See the AVX2 file for the offset of 2^15 and for packing. */
void vrs_downscale_rows_u16__avx512(uint16_t *dst, const uint16_t *src, ptrdiff_t stride_bytes, const int16_t *weights, int taps, int width,
					   int depth)
{
	ptrdiff_t stride = stride_bytes / (ptrdiff_t)sizeof *src;
	__m512i flip = _mm512_set1_epi16((short)0x8000), start = _mm512_set1_epi32((1 << 29) + (1 << (depth - 2)));
	__m128i shift = _mm_cvtsi32_si128(depth - 1);
	for (int x = 0; x < width; x += 32) {
		__mmask32 mask = width - x >= 32 ? 0xffffffffu : (1u << (width - x)) - 1;
		__m512i lo = start, hi = start;
		const uint16_t *p = src + x;
		for (int t = 0; t < taps; t += 2, p += 2 * stride) {
			__m512i a = _mm512_xor_si512(_mm512_maskz_loadu_epi16(mask, p), flip);
			__m512i b = t + 1 < taps ? _mm512_xor_si512(_mm512_maskz_loadu_epi16(mask, p + stride), flip) : a;
			__m512i w = pair_weights(weights, t, taps);
			lo = _mm512_add_epi32(lo, _mm512_madd_epi16(_mm512_unpacklo_epi16(a, b), w));
			hi = _mm512_add_epi32(hi, _mm512_madd_epi16(_mm512_unpackhi_epi16(a, b), w));
		}
		_mm512_mask_storeu_epi16(dst + x, mask, _mm512_packs_epi32(_mm512_sra_epi32(lo, shift), _mm512_sra_epi32(hi, shift)));
	}
}

/* Horizontal bilinear up-scale with AVX-512: the AVX2 way with 16 outputs a step and a masked tail. */
void vrs_upscale_row__avx512(uint16_t *dst, const uint16_t *src, const int32_t *index, const int16_t *weight, int n)
{
	__m512i one = _mm512_set1_epi32(VRS_WEIGHT_ONE), rounding = _mm512_set1_epi32(1 << (VRS_WEIGHT_BITS - 1));
	for (int x = 0; x < n; x += 16) {
		__mmask16 mask = (__mmask16)(n - x >= 16 ? 0xffffu : (1u << (n - x)) - 1);
		__m512i at = _mm512_maskz_loadu_epi32(mask, index + x);
		__m512i pairs = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), mask, at, (const void *)src, 2);
		__m512i right = _mm512_cvtepi16_epi32(_mm256_maskz_loadu_epi16(mask, weight + x));
		__m512i weights = _mm512_or_si512(_mm512_sub_epi32(one, right), _mm512_slli_epi32(right, 16));
		__m512i sum = _mm512_srai_epi32(_mm512_add_epi32(_mm512_madd_epi16(pairs, weights), rounding), VRS_WEIGHT_BITS);
		_mm256_mask_storeu_epi16(dst + x, mask, _mm512_cvtepi32_epi16(sum));
	}
}
