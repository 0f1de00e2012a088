/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Separable down-scale in plain C: rows first, since that touches each source sample once and in order. */
#include "kernels/picture.h"

void vrs_downscale_rows_u8__ref(uint16_t *dst, const uint8_t *src, ptrdiff_t stride_bytes, const int16_t *weights, int taps, int width)
{
	for (int x = 0; x < width; x++) {
		int32_t sum = 1 << 6;
		for (int t = 0; t < taps; t++)
			sum += src[stride_bytes * t + x] * weights[t];
		dst[x] = (uint16_t)(sum >> 7);
	}
}

void vrs_downscale_rows_u16__ref(uint16_t *dst, const uint16_t *src, ptrdiff_t stride_bytes, const int16_t *weights, int taps, int width,
					int depth)
{
	ptrdiff_t stride = stride_bytes / (ptrdiff_t)sizeof *src;
	for (int x = 0; x < width; x++) {
		int32_t sum = 1 << (depth - 2);
		for (int t = 0; t < taps; t++)
			sum += src[stride * t + x] * weights[t];
		sum >>= depth - 1;
		dst[x] = (uint16_t)(sum < VRS_SAMPLE15_TOP ? sum : VRS_SAMPLE15_TOP);
	}
}

void vrs_downscale_columns__ref(uint16_t *dst, const uint16_t *src, const int32_t *first, const int16_t *weights, int taps, int n)
{
	for (int x = 0; x < n; x++) {
		int32_t sum = 1 << (VRS_WEIGHT_BITS - 1);
		for (int t = 0; t < taps; t++)
			sum += src[first[x] + t] * weights[(ptrdiff_t)x * taps + t];
		dst[x] = (uint16_t)(sum >> VRS_WEIGHT_BITS);
	}
}

/* Horizontal bilinear up-scale of one matte row. */
void vrs_upscale_row__ref(uint16_t *dst, const uint16_t *src, const int32_t *index, const int16_t *weight, int n)
{
	for (int x = 0; x < n; x++) {
		int32_t left = src[index[x]], right = src[index[x] + 1];
		dst[x] = (uint16_t)((left * (VRS_WEIGHT_ONE - weight[x]) + right * weight[x] + (1 << (VRS_WEIGHT_BITS - 1))) >> VRS_WEIGHT_BITS);
	}
}
