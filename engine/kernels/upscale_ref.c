/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Horizontal bilinear up-scale of one matte row. */
#include "kernels/picture.h"

void vrs_upscale_row__ref(uint16_t *dst, const uint16_t *src, const int32_t *index, const int16_t *weight, int n)
{
	for (int x = 0; x < n; x++) {
		int32_t left = src[index[x]], right = src[index[x] + 1];
		dst[x] = (uint16_t)((left * (VRS_WEIGHT_ONE - weight[x]) + right * weight[x] + (1 << (VRS_WEIGHT_BITS - 1))) >> VRS_WEIGHT_BITS);
	}
}
