/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Remapping with AVX-512: 16 samples a step and a masked tail.  One 32-bit gather fetches a sample and its right neighbour.  An 8-bit gather reads
 * two bytes more than the pair, so near the end of a row it begins earlier and the pair is shifted down: nothing behind a row is read.  16-bit
 * samples are made signed for the multiply-add (- 32768), which the weights' sum of 128 makes good exactly.
 */
#include "kernels/picture.h"

#include <immintrin.h>

static inline __m512i numbers(void)
{
	return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

static inline __m512i along(__m512i t, __m512i steps, int32_t at, int32_t slope, int32_t bend)
{
	__m512i a = _mm512_mullo_epi32(t, _mm512_set1_epi32(slope)), b = _mm512_mullo_epi32(steps, _mm512_set1_epi32(bend));
	return _mm512_add_epi32(_mm512_set1_epi32(at), _mm512_add_epi32(a, b));
}

void vrs_remap_positions__avx512(int32_t *u, int32_t *v, const struct vrs_remap_curve *curves, int count)
{
	for (int i = 0; i < count; i++) {
		const struct vrs_remap_curve *c = &curves[i];
		for (int block = 0; block < VRS_REMAP_RUN; block += 16) {
			__m512i t = _mm512_add_epi32(numbers(), _mm512_set1_epi32(block));
			__m512i steps = _mm512_srli_epi32(_mm512_mullo_epi32(t, _mm512_sub_epi32(t, _mm512_set1_epi32(1))), 1);
			_mm512_storeu_si512(u, along(t, steps, c->u, c->du, c->ddu));
			_mm512_storeu_si512(v, along(t, steps, c->v, c->dv, c->ddv));
			u += 16;
			v += 16;
		}
	}
}

/* Sample before each position, and the weights of it (low half) and of the next one (high half). */
static inline __m512i before(__mmask16 mask, const int32_t *positions, int length, __m512i *weights)
{
	__m512i most = _mm512_set1_epi32((int)((unsigned)(length - 1) << 16) - 1);
	__m512i at = _mm512_maskz_loadu_epi32(mask, positions);
	at = _mm512_min_epi32(_mm512_max_epi32(at, _mm512_setzero_si512()), most);
	__m512i share = _mm512_add_epi32(_mm512_and_si512(at, _mm512_set1_epi32(0xffff)), _mm512_set1_epi32(256));
	share = _mm512_srli_epi32(share, 9);
	*weights = _mm512_or_si512(_mm512_sub_epi32(_mm512_set1_epi32(128), share), _mm512_slli_epi32(share, 16));
	return _mm512_srli_epi32(at, 16);
}

/* Four bytes from each offset, moved down by shift bits; the first two bytes in the halves of their word. */
static inline __m512i pairs_u8(__mmask16 mask, const void *row, __m512i at, __m512i shift)
{
	__m512i words = _mm512_srlv_epi32(_mm512_mask_i32gather_epi32(_mm512_setzero_si512(), mask, at, row, 1), shift);
	__m512i left = _mm512_and_si512(words, _mm512_set1_epi32(0xff)), right = _mm512_and_si512(words, _mm512_set1_epi32(0xff00));
	return _mm512_or_si512(left, _mm512_slli_epi32(right, 8));
}

static inline __m512i sixteen_u8(__mmask16 mask, const struct vrs_remap_plane *plane, const int32_t *u, const int32_t *v)
{
	const uint8_t *row = plane->data;
	__m512i across, down, x = before(mask, u, plane->width, &across), y = before(mask, v, plane->height, &down);
	__m512i start = _mm512_min_epi32(x, _mm512_set1_epi32(plane->width - 4)), shift = _mm512_slli_epi32(_mm512_sub_epi32(x, start), 3);
	__m512i at = _mm512_add_epi32(_mm512_mullo_epi32(y, _mm512_set1_epi32((int)plane->stride_bytes)), start);
	__m512i above = _mm512_madd_epi16(pairs_u8(mask, row, at, shift), across);
	__m512i below = _mm512_madd_epi16(pairs_u8(mask, row + plane->stride_bytes, at, shift), across);
	__m512i pair = _mm512_or_si512(above, _mm512_slli_epi32(below, 16));
	return _mm512_srli_epi32(_mm512_add_epi32(_mm512_madd_epi16(pair, down), _mm512_set1_epi32(1 << 13)), 14);
}

static inline __m512i pairs_u16(__mmask16 mask, const void *row, __m512i at)
{
	__m512i words = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), mask, at, row, 1);
	return _mm512_xor_si512(words, _mm512_set1_epi32((int)0x80008000u));
}

static inline __m512i sixteen_u16(__mmask16 mask, const struct vrs_remap_plane *plane, const int32_t *u, const int32_t *v)
{
	const uint8_t *row = plane->data;
	__m512i across, down, x = before(mask, u, plane->width, &across), y = before(mask, v, plane->height, &down);
	__m512i at = _mm512_add_epi32(_mm512_mullo_epi32(y, _mm512_set1_epi32((int)plane->stride_bytes)), _mm512_add_epi32(x, x));
	__m512i above = _mm512_madd_epi16(pairs_u16(mask, row, at), across);
	__m512i below = _mm512_madd_epi16(pairs_u16(mask, row + plane->stride_bytes, at), across);
	__m512i lower = _mm512_srli_epi32(down, 16), upper = _mm512_sub_epi32(_mm512_set1_epi32(128), lower);
	__m512i sum = _mm512_add_epi32(_mm512_mullo_epi32(above, upper), _mm512_mullo_epi32(below, lower));
	return _mm512_srli_epi32(_mm512_add_epi32(sum, _mm512_set1_epi32((32768 << 14) + (1 << 13))), 14);
}

/* Byte offsets of a plane fit the 32 bits of a gather, and rows the four bytes that it reads; there is a row below. */
static inline int suits(const struct vrs_remap_plane *plane)
{
	ptrdiff_t stride = plane->stride_bytes < 0 ? -plane->stride_bytes : plane->stride_bytes;
	return plane->width >= 4 && plane->height >= 2 && stride <= INT32_MAX / plane->height - 8;
}

static inline __mmask16 tail(int left)
{
	return (__mmask16)(left >= 16 ? 0xffffu : (1u << left) - 1);
}

void vrs_remap_sample_u8__avx512(uint8_t *dst, const struct vrs_remap_plane *plane, const int32_t *u, const int32_t *v, int n)
{
	int i = 0;
	for (; i < n && suits(plane); i += 16)
		_mm512_mask_cvtepi32_storeu_epi8(dst + i, tail(n - i), sixteen_u8(tail(n - i), plane, u + i, v + i));
	vrs_remap_sample_u8__ref(dst + i, plane, u + i, v + i, n - i);
}

void vrs_remap_sample_u16__avx512(uint16_t *dst, const struct vrs_remap_plane *plane, const int32_t *u, const int32_t *v, int n)
{
	int i = 0;
	for (; i < n && suits(plane); i += 16)
		_mm256_mask_storeu_epi16(dst + i, tail(n - i), _mm512_cvtepi32_epi16(sixteen_u16(tail(n - i), plane, u + i, v + i)));
	vrs_remap_sample_u16__ref(dst + i, plane, u + i, v + i, n - i);
}
