/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/matte_motion.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "matte/boundary.h"

#define BLOCK 8
#define STILL 1.5 /* grey levels: what compressing at crf 18 leaves of a picture that does not move */

static const uint8_t *row_of(const struct vrs_matte *matte, int y)
{
	return matte->data + matte->stride * y;
}

double vrs_matte_overlap(const struct vrs_matte *a, const struct vrs_matte *b)
{
	int64_t both = 0, either = 0;
	for (int y = 0; y < a->height; y++) {
		const uint8_t *p = row_of(a, y), *q = row_of(b, y);
		for (int x = 0; x < a->width; x++) {
			both += p[x] < q[x] ? p[x] : q[x];
			either += p[x] > q[x] ? p[x] : q[x];
		}
	}
	return either ? (double)both / (double)either : 1;
}

int vrs_matte_largest_change(const struct vrs_matte *a, const struct vrs_matte *b)
{
	int most = 0;
	for (int y = 0; y < a->height; y++) {
		const uint8_t *p = row_of(a, y), *q = row_of(b, y);
		for (int x = 0; x < a->width; x++) {
			int change = abs(p[x] - q[x]);
			most = change > most ? change : most;
		}
	}
	return most;
}

/* Sum of absolute differences, and of squared ones, in a block. */
static int differences(const struct vrs_matte pair[2], const struct vrs_rect *block, int64_t *ret_squares)
{
	int sum = 0;
	*ret_squares = 0;
	for (int y = block->y; y < block->y + block->height; y++) {
		const uint8_t *p = row_of(&pair[0], y), *q = row_of(&pair[1], y);
		for (int x = block->x; x < block->x + block->width; x++) {
			int d = abs(p[x] - q[x]);
			sum += d;
			*ret_squares += d * d;
		}
	}
	return sum;
}

static bool has_outline(const struct vrs_matte *matte, const struct vrs_rect *block)
{
	bool first = row_of(matte, block->y)[block->x] >= 128;
	for (int y = block->y; y < block->y + block->height; y++)
		for (int x = block->x; x < block->x + block->width; x++)
			if ((row_of(matte, y)[x] >= 128) != first)
				return true;
	return false;
}

struct vrs_matte_stillness vrs_matte_stillness(const struct vrs_matte mattes[2], const struct vrs_matte lumas[2], double area)
{
	int64_t changes = 0, squares, outlines = 0, moving = 0;
	int width = mattes[0].width, height = mattes[0].height;
	for (int y = 0; y < height; y += BLOCK)
		for (int x = 0; x < width; x += BLOCK) {
			const struct vrs_rect block = {x, y, width - x < BLOCK ? width - x : BLOCK, height - y < BLOCK ? height - y : BLOCK};
			bool still = differences(lumas, &block, &squares) <= STILL * block.width * block.height, outline = has_outline(&mattes[0], &block);
			(void)differences(mattes, &block, &squares);
			changes += still ? squares : 0;
			outlines += outline;
			moving += outline && !still;
		}
	return (struct vrs_matte_stillness){sqrt((double)changes / area) / 255, outlines ? (double)moving / (double)outlines : 0};
}

/* Central differences, at the edge of the picture one-sided. */
static int slope_at(const struct vrs_matte *luma, int x, int y)
{
	int left = x > 0 ? x - 1 : x, right = x + 1 < luma->width ? x + 1 : x, up = y > 0 ? y - 1 : y, down = y + 1 < luma->height ? y + 1 : y;
	return abs(row_of(luma, y)[right] - row_of(luma, y)[left]) + abs(row_of(luma, down)[x] - row_of(luma, up)[x]);
}

static int steepest(const struct vrs_matte *luma, int x, int y, int reach)
{
	int most = 0;
	for (int i = -reach; i <= reach; i++) {
		int u = x + i, v = y + i;
		int across = u >= 0 && u < luma->width ? slope_at(luma, u, y) : 0, along = v >= 0 && v < luma->height ? slope_at(luma, x, v) : 0;
		most = across > most ? across : most;
		most = along > most ? along : most;
	}
	return most;
}

enum vrs_status vrs_outline_slope(struct vrs_outline_slope *ret, const struct vrs_matte *matte, const struct vrs_matte *luma, int reach)
{
	size_t size;
	uint16_t *map = vrs_mul_size((size_t)matte->width, (size_t)matte->height, &size) ? vrs_calloc(size, sizeof *map) : NULL;
	*ret = (struct vrs_outline_slope){0};
	if (!map)
		return VRS_ENOMEM;
	(void)vrs_contour_mark(map, matte);
	for (int y = 0; y < matte->height; y++)
		for (int x = 0; x < matte->width; x++) {
			if (map[(size_t)y * (size_t)matte->width + (size_t)x] != 0)
				continue;
			ret->samples++;
			ret->at += slope_at(luma, x, y);
			ret->near += reach > 0 ? steepest(luma, x, y, reach) : 0;
		}
	vrs_free(map);
	return VRS_OK;
}
