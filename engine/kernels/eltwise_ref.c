/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "kernels/kernels.h"
#include "kernels/row_contract.h"

static float binary(enum vrs_kernel_binary op, float a, float b)
{
	switch (op) {
	case VRS_KBIN_ADD: return a + b;
	case VRS_KBIN_SUB: return a - b;
	case VRS_KBIN_MUL: return a * b;
	case VRS_KBIN_DIV: return a / b;
	case VRS_KBIN_MIN: return a < b || isnan(a) ? a : b;
	case VRS_KBIN_MAX: return a > b || isnan(a) ? a : b;
	case VRS_KBIN_PRELU: return a < 0.0f ? a * b : a;
	}
	return 0.0f;
}

void vrs_eltwise_f32_rows__ref(const struct vrs_eltwise_row *row)
{
	vrs_eltwise_row_contract(row);
	for (int p = 0; p < row->pixels; p++) {
		const float *a = row->a + p * row->a_px, *b = row->b + p * row->b_px;
		for (int c = 0; c < row->channels; c++)
			row->out[p * row->out_px + c] = vrs_epilogue_apply(&row->epilogue, binary(row->op, a[c * row->a_ch], b[c * row->b_ch]), p, c);
	}
}

/* IEEE 754 binary16 to binary32: exact. */
static float half_value(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000u) << 16, exponent = (h >> 10) & 0x1fu, fraction = h & 0x3ffu, bits;
	if (exponent == 31) {
		bits = sign | 0x7f800000u | fraction << 13 | (fraction ? 0x400000u : 0);
	} else if (exponent) {
		bits = sign | (exponent + 112) << 23 | fraction << 13;
	} else {
		float value = (float)fraction * 0x1p-24f; /* zero and subnormal */
		memcpy(&bits, &value, sizeof bits);
		bits |= sign;
	}
	float value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

/* binary32 to binary16, to nearest even, as F16C does it. */
static uint16_t half_bits(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	uint32_t sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7fffffffu;
	if (magnitude > 0x7f800000u)
		return (uint16_t)(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
	if (magnitude >= 0x477ff000u) /* rounds to 65536 or more */
		return (uint16_t)(sign | 0x7c00u);
	if (magnitude < 0x38800000u) { /* subnormal half: let the float addition round at bit 2^-24 */
		float positive, magic = 0.5f;
		memcpy(&positive, &magnitude, sizeof positive);
		positive += magic;
		memcpy(&magnitude, &positive, sizeof magnitude);
		return (uint16_t)(sign | (magnitude - 0x3f000000u));
	}
	uint32_t odd = (magnitude >> 13) & 1u;
	return (uint16_t)(sign | ((magnitude - 0x38000000u + 0xfffu + odd) >> 13));
}

void vrs_half_to_float__ref(const uint16_t *in, float *out, size_t count)
{
	for (size_t i = 0; i < count; i++)
		out[i] = half_value(in[i]);
}

void vrs_float_to_half__ref(const float *in, uint16_t *out, size_t count)
{
	for (size_t i = 0; i < count; i++)
		out[i] = half_bits(in[i]);
}
