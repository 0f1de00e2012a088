/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Dense convolution of u8 rows as register tiles of MR pixels x NV vectors: four input bytes broadcast, times NV vectors of four weights a channel.
 * On 8 lanes a sum waits one cycle for the next, so small tiles do for the product, and 6 x 2 (measured against 4 x 2) saves some loop around short
 * products; VPDPBUSD takes four or five cycles and wants many sums.
 */
#include "kernels/kernels_u8.h"
#include "kernels/row_contract.h"
#include "kernels/simd_lanes_u8.h"
#include "kernels/weight_pack.h"

#ifdef __AVX512F__
#define MR1 14
#define MR2 12
#define MR3 8
#else
#define MR1 8
#define MR2 6
#define MR3 3
#endif
#define MR_MAX 14

struct conv_panel {
	const int8_t *weights;
	const float *mult, *bias;
	int first, last; /* first output channel, lanes in its last vector */
};

/*
 * What the functions below are made for: u8 results of whole vectors, plain, with hard-swish, with a sum, clamped with a sum after; plain floats of
 * whole vectors; and all the rest.  More of it costs minutes of compiling.
 */
enum conv_kind { CONV_PLAIN, CONV_HSWISH, CONV_ADD, CONV_CLAMP_ADD, CONV_FLOATS, CONV_OTHER, CONV_KINDS };

/* The sum that follows the product, of one vector or of the first of its lanes. */
VRS_INLINE vf conv_term(const struct vrs_epilogue_u8 *e, const uint8_t *residual, int lanes)
{
	vi bytes = lanes < VL ? vi_load_u8_part(residual, VRS_U8_CHANNELS(lanes)) : vi_load_u8(residual);
	return v_fma(vi_to_float(bytes), v_set1(e->residual_scale), v_set1(e->residual_zero));
}

VRS_TILE void conv_store(const struct vrs_conv_row_u8 *row, const struct conv_panel *panel, vi acc[MR_MAX][3], ptrdiff_t pixel, int mr, int nv,
			   int kind)
{
	const struct vrs_epilogue_u8 *e = &row->epilogue;
	enum vrs_kernel_act act = kind == CONV_HSWISH ? VRS_KACT_HSWISH : kind == CONV_CLAMP_ADD ? VRS_KACT_CLAMP : VRS_KACT_NONE;
	VRS_UNROLL
	for (int i = 0; i < mr; i++) {
		uint8_t *out = row->out + (pixel + i) * row->out_px + panel->first;
		const uint8_t *residual = kind >= CONV_ADD ? e->residual + (pixel + i) * e->residual_px + panel->first : NULL;
		vi q[3];
		VRS_UNROLL
		for (int j = 0; j < nv; j++) {
			vf v = v_fma(vi_to_float(acc[i][j]), v_load(panel->mult + j * VL), v_load(panel->bias + j * VL));
			vf term = kind >= CONV_ADD ? conv_term(e, residual + j * VL, VL) : v_zero();
			q[j] = vi_from_float(v_epilogue_u8(e, v, act, false, kind >= CONV_ADD, term));
		}
		int j = 0;
#ifndef __AVX512F__
		if (nv >= 2) { /* two vectors in one store */
			vi words = _mm256_packs_epi32(q[0], q[1]), bytes = _mm256_packus_epi16(words, words);
			bytes = _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 0, 4, 1, 5));
			_mm_storeu_si128((__m128i *)(void *)out, _mm256_castsi256_si128(bytes));
			j = 2;
		}
#endif
		VRS_UNROLL
		for (; j < nv; j++)
			vi_store_u8(out + j * VL, q[j]);
	}
}

VRS_INLINE void conv_store_floats(const struct vrs_conv_row_u8 *row, const struct conv_panel *panel, vi acc[MR_MAX][3], ptrdiff_t pixel, int mr,
				  int nv)
{
	VRS_UNROLL
	for (int i = 0; i < mr; i++) {
		float *out = row->out_float + (pixel + i) * row->out_px + panel->first;
		VRS_UNROLL
		for (int j = 0; j < nv; j++)
			v_store(out + j * VL, v_fma(vi_to_float(acc[i][j]), v_load(panel->mult + j * VL), v_load(panel->bias + j * VL)));
	}
}

