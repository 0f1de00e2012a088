/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dense convolution of u8 rows in plain C. */
#include "kernels/epilogue_u8.h"
#include "kernels/row_contract.h"
#include "kernels/weight_pack.h"

#define MAX_PANEL 24

static void conv_pixel(const struct vrs_conv_row_u8 *row, const int8_t *w, ptrdiff_t pixel, int first, int width)
{
	int32_t acc[MAX_PANEL] = {0};
	for (int s = 0; s < row->segs; s++) {
		const uint8_t *a = row->seg[s] + pixel * row->in_px;
		for (int k = 0; k < row->klen; k += 4, w += 4 * width)
			for (int j = 0; j < width; j++)
				acc[j] += a[k] * w[4 * j] + a[k + 1] * w[4 * j + 1] + a[k + 2] * w[4 * j + 2] + a[k + 3] * w[4 * j + 3];
	}
	for (int j = 0; j < width && first + j < row->n; j++) {
		float v = fmaf((float)acc[j], row->mult[first + j], row->bias[first + j]);
		v = vrs_epilogue_scalar_u8(&row->epilogue, v, pixel, first + j, NULL);
		ptrdiff_t at = pixel * row->out_px + first + j;
		if (row->out_float)
			row->out_float[at] = v;
		else
			row->out[at] = vrs_saturate_u8(v);
	}
}

void vrs_conv_u8_rows__ref(const struct vrs_conv_row_u8 *row)
{
	vrs_conv_row_u8_contract(row);
	enum { LANES = 8 };
	const int8_t *w = row->weights;
	ptrdiff_t k = (ptrdiff_t)row->segs * row->klen;
	for (int first = 0, left = (row->n + LANES - 1) / LANES, width; left > 0; left -= width / LANES, first += width) {
		width = VRS_PANEL_VECTORS(left) * LANES;
		for (int p = 0; p < row->pixels; p++)
			conv_pixel(row, w, p, first, width);
		w += k * width;
	}
}
