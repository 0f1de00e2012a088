/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Depthwise convolution of u8 rows.  A vector holds 16 channels of V_QUARTERS output columns that lie UW apart, one in each quarter.  The bytes
 * of four window rows are interleaved, so that one four-way product takes four taps of a column at once; an interleaved column serves all outputs
 * of the tile that it belongs to.  A row that is alone in its group of four takes one 16-bit product on 8 lanes.
 */
#include "kernels/kernels_u8.h"
#include "kernels/simd_lanes_u8.h"
#include "kernels/weight_pack_u8.h"

#ifdef __AVX512F__
#define UW 4
#else
#define UW 2
#endif
#define GROUP (VL * VRS_U8_DW_BLOCK) /* bytes of weights for one column and group of rows */
#define QUAD (4 * VL)

/* The block of channels that a tile works on. */
struct dw_block {
	const int8_t *weights;
	const float *mult, *bias;
	int first, count; /* channels; count < 16 in the last block */
};

VRS_INLINE vi dw_load(const uint8_t *p, ptrdiff_t apart, const struct dw_block *block, bool whole)
{
	__m128i part[V_QUARTERS];
	VRS_UNROLL
	for (int i = 0; i < V_QUARTERS; i++)
		part[i] = whole ? _mm_loadu_si128((const __m128i *)(const void *)(p + i * apart)) : load_bytes(p + i * apart, block->count);
	return vi_quarters(part);
}

/* t[q]: for channels 4q..4q+3 of each quarter the bytes of rows ky..ky+3 (rows of them, then zeros). */
VRS_INLINE void dw_interleave(const struct vrs_dwconv_row_u8 *row, const struct dw_block *block, ptrdiff_t at, ptrdiff_t apart, int ky, int rows,
			      bool whole,
			      vi t[4])
{
	vi r[4], low, high;
	VRS_UNROLL
	for (int i = 0; i < 4; i++)
		r[i] = i < rows ? dw_load(row->rows[ky + i] + at, apart, block, whole) : vi_zero();
	low = vi_unpacklo8(r[0], r[1]);
	high = vi_unpackhi8(r[0], r[1]);
	vi low2 = rows > 2 ? vi_unpacklo8(r[2], r[3]) : vi_zero(), high2 = rows > 2 ? vi_unpackhi8(r[2], r[3]) : vi_zero();
	t[0] = vi_unpacklo16(low, low2);
	t[1] = vi_unpackhi16(low, low2);
	t[2] = vi_unpacklo16(high, high2);
	t[3] = vi_unpackhi16(high, high2);
}

/* The residual of the quad q of channels. */
VRS_INLINE vf dw_term(const struct vrs_epilogue_u8 *e, vi bytes, int q)
{
	vi zero = vi_zero(), words = q < 2 ? vi_unpacklo8(bytes, zero) : vi_unpackhi8(bytes, zero);
	vi integers = q % 2 ? vi_unpackhi16(words, zero) : vi_unpacklo16(words, zero);
	return v_fma(vi_to_float(integers), v_set1(e->residual_scale), v_set1(e->residual_zero));
}

/* What the functions below are made for: plain results without or with hard-swish, clamped with a sum after, and all the rest. */
enum dw_kind { DW_PLAIN, DW_HSWISH, DW_CLAMP_ADD, DW_OTHER, DW_KINDS };

/* Epilogue of UW columns a quarter; outputs are `spread` pixels apart from quarter to quarter. */
VRS_INLINE void dw_store(const struct vrs_dwconv_row_u8 *row, const struct dw_block *block, vi acc[UW][4], ptrdiff_t pixel, int uw, int spread,
			 bool whole, int kind)
{
	const struct vrs_epilogue_u8 *e = &row->epilogue;
	enum vrs_kernel_act act = kind == DW_PLAIN ? VRS_KACT_NONE : kind == DW_HSWISH ? VRS_KACT_HSWISH : kind == DW_CLAMP_ADD ? VRS_KACT_CLAMP : e->act;
	bool before = kind == DW_OTHER && e->residual && e->residual_before;
	bool after = kind == DW_CLAMP_ADD || (kind == DW_OTHER && e->residual && !e->residual_before);
	VRS_UNROLL
	for (int j = 0; j < uw; j++) {
		vi q[4], residual = vi_zero();
		if (before || after)
			residual = dw_load(e->residual + (pixel + j) * e->residual_px + block->first, spread * e->residual_px, block, whole);
		VRS_UNROLL
		for (int i = 0; i < 4; i++) {
			vf v = v_fma(vi_to_float(acc[j][i]), v_load_quad(block->mult + 4 * i), v_load_quad(block->bias + 4 * i));
			if (before)
				v = v_add(v, dw_term(e, residual, i));
			if (act == VRS_KACT_CLAMP)
				v = v_clamp(v, v_set1(e->lo), v_set1(e->hi));
			if (act == VRS_KACT_HSWISH) {
				v = v_mul(v, v_min(v_set1(6.0f), v_max(v_zero(), v_add(v, v_set1(3.0f)))));
				v = v_fma(v, v_set1(e->out_scale), v_set1(e->out_zero));
			}
			if (after)
				v = v_add(v, dw_term(e, residual, i));
			q[i] = vi_from_float(v);
		}
		__m128i part[V_QUARTERS];
		vi_split(vi_packus16(vi_packs32(q[0], q[1]), vi_packs32(q[2], q[3])), part);
		uint8_t *out = row->out + (pixel + j) * row->out_px + block->first;
		VRS_UNROLL
		for (int i = 0; i < V_QUARTERS; i++, out += spread * row->out_px) {
			if (whole)
				_mm_storeu_si128((__m128i *)(void *)out, part[i]);
			else
				store_bytes(out, part[i], block->count);
		}
	}
}

