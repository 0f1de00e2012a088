/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conversions, elementwise operations, resizing and sums of u8 rows; formulas in kernels_u8.h. */
#include <limits.h>

#include "kernels/kernels_u8.h"
#include "kernels/row_contract.h"
#include "kernels/simd_lanes_u8.h"

/* `count` of VL lanes, a multiple of 4. */
VRS_INLINE vf load_u8(const uint8_t *p, int count)
{
	return vi_to_float(count < VL ? vi_load_u8_part(p, count) : vi_load_u8(p));
}

VRS_INLINE void store_u8(uint8_t *p, vf v, int count)
{
	if (count < VL)
		vi_store_u8_part(p, vi_from_float(v), count);
	else
		vi_store_u8(p, vi_from_float(v));
}

/* Four floats, then their bytes: pixels of three channels become pixels of four, the last with what belongs to the next pixel. */
static void quantize_3(const struct vrs_convert_row_u8 *row)
{
	__m128 scale = _mm_set1_ps(row->scale), zero = _mm_set1_ps(row->zero);
	ptrdiff_t p = 0;
	for (; p + 5 <= row->pixels; p += 4) {
		__m128i q[4];
		VRS_UNROLL
		for (int i = 0; i < 4; i++)
			q[i] = _mm_cvtps_epi32(_mm_fmadd_ps(_mm_loadu_ps(row->f + (p + i) * 3), scale, zero));
		_mm_storeu_si128((__m128i *)(void *)(row->q + 4 * p), _mm_packus_epi16(_mm_packs_epi32(q[0], q[1]), _mm_packs_epi32(q[2], q[3])));
	}
	for (; p < row->pixels; p++) {
		__m128 x = _mm_setr_ps(row->f[3 * p], row->f[3 * p + 1], row->f[3 * p + 2], 0.0f);
		__m128i words = _mm_packs_epi32(_mm_cvtps_epi32(_mm_fmadd_ps(x, scale, zero)), _mm_setzero_si128());
		int32_t bytes = _mm_cvtsi128_si32(_mm_packus_epi16(words, words));
		memcpy(row->q + 4 * p, &bytes, sizeof bytes);
	}
}

/* Channels that need padding, a pixel at a time. */
static void quantize_padded(const struct vrs_convert_row_u8 *row)
{
	int px = VRS_U8_CHANNELS(row->channels);
	for (ptrdiff_t p = 0; p < row->pixels; p++) {
		for (int c = 0; c < px; c += VL) {
			int left = row->channels - c, bytes = px - c < VL ? px - c : VL;
			vf x = v_loadm(row->f + p * row->channels + c, v_mask(left < VL ? left : VL));
			store_u8(row->q + p * px + c, v_fma(x, v_set1(row->scale), v_set1(row->zero)), bytes);
		}
	}
}

void VRS_ISA_U8(vrs_quantize_u8_rows)(const struct vrs_convert_row_u8 *args)
{
	vrs_convert_row_u8_contract(args);
	const struct vrs_convert_row_u8 copy = *args, *row = &copy;
	size_t count = (size_t)row->pixels * (size_t)row->channels, i = 0;
	if (row->channels == 3) {
		quantize_3(row);
		return;
	}
	if (row->channels % 4) {
		quantize_padded(row);
		return;
	}
	vf scale = v_set1(row->scale), zero = v_set1(row->zero);
	for (; i + VL <= count; i += VL)
		vi_store_u8(row->q + i, vi_from_float(v_fma(v_load(row->f + i), scale, zero)));
	if (i < count)
		store_u8(row->q + i, v_fma(v_loadm(row->f + i, v_mask((int)(count - i))), scale, zero), (int)(count - i));
}

