/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph/half.h"

#include <math.h>
#include <string.h>

float vrs_half_to_float(uint16_t half)
{
	float value;

	vrs_half_to_floats(&value, &half, 1);
	return value;
}

/* Without branches, so that the compiler makes vector code of it: weights of whole networks go through here. */
void vrs_half_to_floats(float *to, const void *halves, size_t count)
{
	const unsigned char *from = halves;

	for (size_t i = 0; i < count; i++) {
		uint16_t half;
		memcpy(&half, from + 2 * i, sizeof half);
		uint32_t exponent = half & 0x7c00u, mantissa = half & 0x3ffu;
		float tiny = (float)(int32_t)mantissa * 0x1p-24f;
		uint32_t tiny_bits, bits = ((uint32_t)half & 0x7fffu) << 13;

		memcpy(&tiny_bits, &tiny, sizeof tiny_bits);
		bits += exponent == 0x7c00u ? 224u << 23 : 112u << 23;
		bits = exponent == 0 ? tiny_bits : bits;
		bits |= (uint32_t)(half & 0x8000u) << 16;
		memcpy(&to[i], &bits, sizeof bits);
	}
}

uint16_t vrs_half_from_float(float value)
{
	uint32_t bits, magnitude, half, dropped;
	uint16_t sign;
	int shift = 13;

	memcpy(&bits, &value, sizeof bits);
	sign = (uint16_t)(bits >> 16 & 0x8000u);
	magnitude = bits & 0x7fffffffu;
	if (magnitude > 0x7f800000u) /* NaN: quiet, upper payload kept */
		return (uint16_t)(sign | 0x7e00u | (magnitude >> 13 & 0x3ffu));
	if (magnitude >= 0x47800000u) /* 65536 and above */
		return (uint16_t)(sign | 0x7c00u);
	if (magnitude < 0x33000000u) /* below half of the smallest subnormal, 2^-25 */
		return sign;
	if (magnitude < 0x38800000u) { /* subnormal result: shift the significand with its hidden bit */
		shift = 126 - (int)(magnitude >> 23);
		magnitude = (magnitude & 0x7fffffu) | 0x800000u;
	} else {
		magnitude -= 112u << 23; /* exponent bias 127 to 15 */
	}
	half = magnitude >> shift;
	dropped = magnitude & ((1u << shift) - 1);
	if (dropped > 1u << (shift - 1) || (dropped == 1u << (shift - 1) && (half & 1) != 0))
		half++; /* a carry into the exponent is right, up to infinity */
	return (uint16_t)(sign | half);
}

/* The upper half of the float's bits. */
float vrs_bf16_to_float(uint16_t bits)
{
	uint32_t wide = (uint32_t)bits << 16;
	float value;

	memcpy(&value, &wide, sizeof value);
	return value;
}

uint16_t vrs_bf16_from_float(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof bits);
	if (isnan(value))
		return (uint16_t)(bits >> 16 | 0x40);
	return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16); /* a carry into the exponent is right, up to infinity */
}