/* The rare epilogues have code of their own, once for tiles of all sizes. */
static __attribute__((noinline)) void conv_store_other(const struct vrs_conv_row_u8 *row, const struct conv_panel *panel, const vi acc[MR_MAX][3],
						       ptrdiff_t pixel, int mr, int nv)
{
	const struct vrs_epilogue_u8 *e = &row->epilogue;
	for (int i = 0; i < mr; i++) {
		ptrdiff_t at = (pixel + i) * row->out_px + panel->first;
		const uint8_t *residual = e->residual ? e->residual + (pixel + i) * e->residual_px + panel->first : NULL;
		for (int j = 0; j < nv; j++, at += VL, residual = residual ? residual + VL : NULL) {
			int lanes = j == nv - 1 ? panel->last : VL;
			vf v = v_fma(vi_to_float(acc[i][j]), v_load(panel->mult + j * VL), v_load(panel->bias + j * VL));
			vf term = residual ? conv_term(e, residual, lanes) : v_zero();
			v = v_epilogue_u8(e, v, e->act, residual && e->residual_before, residual && !e->residual_before, term);
			if (row->out_float && lanes < VL)
				v_storem(row->out_float + at, v_mask(lanes), v);
			else if (row->out_float)
				v_store(row->out_float + at, v);
			else if (lanes < VL)
				vi_store_u8_part(row->out + at, vi_from_float(v), lanes);
			else
				vi_store_u8(row->out + at, vi_from_float(v));
		}
	}
}

/* Four more bytes of the windows. */
VRS_INLINE void conv_step(vi acc[MR_MAX][3], const uint8_t *a, ptrdiff_t px, const int8_t *w, int mr, int nv)
{
#ifndef __AVX512F__
	vi ones = vi_set1_16(1);
#endif
	vi b[3];
	VRS_UNROLL
	for (int j = 0; j < nv; j++)
		b[j] = vi_load(w + j * VL * 4);
	VRS_UNROLL
	for (int i = 0; i < mr; i++) {
		int32_t four;
		memcpy(&four, a + i * px, 4);
		vi x = vi_set1(four);
		VRS_UNROLL
		for (int j = 0; j < nv; j++)
			vi_dot(acc[i][j], x, b[j], ones);
	}
}

VRS_TILE void conv_tile(const struct vrs_conv_row_u8 *row, const struct conv_panel *panel, ptrdiff_t pixel, int mr, int nv, int kind)
{
	vi acc[MR_MAX][3];
	VRS_UNROLL
	for (int i = 0; i < mr; i++) {
		VRS_UNROLL
		for (int j = 0; j < nv; j++)
			acc[i][j] = vi_zero();
	}
	const int8_t *w = panel->weights;
	ptrdiff_t px = row->in_px;
	int segs = row->segs, klen = row->klen;
	for (int s = 0; s < segs; s++) {
		const uint8_t *a = row->seg[s] + pixel * px;
		if (klen == 12 || klen == 16) { /* a loop costs more than so short a product */
			VRS_UNROLL
			for (int k = 0; k < 12; k += 4)
				conv_step(acc, a + k, px, w + k * nv * VL, mr, nv);
			if (klen == 16)
				conv_step(acc, a + 12, px, w + 12 * nv * VL, mr, nv);
			w += klen * nv * VL;
			continue;
		}
		for (int k = 0; k < klen; k += 4, w += 4 * nv * VL)
			conv_step(acc, a + k, px, w, mr, nv);
	}
	if (kind == CONV_OTHER) {
		/* A copy: sums whose address is taken would live in memory all through the product. */
		vi sums[MR_MAX][3];
		VRS_UNROLL
		for (int i = 0; i < mr; i++) {
			VRS_UNROLL
			for (int j = 0; j < nv; j++)
				sums[i][j] = acc[i][j];
		}
		conv_store_other(row, panel, sums, pixel, mr, nv);
	} else if (kind == CONV_FLOATS)
		conv_store_floats(row, panel, acc, pixel, mr, nv);
	else
		conv_store(row, panel, acc, pixel, mr, nv, kind);
}

