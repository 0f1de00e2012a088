/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "kernels/kernels.h"
#include "kernels/row_contract.h"

static float window(const struct vrs_pool_row *row, int x, int c)
{
	float acc = row->max ? -INFINITY : 0.0f;
	int taps = 0;
	for (int r = 0; r < row->row_count; r++) {
		for (int q = 0; q < row->kw; q++) {
			int i = x + q * row->dilation;
			if (i < 0 || i >= row->in_pixels)
				continue;
			float v = row->rows[r][i * row->in_px + c];
			acc = !row->max ? acc + v : acc > v ? acc : v; /* a NaN as the vectors' maximum has it */
			taps++;
		}
	}
	if (row->max)
		return acc;
	int divisor = row->divisor ? row->divisor : taps ? taps : 1;
	return acc * (1.0f / (float)divisor);
}

void vrs_pool_f32_rows__ref(const struct vrs_pool_row *row)
{
	vrs_pool_row_contract(row);
	for (int p = 0; p < row->pixels; p++)
		for (int c = 0; c < row->channels; c++)
			row->out[p * row->out_px + c] = window(row, p * row->stride - row->pad_left, c);
}

void vrs_row_sum_f32__ref(const float *in, ptrdiff_t in_px, int pixels, int channels, float *sum)
{
	for (int c = 0; c < channels; c++) {
		float even = 0.0f, odd = 0.0f;
		for (int p = 0; p + 2 <= pixels; p += 2) {
			even += in[p * in_px + c];
			odd += in[(p + 1) * in_px + c];
		}
		if (pixels % 2)
			even += in[(pixels - 1) * in_px + c];
		sum[c] = even + odd;
	}
}
