/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Dense convolution of u8 rows as register tiles of MR pixels x NV vectors: four input bytes broadcast, times NV vectors of four weights a channel.
 * On 8 lanes a sum waits one cycle for the next, so small tiles
 * do for the product, and 6 x 2 (measured against 4 x 2) saves some loop around short products; VPDPBUSD takes four or five cycles and wants many
 * sums.
 */
#include "kernels/kernels_u8.h"
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

/* act and residual: what the epilogue of the whole row does; constants in the functions below. */
enum conv_residual { CONV_PLAIN, CONV_BEFORE, CONV_AFTER };

VRS_INLINE vf conv_term(const struct vrs_conv_row_u8 *row, const struct conv_panel *panel, ptrdiff_t pixel, int j, bool part)
{
	const struct vrs_epilogue_u8 *e = &row->epilogue;
	const uint8_t *r = e->residual + pixel * e->residual_px + panel->first + j * VL;
	return v_fma(vi_to_float(part ? vi_load_u8_part(r, VRS_U8_CHANNELS(panel->last)) : vi_load_u8(r)), v_set1(e->residual_scale),
		     v_set1(e->residual_zero));
}

VRS_INLINE vf conv_value(const struct vrs_conv_row_u8 *row, const struct conv_panel *panel, vi sum, ptrdiff_t pixel, int j, bool part, int act,
			 int residual)
{
	const struct vrs_epilogue_u8 *e = &row->epilogue;
	vf v = v_fma(vi_to_float(sum), v_load(panel->mult + j * VL), v_load(panel->bias + j * VL));
	if (residual == CONV_BEFORE)
		v = v_add(v, conv_term(row, panel, pixel, j, part));
	if (act == VRS_KACT_CLAMP)
		v = v_clamp(v, v_set1(e->lo), v_set1(e->hi));
	if (act == VRS_KACT_HSWISH) {
		v = v_mul(v, v_min(v_set1(6.0f), v_max(v_zero(), v_add(v, v_set1(3.0f)))));
		v = v_fma(v, v_set1(e->out_scale), v_set1(e->out_zero));
	}
	if (residual == CONV_AFTER)
		v = v_add(v, conv_term(row, panel, pixel, j, part));
	return v;
}

VRS_INLINE void conv_store_floats(const struct vrs_conv_row_u8 *row, const struct conv_panel *panel, vi acc[MR_MAX][3], ptrdiff_t pixel, int mr,
				  int nv,
				  bool masked, int act, int residual)
{
	VRS_UNROLL
	for (int i = 0; i < mr; i++) {
		float *out = row->out_float + (pixel + i) * row->out_px + panel->first;
		VRS_UNROLL
		for (int j = 0; j < nv; j++) {
			bool part = masked && j == nv - 1;
			vf v = conv_value(row, panel, acc[i][j], pixel + i, j, part, act, residual);
			if (part)
				v_storem(out + j * VL, v_mask(panel->last), v);
			else
				v_store(out + j * VL, v);
		}
	}
}

VRS_INLINE void conv_store(const struct vrs_conv_row_u8 *row, const struct conv_panel *panel, vi acc[MR_MAX][3], ptrdiff_t pixel, int mr, int nv,
			   bool masked, int act, int residual)
{
	VRS_UNROLL
	for (int i = 0; i < mr; i++) {
		uint8_t *out = row->out + (pixel + i) * row->out_px + panel->first;
		vi q[3];
		VRS_UNROLL
		for (int j = 0; j < nv; j++)
			q[j] = vi_from_float(conv_value(row, panel, acc[i][j], pixel + i, j, masked && j == nv - 1, act, residual));
		int j = 0;
#ifndef __AVX512F__
		if (nv >= 2 && !(masked && nv == 2)) { /* two vectors in one store */
			vi words = _mm256_packs_epi32(q[0], q[1]), bytes = _mm256_packus_epi16(words, words);
			bytes = _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 0, 4, 1, 5));
			_mm_storeu_si128((__m128i *)(void *)out, _mm256_castsi256_si128(bytes));
			j = 2;
		}
#endif
		VRS_UNROLL
		for (; j < nv; j++) {
			if (masked && j == nv - 1)
				vi_store_u8_part(out + j * VL, q[j], panel->last);
			else
				vi_store_u8(out + j * VL, q[j]);
		}
	}
}

/* What the functions below are made for: plain u8 results without or with hard-swish, and all the rest. */
enum conv_kind { CONV_U8, CONV_U8_HSWISH, CONV_OTHER, CONV_KINDS };

