/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Depthwise convolution of u8 rows.  A vector holds 16 channels of V_QUARTERS output columns that lie UW apart, one in each quarter.  The bytes
 * of four window rows are interleaved, so that one four-way product takes four taps of a column at once; an interleaved column serves all outputs
 * of the tile that it belongs to.  A row that is alone in its group of four takes one 16-bit product on 8 lanes.  Only the usual windows and
 * epilogues have code of their own: more of it costs minutes of compiling.
 */
#include "kernels/kernels_u8.h"
#include "kernels/row_contract.h"
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
	int first, count; /* channels; count < 16 when the picture has no more */
};

/* Where the quarters of a tile are: the first output pixel of each, the input of the first in bytes, and how far the others are from that. */
struct dw_place {
	ptrdiff_t pixel[V_QUARTERS], in, apart[V_QUARTERS];
};

/* One piece of every quarter, p + at[i]; at[0] is 0. */
VRS_INLINE vi dw_load(const uint8_t *p, const ptrdiff_t at[V_QUARTERS], int count, bool whole)
{
	__m128i part[V_QUARTERS];
	VRS_UNROLL
	for (int i = 0; i < V_QUARTERS; i++) {
		const uint8_t *piece = i ? p + at[i] : p;
		part[i] = whole ? _mm_loadu_si128((const __m128i *)(const void *)piece) : load_bytes(piece, count);
	}
	return vi_quarters(part);
}

