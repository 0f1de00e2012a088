/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/act.h"

#include <math.h>

static float clamp(float x, float lo, float hi)
{
	return x < lo ? lo : x > hi ? hi : x;
}

static float sigmoid(float x)
{
	return 1.0f / (1.0f + expf(-x));
}

float vrs_act_scalar(enum vrs_kernel_act act, float lo, float hi, float x)
{
	switch (act) {
	case VRS_KACT_NONE: return x;
	case VRS_KACT_CLAMP: return clamp(x, lo, hi);
	case VRS_KACT_HSWISH: return x * (1.0f / 6.0f) * clamp(x + 3.0f, 0.0f, 6.0f);
	case VRS_KACT_HSIGMOID: return clamp(x * (1.0f / 6.0f) + 0.5f, 0.0f, 1.0f);
	case VRS_KACT_SIGMOID: return sigmoid(x);
	case VRS_KACT_TANH: return tanhf(x);
	case VRS_KACT_LEAKY: return x < 0.0f ? x * lo : x;
	case VRS_KACT_SILU: return x * sigmoid(x);
	}
	return x;
}

float vrs_epilogue_apply(const struct vrs_epilogue *epilogue, float x, ptrdiff_t pixel, ptrdiff_t channel)
{
	float residual = epilogue->residual ? epilogue->residual[pixel * epilogue->residual_px + channel] : 0.0f;
	if (epilogue->residual && epilogue->residual_before)
		x += residual;
	x = vrs_act_scalar(epilogue->act, epilogue->lo, epilogue->hi, x);
	return epilogue->residual && !epilogue->residual_before ? x + residual : x;
}

void vrs_act_f32_rows__ref(const struct vrs_act_row *row)
{
	for (size_t i = 0; i < row->count; i++)
		row->out[i] = vrs_act_scalar(row->act, row->lo, row->hi, row->in[i]);
}

void vrs_softmax_f32_rows__ref(const float *in, float *out, int pixels, int channels)
{
	for (int p = 0; p < pixels; p++, in += channels, out += channels) {
		float max = in[0], sum = 0.0f;
		for (int c = 1; c < channels; c++)
			max = in[c] > max ? in[c] : max;
		for (int c = 0; c < channels; c++) {
			out[c] = expf(in[c] - max);
			sum += out[c];
		}
		for (int c = 0; c < channels; c++)
			out[c] /= sum;
	}
}
