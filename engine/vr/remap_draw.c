/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures through a map: positions of some runs at a time, samples at all of them in one call, then what the source does not show. */
#include "vr/remap_table.h"

#include <string.h>

#define RUN VRS_REMAP_RUN
#define CHUNK 16                /* runs that are drawn at a time */

void vrs_remap_row(const struct vrs_remap *map, int y, int *ret_first, int *ret_end)
{
	*ret_first = map->span[y][0];
	*ret_end = map->span[y][1];
}

uint32_t vrs_remap_run(const struct vrs_remap *map, int run, int y, int32_t u[RUN], int32_t v[RUN])
{
	size_t at = (size_t)y * (size_t)map->runs + (size_t)run;
	int32_t exact = map->exact[at];

	if (exact == VRS_REMAP_ON_CURVE) {
		vrs_picture_kernels()->remap_positions(u, v, &map->curves[at], 1);
	} else {
		const struct vrs_remap_positions *positions = &map->positions[exact & ~VRS_REMAP_SEAM];
		memcpy(u, positions->u, sizeof positions->u);
		memcpy(v, positions->v, sizeof positions->v);
	}
	return map->inside[at];
}

static int sample_at(const struct vrs_remap_plane *plane, int sample_bytes, int x, int y)
{
	const uint8_t *row = (const uint8_t *)plane->data + plane->stride_bytes * y;

	return sample_bytes == 1 ? row[x] : ((const uint16_t *)(const void *)row)[x];
}

static void put(void *dst, int sample_bytes, int i, int value)
{
	if (sample_bytes == 1)
		((uint8_t *)dst)[i] = (uint8_t)value;
	else
		((uint16_t *)dst)[i] = (uint16_t)value;
}

/* The kernels' arithmetic, with column 0 to the right of the last one. */
static void sample_around(void *dst, int sample_bytes, const struct vrs_remap_plane *plane, const struct vrs_remap_positions *positions,
			  uint32_t inside)
{
	for (int t = 0; t < RUN; t++) {
		if (!(inside >> t & 1))
			continue;
		int32_t most = ((plane->height - 1) << 16) - 1, v = positions->v[t] < 0 ? 0 : positions->v[t] > most ? most : positions->v[t];
		int x = (positions->u[t] >> 16) % plane->width, next = x + 1 == plane->width ? 0 : x + 1, y = v >> 16;
		int32_t right = ((positions->u[t] & 0xffff) + 256) >> 9, down = ((v & 0xffff) + 256) >> 9;
		int32_t above = sample_at(plane, sample_bytes, x, y) * (128 - right) + sample_at(plane, sample_bytes, next, y) * right;
		int32_t below = sample_at(plane, sample_bytes, x, y + 1) * (128 - right) + sample_at(plane, sample_bytes, next, y + 1) * right;
		put(dst, sample_bytes, t, (above * (128 - down) + below * down + (1 << 13)) >> 14);
	}
}

/* Runs [run, run + count) of a row; dst is their first sample. */
static void draw_chunk(const struct vrs_remap *map, void *dst, int sample_bytes, const struct vrs_remap_plane *source, int fill, int y, int run,
		       int count)
{
	const struct vrs_picture_kernels *kernels = vrs_picture_kernels();
	size_t at = (size_t)y * (size_t)map->runs + (size_t)run;
	int width = map->options.target_grid.width - run * RUN, n = width < count * RUN ? width : count * RUN;
	int32_t u[CHUNK * RUN], v[CHUNK * RUN];

	kernels->remap_positions(u, v, map->curves + at, count);
	for (int i = 0; i < count; i++)
		if (map->exact[at + (size_t)i] != VRS_REMAP_ON_CURVE)
			(void)vrs_remap_run(map, run + i, y, u + i * RUN, v + i * RUN); /* the bits are looked at below */
	if (sample_bytes == 1)
		kernels->remap_sample_u8(dst, source, u, v, n);
	else
		kernels->remap_sample_u16(dst, source, u, v, n);
	for (int i = 0; i < count; i++) {
		uint32_t inside = map->inside[at + (size_t)i];
		int32_t exact = map->exact[at + (size_t)i];
		void *part = (uint8_t *)dst + (size_t)(i * RUN) * (size_t)sample_bytes;
		if (exact != VRS_REMAP_ON_CURVE && (exact & VRS_REMAP_SEAM))
			sample_around(part, sample_bytes, source, &map->positions[exact & ~VRS_REMAP_SEAM], inside);
		for (int t = 0; inside != VRS_REMAP_ALL && t < RUN && i * RUN + t < n; t++)
			if (!(inside >> t & 1))
				put(part, sample_bytes, t, fill);
	}
}

void vrs_remap_draw(const struct vrs_remap *map, const struct vrs_remap_canvas *canvas, const struct vrs_remap_plane *source, int fill, int y0,
		    int y1)
{
	int bytes = canvas->sample_bytes, width = map->options.target_grid.width;

	for (int y = y0; y < y1; y++) {
		uint8_t *row = (uint8_t *)canvas->data + canvas->stride_bytes * y;
		int first = map->span[y][0], end = map->span[y][1];
		vrs_samples_fill(row, fill, first * RUN < width ? first * RUN : width, bytes);
		for (int run = first; run < end; run += CHUNK)
			draw_chunk(map, row + (size_t)(run * RUN) * (size_t)bytes, bytes, source, fill, y, run, end - run < CHUNK ? end - run : CHUNK);
		vrs_samples_fill(row + (size_t)(end * RUN) * (size_t)bytes, fill, width - end * RUN, bytes);
	}
}