/* t[q]: for channels 4q..4q+3 of each quarter the bytes of the rows (rows of them, then zeros). */
VRS_INLINE void dw_interleave(const uint8_t *const *rows, int count, ptrdiff_t at, const struct dw_place *place, int channels, bool whole, vi t[4])
{
	vi r[4], low, high, low2 = vi_zero(), high2 = vi_zero();
	VRS_UNROLL
	for (int i = 0; i < 4; i++)
		r[i] = i < count ? dw_load(rows[i] + at, place->apart, channels, whole) : vi_zero();
	low = vi_unpacklo8(r[0], r[1]);
	high = vi_unpackhi8(r[0], r[1]);
	if (count > 2) {
		low2 = vi_unpacklo8(r[2], r[3]);
		high2 = vi_unpackhi8(r[2], r[3]);
	}
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

/* Epilogue of column j of the quarters. */
VRS_TILE void dw_store_column(const struct vrs_dwconv_row_u8 *row, const struct dw_block *block, const vi acc[4], const struct dw_place *place, int j,
				bool whole, int kind)
{
	const struct vrs_epilogue_u8 *e = &row->epilogue;
	enum vrs_kernel_act act = kind == DW_PLAIN ? VRS_KACT_NONE : kind == DW_HSWISH ? VRS_KACT_HSWISH : kind == DW_CLAMP_ADD ? VRS_KACT_CLAMP : e->act;
	bool before = kind == DW_OTHER && e->residual && e->residual_before;
	bool after = kind == DW_CLAMP_ADD || (kind == DW_OTHER && e->residual && !e->residual_before);
	vi q[4], residual = vi_zero();
	if (before || after) {
		ptrdiff_t at[V_QUARTERS];
		for (int i = 0; i < V_QUARTERS; i++)
			at[i] = (place->pixel[i] - place->pixel[0]) * e->residual_px;
		residual = dw_load(e->residual + (place->pixel[0] + j) * e->residual_px + block->first, at, block->count, whole);
	}
	VRS_UNROLL
	for (int i = 0; i < 4; i++) {
		vf v = v_fma(vi_to_float(acc[i]), v_load_quad(block->mult + 4 * i), v_load_quad(block->bias + 4 * i));
		q[i] = vi_from_float(v_epilogue_u8(e, v, act, before, after, before || after ? dw_term(e, residual, i) : v_zero()));
	}
	__m128i part[V_QUARTERS];
	vi_split(vi_packus16(vi_packs32(q[0], q[1]), vi_packs32(q[2], q[3])), part);
	VRS_UNROLL
	for (int i = 0; i < V_QUARTERS; i++) {
		uint8_t *out = row->out + (place->pixel[i] + j) * row->out_px + block->first;
		if (whole)
			_mm_storeu_si128((__m128i *)(void *)out, part[i]);
		else
			store_bytes(out, part[i], block->count);
	}
}

/* The rare epilogues of a whole block have code of their own, once. */
static __attribute__((noinline)) void dw_store_other(const struct vrs_dwconv_row_u8 *row, const struct dw_block *block, const vi acc[UW][4],
						     const struct dw_place *place)
{
	for (int j = 0; j < UW; j++)
		dw_store_column(row, block, acc[j], place, j, true, DW_OTHER);
}

/* UW outputs of every quarter; window k x k, step = s * tap. */
VRS_TILE void dw_tile(const struct vrs_dwconv_row_u8 *row, const struct dw_block *block, const struct dw_place *place, int k, int s, int kind)
{
	vi acc[UW][4];
	VRS_UNROLL
	for (int j = 0; j < UW; j++) {
		VRS_UNROLL
		for (int i = 0; i < 4; i++)
			acc[j][i] = vi_zero();
	}
#ifndef __AVX512F__
	vi ones = vi_set1_16(1);
#endif
	int groups = (k + 3) / 4;
	ptrdiff_t at = place->in + block->first;
	VRS_UNROLL
	for (int x = 0; x < (UW - 1) * s + k; x++, at += row->tap) {
		VRS_UNROLL
		for (int g = 0; g < groups; g++) {
			int rows = k - 4 * g < 4 ? k - 4 * g : 4;
			vi t[4];
			dw_interleave(row->rows + 4 * g, rows, at, place, VRS_U8_DW_BLOCK, true, t);
			VRS_UNROLL
			for (int j = 0; j < UW; j++) {
				int kx = x - j * s;
				if (kx < 0 || kx >= k)
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
	if (kind == DW_OTHER) {
		vi sums[UW][4]; /* a copy: sums whose address is taken would live in memory all through the product */
		VRS_UNROLL
		for (int j = 0; j < UW; j++) {
			VRS_UNROLL
			for (int i = 0; i < 4; i++)
				sums[j][i] = acc[j][i];
		}
		dw_store_other(row, block, sums, place);
		return;
	}
	VRS_UNROLL
	for (int j = 0; j < UW; j++)
		dw_store_column(row, block, acc[j], place, j, true, kind);
}

/* One output of every quarter, any window, any number of channels up to a block. */
VRS_TILE void dw_single(const struct vrs_dwconv_row_u8 *row, const struct dw_block *block, const struct dw_place *place, bool whole)
{
	vi acc[4] = {vi_zero(), vi_zero(), vi_zero(), vi_zero()};
#ifndef __AVX512F__
	vi ones = vi_set1_16(1);
#endif
	const int8_t *w = block->weights;
	ptrdiff_t at = place->in + block->first;
	for (int x = 0; x < row->kw; x++, at += row->tap) {
		for (int y = 0; y < row->kh; y += 4, w += GROUP) {
			int rows = row->kh - y < 4 ? row->kh - y : 4;
			vi t[4];
			dw_interleave(row->rows + y, rows, at, place, block->count, whole, t);
			VRS_UNROLL
			for (int i = 0; i < 4; i++) {
				vi b = vi_load(w + i * QUAD);
				if (rows == 1)
					vi_dot_single(acc[i], t[i], b);
				else
					vi_dot(acc[i], t[i], b, ones);
				vi_keep(acc[i]);
			}
		}
	}
	dw_store_column(row, block, acc, place, 0, whole, DW_OTHER);
}

/* Quarters `apart` pixels from p on; what would lie beyond the row moves back and is made twice. */
VRS_INLINE struct dw_place dw_place(const struct vrs_dwconv_row_u8 *row, int p, int apart)
{
	struct dw_place place;
	VRS_UNROLL
	for (int i = 0; i < V_QUARTERS; i++) {
		int pixel = p + i * apart, last = row->pixels - apart;
		place.pixel[i] = pixel < last ? pixel : last;
		place.apart[i] = (place.pixel[i] - place.pixel[0]) * row->step;
	}
	place.in = place.pixel[0] * row->step;
	return place;
}

/* The next block of 16 channels; the last one ends with the picture's channels, beginning in the one before (as the weights are packed). */
VRS_INLINE bool dw_next(const struct vrs_dwconv_row_u8 *row, struct dw_block *block, size_t bytes)
{
	int left = row->channels - block->first - VRS_U8_DW_BLOCK, step = left < VRS_U8_DW_BLOCK ? left : VRS_U8_DW_BLOCK;
	block->first += step;
	block->weights += bytes;
	block->mult += step;
	block->bias += step;
	return left > 0;
}

VRS_INLINE struct dw_block dw_first(const struct vrs_dwconv_row_u8 *row)
{
	int count = row->channels < VRS_U8_DW_BLOCK ? row->channels : VRS_U8_DW_BLOCK;
	return (struct dw_block){.weights = row->weights, .mult = row->mult, .bias = row->bias, .count = count};
}

VRS_INLINE size_t dw_bytes(int kh, int kw)
{
	return (size_t)GROUP * (size_t)kw * (size_t)((kh + 3) / 4);
}

/* A row of at least UW pixels and 16 channels. Works on a copy of the arguments: a vector store could change them as far as the compiler knows. */
VRS_INLINE void dw_row(const struct vrs_dwconv_row_u8 *args, int k, int s, int kind)
{
	const struct vrs_dwconv_row_u8 copy = *args, *row = &copy;
	for (int p = 0; p < row->pixels; p += V_QUARTERS * UW) {
		struct dw_place place = dw_place(row, p, UW);
		struct dw_block block = dw_first(row);
		do
			dw_tile(row, &block, &place, k, s, kind);
		while (dw_next(row, &block, dw_bytes(k, k)));
	}
}

/* Any window. */
VRS_INLINE void dw_any_row(const struct vrs_dwconv_row_u8 *args, bool whole)
{
	const struct vrs_dwconv_row_u8 copy = *args, *row = &copy;
	for (int p = 0; p < row->pixels; p += V_QUARTERS) {
		struct dw_place place = dw_place(row, p, 1);
		struct dw_block block = dw_first(row);
		do
			dw_single(row, &block, &place, whole);
		while (dw_next(row, &block, dw_bytes(row->kh, row->kw)));
	}
}

static __attribute__((noinline)) void dw_any(const struct vrs_dwconv_row_u8 *row)
{
	dw_any_row(row, true);
}

static __attribute__((noinline)) void dw_few(const struct vrs_dwconv_row_u8 *row)
{
	dw_any_row(row, false);
}

#define DW_ROW(name, k, s, kind) \
	static __attribute__((noinline)) void name(const struct vrs_dwconv_row_u8 *row) \
	{ \
		dw_row(row, k, s, kind); \
	}
DW_ROW(dw3s1_plain, 3, 1, DW_PLAIN)
DW_ROW(dw3s1_hswish, 3, 1, DW_HSWISH)
DW_ROW(dw3s1_clamp_add, 3, 1, DW_CLAMP_ADD)
DW_ROW(dw3s1_other, 3, 1, DW_OTHER)
DW_ROW(dw3s2_plain, 3, 2, DW_PLAIN)
DW_ROW(dw3s2_hswish, 3, 2, DW_HSWISH)
DW_ROW(dw3s2_other, 3, 2, DW_OTHER)
DW_ROW(dw5s1_plain, 5, 1, DW_PLAIN)
DW_ROW(dw5s1_hswish, 5, 1, DW_HSWISH)
DW_ROW(dw5s1_other, 5, 1, DW_OTHER)
DW_ROW(dw5s2_hswish, 5, 2, DW_HSWISH)
DW_ROW(dw5s2_other, 5, 2, DW_OTHER)
DW_ROW(dw7s1_plain, 7, 1, DW_PLAIN)
DW_ROW(dw7s1_other, 7, 1, DW_OTHER)

void VRS_ISA_U8(vrs_dwconv_u8_rows)(const struct vrs_dwconv_row_u8 *row)
{
	vrs_dwconv_row_u8_contract(row);
	static void (*const square[8][3][DW_KINDS])(const struct vrs_dwconv_row_u8 *) = {
		[3] = {[1] = {dw3s1_plain, dw3s1_hswish, dw3s1_clamp_add, dw3s1_other}, [2] = {dw3s2_plain, dw3s2_hswish, dw3s2_other, dw3s2_other}},
		[5] = {[1] = {dw5s1_plain, dw5s1_hswish, dw5s1_other, dw5s1_other}, [2] = {dw5s2_other, dw5s2_hswish, dw5s2_other, dw5s2_other}},
		[7] = {[1] = {dw7s1_plain, dw7s1_other, dw7s1_other, dw7s1_other}},
	};
	const struct vrs_epilogue_u8 *e = &row->epilogue;
	int kind = e->residual || e->act == VRS_KACT_CLAMP ? DW_OTHER : e->act == VRS_KACT_NONE ? DW_PLAIN : DW_HSWISH;
	if (e->residual && !e->residual_before && e->act == VRS_KACT_CLAMP)
		kind = DW_CLAMP_ADD;
	int stride = row->step == row->tap ? 1 : row->step == 2 * row->tap ? 2 : 0;
	void (*rows)(const struct vrs_dwconv_row_u8 *) = row->kh == row->kw && row->kh < 8 ? square[row->kh][stride][kind] : NULL;
	if (row->channels < VRS_U8_DW_BLOCK)
		rows = dw_few;
	else if (!rows || row->pixels < UW)
		rows = dw_any;
	rows(row);
}
