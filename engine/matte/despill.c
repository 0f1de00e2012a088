/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/despill.h"

#include <stdbool.h>
#include <string.h>

#define BOUND 8192 /* alpha15 of 1/4 */

/* Are this column and the next three the people's inside, or nothing: most of every row? */
static bool is_plain(const struct vrs_matte_row *row, int x)
{
	uint64_t above, below;
	memcpy(&above, row->above + row->first + x, sizeof above);
	memcpy(&below, row->below + row->first + x, sizeof below);
	return above == below && (above == 0 || above == UINT64_C(0x7fff7fff7fff7fff));
}

static int32_t clean(int32_t sample, int32_t ground, int32_t alpha, int strength, int top)
{
	int64_t part = (int64_t)(VRS_ALPHA15_ONE - alpha) * strength / VRS_DESPILL_ONE;
	int64_t value = sample + (int64_t)(sample - ground) * part / (alpha > BOUND ? alpha : BOUND);
	return value < 0 ? 0 : value > top ? top : (int32_t)value;
}

void vrs_despill_row(uint8_t *samples, const uint8_t *ground, const struct vrs_matte_row *row, int strength, int sample_bytes,
		     int top, int n)
{
	const uint16_t *ground16 = (const uint16_t *)(const void *)ground;
	uint16_t *samples16 = (uint16_t *)(void *)samples;
	for (int x = 0; x < n; x++) {
		if (x + 4 <= n && is_plain(row, x)) {
			x += 3;
			continue;
		}
		int32_t alpha = vrs_matte_row_alpha(row, x);
		if (alpha == 0 || alpha == VRS_ALPHA15_ONE)
			continue;
		if (sample_bytes == 1)
			samples[x] = (uint8_t)clean(samples[x], ground[x], alpha, strength, top);
		else
			samples16[x] = (uint16_t)clean(samples16[x], ground16[x], alpha, strength, top);
	}
}