void VRS_ISA_U8(vrs_dequantize_u8_rows)(const struct vrs_convert_row_u8 *args)
{
	vrs_convert_row_u8_contract(args);
	const struct vrs_convert_row_u8 copy = *args, *row = &copy;
	int px = VRS_U8_CHANNELS(row->channels);
	vf scale = v_set1(row->scale), zero = v_set1(row->zero);
	if (px == row->channels) {
		size_t count = (size_t)row->pixels * (size_t)px, i = 0;
		for (; i + VL <= count; i += VL)
			v_store(row->f + i, v_fma(vi_to_float(vi_load_u8(row->q + i)), scale, zero));
		if (i < count)
			v_storem(row->f + i, v_mask((int)(count - i)), v_fma(load_u8(row->q + i, (int)(count - i)), scale, zero));
		return;
	}
	for (ptrdiff_t p = 0; p < row->pixels; p++) {
		for (int c = 0; c < row->channels; c += VL) {
			int left = row->channels - c, bytes = px - c < VL ? px - c : VL;
			v_storem(row->f + p * row->channels + c, v_mask(left < VL ? left : VL), v_fma(load_u8(row->q + p * px + c, bytes), scale, zero));
		}
	}
}

VRS_INLINE vf eltwise_op(int op, vf a, vf b)
{
	switch (op) {
	case VRS_KBIN_ADD: return v_add(a, b);
	case VRS_KBIN_SUB: return v_sub(a, b);
	case VRS_KBIN_MUL: return v_mul(a, b);
	case VRS_KBIN_MIN: return v_min(a, b);
	default: return v_max(a, b);
	}
}

void VRS_ISA_U8(vrs_eltwise_u8_rows)(const struct vrs_eltwise_row_u8 *args)
{
	vrs_eltwise_row_u8_contract(args);
	struct vrs_eltwise_row_u8 copy = *args;
	const struct vrs_eltwise_row_u8 *row = &copy;
	bool dense = copy.out_px == copy.channels && copy.a_px == copy.channels && (copy.copy || copy.b_px == copy.channels);
	if (dense && copy.pixels <= INT_MAX / copy.channels) { /* few channels would fill but a part of a vector */
		copy.channels *= copy.pixels;
		copy.pixels = 1;
	}
	for (ptrdiff_t p = 0; p < row->pixels; p++) {
		for (int c = 0; c < row->channels; c += VL) {
			int count = row->channels - c < VL ? row->channels - c : VL;
			vf v = v_fma(load_u8(row->a + p * row->a_px + c, count), v_set1(row->a_scale), v_set1(row->a_zero));
			if (!row->copy) {
				vf b = v_fma(load_u8(row->b + p * row->b_px + c, count), v_set1(row->b_scale), v_set1(row->b_zero));
				v = eltwise_op(row->op, v, b);
			}
			if (row->act == VRS_KACT_CLAMP)
				v = v_clamp(v, v_set1(row->lo), v_set1(row->hi));
			else if (row->act == VRS_KACT_HSWISH)
				v = v_hswish_6(v);
			store_u8(row->out + p * row->out_px + c, v_fma(v, v_set1(row->out_scale), v_set1(row->out_zero)), count);
		}
	}
}

/* Sixteen at a time: products of a byte with a weight of at most 128 fit 16 bits without sign. */
static void blend_rows(const struct vrs_resize_row_u8 *row)
{
	size_t count = (size_t)row->in_pixels * (size_t)row->channels, i = 0;
	const uint8_t *row0 = row->wy < 128 ? row->row0 : row->row1, *row1 = row->wy ? row->row1 : row->row0;
	__m256i above = _mm256_set1_epi16((short)(128 - row->wy)), below = _mm256_set1_epi16((short)row->wy);
	for (; i + 16 <= count; i += 16) {
		__m256i a = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(const void *)(row0 + i)));
		__m256i b = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(const void *)(row1 + i)));
		__m256i sum = _mm256_add_epi16(_mm256_mullo_epi16(a, above), _mm256_mullo_epi16(b, below));
		_mm256_storeu_si256((__m256i *)(void *)(row->blend + i), sum);
	}
	for (; i < count; i++)
		row->blend[i] = (uint16_t)(row0[i] * (128 - row->wy) + row1[i] * row->wy);
}