/* All pixels of one panel, from local copies: a vector store could change the caller's structures as far as the compiler knows. */
VRS_INLINE void conv_panel_pixels(const struct vrs_conv_row_u8 *args, const struct conv_panel *column, int mr, int nv, int kind)
{
	const struct vrs_conv_row_u8 copy = *args, *row = &copy;
	const struct conv_panel column_copy = *column, *panel = &column_copy;
	int p = 0;
	for (; p + mr <= row->pixels; p += mr)
		conv_tile(row, panel, p, mr, nv, kind);
	for (; mr > 4 && p + 4 <= row->pixels; p += 4)
		conv_tile(row, panel, p, 4, nv, kind);
	for (; p < row->pixels; p++)
		conv_tile(row, panel, p, 1, nv, kind);
}

#define CONV_PANEL(name, mr, nv, kind) \
	static __attribute__((noinline)) void name(const struct vrs_conv_row_u8 *row, const struct conv_panel *panel) \
	{ \
		conv_panel_pixels(row, panel, mr, nv, kind); \
	}
#define CONV_PANELS(name, kind) \
	CONV_PANEL(name##_1, MR1, 1, kind) \
	CONV_PANEL(name##_2, MR2, 2, kind) \
	CONV_PANEL(name##_3, MR3, 3, kind)
CONV_PANELS(conv_plain, CONV_PLAIN)
CONV_PANELS(conv_hswish, CONV_HSWISH)
CONV_PANELS(conv_add, CONV_ADD)
CONV_PANELS(conv_clamp_add, CONV_CLAMP_ADD)
CONV_PANELS(conv_floats, CONV_FLOATS)
CONV_PANELS(conv_other, CONV_OTHER)

static int conv_kind(const struct vrs_conv_row_u8 *row)
{
	const struct vrs_epilogue_u8 *e = &row->epilogue;
	bool none = e->act == VRS_KACT_NONE;
	if (row->out_float)
		return none && !e->residual ? CONV_FLOATS : CONV_OTHER;
	if (!e->residual)
		return none ? CONV_PLAIN : e->act == VRS_KACT_HSWISH ? CONV_HSWISH : CONV_OTHER;
	return none ? CONV_ADD : e->act == VRS_KACT_CLAMP && !e->residual_before ? CONV_CLAMP_ADD : CONV_OTHER;
}

void VRS_ISA_U8(vrs_conv_u8_rows)(const struct vrs_conv_row_u8 *row)
{
	vrs_conv_row_u8_contract(row);
	static void (*const panels[CONV_KINDS][3])(const struct vrs_conv_row_u8 *, const struct conv_panel *) = {
		{conv_plain_1, conv_plain_2, conv_plain_3},
		{conv_hswish_1, conv_hswish_2, conv_hswish_3},
		{conv_add_1, conv_add_2, conv_add_3},
		{conv_clamp_add_1, conv_clamp_add_2, conv_clamp_add_3},
		{conv_floats_1, conv_floats_2, conv_floats_3},
		{conv_other_1, conv_other_2, conv_other_3},
	};
	int kind = conv_kind(row);
	struct conv_panel panel = {.weights = row->weights};
	ptrdiff_t k = (ptrdiff_t)row->segs * row->klen;
	for (int left = (row->n + VL - 1) / VL; left > 0;) {
		int nv = VRS_PANEL_VECTORS(left), rest = row->n - panel.first - (nv - 1) * VL;
		panel.mult = row->mult + panel.first;
		panel.bias = row->bias + panel.first;
		panel.last = rest < VL ? rest : VL;
		panels[rest < VL ? CONV_OTHER : kind][nv - 1](row, &panel);
		panel.weights += k * nv * VL;
		panel.first += nv * VL;
		left -= nv;
	}
}
