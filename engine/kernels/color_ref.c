/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Y'CbCr to network input.  The order of operations is fixed: sums left to right, no fused multiply-add (see picture.h). */
#include "kernels/picture.h"

void vrs_color_rgb_f32__ref(float *dst, const uint16_t *y, const uint16_t *u, const uint16_t *v, int n,
				   const struct vrs_color_kernel_args *args)
{
	for (int x = 0; x < n; x++) {
		float fy = y[x], fu = u[x], fv = v[x];
		for (int c = 0; c < 3; c++) {
			float value = fy * args->m[c][0] + fu * args->m[c][1] + fv * args->m[c][2] + args->bias[c];
			value = value > 0.0f ? value : 0.0f;
			value = value < 1.0f ? value : 1.0f;
			dst[3 * x + c] = value * args->scale[c] + args->offset[c];
		}
	}
}
