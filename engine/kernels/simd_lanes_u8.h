/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Vector words for the u8 kernel templates, over simd_lanes.h: vi holds VL sums of 32 bits.  On 16 lanes the product is VPDPBUSD of AVX-512 VNNI
 * by inline assembly: gcc 12 spills the accumulators around its intrinsic.  On 8 lanes it is VPMADDUBSW, VPMADDWD and VPADDD.
 */
#ifndef VRS_KERNELS_SIMD_LANES_U8_H
#define VRS_KERNELS_SIMD_LANES_U8_H

#include <string.h>

#include "kernels/kernels_u8.h"
#include "kernels/simd_lanes.h"

/* Tiles are copied into each function that uses them, unrolled; not so where vectors are functions themselves. */
#ifdef VRS_EMULATED
#undef VRS_UNROLL
#define VRS_UNROLL
#define VRS_TILE static __attribute__((noinline))
#else
#define VRS_TILE VRS_INLINE
#endif

/* Words that differ by the width alone. */
#define vi_to_float(v) v_from_int(v)
#define vi_slli(a, n) vi_shift_left(a, n)
#define vi_set1_16(x) VRS_MM(set1_epi16)(x)
#define vi_from_float(v) VRS_MM(cvtps_epi32)(v)
#define vi_unpacklo8(a, b) VRS_MM(unpacklo_epi8)(a, b)
#define vi_unpackhi8(a, b) VRS_MM(unpackhi_epi8)(a, b)
#define vi_unpacklo16(a, b) VRS_MM(unpacklo_epi16)(a, b)
#define vi_unpackhi16(a, b) VRS_MM(unpackhi_epi16)(a, b)
#define vi_packs32(a, b) VRS_MM(packs_epi32)(a, b)
#define vi_packus16(a, b) VRS_MM(packus_epi16)(a, b)
#define vi_madd16(a, b) VRS_MM(madd_epi16)(a, b)

#ifdef __AVX512F__
#define VRS_ISA_U8(name) name##__avx512vnni
#ifndef VRS_DPBUSD /* the emulated tests bring one in C */
#define VRS_DPBUSD(acc, a, b) __asm__("vpdpbusd %2, %1, %0" : "+v"(acc) : "v"(a), "vm"(b))
#endif
/* acc += sums of four products of unsigned a with signed b; ones is not needed. */
#define vi_dot(acc, a, b, ones) VRS_DPBUSD(acc, a, b)
/* The same where the last three bytes of each four of a are zero. */
#define vi_dot_single(acc, a, b) VRS_DPBUSD(acc, a, b)
#define vi_keep(acc) ((void)(acc)) /* the product's assembly does it */
#define vi_load(p) _mm512_loadu_si512((const void *)(p))
#define vi_zero() _mm512_setzero_si512()
#define vi_or(a, b) _mm512_or_si512(a, b)
/* Four floats repeated in every quarter. */
#define v_load_quad(p) _mm512_broadcast_f32x4(_mm_loadu_ps(p))
#define V_QUARTERS 4
/* Saturate VL sums to 0..255 and store that many bytes. */
VRS_INLINE void vi_store_u8(uint8_t *p, vi v)
{
	_mm_storeu_si128((__m128i *)(void *)p, _mm512_cvtusepi32_epi8(_mm512_max_epi32(v, _mm512_setzero_si512())));
}
/* VL bytes as integers. */
#define vi_load_u8(p) _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)(p)))
#define vi_load_u16(p) _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)(p)))
#define vi_from_bytes(x) _mm512_cvtepu8_epi32(x)
/* 16-byte pieces to the quarters. */
VRS_INLINE vi vi_quarters(const __m128i part[4])
{
	return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_inserti128_si256(_mm256_castsi128_si256(part[0]), part[1], 1)),
				  _mm256_inserti128_si256(_mm256_castsi128_si256(part[2]), part[3], 1), 1);
}
VRS_INLINE void vi_split(vi v, __m128i part[4])
{
	__m256i low = _mm512_castsi512_si256(v), high = _mm512_extracti64x4_epi64(v, 1);
	part[0] = _mm256_castsi256_si128(low);
	part[1] = _mm256_extracti128_si256(low, 1);
	part[2] = _mm256_castsi256_si128(high);
	part[3] = _mm256_extracti128_si256(high, 1);
}
#else
#define VRS_ISA_U8(name) name##__avx2
#define vi_dot(acc, a, b, ones) acc = _mm256_add_epi32(acc, _mm256_madd_epi16(_mm256_maddubs_epi16(a, b), ones))
#define vi_dot_single(acc, a, b) acc = _mm256_add_epi32(acc, _mm256_madd_epi16(a, b))
/* The sum is complete here: without it gcc 12 gathers products first, adds them late, and spills them meanwhile. */
#define vi_keep(acc) __asm__("" : "+x"(acc))
#define vi_load(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define vi_zero() _mm256_setzero_si256()
#define vi_or(a, b) _mm256_or_si256(a, b)
#define v_load_quad(p) _mm256_broadcast_ps((const __m128 *)(const void *)(p))
#define V_QUARTERS 2
VRS_INLINE __m128i vi_pack_u8(vi v)
{
	__m128i words = _mm_packs_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
	return _mm_packus_epi16(words, words);
}
VRS_INLINE void vi_store_u8(uint8_t *p, vi v)
{
	_mm_storel_epi64((__m128i *)(void *)p, vi_pack_u8(v));
}
#define vi_load_u8(p) _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(p)))
#define vi_load_u16(p) _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)(p)))
#define vi_from_bytes(x) _mm256_cvtepu8_epi32(x)
VRS_INLINE vi vi_quarters(const __m128i part[2])
{
	return _mm256_inserti128_si256(_mm256_castsi128_si256(part[0]), part[1], 1);
}
VRS_INLINE void vi_split(vi v, __m128i part[2])
{
	part[0] = _mm256_castsi256_si128(v);
	part[1] = _mm256_extracti128_si256(v, 1);
}
#endif

