/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Products of activations that are too small to pack a side for. */
#include "kernels/kernels.h"
#include "kernels/row_contract.h"
#include "kernels/simd_lanes.h"

VRS_INLINE float product_total(vf v)
{
#ifdef __AVX512F__
	__m256 half = _mm256_add_ps(v_low256(v), v_high256(v));
#else
	__m256 half = v;
#endif
	__m128 four = _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
	four = _mm_add_ps(four, _mm_movehl_ps(four, four));
	return _mm_cvtss_f32(_mm_add_ss(four, _mm_shuffle_ps(four, four, 1)));
}

VRS_INLINE float product_dot(const float *a, const float *b, int k)
{
	vf t[4];
	int i = 0;
	VRS_UNROLL
	for (int j = 0; j < 4; j++)
		t[j] = v_zero();
	for (; i + 4 * VL <= k; i += 4 * VL) {
		VRS_UNROLL
		for (int j = 0; j < 4; j++)
			t[j] = v_fma(v_load(a + i + j * VL), v_load(b + i + j * VL), t[j]);
	}
	for (; i + VL <= k; i += VL)
		t[0] = v_fma(v_load(a + i), v_load(b + i), t[0]);
	if (i < k)
		t[1] = v_fma(v_loadm(a + i, v_mask(k - i)), v_loadm(b + i, v_mask(k - i)), t[1]);
	return product_total(v_add(v_add(t[0], t[2]), v_add(t[1], t[3])));
}

void VRS_ISA(vrs_dot_f32_rows)(const float *a, ptrdiff_t a_px, int pixels, const float *b, int k, float *out, ptrdiff_t out_px)
{
	VRS_ASSERT(a && b && out && pixels > 0 && k > 0);
	for (int p = 0; p < pixels; p++)
		out[p * out_px] = product_dot(a + p * a_px, b, k);
}
