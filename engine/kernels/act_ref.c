/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/kernels.h"
#include "kernels/row_contract.h"

#include <math.h>

static float clamp(float x, float lo, float hi)
{
	return x < lo ? lo : x > hi ? hi : x;
}

static float sigmoid(float x)
{
	return 1.0f / (1.0f + expf(-x));
}

/* Functions of rows only, in double. */
static double function(enum vrs_kernel_act act, double lo, double hi, double x)
{
	switch (act) {
	case VRS_KACT_ELU: return x < 0 ? lo * expm1(x) : x;
	case VRS_KACT_SELU: return hi * (x < 0 ? lo * expm1(x) : x);
	case VRS_KACT_GELU: return x * 0.5 * erfc(-x * 0.70710678118654752440);
	case VRS_KACT_GELU_TANH: return x / (1 + exp(-1.5957691216057308 * (x + 0.044715 * x * x * x)));
	case VRS_KACT_SOFTPLUS: return fmax(x, 0) + log1p(exp(-fabs(x)));
	case VRS_KACT_MISH: return x * tanh(fmax(x, 0) + log1p(exp(-fabs(x))));
	case VRS_KACT_SOFTSIGN: return x / (1 + fabs(x));
	case VRS_KACT_LINEAR: return lo * x + hi;
	case VRS_KACT_ERF: return erf(x);
	case VRS_KACT_ABS: return fabs(x);
	case VRS_KACT_NEG: return -x;
	case VRS_KACT_SQRT: return sqrt(x);
	case VRS_KACT_EXP: return exp(x);
	case VRS_KACT_LOG: return log(x);
	case VRS_KACT_FLOOR: return floor(x);
	case VRS_KACT_CEIL: return ceil(x);
	case VRS_KACT_ROUND: return nearbyint(x);
	case VRS_KACT_SIGN: return x > 0 ? 1 : x < 0 ? -1 : x;
	case VRS_KACT_RECIPROCAL: return 1 / x;
	default: return x;
	}
}

static float act_scalar(enum vrs_kernel_act act, float lo, float hi, float x)
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
	default: return (float)function(act, (double)lo, (double)hi, (double)x);
	}
}

float vrs_epilogue_apply(const struct vrs_epilogue *epilogue, float x, ptrdiff_t pixel, ptrdiff_t channel)
{
	float residual = epilogue->residual ? epilogue->residual[pixel * epilogue->residual_px + channel] : 0.0f;
	if (epilogue->residual && epilogue->residual_before)
		x += residual;
	x = act_scalar(epilogue->act, epilogue->lo, epilogue->hi, x);
	return epilogue->residual && !epilogue->residual_before ? x + residual : x;
}

void vrs_act_f32_rows__ref(const struct vrs_act_row *row)
{
	vrs_act_row_contract(row);
	for (size_t i = 0; i < row->count; i++)
		row->out[i] = act_scalar(row->act, row->lo, row->hi, row->in[i]);
}