VRS_INLINE vi load_words(const uint16_t *p, int count)
{
	uint16_t words[16] = {0};
	if (count == VL)
		return vi_load_u16(p);
	memcpy(words, p, (size_t)count * sizeof *p);
	return vi_load_u16(words);
}

/* All output pixels of the channels c..c+count-1. act, add (residual), before: constants, or taken from the epilogue. */
VRS_INLINE void resize_column(const struct vrs_resize_row_u8 *row, int c, int count, enum vrs_kernel_act act, bool add, bool before)
{
	const struct vrs_epilogue_u8 *e = &row->epilogue;
	const uint16_t *blend = row->blend + c;
	const uint8_t *residual = add ? e->residual + c : NULL;
	uint8_t *out = row->out + c;
	vf scale = v_set1(row->scale), zero = v_set1(row->zero), factor = v_set1(1.0f);
	if (add && row->residual_factor)
		factor = v_loadm(row->residual_factor + c, v_mask(count));
	vf residual_scale = v_mul(v_set1(e->residual_scale), factor), residual_zero = v_mul(v_set1(e->residual_zero), factor);
	for (ptrdiff_t p = 0; p < row->pixels; p++, out += row->out_px) {
		/* Both neighbours in one lane, 16 bits each; their weights likewise. */
		vi left = load_words(blend + (ptrdiff_t)row->x0[p] * row->channels, count);
		vi right = load_words(blend + (ptrdiff_t)row->x1[p] * row->channels, count);
		vi weights = vi_set1(row->wx[p] << 16 | (128 - row->wx[p]));
		vf v = v_fma(vi_to_float(vi_madd16(vi_or(left, vi_slli(right, 16)), weights)), scale, zero), term = v_zero();
		if (add) {
			term = v_fma(load_u8(residual, count), residual_scale, residual_zero);
			residual += e->residual_px;
		}
		store_u8(out, v_epilogue_u8(e, v, act, add && before, add && !before, term), count);
	}
}

/*
 * Sixteen channels, plain or with a sum (before an activation that is none, so before or after).  Unpacked words leave the lanes in the order 0-3,
 * 8-11 and 4-7, 12-15; packing brings them back.
 */
VRS_INLINE void resize_16(const struct vrs_resize_row_u8 *row, int c, bool add)
{
	const struct vrs_epilogue_u8 *e = &row->epilogue;
	const uint16_t *blend = row->blend + c;
	uint8_t *out = row->out + c;
	const uint8_t *residual = add ? e->residual + c : NULL;
	__m256 scale = _mm256_set1_ps(row->scale), zero = _mm256_set1_ps(row->zero), res_scale[2], res_zero[2];
	__m256i none = _mm256_setzero_si256();
	for (int i = 0; i < 2; i++) {
		__m256 factor = _mm256_set1_ps(1.0f);
		if (add && row->residual_factor)
			factor = _mm256_set_m128(_mm_loadu_ps(row->residual_factor + c + 8 + 4 * i), _mm_loadu_ps(row->residual_factor + c + 4 * i));
		res_scale[i] = _mm256_mul_ps(_mm256_set1_ps(e->residual_scale), factor);
		res_zero[i] = _mm256_mul_ps(_mm256_set1_ps(e->residual_zero), factor);
	}
	for (ptrdiff_t p = 0; p < row->pixels; p++, out += row->out_px) {
		__m256i left = _mm256_loadu_si256((const __m256i *)(const void *)(blend + (ptrdiff_t)row->x0[p] * row->channels));
		__m256i right = _mm256_loadu_si256((const __m256i *)(const void *)(blend + (ptrdiff_t)row->x1[p] * row->channels));
		__m256i weights = _mm256_set1_epi32(row->wx[p] << 16 | (128 - row->wx[p])), q[2];
		__m256 v[2] = {_mm256_cvtepi32_ps(_mm256_madd_epi16(_mm256_unpacklo_epi16(left, right), weights)),
				_mm256_cvtepi32_ps(_mm256_madd_epi16(_mm256_unpackhi_epi16(left, right), weights))};
		v[0] = _mm256_fmadd_ps(v[0], scale, zero);
		v[1] = _mm256_fmadd_ps(v[1], scale, zero);
		if (add) {
			__m256i words = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(const void *)residual));
			__m256 low = _mm256_cvtepi32_ps(_mm256_unpacklo_epi16(words, none)), high = _mm256_cvtepi32_ps(_mm256_unpackhi_epi16(words, none));
			v[0] = _mm256_add_ps(v[0], _mm256_fmadd_ps(low, res_scale[0], res_zero[0]));
			v[1] = _mm256_add_ps(v[1], _mm256_fmadd_ps(high, res_scale[1], res_zero[1]));
			residual += e->residual_px;
		}
		q[0] = _mm256_cvtps_epi32(v[0]);
		q[1] = _mm256_cvtps_epi32(v[1]);
		q[0] = _mm256_packs_epi32(q[0], q[1]);
		q[0] = _mm256_permute4x64_epi64(_mm256_packus_epi16(q[0], q[0]), 0x08);
		_mm_storeu_si128((__m128i *)(void *)out, _mm256_castsi256_si128(q[0]));
	}
}

