/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/matte_shrink.h"

#include <string.h>

#include "kernels/picture.h"

enum vrs_status vrs_matte_shrink_init(struct vrs_matte_shrink *shrink, struct vrs_arena *arena, int width, int height, int from_width,
				      int from_height)
{
	if (width < 1 || height < 1 || width > from_width || height > from_height)
		return VRS_EINVAL;
	shrink->from_width = from_width;
	shrink->row = vrs_arena_calloc(arena, (size_t)from_width, sizeof *shrink->row);
	enum vrs_status status = vrs_scale_axis_init(&shrink->x, arena, from_width, 0, from_width, width, 1);
	return status != VRS_OK ? status : vrs_scale_axis_init(&shrink->y, arena, from_height, 0, from_height, height, 1);
}

void vrs_matte_shrink_run(struct vrs_matte_shrink *shrink, float *dst, const float *src)
{
	const struct vrs_scale_axis *across = &shrink->x, *down = &shrink->y;
	const float share = 1.0f / VRS_WEIGHT_ONE;
	for (int y = 0; y < down->n; y++, dst += across->n) {
		const int16_t *weights = down->weights + (size_t)y * (size_t)down->taps;
		memset(shrink->row, 0, (size_t)shrink->from_width * sizeof *shrink->row);
		for (int t = 0; t < down->used[y]; t++) {
			const float *row = src + (size_t)(down->first[y] + t) * (size_t)shrink->from_width, weight = (float)weights[t] * share;
			for (int x = 0; x < shrink->from_width; x++)
				shrink->row[x] += weight * row[x];
		}
		for (int x = 0; x < across->n; x++) {
			const float *at = shrink->row + across->first[x];
			const int16_t *weight = across->weights + (size_t)x * (size_t)across->taps;
			float sum = 0;
			for (int t = 0; t < across->used[x]; t++)
				sum += at[t] * (float)weight[t];
			sum *= share;
			dst[x] = sum < 1 ? sum : 1;
		}
	}
}
