/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/kernels.h"

/* Of n values `step` floats apart. */
static int64_t best_place(const struct vrs_arg *arg, const float *in, ptrdiff_t step, int n)
{
	float best = in[0];
	int64_t place = 0;
	for (int k = 1; k < n; k++) {
		float x = in[k * step];
		if (arg->smallest ? (arg->last ? x <= best : x < best) : (arg->last ? x >= best : x > best)) {
			best = x;
			place = k;
		}
	}
	return place;
}

void vrs_arg_f32_lines__ref(const struct vrs_arg *arg, const float *in, int n, size_t lines, int64_t *place)
{
	for (size_t i = 0; i < lines; i++)
		place[i] = best_place(arg, in + i * (size_t)n, 1, n);
}

void vrs_arg_f32_rows__ref(const struct vrs_arg *arg, const float *in, ptrdiff_t step, int n, int width, int64_t *place)
{
	for (int c = 0; c < width; c++)
		place[c] = best_place(arg, in + c, step, n);
}
