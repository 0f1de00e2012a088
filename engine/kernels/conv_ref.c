/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dense convolution rows in plain C, for CPUs without AVX2 and as the truth of the layout. */
#include "kernels/kernels.h"
#include "kernels/row_contract.h"
#include "kernels/weight_pack.h"

#define REF_MAX_PANEL 48

static void conv_pixel(const struct vrs_conv_row *row, const float *w, const float *bias, ptrdiff_t pixel, int first, int width)
{
	float acc[REF_MAX_PANEL];
	for (int j = 0; j < width; j++)
		acc[j] = bias[j];
	for (int s = 0; s < row->segs; s++) {
		const float *a = row->seg[s] + pixel * row->in_px;
		for (int k = 0; k < row->klen; k++, w += width)
			for (int j = 0; j < width; j++)
				acc[j] += a[k] * w[j];
	}
	float *out = row->out + pixel * row->out_px + (row->wrap > 0 ? pixel / row->wrap * row->gap : 0);
	for (int j = 0; j < width && first + j < row->n; j++)
		out[first + j] = vrs_epilogue_apply(&row->epilogue, acc[j], pixel, first + j);
}

void vrs_conv_f32_rows__ref(const struct vrs_conv_row *row)
{
	vrs_conv_row_contract(row);
	enum { LANES = 8 };
	const float *w = row->weights;
	ptrdiff_t k = (ptrdiff_t)row->segs * row->klen;
	for (int first = 0, left = (row->n + LANES - 1) / LANES, width; left > 0; left -= width / LANES, first += width) {
		width = VRS_PANEL_VECTORS(left) * LANES;
		for (int p = 0; p < row->pixels; p++)
			conv_pixel(row, w, row->bias + first, p, first, width);
		w += k * width;
	}
}

void vrs_conv_scale_f32__ref(float *dst, const float *packed, const float *scale, int scale_count, int k, int n, int lanes)
{
	for (int left = (n + lanes - 1) / lanes; left > 0;) {
		int width = VRS_PANEL_VECTORS(left) * lanes;
		for (int i = 0; i < k; i++, dst += width, packed += width)
			for (int j = 0; j < width; j++)
				dst[j] = packed[j] * scale[i % scale_count];
		left -= width / lanes;
	}
}
