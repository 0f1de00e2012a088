/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conversions, elementwise operations, resizing, sums and pooling of u8 rows in plain C. */
#include <string.h>

#include "kernels/epilogue_u8.h"
#include "kernels/row_contract.h"

void vrs_quantize_u8_rows__ref(const struct vrs_convert_row_u8 *row)
{
	vrs_convert_row_u8_contract(row);
	int px = VRS_U8_CHANNELS(row->channels);
	for (ptrdiff_t p = 0; p < row->pixels; p++)
		for (int c = 0; c < px; c++)
			row->q[p * px + c] = c < row->channels ? vrs_saturate_u8(fmaf(row->f[p * row->channels + c], row->scale, row->zero)) : 0;
}

void vrs_dequantize_u8_rows__ref(const struct vrs_convert_row_u8 *row)
{
	vrs_convert_row_u8_contract(row);
	int px = VRS_U8_CHANNELS(row->channels);
	for (ptrdiff_t p = 0; p < row->pixels; p++)
		for (int c = 0; c < row->channels; c++)
			row->f[p * row->channels + c] = fmaf((float)row->q[p * px + c], row->scale, row->zero);
}

static float binary(enum vrs_kernel_binary op, float a, float b)
{
	switch (op) {
	case VRS_KBIN_ADD: return a + b;
	case VRS_KBIN_SUB: return a - b;
	case VRS_KBIN_MUL: return a * b;
	case VRS_KBIN_MIN: return a < b ? a : b;
	default: return a > b ? a : b;
	}
}

void vrs_eltwise_u8_rows__ref(const struct vrs_eltwise_row_u8 *row)
{
	vrs_eltwise_row_u8_contract(row);
	for (ptrdiff_t p = 0; p < row->pixels; p++) {
		for (int c = 0; c < row->channels; c++) {
			float v = fmaf((float)row->a[p * row->a_px + c], row->a_scale, row->a_zero);
			if (!row->copy)
				v = binary(row->op, v, fmaf((float)row->b[p * row->b_px + c], row->b_scale, row->b_zero));
			v = vrs_act_scalar_u8(row->act, row->lo, row->hi, v);
			row->out[p * row->out_px + c] = vrs_saturate_u8(fmaf(v, row->out_scale, row->out_zero));
		}
	}
}

void vrs_resize_u8_rows__ref(const struct vrs_resize_row_u8 *row)
{
	vrs_resize_row_u8_contract(row);
	size_t count = (size_t)row->in_pixels * (size_t)row->channels;
	for (size_t i = 0; i < count; i++) {
		int below = row->wy ? row->row1[i] * row->wy : 0, above = row->wy < 128 ? row->row0[i] * (128 - row->wy) : 0;
		row->blend[i] = (uint16_t)(above + below);
	}
	for (ptrdiff_t p = 0; p < row->pixels; p++) {
		const uint16_t *b0 = row->blend + (ptrdiff_t)row->x0[p] * row->channels, *b1 = row->blend + (ptrdiff_t)row->x1[p] * row->channels;
		for (int c = 0; c < row->channels; c++) {
			int32_t sum = b0[c] * (128 - row->wx[p]) + b1[c] * row->wx[p];
			float v = fmaf((float)sum, row->scale, row->zero);
			row->out[p * row->out_px + c] = vrs_saturate_u8(vrs_epilogue_scalar_u8(&row->epilogue, v, p, c, row->residual_factor));
		}
	}
}

void vrs_row_sum_u8__ref(const uint8_t *in, ptrdiff_t in_px, int pixels, int channels, int32_t *sum)
{
	memset(sum, 0, (size_t)channels * sizeof *sum);
	for (int p = 0; p < pixels; p++, in += in_px)
		for (int c = 0; c < channels; c++)
			sum[c] += in[c];
}

void vrs_max_pool_u8_rows__ref(const struct vrs_pool_row_u8 *row)
{
	vrs_pool_row_u8_contract(row);
	for (int p = 0; p < row->pixels; p++) {
		uint8_t *out = row->out + p * row->out_px;
		memset(out, 0, (size_t)row->channels);
		for (int t = 0; t < row->kw; t++) {
			int64_t x = (int64_t)p * row->stride - row->pad_left + (int64_t)t * row->dilation;
			if (x < 0 || x >= row->in_pixels)
				continue;
			for (int r = 0; r < row->row_count; r++) {
				const uint8_t *in = row->rows[r] + x * row->in_px;
				for (int c = 0; c < row->channels; c++)
					out[c] = in[c] > out[c] ? in[c] : out[c];
			}
		}
	}
}
