/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Depthwise convolution of u8 rows in plain C. */
#include <string.h>

#include "kernels/epilogue_u8.h"
#include "kernels/row_contract.h"
#include "kernels/weight_pack_u8.h"

/* Weight of row ky in the packed group: one byte, or a 16-bit number when the group has one row. */
static int32_t weight_at(const int8_t *group, int channel, int ky, bool single)
{
	enum { COPIES = 2 };
	const int8_t *quad = group + (channel / 4 * COPIES * 4 + channel % 4) * 4;
	int16_t wide;
	memcpy(&wide, quad, sizeof wide);
	return single ? wide : quad[ky];
}

static int32_t dw_sum(const struct vrs_dwconv_row_u8 *row, const int8_t *w, ptrdiff_t pixel, int first, int c)
{
	enum { GROUP = VRS_U8_DW_BLOCK * 8 };
	int32_t sum = 0;
	for (int kx = 0; kx < row->kw; kx++) {
		for (int ky = 0; ky < row->kh; ky += 4, w += GROUP) {
			int rows = row->kh - ky < 4 ? row->kh - ky : 4;
			for (int r = 0; r < rows; r++)
				sum += row->rows[ky + r][pixel * row->step + kx * row->tap + first + c] * weight_at(w, c, r, rows == 1);
		}
	}
	return sum;
}

void vrs_dwconv_u8_rows__ref(const struct vrs_dwconv_row_u8 *row)
{
	vrs_dwconv_row_u8_contract(row);
	size_t block = vrs_pack_dwconv_u8_size(VRS_U8_DW_BLOCK, row->kh, row->kw, 8);
	for (int p = 0; p < row->pixels; p++) {
		const int8_t *w = row->weights;
		for (int at = 0; at < row->channels; at += VRS_U8_DW_BLOCK, w += block) {
			int first = vrs_u8_dw_first(at, row->channels);
			for (int c = 0; c < VRS_U8_DW_BLOCK && first + c < row->channels; c++) {
				float v = fmaf((float)dw_sum(row, w, p, first, c), row->mult[first + c], row->bias[first + c]);
				v = vrs_epilogue_scalar_u8(&row->epilogue, v, p, first + c, NULL);
				row->out[p * row->out_px + first + c] = vrs_saturate_u8(v);
			}
		}
	}
}
