/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Horizontal bilinear up-scale with AVX2.  One 32-bit gather fetches both neighbours of an output, one multiply-add combines them.  This runs once
 * for each matte row and not for each picture row, so that the gathers do not matter.
 */
#include "kernels/picture.h"

#include <immintrin.h>

static inline __m256i upscale_eight(const uint16_t *src, const int32_t *index, const int16_t *weight)
{
	__m256i pairs = _mm256_i32gather_epi32((const int *)(const void *)src, _mm256_loadu_si256((const __m256i *)(const void *)index), 2);
	__m256i right = _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(const void *)weight));
	__m256i left = _mm256_sub_epi32(_mm256_set1_epi32(VRS_WEIGHT_ONE), right);
	__m256i sum = _mm256_madd_epi16(pairs, _mm256_or_si256(left, _mm256_slli_epi32(right, 16)));
	return _mm256_srai_epi32(_mm256_add_epi32(sum, _mm256_set1_epi32(1 << (VRS_WEIGHT_BITS - 1))), VRS_WEIGHT_BITS);
}

void vrs_upscale_row__avx2(uint16_t *dst, const uint16_t *src, const int32_t *index, const int16_t *weight, int n)
{
	int x = 0;
	for (; x + 16 <= n; x += 16) {
		__m256i packed = _mm256_packus_epi32(upscale_eight(src, index + x, weight + x), upscale_eight(src, index + x + 8, weight + x + 8));
		_mm256_storeu_si256((__m256i *)(void *)(dst + x), _mm256_permute4x64_epi64(packed, 0xd8));
	}
	vrs_upscale_row__ref(dst + x, src, index + x, weight + x, n - x);
}
