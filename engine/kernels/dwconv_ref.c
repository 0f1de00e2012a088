/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/kernels.h"
#include "kernels/row_contract.h"

void vrs_dwconv_f32_rows__ref(const struct vrs_dwconv_row *row)
{
	vrs_dwconv_row_contract(row);
	enum { LANES = 8 };
	int taps = row->kh * row->kw;
	for (int p = 0; p < row->pixels; p++) {
		for (int c = 0; c < row->channels; c++) {
			const float *w = row->weights + (ptrdiff_t)(c / LANES) * (1 + taps) * LANES + c % LANES;
			float acc = w[0];
			for (int t = 0; t < taps; t++)
				acc += row->rows[t / row->kw][p * row->step + t % row->kw * row->tap + c] * w[(1 + t) * LANES];
			row->out[p * row->out_px + c] = vrs_epilogue_apply(&row->epilogue, acc, p, c);
		}
	}
}
