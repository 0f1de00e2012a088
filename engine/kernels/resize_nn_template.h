/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bilinear (and nearest: all weights 0) resize rows: the blend of two input rows first, since it is the smaller one when enlarging. */
#include "kernels/kernels.h"
#include "kernels/row_contract.h"
#include "kernels/simd_lanes.h"

VRS_INLINE vf resize_read(const float *p, bool masked, vm mask)
{
	return masked ? v_loadm(p, mask) : v_load(p);
}

VRS_INLINE void resize_write(float *p, vf v, bool masked, vm mask)
{
	if (masked)
		v_storem(p, mask, v);
	else
		v_store(p, v);
}

/* Blend `count` floats of two rows. */
VRS_INLINE void resize_line(const float *a, const float *b, float weight, float *out, ptrdiff_t count)
{
	vf w = v_set1(weight);
	ptrdiff_t i = 0;
	for (; i + VL <= count; i += VL) {
		vf v = v_load(a + i);
		v_store(out + i, v_fma(w, v_sub(v_load(b + i), v), v));
	}
	if (i < count) {
		vm mask = v_mask((int)(count - i));
		vf v = v_loadm(a + i, mask);
		v_storem(out + i, mask, v_fma(w, v_sub(v_loadm(b + i, mask), v), v));
	}
}

/* nv vectors of channels from c on, for all pixels of the row. */
VRS_INLINE void resize_column(const struct vrs_resize_row *row, const float *in, ptrdiff_t in_px, int c, int nv, bool masked, vm mask)
{
	const struct vrs_epilogue *e = &row->epilogue;
	const float *residual = e->residual ? e->residual + c : NULL;
	float *out = row->out + c;
	vf lo = v_set1(e->lo), hi = v_set1(e->hi), factor[2];
	VRS_UNROLL
	for (int j = 0; j < nv; j++)
		factor[j] = row->residual_scale ? resize_read(row->residual_scale + c + j * VL, masked, mask) : v_set1(1.0f);
	for (int p = 0; p < row->pixels; p++, out += row->out_px) {
		const float *a = in + row->x0[p] * in_px + c, *b = in + row->x1[p] * in_px + c;
		vf w = v_set1(row->wx[p]);
		VRS_UNROLL
		for (int j = 0; j < nv; j++) {
			vf v = resize_read(a + j * VL, masked, mask);
			v = v_fma(w, v_sub(resize_read(b + j * VL, masked, mask), v), v);
			if (residual && e->residual_before)
				v = v_fma(factor[j], resize_read(residual + j * VL, masked, mask), v);
			if (e->act == VRS_KACT_CLAMP)
				v = v_clamp(v, lo, hi);
			else if (e->act == VRS_KACT_HSWISH)
				v = v_hswish(v);
			if (residual && !e->residual_before)
				v = v_fma(factor[j], resize_read(residual + j * VL, masked, mask), v);
			resize_write(out + j * VL, v, masked, mask);
		}
		if (residual)
			residual += e->residual_px;
	}
}

void VRS_ISA(vrs_resize_f32_rows)(const struct vrs_resize_row *args)
{
	vrs_resize_row_contract(args);
	const struct vrs_resize_row copy = *args, *row = &copy;
	const float *in = row->row0;
	ptrdiff_t px = row->in_px;
	if (row->wy != 0.0f) {
		if (px == row->channels) {
			resize_line(row->row0, row->row1, row->wy, row->blend, (ptrdiff_t)row->in_pixels * px);
		} else {
			for (ptrdiff_t p = 0; p < row->in_pixels; p++)
				resize_line(row->row0 + p * px, row->row1 + p * px, row->wy, row->blend + p * row->channels, row->channels);
		}
		in = row->blend;
		px = row->channels;
	}
	int c = 0;
	for (; c + 2 * VL <= row->channels; c += 2 * VL)
		resize_column(row, in, px, c, 2, false, v_mask(0));
	for (; c + VL <= row->channels; c += VL)
		resize_column(row, in, px, c, 1, false, v_mask(0));
	if (c < row->channels)
		resize_column(row, in, px, c, 1, true, v_mask(row->channels - c));
}
