/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Y'CbCr to network input with AVX-512: 16 pixels a step, the same operations in the same order as the reference. */
#include "kernels/picture.h"

#include <immintrin.h>

static inline __m512 load_float(const uint16_t *p, __mmask16 mask)
{
	return _mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, p)));
}

static inline __m512 channel(__m512 y, __m512 u, __m512 v, const struct vrs_color_kernel_args *args, int c)
{
	__m512 sum = _mm512_add_ps(_mm512_mul_ps(y, _mm512_set1_ps(args->m[c][0])), _mm512_mul_ps(u, _mm512_set1_ps(args->m[c][1])));
	sum = _mm512_add_ps(sum, _mm512_mul_ps(v, _mm512_set1_ps(args->m[c][2])));
	sum = _mm512_add_ps(sum, _mm512_set1_ps(args->bias[c]));
	sum = _mm512_min_ps(_mm512_max_ps(sum, _mm512_setzero_ps()), _mm512_set1_ps(1.0f));
	return _mm512_add_ps(_mm512_mul_ps(sum, _mm512_set1_ps(args->scale[c])), _mm512_set1_ps(args->offset[c]));
}

/*
 * Part k (0..2) of r0 g0 b0 r1 ..: element e of it is float 16 * k + e of the row, channel (16 k + e) % 3 of pixel (16 k + e) / 3.
 * red_green chooses from r (0..15) and g (16..31), blue puts b where `mask` says.
 */
static inline __m512 interleave(__m512 r, __m512 g, __m512 b, const int32_t *red_green, __mmask16 mask, const int32_t *blue)
{
	__m512 v = _mm512_permutex2var_ps(r, _mm512_loadu_si512(red_green), g);
	return _mm512_mask_permutexvar_ps(v, mask, _mm512_loadu_si512(blue), b);
}

static const int32_t color_red_green[3][16] = {
	{0, 16, 0, 1, 17, 0, 2, 18, 0, 3, 19, 0, 4, 20, 0, 5},
	{21, 0, 6, 22, 0, 7, 23, 0, 8, 24, 0, 9, 25, 0, 10, 26},
	{0, 11, 27, 0, 12, 28, 0, 13, 29, 0, 14, 30, 0, 15, 31, 0},
};
static const int32_t color_blue[3][16] = {
	{0, 0, 0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0},
	{0, 5, 0, 0, 6, 0, 0, 7, 0, 0, 8, 0, 0, 9, 0, 0},
	{10, 0, 0, 11, 0, 0, 12, 0, 0, 13, 0, 0, 14, 0, 0, 15},
};
static const uint16_t color_blue_mask[3] = {0x4924, 0x2492, 0x9249};

void vrs_color_rgb_f32__avx512(float *dst, const uint16_t *y, const uint16_t *u, const uint16_t *v, int n,
				      const struct vrs_color_kernel_args *args)
{
	for (int x = 0; x < n; x += 16) {
		int left = n - x;
		__mmask16 mask = (__mmask16)(left >= 16 ? 0xffffu : (1u << left) - 1);
		__m512 fy = load_float(y + x, mask), fu = load_float(u + x, mask), fv = load_float(v + x, mask);
		__m512 r = channel(fy, fu, fv, args, 0), g = channel(fy, fu, fv, args, 1), b = channel(fy, fu, fv, args, 2);
		for (int k = 0; k < 3; k++) {
			int floats = 3 * left - 16 * k;
			if (floats <= 0)
				break;
			__mmask16 store = (__mmask16)(floats >= 16 ? 0xffffu : (1u << floats) - 1);
			__m512 part = interleave(r, g, b, color_red_green[k], color_blue_mask[k], color_blue[k]);
			_mm512_mask_storeu_ps(dst + (ptrdiff_t)3 * x + 16 * k, store, part);
		}
	}
}