/* Pieces of 16 bytes or less at the end of a pixel; count is a multiple of 4. */
VRS_INLINE __m128i load_bytes(const uint8_t *p, int count)
{
	static const int32_t masks[8] = {-1, -1, -1, -1, 0, 0, 0, 0};
	if (count >= 16)
		return _mm_loadu_si128((const __m128i *)(const void *)p);
	return _mm_maskload_epi32((const int *)(const void *)p, _mm_loadu_si128((const __m128i *)(const void *)(masks + 4 - count / 4)));
}

VRS_INLINE void store_bytes(uint8_t *p, __m128i v, int count)
{
	if (count >= 16) {
		_mm_storeu_si128((__m128i *)(void *)p, v);
		return;
	}
	if (count & 8) {
		_mm_storel_epi64((__m128i *)(void *)p, v);
		v = _mm_srli_si128(v, 8);
		p += 8;
	}
	if (count & 4) {
		int32_t word = _mm_cvtsi128_si32(v);
		memcpy(p, &word, 4);
	}
}

/* The first `count` of VL lanes. */
VRS_INLINE vi vi_load_u8_part(const uint8_t *p, int count)
{
	return vi_from_bytes(load_bytes(p, count));
}

VRS_INLINE void vi_store_u8_part(uint8_t *p, vi v, int count)
{
	uint8_t bytes[16];
	vi_store_u8(bytes, v);
	store_bytes(p, _mm_loadu_si128((const __m128i *)(const void *)bytes), count);
}

#define v_hswish_6(v) v_mul(v, v_min(v_set1(6.0f), v_max(v_zero(), v_add(v, v_set1(3.0f)))))

/* The epilogue of kernels_u8.h with this activation, and the sum's term before or after it. */
VRS_INLINE vf v_epilogue_u8(const struct vrs_epilogue_u8 *e, vf v, enum vrs_kernel_act act, bool before, bool after, vf term)
{
	if (before)
		v = v_add(v, term);
	if (act == VRS_KACT_CLAMP)
		v = v_clamp(v, v_set1(e->lo), v_set1(e->hi));
	if (act == VRS_KACT_HSWISH)
		v = v_fma(v_hswish_6(v), v_set1(e->out_scale), v_set1(e->out_zero));
	return after ? v_add(v, term) : v;
}

#endif
