/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Positions along curves, and bilinear samples at them. */
#include "base/assert.h"
#include "kernels/picture.h"

void vrs_remap_positions__ref(int32_t *u, int32_t *v, const struct vrs_remap_curve *curves, int count)
{
	for (int i = 0; i < count; i++) {
		const struct vrs_remap_curve *c = &curves[i];
		for (int t = 0; t < VRS_REMAP_RUN; t++) {
			int32_t steps = t * (t - 1) / 2;
			*u++ = c->u + t * c->du + steps * c->ddu;
			*v++ = c->v + t * c->dv + steps * c->ddv;
		}
	}
}

/* The sample before a position, and the share of the one after it in 128; a single sample is its own neighbour. */
static int before(int32_t position, int length, int32_t *share)
{
	int32_t most = length > 1 ? (int32_t)((uint32_t)(length - 1) << 16) - 1 : 0, at = position < 0 ? 0 : position > most ? most : position;
	VRS_ASSERT(length >= 1);
	*share = ((at & 0xffff) + 256) >> 9;
	return at >> 16;
}

/* 128 (128 a + ..) stays below 2^30 at 16 bits. */
static int32_t mix(int32_t a, int32_t b, int32_t c, int32_t d, int32_t right, int32_t down)
{
	int32_t above = a * (128 - right) + b * right, below = c * (128 - right) + d * right;
	return (above * (128 - down) + below * down + (1 << 13)) >> 14;
}

static ptrdiff_t row_step(const struct vrs_remap_plane *plane)
{
	return plane->height > 1 ? plane->stride_bytes : 0;
}

static uint8_t one_u8(const struct vrs_remap_plane *plane, int32_t u, int32_t v)
{
	int32_t right, down;
	int x = before(u, plane->width, &right), y = before(v, plane->height, &down);
	const uint8_t *above = (const uint8_t *)plane->data + plane->stride_bytes * y + x, *below = above + row_step(plane);
	int next = plane->width > 1;
	return (uint8_t)mix(above[0], above[next], below[0], below[next], right, down);
}

static uint16_t one_u16(const struct vrs_remap_plane *plane, int32_t u, int32_t v)
{
	int32_t right, down;
	int x = before(u, plane->width, &right), y = before(v, plane->height, &down);
	const uint8_t *row = (const uint8_t *)plane->data + plane->stride_bytes * y;
	const uint16_t *above = (const uint16_t *)(const void *)row + x;
	const uint16_t *below = (const uint16_t *)(const void *)(row + row_step(plane)) + x;
	int next = plane->width > 1;
	return (uint16_t)mix(above[0], above[next], below[0], below[next], right, down);
}

void vrs_remap_sample_u8__ref(uint8_t *dst, const struct vrs_remap_plane *plane, const int32_t *u, const int32_t *v, int n)
{
	for (int i = 0; i < n; i++)
		dst[i] = one_u8(plane, u[i], v[i]);
}

void vrs_remap_sample_u16__ref(uint16_t *dst, const struct vrs_remap_plane *plane, const int32_t *u, const int32_t *v, int n)
{
	for (int i = 0; i < n; i++)
		dst[i] = one_u16(plane, u[i], v[i]);
}
