/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Y'CbCr to network input with AVX2: eight pixels at a time, the same operations in the same order as the reference. */
#include "kernels/picture.h"

#include <immintrin.h>

static inline __m256 load_float(const uint16_t *p)
{
	return _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)p)));
}

static inline __m256 channel(__m256 y, __m256 u, __m256 v, const struct vrs_color_kernel_args *args, int c)
{
	__m256 sum = _mm256_add_ps(_mm256_mul_ps(y, _mm256_set1_ps(args->m[c][0])), _mm256_mul_ps(u, _mm256_set1_ps(args->m[c][1])));
	sum = _mm256_add_ps(sum, _mm256_mul_ps(v, _mm256_set1_ps(args->m[c][2])));
	sum = _mm256_add_ps(sum, _mm256_set1_ps(args->bias[c]));
	sum = _mm256_min_ps(_mm256_max_ps(sum, _mm256_setzero_ps()), _mm256_set1_ps(1.0f));
	return _mm256_add_ps(_mm256_mul_ps(sum, _mm256_set1_ps(args->scale[c])), _mm256_set1_ps(args->offset[c]));
}

/* Store r0 g0 b0 r1 g1 b1 .. r7 g7 b7. */
static inline void store_interleaved(float *dst, __m256 r, __m256 g, __m256 b)
{
	/* pixel of each element in the three output vectors is element / 3; the masks choose the channel */
	__m256i i0 = _mm256_setr_epi32(0, 0, 0, 1, 1, 1, 2, 2), i1 = _mm256_setr_epi32(2, 3, 3, 3, 4, 4, 4, 5);
	__m256i i2 = _mm256_setr_epi32(5, 5, 6, 6, 6, 7, 7, 7);
	__m256 v0 = _mm256_blend_ps(_mm256_permutevar8x32_ps(r, i0), _mm256_permutevar8x32_ps(g, i0), 0x92);
	v0 = _mm256_blend_ps(v0, _mm256_permutevar8x32_ps(b, i0), 0x24);
	__m256 v1 = _mm256_blend_ps(_mm256_permutevar8x32_ps(r, i1), _mm256_permutevar8x32_ps(g, i1), 0x24);
	v1 = _mm256_blend_ps(v1, _mm256_permutevar8x32_ps(b, i1), 0x49);
	__m256 v2 = _mm256_blend_ps(_mm256_permutevar8x32_ps(r, i2), _mm256_permutevar8x32_ps(g, i2), 0x49);
	v2 = _mm256_blend_ps(v2, _mm256_permutevar8x32_ps(b, i2), 0x92);
	_mm256_storeu_ps(dst, v0);
	_mm256_storeu_ps(dst + 8, v1);
	_mm256_storeu_ps(dst + 16, v2);
}

void vrs_color_rgb_f32__avx2(float *dst, const uint16_t *y, const uint16_t *u, const uint16_t *v, int n,
				    const struct vrs_color_kernel_args *args)
{
	int x = 0;
	for (; x + 8 <= n; x += 8) {
		__m256 fy = load_float(y + x), fu = load_float(u + x), fv = load_float(v + x);
		store_interleaved(dst + (ptrdiff_t)3 * x, channel(fy, fu, fv, args, 0), channel(fy, fu, fv, args, 1),
				  channel(fy, fu, fv, args, 2));
	}
	vrs_color_rgb_f32__ref(dst + (ptrdiff_t)3 * x, y + x, u + x, v + x, n - x, args);
}
