/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One bilinear sample of a remapped plane, in plain C: the definition that the vectors follow, and what they do with samples that fill none. */
#ifndef VRS_KERNELS_REMAP_SAMPLE_H
#define VRS_KERNELS_REMAP_SAMPLE_H

#include "base/assert.h"
#include "kernels/picture.h"

/* The sample before a position, and the share of the one after it in 128. */
static inline int vrs_remap_before(int32_t position, int length, int32_t *share)
{
	int32_t most = (int32_t)((uint32_t)(length - 1) << 16) - 1, at = position < 0 ? 0 : position > most ? most : position;
	VRS_ASSERT(length >= 2); /* a sample and the one after it */
	*share = ((at & 0xffff) + 256) >> 9;
	return at >> 16;
}

/* 128 (128 a + ..) stays below 2^30 at 16 bits. */
static inline int32_t vrs_remap_mix(int32_t a, int32_t b, int32_t c, int32_t d, int32_t right, int32_t down)
{
	int32_t above = a * (128 - right) + b * right, below = c * (128 - right) + d * right;
	return (above * (128 - down) + below * down + (1 << 13)) >> 14;
}

static inline uint8_t vrs_remap_one_u8(const struct vrs_remap_plane *plane, int32_t u, int32_t v)
{
	int32_t right, down;
	int x = vrs_remap_before(u, plane->width, &right), y = vrs_remap_before(v, plane->height, &down);
	const uint8_t *above = (const uint8_t *)plane->data + plane->stride_bytes * y + x, *below = above + plane->stride_bytes;
	return (uint8_t)vrs_remap_mix(above[0], above[1], below[0], below[1], right, down);
}

static inline uint16_t vrs_remap_one_u16(const struct vrs_remap_plane *plane, int32_t u, int32_t v)
{
	int32_t right, down;
	int x = vrs_remap_before(u, plane->width, &right), y = vrs_remap_before(v, plane->height, &down);
	const uint8_t *row = (const uint8_t *)plane->data + plane->stride_bytes * y;
	const uint16_t *above = (const uint16_t *)(const void *)row + x;
	const uint16_t *below = (const uint16_t *)(const void *)(row + plane->stride_bytes) + x;
	return (uint16_t)vrs_remap_mix(above[0], above[1], below[0], below[1], right, down);
}

#endif
