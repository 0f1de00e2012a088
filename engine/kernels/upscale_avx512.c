/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Horizontal bilinear up-scale with AVX-512: the AVX2 way with 16 outputs a step and a masked tail. */
#include "kernels/picture.h"

#include <immintrin.h>

void vrs_upscale_row__avx512(uint16_t *dst, const uint16_t *src, const int32_t *index, const int16_t *weight, int n)
{
	__m512i one = _mm512_set1_epi32(VRS_WEIGHT_ONE), rounding = _mm512_set1_epi32(1 << (VRS_WEIGHT_BITS - 1));
	for (int x = 0; x < n; x += 16) {
		__mmask16 mask = n - x >= 16 ? 0xffff : (__mmask16)((1u << (n - x)) - 1);
		__m512i at = _mm512_maskz_loadu_epi32(mask, index + x);
		__m512i pairs = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), mask, at, (const void *)src, 2);
		__m512i right = _mm512_cvtepi16_epi32(_mm256_maskz_loadu_epi16(mask, weight + x));
		__m512i weights = _mm512_or_si512(_mm512_sub_epi32(one, right), _mm512_slli_epi32(right, 16));
		__m512i sum = _mm512_srai_epi32(_mm512_add_epi32(_mm512_madd_epi16(pairs, weights), rounding), VRS_WEIGHT_BITS);
		_mm256_mask_storeu_epi16(dst + x, mask, _mm512_cvtepi32_epi16(sum));
	}
}
