/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/kernels.h"
#include "kernels/row_contract.h"

size_t vrs_deconv_scratch(const struct vrs_deconv_row *row)
{
	return (size_t)row->channels * (size_t)(row->taps + row->stride) * VRS_DECONV_PLANE(row);
}

void vrs_deconv_f32_rows__ref(const struct vrs_deconv_row *row)
{
	int channels = row->channels;
	vrs_deconv_row_contract(row);
	for (int x = 0; x < row->width; x++)
		for (int c = 0; c < channels; c++)
			row->out[x * channels + c] = row->bias[c];
	for (int i = 0; i < row->pixels; i++)
		for (int k = 0; k < row->taps; k++) {
			int x = i * row->stride + k * row->dilation - row->pad;
			for (int r = 0; r < row->rows && x >= 0 && x < row->width; r++)
				for (int c = 0; c < channels; c++)
					row->out[x * channels + c] += row->products[r][i * row->px + k * channels + c];
		}
}