/* V_QUARTERS * uw outputs from `pixel`; window kh x kw, step = s * tap. */
VRS_INLINE void dw_tile(const struct vrs_dwconv_row_u8 *row, const struct dw_block *block, ptrdiff_t pixel, int kh, int kw, int s, int uw, int spread,
			bool whole, int kind)
{
	vi acc[UW][4];
	VRS_UNROLL
	for (int j = 0; j < uw; j++) {
		VRS_UNROLL
		for (int i = 0; i < 4; i++)
			acc[j][i] = vi_zero();
	}
#ifndef __AVX512F__
	vi ones = vi_set1_16(1);
#endif
	int groups = (kh + 3) / 4;
	ptrdiff_t at = pixel * row->step + block->first;
	VRS_UNROLL
	for (int x = 0; x < (uw - 1) * s + kw; x++, at += row->tap) {
		VRS_UNROLL
		for (int g = 0; g < groups; g++) {
			int rows = kh - 4 * g < 4 ? kh - 4 * g : 4;
			vi t[4];
			dw_interleave(row, block, at, spread * row->step, 4 * g, rows, whole, t);
			VRS_UNROLL
			for (int j = 0; j < uw; j++) {
				int kx = x - j * s;
				if (kx < 0 || kx >= kw)
					continue;
				const int8_t *w = block->weights + (kx * groups + g) * GROUP;
				VRS_UNROLL
				for (int i = 0; i < 4; i++) {
					vi b = vi_load(w + i * QUAD);
					if (rows == 1)
						vi_dot_single(acc[j][i], t[i], b);
					else
						vi_dot(acc[j][i], t[i], b, ones);
					vi_keep(acc[j][i]);
				}
			}
		}
	}
	dw_store(row, block, acc, pixel, uw, spread, whole, kind);
}

/* All channels of V_QUARTERS * uw outputs, or of one (spread 0: every quarter makes it). */
VRS_INLINE void dw_channels(const struct vrs_dwconv_row_u8 *row, ptrdiff_t pixel, int kh, int kw, int s, int uw, int spread, int kind)
{
	size_t bytes = (size_t)GROUP * (size_t)kw * (size_t)((kh + 3) / 4);
	struct dw_block block = { .weights = row->weights, .mult = row->mult, .bias = row->bias, .count = VRS_U8_DW_BLOCK };
	for (; block.first + VRS_U8_DW_BLOCK <= row->channels; block.first += VRS_U8_DW_BLOCK, block.weights += bytes) {
		dw_tile(row, &block, pixel, kh, kw, s, uw, spread, true, kind);
		block.mult += VRS_U8_DW_BLOCK;
		block.bias += VRS_U8_DW_BLOCK;
	}
	block.count = row->channels - block.first;
	if (block.count > 0)
		dw_tile(row, &block, pixel, kh, kw, s, uw, spread, false, kind);
}

/* Work on a copy of the arguments: a vector store could change them as far as the compiler knows. */
#define DW_ROW(name, k, s, kind) \
	static __attribute__((noinline)) void name(const struct vrs_dwconv_row_u8 *args) \
	{ \
		const struct vrs_dwconv_row_u8 copy = *args, *row = &copy; \
		int p = 0; \
		for (; p + V_QUARTERS * UW <= row->pixels; p += V_QUARTERS * UW) \
			dw_channels(row, p, k, k, s, UW, UW, kind); \
		for (; p < row->pixels; p++) \
			dw_channels(row, p, k, k, s, 1, 0, kind); \
	}
#define DW_ROWS(name, k, s) \
	DW_ROW(name##_plain, k, s, DW_PLAIN) \
	DW_ROW(name##_hswish, k, s, DW_HSWISH) \
	DW_ROW(name##_clamp_add, k, s, DW_CLAMP_ADD) \
	DW_ROW(name##_other, k, s, DW_OTHER)
DW_ROWS(dw3s1, 3, 1)
DW_ROWS(dw3s2, 3, 2)
DW_ROWS(dw5s1, 5, 1)
DW_ROWS(dw5s2, 5, 2)
DW_ROWS(dw7s1, 7, 1)

/* Any window. */
static __attribute__((noinline)) void dw_any(const struct vrs_dwconv_row_u8 *row)
{
	for (int p = 0; p < row->pixels; p++)
		dw_channels(row, p, row->kh, row->kw, 1, 1, 0, DW_OTHER);
}

void VRS_ISA_U8(vrs_dwconv_u8_rows)(const struct vrs_dwconv_row_u8 *row)
{
#define DW_KIND_ROWS(name) { name##_plain, name##_hswish, name##_clamp_add, name##_other }
	static void (*const square[8][3][DW_KINDS])(const struct vrs_dwconv_row_u8 *) = {
		[3] = { [1] = DW_KIND_ROWS(dw3s1), [2] = DW_KIND_ROWS(dw3s2) },
		[5] = { [1] = DW_KIND_ROWS(dw5s1), [2] = DW_KIND_ROWS(dw5s2) },
		[7] = { [1] = DW_KIND_ROWS(dw7s1) },
	};
	const struct vrs_epilogue_u8 *e = &row->epilogue;
	int kind = e->residual || e->act == VRS_KACT_CLAMP ? DW_OTHER : e->act == VRS_KACT_NONE ? DW_PLAIN : DW_HSWISH;
	if (e->residual && !e->residual_before && e->act == VRS_KACT_CLAMP)
		kind = DW_CLAMP_ADD;
	int stride = row->step == row->tap ? 1 : row->step == 2 * row->tap ? 2 : 0;
	void (*rows)(const struct vrs_dwconv_row_u8 *) = row->kh == row->kw && row->kh < 8 ? square[row->kh][stride][kind] : NULL;
	(rows ? rows : dw_any)(row);
}
