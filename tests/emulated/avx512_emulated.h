/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * AVX-512 for compilers and CPUs without it: force-included before each *_avx512.c file that is compiled for the emulated tests.
 *
 * Debian's SIMDe names its emulations by the real intrinsics (native aliases).  Here are those that its version 0.7.4 lacks, written by the
 * pseudo code of the Intel SDM, element by element where memory is touched: a masked element is neither read nor written, as the CPU
 * does it, so that the guard pages of the tests find a wrong mask.  Compiled with -mavx2 -mfma -mf16c, never with -mavx512*.
 */
#ifndef TESTS_EMULATED_AVX512_EMULATED_H
#define TESTS_EMULATED_AVX512_EMULATED_H

#ifdef __AVX512F__
#error "the emulated kernels are to run on every AVX2 machine: compile them without -mavx512f"
#endif

#include <immintrin.h>
#include <stdint.h>

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512/abs.h>
#include <simde/x86/avx512/add.h>
#include <simde/x86/avx512/and.h>
#include <simde/x86/avx512/blend.h>
#include <simde/x86/avx512/cast.h>
#include <simde/x86/avx512/cmp.h>
#include <simde/x86/avx512/cvt.h>
#include <simde/x86/avx512/div.h>
#include <simde/x86/avx512/extract.h>
#include <simde/x86/avx512/fmadd.h>
#include <simde/x86/avx512/fnmadd.h>
#include <simde/x86/avx512/insert.h>
#include <simde/x86/avx512/load.h>
#include <simde/x86/avx512/loadu.h>
#include <simde/x86/avx512/madd.h>
#include <simde/x86/avx512/max.h>
#include <simde/x86/avx512/min.h>
#include <simde/x86/avx512/mov.h>
#include <simde/x86/avx512/mov_mask.h>
#include <simde/x86/avx512/mul.h>
#include <simde/x86/avx512/mulhrs.h>
#include <simde/x86/avx512/mullo.h>
#include <simde/x86/avx512/or.h>
#include <simde/x86/avx512/packs.h>
#include <simde/x86/avx512/packus.h>
#include <simde/x86/avx512/permutex2var.h>
#include <simde/x86/avx512/permutexvar.h>
#include <simde/x86/avx512/roundscale.h>
#include <simde/x86/avx512/set1.h>
#include <simde/x86/avx512/setr.h>
#include <simde/x86/avx512/setzero.h>
#include <simde/x86/avx512/slli.h>
#include <simde/x86/avx512/srli.h>
#include <simde/x86/avx512/srlv.h>
#include <simde/x86/avx512/sqrt.h>
#include <simde/x86/avx512/store.h>
#include <simde/x86/avx512/storeu.h>
#include <simde/x86/avx512/sub.h>
#include <simde/x86/avx512/ternarylogic.h>
#include <simde/x86/avx512/unpackhi.h>
#include <simde/x86/avx512/unpacklo.h>
#include <simde/x86/avx512/xor.h>

/* What the kernels' shared templates ask for the vector width. */
#define __AVX512F__ 1
#define __AVX512BW__ 1
#define __AVX512CD__ 1
#define __AVX512DQ__ 1
#define __AVX512VL__ 1
#define VRS_EMULATED 1

#define EMULATED static inline __attribute__((always_inline, unused))

/* Element views of the registers; copies through them are what the CPU calls element i. */
union emulated_512 {
	__m512 f;
	__m512i i;
	__m256i half[2];
	__m256 half_f[2];
	float f32[16];
	int32_t i32[16];
	uint32_t u32[16];
	int16_t i16[32];
	uint16_t u16[32];
	uint8_t u8[64];
};

union emulated_256 {
	__m256i i;
	__m128i half[2];
	int16_t i16[16];
	uint16_t u16[16];
	uint8_t u8[32];
};

/* VMOVUPS, VMOVDQU8/16/32 with a mask: count elements, only those of the mask; the rest become zero on loading. */
#define EMULATED_MASKZ_LOAD(name, type, vector, mask_type, field, count) \
	EMULATED type name(mask_type k, const void *p) \
	{ \
		union vector r = {.u8 = {0}}; \
		for (int n = 0; n < (count); n++) \
			if (k >> n & 1) \
				__builtin_memcpy(&r.field[n], (const char *)p + (size_t)n * sizeof r.field[0], sizeof r.field[0]); \
		return r.EMULATED_FIELD_##type; \
	}
