/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bfloat16 is the upper half of a binary32: rounding is integer arithmetic on the bits. */
#include <string.h>

#include "kernels/kernels.h"

void vrs_bf16_to_float__ref(const uint16_t *in, float *out, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t bits = (uint32_t)in[i] << 16;
		memcpy(&out[i], &bits, sizeof bits);
	}
}

/* To nearest even: half a unit less one, plus the last bit that stays; a carry into the exponent is right, up to infinity. */
void vrs_float_to_bf16__ref(const float *in, uint16_t *out, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t bits;
		memcpy(&bits, &in[i], sizeof bits);
		bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
		out[i] = (uint16_t)(nan ? bits >> 16 | 0x40u : (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
	}
}
