/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vertical interpolation of alpha and blending of one row of one plane, in one pass. */
#include "kernels/picture.h"

static inline int32_t round15(int32_t product)
{
	return (product + (1 << 14)) >> 15;
}

/* The share of the people in 1/32768: all where alpha15 is as large as it gets. */
static inline int32_t whole_share(int32_t alpha)
{
	return alpha + (alpha == 32767);
}

void vrs_composite_row_u8__ref(uint8_t *dst, const uint8_t *src, const uint16_t *above, const uint16_t *below, int weight, int background,
				      int n)
{
	for (int x = 0; x < n; x++) {
		int32_t alpha = above[x] + round15((below[x] - above[x]) * weight);
		dst[x] = (uint8_t)(background + round15((src[x] - background) * alpha));
	}
}

void vrs_composite_row_u16__ref(uint16_t *dst, const uint16_t *src, const uint16_t *above, const uint16_t *below, int weight,
				       int background, int n)
{
	for (int x = 0; x < n; x++) {
		int32_t alpha = above[x] + round15((below[x] - above[x]) * weight);
		dst[x] = (uint16_t)(background + round15((src[x] - background) * whole_share(alpha)));
	}
}

void vrs_composite_over_u8__ref(uint8_t *dst, const uint8_t *src, const uint8_t *behind, const uint16_t *above, const uint16_t *below,
				       int weight, int n)
{
	for (int x = 0; x < n; x++) {
		int32_t alpha = above[x] + round15((below[x] - above[x]) * weight);
		dst[x] = (uint8_t)(behind[x] + round15((src[x] - behind[x]) * alpha));
	}
}

void vrs_composite_over_u16__ref(uint16_t *dst, const uint16_t *src, const uint16_t *behind, const uint16_t *above, const uint16_t *below,
					int weight, int n)
{
	for (int x = 0; x < n; x++) {
		int32_t alpha = above[x] + round15((below[x] - above[x]) * weight);
		dst[x] = (uint16_t)(behind[x] + round15((src[x] - behind[x]) * whole_share(alpha)));
	}
}
