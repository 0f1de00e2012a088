/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/kernels.h"
#include "kernels/row_contract.h"

void vrs_dot_f32_rows__ref(const float *a, ptrdiff_t a_px, int pixels, const float *b, int k, float *out, ptrdiff_t out_px)
{
	enum { LANES = 8 };
	VRS_ASSERT(a && b && out && pixels > 0 && k > 0);
	for (int p = 0; p < pixels; p++, a += a_px) {
		float t[LANES] = {0};
		int i = 0;
		for (; i + LANES <= k; i += LANES)
			for (int j = 0; j < LANES; j++)
				t[j] += a[i + j] * b[i + j];
		for (int j = 0; i < k; i++, j++)
			t[j] += a[i] * b[i];
		out[p * out_px] = ((t[0] + t[4]) + (t[1] + t[5])) + ((t[2] + t[6]) + (t[3] + t[7]));
	}
}

void vrs_product_f32_rows__ref(const struct vrs_product_rows *p)
{
	vrs_product_rows_contract(p);
	ptrdiff_t column = p->turned ? p->b_step : 1, along = p->turned ? 1 : p->b_step;
	for (int i = 0; i < p->rows; i++) {
		float *out = p->out + i * p->out_px;
		for (int c = p->first; c < p->end; c++)
			out[c] = 0.0f;
		for (int k = 0; k < p->k; k++)
			for (int c = p->first; c < p->end; c++)
				out[c] += p->a[i * p->a_px + k] * p->b[c * column + k * along];
	}
}
