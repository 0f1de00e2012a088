/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Conversions between bfloat16 and float for CPUs without bfloat16 arithmetic: shifts and integer rounding, the same bits as the reference.
 * (VCVTNEPS2BF16 would flush denormals, which a storage format need not.)
 */
#include "kernels/kernels.h"
#include "kernels/simd_lanes.h"

#ifdef __AVX512F__
VRS_INLINE vf bf16_widen(const uint16_t *in)
{
	return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)in)), 16));
}

VRS_INLINE void bf16_narrow(uint16_t *out, vf v)
{
	__m512i bits = _mm512_castps_si512(v), upper = _mm512_srli_epi32(bits, 16);
	__m512i bias = _mm512_add_epi32(_mm512_and_si512(upper, _mm512_set1_epi32(1)), _mm512_set1_epi32(0x7fff));
	__m512i rounded = _mm512_srli_epi32(_mm512_add_epi32(bits, bias), 16), quiet = _mm512_or_si512(upper, _mm512_set1_epi32(0x40));
	__m512i kept = _mm512_mask_blend_epi32(_mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q), rounded, quiet);
	_mm256_storeu_si256((__m256i *)(void *)out, _mm512_cvtepi32_epi16(kept));
}
#else
VRS_INLINE vf bf16_widen(const uint16_t *in)
{
	return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)in)), 16));
}

VRS_INLINE void bf16_narrow(uint16_t *out, vf v)
{
	__m256i bits = _mm256_castps_si256(v), upper = _mm256_srli_epi32(bits, 16);
	__m256i bias = _mm256_add_epi32(_mm256_and_si256(upper, _mm256_set1_epi32(1)), _mm256_set1_epi32(0x7fff));
	__m256i rounded = _mm256_srli_epi32(_mm256_add_epi32(bits, bias), 16), quiet = _mm256_or_si256(upper, _mm256_set1_epi32(0x40));
	__m256i kept = _mm256_blendv_epi8(rounded, quiet, _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q)));
	__m128i packed = _mm_packus_epi32(_mm256_castsi256_si128(kept), _mm256_extracti128_si256(kept, 1));
	_mm_storeu_si128((__m128i *)(void *)out, packed);
}
#endif

void VRS_ISA(vrs_bf16_to_float)(const uint16_t *in, float *out, size_t count)
{
	size_t i = 0;
	for (; i + VL <= count; i += VL)
		v_store(out + i, bf16_widen(in + i));
	if (i < count) {
		uint16_t rest[VL] = {0};
		__builtin_memcpy(rest, in + i, (count - i) * sizeof *in);
		v_storem(out + i, v_mask((int)(count - i)), bf16_widen(rest));
	}
}

void VRS_ISA(vrs_float_to_bf16)(const float *in, uint16_t *out, size_t count)
{
	size_t i = 0;
	for (; i + VL <= count; i += VL)
		bf16_narrow(out + i, v_load(in + i));
	if (i < count) {
		uint16_t rest[VL];
		bf16_narrow(rest, v_loadm(in + i, v_mask((int)(count - i))));
		__builtin_memcpy(out + i, rest, (count - i) * sizeof *out);
	}
}