/* The common forms have code of their own. */
VRS_INLINE void resize_channels(const struct vrs_resize_row_u8 *row, int c, int count)
{
	const struct vrs_epilogue_u8 *e = &row->epilogue;
	if (!e->residual && e->act == VRS_KACT_NONE)
		resize_column(row, c, count, VRS_KACT_NONE, false, false);
	else if (e->residual && e->residual_before && e->act == VRS_KACT_NONE)
		resize_column(row, c, count, VRS_KACT_NONE, true, true);
	else
		resize_column(row, c, count, e->act, e->residual != NULL, e->residual_before);
}

void VRS_ISA_U8(vrs_resize_u8_rows)(const struct vrs_resize_row_u8 *args)
{
	vrs_resize_row_u8_contract(args);
	const struct vrs_resize_row_u8 copy = *args, *row = &copy;
	int c = 0;
	blend_rows(row);
	for (; row->epilogue.act == VRS_KACT_NONE && c + 16 <= row->channels; c += 16) {
		if (row->epilogue.residual)
			resize_16(row, c, true);
		else
			resize_16(row, c, false);
	}
	for (; c + VL <= row->channels; c += VL)
		resize_channels(row, c, VL);
	if (c < row->channels)
		resize_channels(row, c, row->channels - c);
}

/* Sixteen channels in 16 bits for up to 256 pixels, then in 32. */
VRS_INLINE void sum_block(const uint8_t *in, ptrdiff_t in_px, int pixels, int count, int32_t *sum)
{
	__m256i low = _mm256_setzero_si256(), high = low;
	while (pixels > 0) {
		__m256i words = _mm256_setzero_si256();
		int part = pixels < 256 ? pixels : 256;
		for (int p = 0; p < part; p++, in += in_px)
			words = _mm256_add_epi16(words, _mm256_cvtepu8_epi16(load_bytes(in, count)));
		low = _mm256_add_epi32(low, _mm256_cvtepu16_epi32(_mm256_castsi256_si128(words)));
		high = _mm256_add_epi32(high, _mm256_cvtepu16_epi32(_mm256_extracti128_si256(words, 1)));
		pixels -= part;
	}
	int32_t sums[16];
	_mm256_storeu_si256((__m256i *)(void *)sums, low);
	_mm256_storeu_si256((__m256i *)(void *)(sums + 8), high);
	memcpy(sum, sums, (size_t)count * sizeof *sum);
}

void VRS_ISA_U8(vrs_row_sum_u8)(const uint8_t *in, ptrdiff_t in_px, int pixels, int channels, int32_t *sum)
{
	int c = 0;
	for (; c + 16 <= channels; c += 16)
		sum_block(in + c, in_px, pixels, 16, sum + c);
	if (c < channels)
		sum_block(in + c, in_px, pixels, channels - c, sum + c);
}
