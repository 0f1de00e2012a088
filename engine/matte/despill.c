/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/despill.h"

#include <string.h>

#define OPAQUE 32767
#define BOUND 8192 /* alpha15 of 1/4 */
#define OPAQUE_FOUR UINT64_C(0x7fff7fff7fff7fff)

static int32_t clean(int32_t sample, int32_t ground, int32_t alpha, int strength, int top)
{
	int64_t part = (int64_t)(OPAQUE - alpha) * strength / VRS_DESPILL_ONE;
	int64_t value = sample + (int64_t)(sample - ground) * part / (alpha > BOUND ? alpha : BOUND);
	return value < 0 ? 0 : value > top ? top : (int32_t)value;
}

static int32_t alpha_at(const struct vrs_matte_row *row, int x)
{
	int32_t above = row->above[row->first + x], below = row->below[row->first + x];
	return above + (((below - above) * row->weight + (1 << 14)) >> 15);
}

/* Four columns of the people's inside, or of nothing: most of every row. */
static bool plain_four(const struct vrs_matte_row *row, int x)
{
	uint64_t above, below;
	memcpy(&above, row->above + row->first + x, sizeof above);
	memcpy(&below, row->below + row->first + x, sizeof below);
	return above == below && (above == OPAQUE_FOUR || above == 0);
}

void vrs_despill_row(uint8_t *dst, const uint8_t *src, const uint8_t *ground, const struct vrs_matte_row *row, int strength, int sample_bytes,
		     int top, int n)
{
	const uint16_t *src16 = (const uint16_t *)(const void *)src, *ground16 = (const uint16_t *)(const void *)ground;
	uint16_t *dst16 = (uint16_t *)(void *)dst;
	if (dst != src)
		memcpy(dst, src, (size_t)n * (size_t)sample_bytes);
	for (int x = 0; x < n; x++) {
		if (x + 4 <= n && plain_four(row, x)) {
			x += 3;
			continue;
		}
		int32_t alpha = alpha_at(row, x);
		if (alpha == 0 || alpha == OPAQUE)
			continue;
		if (sample_bytes == 1)
			dst[x] = (uint8_t)clean(src[x], ground[x], alpha, strength, top);
		else
			dst16[x] = (uint16_t)clean(src16[x], ground16[x], alpha, strength, top);
	}
}
