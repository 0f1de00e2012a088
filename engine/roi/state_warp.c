/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "roi/state_warp.h"

#include <math.h>
#include <stddef.h>

#include "base/assert.h"
#include "base/wraparound.h"

void vrs_state_map_set(struct vrs_state_map *map, const struct vrs_rect *from, const struct vrs_rect *to, int circle)
{
	double x = to->x + vrs_wraparound_turn(to->x, to->width, from->x, from->width, circle) - from->x, y = to->y - from->y;
	map->same = from->x == to->x && from->y == to->y && from->width == to->width && from->height == to->height;
	map->turn = (float)((double)circle / from->width);
	for (int j = 0; j <= VRS_STATE_GRID; j++)
		for (int i = 0; i <= VRS_STATE_GRID; i++) {
			map->at[j][i][0] = (float)((x + (double)to->width * i / VRS_STATE_GRID) / from->width);
			map->at[j][i][1] = (float)((y + (double)to->height * j / VRS_STATE_GRID) / from->height);
		}
}

/* A place across the old view; on a circle the one next to its middle. */
static float settle(float at, float turn)
{
	return turn > 0 ? at - floorf((at - 0.5f) / turn + 0.5f) * turn : at;
}

double vrs_state_map_covered(const struct vrs_state_map *map)
{
	int inside = 0;
	if (map->same)
		return 1;
	for (int j = 0; j < VRS_STATE_GRID; j++)
		for (int i = 0; i < VRS_STATE_GRID; i++) { /* at the middles of cells */
			float x = (map->at[j][i][0] + map->at[j + 1][i + 1][0]) / 2, y = (map->at[j][i][1] + map->at[j + 1][i + 1][1]) / 2;
			x = settle(x, map->turn);
			inside += x >= 0 && x <= 1 && y >= 0 && y <= 1;
		}
	return (double)inside / (VRS_STATE_GRID * VRS_STATE_GRID);
}

/* The lower of two neighbouring pixels of n, and the share of the upper one, of a place across them. */
static int pixel_of(float at, int n, float *ret_share)
{
	float pixel = at * (float)n - 0.5f;
	*ret_share = 0;
	if (!(pixel > 0))
		return 0;
	if (pixel >= (float)(n - 1))
		return n - 1;
	int low = (int)pixel;
	*ret_share = pixel - (float)low;
	return low;
}

/* Places of row j of `height` in the old view, at the columns of the grid. */
static void row_places(const struct vrs_state_map *map, int j, int height, float ret[VRS_STATE_GRID + 1][2])
{
	float v = ((float)j + 0.5f) / (float)height * VRS_STATE_GRID;
	int cell = (int)v < VRS_STATE_GRID ? (int)v : VRS_STATE_GRID - 1;
	for (int i = 0; i <= VRS_STATE_GRID; i++)
		for (int axis = 0; axis < 2; axis++) {
			float above = map->at[cell][i][axis], below = map->at[cell + 1][i][axis];
			ret[i][axis] = above + (v - (float)cell) * (below - above);
		}
}

/* One pixel from four. */
static void mix(float *restrict dst, const float *const from[4], float right, float down, int channels)
{
	const float *a = from[0], *b = from[1], *c = from[2], *d = from[3];
	for (int k = 0; k < channels; k++) {
		float top = a[k] + right * (b[k] - a[k]), bottom = c[k] + right * (d[k] - c[k]);
		dst[k] = top + down * (bottom - top);
	}
}

void vrs_state_warp(const struct vrs_state_map *map, float *dst, const float *src, int height, int width, int channels)
{
	float row[VRS_STATE_GRID + 1][2];
	VRS_ASSERT(dst != src && height > 0 && width > 0 && channels > 0);
	for (int j = 0; j < height; j++) {
		row_places(map, j, height, row);
		for (int i = 0; i < width; i++, dst += channels) {
			float u = ((float)i + 0.5f) / (float)width * VRS_STATE_GRID, right, down;
			int cell = (int)u < VRS_STATE_GRID ? (int)u : VRS_STATE_GRID - 1;
			float share = u - (float)cell;
			int x = pixel_of(settle(row[cell][0] + share * (row[cell + 1][0] - row[cell][0]), map->turn), width, &right);
			int y = pixel_of(row[cell][1] + share * (row[cell + 1][1] - row[cell][1]), height, &down);
			int next = x + 1 < width ? channels : 0;
			const float *above = src + ((ptrdiff_t)y * width + x) * channels;
			const float *below = above + (y + 1 < height ? (ptrdiff_t)width * channels : 0);
			const float *const from[4] = {above, above + next, below, below + next};
			mix(dst, from, right, down, channels);
		}
	}
}
