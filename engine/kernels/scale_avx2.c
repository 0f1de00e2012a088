/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Separable down-scale with AVX2: pairs of rows (or of columns) are interleaved, so that one multiply-add instruction handles two taps.
 * Tails are done by one more full block that overlaps the last one, which gives the same values again.
 */
#include "kernels/picture.h"

#include <immintrin.h>

void vrs_downscale_rows_u8__avx2(uint16_t *dst, const uint8_t *src, ptrdiff_t stride_bytes, const int16_t *weights, int taps, int width)
{
	int x = 0;
	while (x + 16 <= width) {
		__m256i lo = _mm256_set1_epi32(1 << 6), hi = lo;
		const uint8_t *p = src + x;
		int t = 0;
		for (; t + 2 <= taps; t += 2, p += 2 * stride_bytes) {
			__m256i a = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(const void *)p));
			__m256i b = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(const void *)(p + stride_bytes)));
			__m256i w = _mm256_set1_epi32((int)((uint32_t)(uint16_t)weights[t] | (uint32_t)(uint16_t)weights[t + 1] << 16));
			lo = _mm256_add_epi32(lo, _mm256_madd_epi16(_mm256_unpacklo_epi16(a, b), w));
			hi = _mm256_add_epi32(hi, _mm256_madd_epi16(_mm256_unpackhi_epi16(a, b), w));
		}
		if (t < taps) {
			__m256i zero = _mm256_setzero_si256();
			__m256i a = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(const void *)p));
			__m256i w = _mm256_set1_epi32((uint16_t)weights[t]);
			lo = _mm256_add_epi32(lo, _mm256_madd_epi16(_mm256_unpacklo_epi16(a, zero), w));
			hi = _mm256_add_epi32(hi, _mm256_madd_epi16(_mm256_unpackhi_epi16(a, zero), w));
		}
		_mm256_storeu_si256((__m256i *)(void *)(dst + x), _mm256_packus_epi32(_mm256_srai_epi32(lo, 7), _mm256_srai_epi32(hi, 7)));
		x += 16;
		if (x < width && x + 16 > width && width >= 16)
			x = width - 16;
	}
	vrs_downscale_rows_u8__ref(dst + x, src + x, stride_bytes, weights, taps, width - x);
}

/*
 * 16-bit samples do not fit the signed multiply-add: 2^15 is taken off each sample, and since the weights sum to 2^14, 2^29 is added back.
 */
void vrs_downscale_rows_u16__avx2(uint16_t *dst, const uint16_t *src, ptrdiff_t stride_bytes, const int16_t *weights, int taps, int width,
					 int depth)
{
	ptrdiff_t stride = stride_bytes / (ptrdiff_t)sizeof *src;
	__m256i flip = _mm256_set1_epi16((short)0x8000), start = _mm256_set1_epi32((1 << 29) + (1 << (depth - 2)));
	__m128i shift = _mm_cvtsi32_si128(depth - 1);
	int x = 0;
	while (x + 16 <= width) {
		__m256i lo = start, hi = start;
		const uint16_t *p = src + x;
		for (int t = 0; t < taps; t += 2, p += 2 * stride) {
			int last = t + 1 == taps;
			__m256i a = _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)(const void *)p), flip);
			__m256i b = last ? a : _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)(const void *)(p + stride)), flip);
			uint32_t second = last ? 0 : (uint16_t)weights[t + 1];
			__m256i w = _mm256_set1_epi32((int)((uint32_t)(uint16_t)weights[t] | second << 16));
			lo = _mm256_add_epi32(lo, _mm256_madd_epi16(_mm256_unpacklo_epi16(a, b), w));
			hi = _mm256_add_epi32(hi, _mm256_madd_epi16(_mm256_unpackhi_epi16(a, b), w));
		}
		/* packs as signed, which saturates at the largest sample15 */
		_mm256_storeu_si256((__m256i *)(void *)(dst + x), _mm256_packs_epi32(_mm256_sra_epi32(lo, shift), _mm256_sra_epi32(hi, shift)));
		x += 16;
		if (x < width && x + 16 > width)
			x = width - 16;
	}
	vrs_downscale_rows_u16__ref(dst + x, src + x, stride_bytes, weights, taps, width - x, depth);
}

/* Sums of outputs x and x + 1 in the two halves, four partial sums each. */
static inline __m256i column_pair(const uint16_t *src, const int32_t *first, const int16_t *weights, int taps)
{
	__m256i sum = _mm256_setzero_si256();
	for (int t = 0; t < taps; t += 8) {
		__m256i s = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)(src + first[0] + t))),
						    _mm_loadu_si128((const __m128i *)(const void *)(src + first[1] + t)), 1);
		__m256i w = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)(weights + t))),
						    _mm_loadu_si128((const __m128i *)(const void *)(weights + taps + t)), 1);
		sum = _mm256_add_epi32(sum, _mm256_madd_epi16(s, w));
	}
	return sum;
}

void vrs_downscale_columns__avx2(uint16_t *dst, const uint16_t *src, const int32_t *first, const int16_t *weights, int taps, int n)
{
	__m256i rounding = _mm256_set1_epi32(1 << (VRS_WEIGHT_BITS - 1));
	int x = 0;
	for (; x + 8 <= n; x += 8) {
		const int16_t *w = weights + (ptrdiff_t)x * taps;
		__m256i a = column_pair(src, first + x, w, taps), b = column_pair(src, first + x + 2, w + (ptrdiff_t)2 * taps, taps);
		__m256i c = column_pair(src, first + x + 4, w + (ptrdiff_t)4 * taps, taps);
		__m256i d = column_pair(src, first + x + 6, w + (ptrdiff_t)6 * taps, taps);
		/* even outputs in the low half, odd ones in the high half */
		__m256i sum = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
		sum = _mm256_srai_epi32(_mm256_add_epi32(sum, rounding), VRS_WEIGHT_BITS);
		__m128i even = _mm256_castsi256_si128(sum), odd = _mm256_extracti128_si256(sum, 1);
		_mm_storeu_si128((__m128i *)(void *)(dst + x), _mm_packus_epi32(_mm_unpacklo_epi32(even, odd), _mm_unpackhi_epi32(even, odd)));
	}
	vrs_downscale_columns__ref(dst + x, src, first + x, weights + (ptrdiff_t)x * taps, taps, n - x);
}

/*
 * Horizontal bilinear up-scale with AVX2.  One 32-bit gather fetches both neighbours of an output, one multiply-add combines them.  This runs once
 * for each matte row and not for each picture row, so that the gathers do not matter.
 */
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
