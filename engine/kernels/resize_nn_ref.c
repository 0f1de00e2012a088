/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/kernels.h"
#include "kernels/row_contract.h"

void vrs_resize_f32_rows__ref(const struct vrs_resize_row *row)
{
	vrs_resize_row_contract(row);
	const float *in = row->row0;
	ptrdiff_t px = row->in_px;
	if (row->wy != 0.0f) {
		for (int p = 0; p < row->in_pixels; p++) {
			for (int c = 0; c < row->channels; c++) {
				float a = row->row0[p * px + c], b = row->row1[p * px + c];
				row->blend[(ptrdiff_t)p * row->channels + c] = a + row->wy * (b - a);
			}
		}
		in = row->blend;
		px = row->channels;
	}
	for (int p = 0; p < row->pixels; p++) {
		const float *a = in + row->x0[p] * px, *b = in + row->x1[p] * px;
		for (int c = 0; c < row->channels; c++) {
			struct vrs_epilogue e = row->epilogue;
			float scaled;
			if (e.residual) {
				scaled = e.residual[p * e.residual_px + c] * (row->residual_scale ? row->residual_scale[c] : 1.0f);
				e.residual = &scaled;
			}
			row->out[p * row->out_px + c] = vrs_epilogue_apply(&e, a[c] + row->wx[p] * (b[c] - a[c]), 0, 0);
		}
	}
}