#define EMULATED_MASK_STORE(name, type, vector, mask_type, field, count) \
	EMULATED void name(void *p, mask_type k, type a) \
	{ \
		union vector v = {.EMULATED_FIELD_##type = a}; \
		for (int n = 0; n < (count); n++) \
			if (k >> n & 1) \
				__builtin_memcpy((char *)p + (size_t)n * sizeof v.field[0], &v.field[n], sizeof v.field[0]); \
	}
#define EMULATED_FIELD___m512 f
#define EMULATED_FIELD___m512i i
#define EMULATED_FIELD___m256i i

EMULATED_MASKZ_LOAD(emulated_mm512_maskz_loadu_ps, __m512, emulated_512, __mmask16, f32, 16)
EMULATED_MASKZ_LOAD(emulated_mm512_maskz_loadu_epi32, __m512i, emulated_512, __mmask16, i32, 16)
EMULATED_MASKZ_LOAD(emulated_mm512_maskz_loadu_epi16, __m512i, emulated_512, __mmask32, u16, 32)
EMULATED_MASKZ_LOAD(emulated_mm256_maskz_loadu_epi16, __m256i, emulated_256, __mmask16, u16, 16)
EMULATED_MASKZ_LOAD(emulated_mm256_maskz_loadu_epi8, __m256i, emulated_256, __mmask32, u8, 32)
EMULATED_MASK_STORE(emulated_mm512_mask_storeu_ps, __m512, emulated_512, __mmask16, f32, 16)
EMULATED_MASK_STORE(emulated_mm512_mask_storeu_epi16, __m512i, emulated_512, __mmask32, u16, 32)
EMULATED_MASK_STORE(emulated_mm256_mask_storeu_epi16, __m256i, emulated_256, __mmask16, u16, 16)
EMULATED_MASK_STORE(emulated_mm256_mask_storeu_epi8, __m256i, emulated_256, __mmask32, u8, 32)

/* VPGATHERDD: 32 bits from base + index * scale for the elements of the mask, src elsewhere. */
EMULATED __m512i emulated_mm512_mask_i32gather_epi32(__m512i src, __mmask16 k, __m512i index, const void *base, int scale)
{
	union emulated_512 r = {.i = src}, at = {.i = index};
	for (int n = 0; n < 16; n++)
		if (k >> n & 1)
			__builtin_memcpy(&r.i32[n], (const char *)base + (ptrdiff_t)at.i32[n] * scale, sizeof r.i32[n]);
	return r.i;
}

/* Conversions that have a 256-bit form: two of those. */
#define EMULATED_WIDEN(name, narrow) \
	EMULATED __m512i emulated_##name(__m256i a) \
	{ \
		union emulated_256 v = {.i = a}; \
		union emulated_512 r = {.half = {narrow(v.half[0]), narrow(v.half[1])}}; \
		return r.i; \
	}
EMULATED __m512i emulated_mm512_cvtepu8_epi32(__m128i a)
{
	union emulated_512 r = {.half = {_mm256_cvtepu8_epi32(a), _mm256_cvtepu8_epi32(_mm_srli_si128(a, 8))}};
	return r.i;
}
EMULATED_WIDEN(mm512_cvtepu8_epi16, _mm256_cvtepu8_epi16)
EMULATED_WIDEN(mm512_cvtepu16_epi32, _mm256_cvtepu16_epi32)
EMULATED_WIDEN(mm512_cvtepi16_epi32, _mm256_cvtepi16_epi32)

EMULATED __m512 emulated_mm512_cvtepi32_ps(__m512i a)
{
	union emulated_512 v = {.i = a}, r = {.half_f = {_mm256_cvtepi32_ps(v.half[0]), _mm256_cvtepi32_ps(v.half[1])}};
	return r.f;
}

EMULATED __m512i emulated_mm512_cvtps_epi32(__m512 a)
{
	union emulated_512 v = {.f = a}, r = {.half = {_mm256_cvtps_epi32(v.half_f[0]), _mm256_cvtps_epi32(v.half_f[1])}};
	return r.i;
}

EMULATED __m512 emulated_mm512_cvtph_ps(__m256i a)
{
	union emulated_256 v = {.i = a};
	union emulated_512 r = {.half_f = {_mm256_cvtph_ps(v.half[0]), _mm256_cvtph_ps(v.half[1])}};
	return r.f;
}

/* Only the rounding that the kernels use; another one must not compile. */
#define emulated_mm512_cvtps_ph(a, rounding) \
	(__extension__({ _Static_assert((rounding) == _MM_FROUND_TO_NEAREST_INT, "emulated: nearest even only"); emulated_nearest_ph(a); }))
EMULATED __m256i emulated_nearest_ph(__m512 a)
{
	union emulated_512 v = {.f = a};
	union emulated_256 r = {.half = {_mm256_cvtps_ph(v.half_f[0], 0), _mm256_cvtps_ph(v.half_f[1], 0)}};
	return r.i;
}

/* VPMOVDW, VPMOVWB: truncation, no saturation. */
EMULATED __m256i emulated_mm512_cvtepi32_epi16(__m512i a)
{
	union emulated_512 v = {.i = a};
	union emulated_256 r;
	for (int n = 0; n < 16; n++)
		r.u16[n] = (uint16_t)v.u32[n];
	return r.i;
}

/* VPMOVDB to memory: the bytes of the mask only. */
EMULATED void emulated_mm512_mask_cvtepi32_storeu_epi8(void *p, __mmask16 k, __m512i a)
{
	union emulated_512 v = {.i = a};
	for (int n = 0; n < 16; n++)
		if (k >> n & 1)
			((uint8_t *)p)[n] = (uint8_t)v.u32[n];
}

EMULATED __m256i emulated_mm512_cvtepi16_epi8(__m512i a)
{
	union emulated_512 v = {.i = a};
	union emulated_256 r;
	for (int n = 0; n < 32; n++)
		r.u8[n] = (uint8_t)v.u16[n];
	return r.i;
}

EMULATED __m512i emulated_mm512_sra_epi32(__m512i a, __m128i count)
{
	union emulated_512 v = {.i = a}, r = {.half = {_mm256_sra_epi32(v.half[0], count), _mm256_sra_epi32(v.half[1], count)}};
	return r.i;
}

EMULATED __m512i emulated_mm512_srai_epi32(__m512i a, unsigned count)
{
	return emulated_mm512_sra_epi32(a, _mm_cvtsi32_si128((int)count));
}

/* VPMOVUSDB: numbers without sign, saturated to bytes. */
EMULATED __m128i emulated_mm512_cvtusepi32_epi8(__m512i a)
{
	union emulated_512 v = {.i = a};
	union emulated_256 r = {.u8 = {0}};
	for (int n = 0; n < 16; n++)
		r.u8[n] = v.u32[n] > 255 ? 255 : (uint8_t)v.u32[n];
	return r.half[0];
}

/* VPERMILPS: each four of floats by one selection. */
#define emulated_mm512_permute_ps(a, selection) \
	(__extension__({ \
		union emulated_512 v_permuted = {.f = (a)}; \
		v_permuted.half_f[0] = _mm256_permute_ps(v_permuted.half_f[0], selection); \
		v_permuted.half_f[1] = _mm256_permute_ps(v_permuted.half_f[1], selection); \
		v_permuted.f; \
	}))

EMULATED __m512 emulated_mm512_broadcast_f32x4(__m128 a)
{
	union emulated_512 r = {.half_f = {_mm256_set_m128(a, a), _mm256_set_m128(a, a)}};
	return r.f;
}

/*
 * VPDPBUSD, which the kernels have as inline assembly: four products of a byte without sign and one with, added to 32 bits without saturation.
 * Products of 16 bits in between are exact here, since every pair is multiplied as 16-bit numbers.
 */
EMULATED __m256i emulated_dpbusd_256(__m256i acc, __m256i a, __m256i b)
{
	__m256i even = _mm256_madd_epi16(_mm256_and_si256(a, _mm256_set1_epi16(255)), _mm256_srai_epi16(_mm256_slli_epi16(b, 8), 8));
	__m256i odd = _mm256_madd_epi16(_mm256_srli_epi16(a, 8), _mm256_srai_epi16(b, 8));
	return _mm256_add_epi32(acc, _mm256_add_epi32(even, odd));
}
EMULATED __m512i emulated_dpbusd(__m512i acc, __m512i a, __m512i b)
{
	union emulated_512 s = {.i = acc}, x = {.i = a}, y = {.i = b};
	union emulated_512 r = {.half = {emulated_dpbusd_256(s.half[0], x.half[0], y.half[0]), emulated_dpbusd_256(s.half[1], x.half[1], y.half[1])}};
	return r.i;
}
#define VRS_DPBUSD(acc, a, b) acc = emulated_dpbusd(acc, a, b)

/*
 * VDPBF16PS: y += x1 * w1, then y += x0 * w0, where the products of bfloat16 are exact in float; rounds to nearest even whatever MXCSR says,
 * denormals count as zero.
 */
EMULATED float emulated_bf16(uint32_t bits)
{
	float value;
	bits = bits & 0x7f800000u ? bits : bits & 0x80000000u;
	__builtin_memcpy(&value, &bits, sizeof value);
	return value;
}

EMULATED __m512 emulated_mm512_dpbf16_ps(__m512 sum, __m512bh a, __m512bh b)
{
	union emulated_512 r = {.f = sum}, x = {.i = (__m512i)a}, w = {.i = (__m512i)b};
	for (int n = 0; n < 16; n++) {
		r.f32[n] += emulated_bf16(x.u32[n] & 0xffff0000u) * emulated_bf16(w.u32[n] & 0xffff0000u);
		r.f32[n] += emulated_bf16(x.u32[n] << 16) * emulated_bf16(w.u32[n] << 16);
	}
	return r.f;
}

/* VCVTNEPS2BF16: to nearest even, denormals to zero, a NaN stays one. */
EMULATED __m256bh emulated_mm512_cvtneps_pbh(__m512 a)
{
	union emulated_512 v = {.f = a};
	union emulated_256 r;
	for (int n = 0; n < 16; n++) {
		uint32_t bits = v.u32[n];
		if ((bits & 0x7f800000u) == 0)
			r.u16[n] = (uint16_t)(bits >> 16 & 0x8000u);
		else if ((bits & 0x7fffffffu) > 0x7f800000u)
			r.u16[n] = (uint16_t)(bits >> 16 | 0x40u);
		else
			r.u16[n] = (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
	}
	return (__m256bh)r.i;
}

/* Sixteen values of b, then sixteen of a. */
EMULATED __m512bh emulated_mm512_cvtne2ps_pbh(__m512 a, __m512 b)
{
	union emulated_512 r;
	union emulated_256 half = {.i = (__m256i)emulated_mm512_cvtneps_pbh(b)};
	__builtin_memcpy(r.u32, &half, sizeof half);
	half.i = (__m256i)emulated_mm512_cvtneps_pbh(a);
	__builtin_memcpy(r.u32 + 8, &half, sizeof half);
	return (__m512bh)r.i;
}

/* SIMDe 0.7.4 names a macro of four arguments here; its function is right. */
#undef _mm512_madd_epi16
#define _mm512_madd_epi16(a, b) simde_mm512_madd_epi16(a, b)

#undef _mm512_cvtepi16_epi8
#undef _mm512_cvtps_ph
#undef _mm512_mask_i32gather_epi32
#define _mm512_cvtepi16_epi32 emulated_mm512_cvtepi16_epi32
#define _mm512_cvtepi16_epi8 emulated_mm512_cvtepi16_epi8
#define _mm512_cvtepi32_epi16 emulated_mm512_cvtepi32_epi16
#define _mm512_cvtepi32_ps emulated_mm512_cvtepi32_ps
#define _mm512_cvtepu16_epi32 emulated_mm512_cvtepu16_epi32
#undef _mm512_broadcast_f32x4
#define _mm512_broadcast_f32x4 emulated_mm512_broadcast_f32x4
#undef _mm512_permute_ps
#define _mm512_permute_ps emulated_mm512_permute_ps
#define _mm512_cvtusepi32_epi8 emulated_mm512_cvtusepi32_epi8
#define _mm512_cvtepu8_epi32 emulated_mm512_cvtepu8_epi32
#define _mm512_cvtepu8_epi16 emulated_mm512_cvtepu8_epi16
#define _mm512_cvtneps_pbh emulated_mm512_cvtneps_pbh
#define _mm512_cvtne2ps_pbh emulated_mm512_cvtne2ps_pbh
#define _mm512_dpbf16_ps emulated_mm512_dpbf16_ps
#define _mm512_cvtph_ps emulated_mm512_cvtph_ps
#define _mm512_cvtps_epi32 emulated_mm512_cvtps_epi32
#define _mm512_cvtps_ph emulated_mm512_cvtps_ph
#undef _mm512_mask_cvtepi32_storeu_epi8
#define _mm512_mask_cvtepi32_storeu_epi8 emulated_mm512_mask_cvtepi32_storeu_epi8
#define _mm512_mask_i32gather_epi32 emulated_mm512_mask_i32gather_epi32
#define _mm512_mask_storeu_epi16 emulated_mm512_mask_storeu_epi16
#define _mm512_mask_storeu_ps emulated_mm512_mask_storeu_ps
#define _mm512_maskz_loadu_epi16 emulated_mm512_maskz_loadu_epi16
#define _mm512_maskz_loadu_epi32 emulated_mm512_maskz_loadu_epi32
#define _mm512_maskz_loadu_ps emulated_mm512_maskz_loadu_ps
#define _mm512_sra_epi32 emulated_mm512_sra_epi32
#define _mm512_srai_epi32 emulated_mm512_srai_epi32
#define _mm256_mask_storeu_epi16 emulated_mm256_mask_storeu_epi16
#define _mm256_mask_storeu_epi8 emulated_mm256_mask_storeu_epi8
#define _mm256_maskz_loadu_epi16 emulated_mm256_maskz_loadu_epi16
#define _mm256_maskz_loadu_epi8 emulated_mm256_maskz_loadu_epi8

#endif
