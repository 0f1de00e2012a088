/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bilinear (and nearest: all weights 0) resize rows: the blend of two input rows first, since it is the smaller one when enlarging. */
#include "kernels/kernels.h"
#include "kernels/simd_lanes.h"

VRS_INLINE void resize_blend(const struct vrs_resize_row *row)
{
	vf wy = v_set1(row->wy);
	vm mask = v_mask(row->channels % VL);
	for (int p = 0; p < row->in_pixels; p++) {
		const float *a = row->row0 + p * row->in_px, *b = row->row1 + p * row->in_px;
		float *out = row->blend + (ptrdiff_t)p * row->channels;
		int c = 0;
		for (; c + VL <= row->channels; c += VL) {
			vf v = v_load(a + c);
			v_store(out + c, v_fma(wy, v_sub(v_load(b + c), v), v));
		}
		if (c < row->channels) {
			vf v = v_loadm(a + c, mask);
			v_storem(out + c, mask, v_fma(wy, v_sub(v_loadm(b + c, mask), v), v));
		}
	}
}

VRS_INLINE void resize_vector(const struct vrs_resize_row *row, const float *a, const float *b, vf wx, ptrdiff_t p, int c, bool masked, vm mask)
{
	const struct vrs_epilogue *e = &row->epilogue;
	vf lo = v_set1(e->lo), hi = v_set1(e->hi);
	vf v = masked ? v_loadm(a + c, mask) : v_load(a + c);
	vf v1 = masked ? v_loadm(b + c, mask) : v_load(b + c);
	v = v_fma(wx, v_sub(v1, v), v);
	vf residual = v_zero();
	if (e->residual) {
		const float *r = e->residual + p * e->residual_px + c;
		residual = masked ? v_loadm(r, mask) : v_load(r);
	}
	if (e->residual_before)
		v = v_add(v, residual);
	v_act(v, e->act, lo, hi);
	if (e->residual && !e->residual_before)
		v = v_add(v, residual);
	float *out = row->out + p * row->out_px + c;
	if (masked)
		v_storem(out, mask, v);
	else
		v_store(out, v);
}

void VRS_ISA(vrs_resize_f32_rows)(const struct vrs_resize_row *row)
{
	const float *in = row->row0;
	ptrdiff_t px = row->in_px;
	if (row->wy != 0.0f) {
		resize_blend(row);
		in = row->blend;
		px = row->channels;
	}
	vm mask = v_mask(row->channels % VL);
	for (int p = 0; p < row->pixels; p++) {
		const float *a = in + row->x0[p] * px, *b = in + row->x1[p] * px;
		vf wx = v_set1(row->wx[p]);
		int c = 0;
		for (; c + VL <= row->channels; c += VL)
			resize_vector(row, a, b, wx, p, c, false, mask);
		if (c < row->channels)
			resize_vector(row, a, b, wx, p, c, true, mask);
	}
}