VRS_INLINE void conv_finish(const struct vrs_conv_row_u8 *row, const struct conv_panel *panel, vi acc[MR_MAX][3], ptrdiff_t pixel, int mr, int nv,
			    bool masked,
			    int kind)
{
	const struct vrs_epilogue_u8 *e = &row->epilogue;
	int residual = !e->residual ? CONV_PLAIN : e->residual_before ? CONV_BEFORE : CONV_AFTER;
	if (kind == CONV_U8)
		conv_store(row, panel, acc, pixel, mr, nv, masked, VRS_KACT_NONE, CONV_PLAIN);
	else if (kind == CONV_U8_HSWISH)
		conv_store(row, panel, acc, pixel, mr, nv, masked, VRS_KACT_HSWISH, CONV_PLAIN);
	else if (row->out_float)
		conv_store_floats(row, panel, acc, pixel, mr, nv, masked, e->act, residual);
	else
		conv_store(row, panel, acc, pixel, mr, nv, masked, e->act, residual);
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

VRS_INLINE void conv_tile(const struct vrs_conv_row_u8 *row, const struct conv_panel *panel, ptrdiff_t pixel, int mr, int nv, bool masked,
			  int kind)
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
	conv_finish(row, panel, acc, pixel, mr, nv, masked, kind);
}

/* All pixels of one panel, from local copies: a vector store could change the caller's structures as far as the compiler knows. */
VRS_INLINE void conv_panel_pixels(const struct vrs_conv_row_u8 *args, const struct conv_panel *column, int mr, int nv, bool masked,
				  int kind)
{
	const struct vrs_conv_row_u8 copy = *args, *row = &copy;
	const struct conv_panel column_copy = *column, *panel = &column_copy;
	int p = 0;
	for (; p + mr <= row->pixels; p += mr)
		conv_tile(row, panel, p, mr, nv, masked, kind);
	for (; mr > 4 && p + 4 <= row->pixels; p += 4)
		conv_tile(row, panel, p, 4, nv, masked, kind);
	for (; p < row->pixels; p++)
		conv_tile(row, panel, p, 1, nv, masked, kind);
}

#define CONV_PANEL(name, mr, nv, masked, kind) \
	static __attribute__((noinline)) void name(const struct vrs_conv_row_u8 *row, const struct conv_panel *panel) \
	{ \
		conv_panel_pixels(row, panel, mr, nv, masked, kind); \
	}
#define CONV_PANELS(name, kind) \
	CONV_PANEL(name##_1, MR1, 1, false, kind) \
	CONV_PANEL(name##_2, MR2, 2, false, kind) \
	CONV_PANEL(name##_3, MR3, 3, false, kind)
CONV_PANELS(conv_plain, CONV_U8)
CONV_PANELS(conv_hswish, CONV_U8_HSWISH)
CONV_PANELS(conv_other, CONV_OTHER)
CONV_PANEL(conv_masked_1, MR1, 1, true, CONV_OTHER)
CONV_PANEL(conv_masked_2, MR2, 2, true, CONV_OTHER)
CONV_PANEL(conv_masked_3, MR3, 3, true, CONV_OTHER)

void VRS_ISA_U8(vrs_conv_u8_rows)(const struct vrs_conv_row_u8 *row)
{
	static void (*const panels[CONV_KINDS + 1][3])(const struct vrs_conv_row_u8 *, const struct conv_panel *) = {
		{ conv_plain_1, conv_plain_2, conv_plain_3 },
		{ conv_hswish_1, conv_hswish_2, conv_hswish_3 },
		{ conv_other_1, conv_other_2, conv_other_3 },
		{ conv_masked_1, conv_masked_2, conv_masked_3 },
	};
	bool plain = !row->epilogue.residual && !row->out_float;
	int kind = plain && row->epilogue.act == VRS_KACT_NONE ? CONV_U8 : plain && row->epilogue.act == VRS_KACT_HSWISH ? CONV_U8_HSWISH : CONV_OTHER;
	struct conv_panel panel = { .weights = row->weights };
	ptrdiff_t k = (ptrdiff_t)row->segs * row->klen;
	for (int left = (row->n + VL - 1) / VL; left > 0;) {
		int nv = VRS_PANEL_VECTORS(left), rest = row->n - panel.first - (nv - 1) * VL;
		panel.mult = row->mult + panel.first;
		panel.bias = row->bias + panel.first;
		panel.last = rest < VL ? rest : VL;
		panels[rest < VL ? CONV_KINDS : kind][nv - 1](row, &panel);
		panel.weights += k * nv * VL;
		panel.first += nv * VL;
		left -= nv;
	}
}
