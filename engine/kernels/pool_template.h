/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Window pooling rows and row sums. */
#include <math.h>

#include "kernels/kernels.h"
#include "kernels/row_contract.h"
#include "kernels/simd_lanes.h"

#define POOL_FEW 4

VRS_INLINE vf pool_window(const struct vrs_pool_row *row, ptrdiff_t x, int first, int last, int c, vm mask)
{
	vf acc = row->max ? v_set1(-INFINITY) : v_zero();
	for (int r = 0; r < row->row_count; r++) {
		for (int q = first; q < last; q++) {
			vf v = v_loadm(row->rows[r] + (x + (ptrdiff_t)q * row->dilation) * row->in_px + c, mask);
			acc = row->max ? v_max(acc, v) : v_add(acc, v);
		}
	}
	return acc;
}

/* The same of few channels, one at a time: a masked vector a tap takes longer. */
VRS_INLINE void pool_few(const struct vrs_pool_row *row, ptrdiff_t x, int first, int last, int channels, float scale, float *out)
{
	float acc[POOL_FEW];
	for (int c = 0; c < channels; c++)
		acc[c] = row->max ? -INFINITY : 0.0f;
	for (int r = 0; r < row->row_count; r++) {
		for (int q = first; q < last; q++) {
			const float *in = row->rows[r] + (x + (ptrdiff_t)q * row->dilation) * row->in_px;
			VRS_UNROLL
			for (int c = 0; c < channels; c++)
				acc[c] = !row->max ? acc[c] + in[c] : acc[c] > in[c] ? acc[c] : in[c]; /* a NaN as v_max has it */
		}
	}
	for (int c = 0; c < channels; c++)
		out[c] = row->max ? acc[c] : acc[c] * scale;
}

void VRS_ISA(vrs_pool_f32_rows)(const struct vrs_pool_row *row)
{
	vrs_pool_row_contract(row);
	for (int p = 0; p < row->pixels; p++) {
		int x = p * row->stride - row->pad_left;
		/* Valid taps: 0 <= x + q * dilation < in_pixels. */
		int first = x < 0 ? (-x + row->dilation - 1) / row->dilation : 0;
		int last = x >= row->in_pixels ? 0 : row->dilation == 1 ? row->in_pixels - x : (row->in_pixels - 1 - x) / row->dilation + 1;
		if (last > row->kw)
			last = row->kw;
		int taps = last > first ? (last - first) * row->row_count : 0;
		int divisor = row->divisor ? row->divisor : taps ? taps : 1;
		vf scale = v_set1(1.0f / (float)divisor);
		if (row->channels == 3) { /* of pictures */
			pool_few(row, x, first, last, 3, 1.0f / (float)divisor, row->out + p * row->out_px);
			continue;
		}
		if (row->channels <= POOL_FEW) {
			pool_few(row, x, first, last, row->channels, 1.0f / (float)divisor, row->out + p * row->out_px);
			continue;
		}
		for (int c = 0; c < row->channels; c += VL) {
			vm mask = v_mask(row->channels - c < VL ? row->channels - c : VL);
			vf v = pool_window(row, x, first, last, c, mask);
			v_storem(row->out + p * row->out_px + c, mask, row->max ? v : v_mul(v, scale));
		}
	}
}

/* Two partial sums (even and odd pixels) for each of two vectors hide the latency of the additions. */
void VRS_ISA(vrs_row_sum_f32)(const float *in, ptrdiff_t in_px, int pixels, int channels, float *sum)
{
	int c = 0;
	for (; c + 2 * VL <= channels; c += 2 * VL) {
		vf a0 = v_zero(), a1 = v_zero(), b0 = v_zero(), b1 = v_zero();
		const float *p = in + c;
		int i = 0;
		for (; i + 2 <= pixels; i += 2, p += 2 * in_px) {
			a0 = v_add(a0, v_load(p));
			a1 = v_add(a1, v_load(p + VL));
			b0 = v_add(b0, v_load(p + in_px));
			b1 = v_add(b1, v_load(p + in_px + VL));
		}
		if (i < pixels) {
			a0 = v_add(a0, v_load(p));
			a1 = v_add(a1, v_load(p + VL));
		}
		v_store(sum + c, v_add(a0, b0));
		v_store(sum + c + VL, v_add(a1, b1));
	}
	for (; c < channels; c += VL) {
		vm mask = v_mask(channels - c < VL ? channels - c : VL);
		vf a = v_zero(), b = v_zero();
		const float *p = in + c;
		int i = 0;
		for (; i + 2 <= pixels; i += 2, p += 2 * in_px) {
			a = v_add(a, v_loadm(p, mask));
			b = v_add(b, v_loadm(p + in_px, mask));
		}
		if (i < pixels)
			a = v_add(a, v_loadm(p, mask));
		v_storem(sum + c, mask, v_add(a, b));
	}
}
