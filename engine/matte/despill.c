/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/despill.h"

#include <string.h>

#define BOUND 8192 /* alpha15 of 1/4 */

static int32_t clean(int32_t sample, int32_t ground, int32_t alpha, int strength, int top)
{
	int64_t part = (int64_t)(VRS_ALPHA15_ONE - alpha) * strength / VRS_DESPILL_ONE;
	int64_t value = sample + (int64_t)(sample - ground) * part / (alpha > BOUND ? alpha : BOUND);
	return value < 0 ? 0 : value > top ? top : (int32_t)value;
}

void vrs_despill_row(uint8_t *dst, const uint8_t *src, const uint8_t *ground, const struct vrs_matte_row *row, int strength, int sample_bytes,
		     int top, int n)
{
	const uint16_t *src16 = (const uint16_t *)(const void *)src, *ground16 = (const uint16_t *)(const void *)ground;
	uint16_t *dst16 = (uint16_t *)(void *)dst;
	if (dst != src)
		memcpy(dst, src, (size_t)n * (size_t)sample_bytes);
	for (int x = 0; x < n; x++) {
		if (x + 4 <= n && vrs_matte_row_plain_four(row, x)) {
			x += 3;
			continue;
		}
		int32_t alpha = vrs_matte_row_alpha(row, x);
		if (alpha == 0 || alpha == VRS_ALPHA15_ONE)
			continue;
		if (sample_bytes == 1)
			dst[x] = (uint8_t)clean(src[x], ground[x], alpha, strength, top);
		else
			dst16[x] = (uint16_t)clean(src16[x], ground16[x], alpha, strength, top);
	}
}
