/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "kernels/kernels.h"
#include "kernels/row_contract.h"

static float start(enum vrs_kernel_reduce op)
{
	return op == VRS_KRED_MAX ? -INFINITY : op == VRS_KRED_MIN ? INFINITY : op == VRS_KRED_PRODUCT ? 1.0f : 0.0f;
}

static float step_of(enum vrs_kernel_reduce op, float total, float x, float shift)
{
	switch (op) {
	case VRS_KRED_SUM: return total + x;
	case VRS_KRED_ABS: return total + fabsf(x);
	case VRS_KRED_SQUARE: return total + (x - shift) * (x - shift);
	case VRS_KRED_MAX: return x > total || isnan(x) ? x : total;
	case VRS_KRED_MIN: return x < total || isnan(x) ? x : total;
	case VRS_KRED_PRODUCT: return total * x;
	}
	return total;
}

float vrs_reduce_f32_line__ref(enum vrs_kernel_reduce op, const float *in, size_t count, float shift)
{
	float total = start(op);
	for (size_t i = 0; i < count; i++)
		total = step_of(op, total, in[i], shift);
	return total;
}

void vrs_reduce_f32_lines__ref(enum vrs_kernel_reduce op, const float *in, int n, size_t lines, float *total)
{
	for (size_t i = 0; i < lines; i++)
		total[i] = vrs_reduce_f32_line__ref(op, in + i * (size_t)n, (size_t)n, 0.0f);
}

void vrs_reduce_f32_rows__ref(enum vrs_kernel_reduce op, const float *in, ptrdiff_t step, int rows, int width, const float *shift, float *total)
{
	for (int c = 0; c < width; c++) {
		total[c] = start(op);
		for (int r = 0; r < rows; r++)
			total[c] = step_of(op, total[c], in[r * step + c], shift ? shift[c] : 0.0f);
	}
}

void vrs_norm_f32_line__ref(const float *in, size_t count, float mean, float factor, const float *scale, const float *bias, float *out)
{
	for (size_t i = 0; i < count; i++)
		out[i] = (in[i] - mean) * factor * (scale ? scale[i] : 1.0f) + (bias ? bias[i] : 0.0f);
}

void vrs_norm_f32_rows__ref(const float *in, ptrdiff_t px, int pixels, int channels, const float *mean, const float *factor, const float *bias,
			    float *out)
{
	for (int p = 0; p < pixels; p++)
		for (int c = 0; c < channels; c++)
			out[p * px + c] = (in[p * px + c] - mean[c]) * factor[c] + bias[c];
}

void vrs_blend_f32_rows__ref(const float *const *rows, const float *weights, int count, float *out, size_t floats)
{
	for (size_t i = 0; i < floats; i++) {
		float sum = 0;
		for (int k = 0; k < count; k++)
			sum += weights[k] * rows[k][i];
		out[i] = sum;
	}
}
