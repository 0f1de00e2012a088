/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Depthwise rows: tiles of UW output pixels x 1 vector of channels.  For each window row the kernel's weights are in registers and every
 * input vector is loaded once for all outputs that use it.  Each output sums in the order bias, row, tap.
 */
#include "kernels/kernels.h"
#include "kernels/simd_lanes.h"

#define UW_MAX 8

VRS_INLINE void dw_store(const struct vrs_dwconv_row *row, vf v, ptrdiff_t pixel, int c, bool masked, vm mask)
{
	const struct vrs_epilogue *e = &row->epilogue;
	vf residual = v_zero(), lo = v_set1(e->lo), hi = v_set1(e->hi);
	if (e->residual) {
		const float *r = e->residual + pixel * e->residual_px + c;
		residual = masked ? v_loadm(r, mask) : v_load(r);
	}
	if (e->residual_before)
		v = v_add(v, residual);
	v_act(v, e->act, lo, hi);
	if (e->residual && !e->residual_before)
		v = v_add(v, residual);
	if (masked)
		v_storem(row->out + pixel * row->out_px + c, mask, v);
	else
		v_store(row->out + pixel * row->out_px + c, v);
}

/* Square window of size k, stride s (tap == in pixel stride, step == s * tap), uw outputs from `pixel`. */
VRS_INLINE void dw_tile(const struct vrs_dwconv_row *row, const float *w, ptrdiff_t pixel, int c, int k, int s, int uw, bool masked, vm mask)
{
	vf acc[UW_MAX];
	VRS_UNROLL
	for (int j = 0; j < uw; j++)
		acc[j] = v_load(w);
	w += VL;
	ptrdiff_t tap = row->tap;
	for (int r = 0; r < k; r++) {
		const float *in = row->rows[r] + pixel * row->step + c;
		vf wt[5];
		VRS_UNROLL
		for (int q = 0; q < k; q++)
			wt[q] = v_load(w + q * VL);
		w += k * VL;
		VRS_UNROLL
		for (int q = 0; q < (uw - 1) * s + k; q++) {
			vf v = masked ? v_loadm(in + q * tap, mask) : v_load(in + q * tap);
			VRS_UNROLL
			for (int j = 0; j < uw; j++)
				if (q - j * s >= 0 && q - j * s < k)
					acc[j] = v_fma(v, wt[q - j * s], acc[j]);
		}
	}
	VRS_UNROLL
	for (int j = 0; j < uw; j++)
		dw_store(row, acc[j], pixel + j, c, masked, mask);
}

VRS_INLINE void dw_channels(const struct vrs_dwconv_row *row, ptrdiff_t pixel, int k, int s, int uw)
{
	const float *w = row->weights;
	int c = 0;
	for (; c + VL <= row->channels; c += VL, w += (1 + k * k) * VL)
		dw_tile(row, w, pixel, c, k, s, uw, false, v_mask(0));
	if (c < row->channels)
		dw_tile(row, w, pixel, c, k, s, uw, true, v_mask(row->channels - c));
}

#define DW_ROWS(name, k, s, uw) \
	static __attribute__((noinline)) void name(const struct vrs_dwconv_row *row) \
	{ \
		int p = 0; \
		for (; p + (uw) <= row->pixels; p += (uw)) \
			dw_channels(row, p, k, s, uw); \
		if ((uw) > 4 && p + 4 <= row->pixels) { \
			dw_channels(row, p, k, s, 4); \
			p += 4; \
		} \
		for (; p < row->pixels; p++) \
			dw_channels(row, p, k, s, 1); \
	}
DW_ROWS(dw3s1, 3, 1, 8)
DW_ROWS(dw3s2, 3, 2, 4)
DW_ROWS(dw5s1, 5, 1, 8)
DW_ROWS(dw5s2, 5, 2, 4)

/* Any window. */
static __attribute__((noinline)) void dw_any(const struct vrs_dwconv_row *row)
{
	int taps = row->kh * row->kw;
	for (int p = 0; p < row->pixels; p++) {
		const float *w = row->weights;
		for (int c = 0; c < row->channels; c += VL, w += (1 + taps) * VL) {
			int lanes = row->channels - c < VL ? row->channels - c : VL;
			vm mask = v_mask(lanes);
			vf acc = v_load(w);
			for (int t = 0; t < taps; t++) {
				const float *in = row->rows[t / row->kw] + p * row->step + t % row->kw * row->tap + c;
				acc = v_fma(v_loadm(in, mask), v_load(w + (1 + t) * VL), acc);
			}
			dw_store(row, acc, p, c, true, mask);
		}
	}
}

void VRS_ISA(vrs_dwconv_f32_rows)(const struct vrs_dwconv_row *row)
{
	if (row->kh == 3 && row->kw == 3 && row->step == row->tap)
		dw3s1(row);
	else if (row->kh == 3 && row->kw == 3 && row->step == 2 * row->tap)
		dw3s2(row);
	else if (row->kh == 5 && row->kw == 5 && row->step == row->tap)
		dw5s1(row);
	else if (row->kh == 5 && row->kw == 5 && row->step == 2 * row->tap)
		dw5s2(row);
	else
		dw_any(row);
}
