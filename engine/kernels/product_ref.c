/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/kernels.h"

void vrs_dot_f32_rows__ref(const float *a, ptrdiff_t a_px, int pixels, const float *b, int k, float *out, ptrdiff_t out_px)
{
	enum { LANES = 8 };
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
