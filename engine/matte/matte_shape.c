/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/matte_shape.h"

#include <math.h>

#define NOTHING 13         /* 5 % */
#define SOLID 242          /* 95 % */
#define MOST_HOLE 0.02     /* of all people: what is larger lies between arms and body, or between people */
#define MOST_ISLAND 0.05   /* of the largest part: what is larger may be somebody farther away */

enum vrs_status vrs_shape_finder_init(struct vrs_shape_finder *finder, struct vrs_arena *arena, int width, int height, bool circle)
{
	enum vrs_status status = vrs_components_init(&finder->components, arena, width, height);
	if (status != VRS_OK)
		return status;
	finder->circle = circle;
	finder->set = vrs_arena_calloc(arena, (size_t)width * (size_t)height, 1);
	return finder->set ? VRS_OK : VRS_ENOMEM;
}

/* Samples of people go into the set, or the others. */
static int64_t mark(struct vrs_shape_finder *f, const struct vrs_matte *matte, bool people)
{
	int64_t count = 0;
	for (int y = 0; y < matte->height; y++) {
		const uint8_t *row = matte->data + matte->stride * y;
		uint8_t *set = f->set + (size_t)y * (size_t)matte->width;
		for (int x = 0; x < matte->width; x++) {
			set[x] = (row[x] >= 128) == people;
			count += set[x];
		}
	}
	return count;
}

/* The mean slope across the contour, where a sample and its right or lower neighbour lie on different sides. */
static double contour_slope(const struct vrs_matte *matte)
{
	double sum = 0;
	int64_t count = 0;
	for (int y = 0; y + 1 < matte->height; y++) {
		const uint8_t *row = matte->data + matte->stride * y, *below = row + matte->stride;
		for (int x = 0; x + 1 < matte->width; x++) {
			int here = row[x], right = row[x + 1], down = below[x];
			if ((here >= 128) == (right >= 128) && (here >= 128) == (down >= 128))
				continue;
			sum += hypot(right - here, down - here);
			count++;
		}
	}
	return count ? sum / 255 / (double)count : 0;
}

static double soft_share(const struct vrs_matte *matte)
{
	int64_t soft = 0, some = 0;
	for (int y = 0; y < matte->height; y++) {
		const uint8_t *row = matte->data + matte->stride * y;
		for (int x = 0; x < matte->width; x++) {
			some += row[x] > NOTHING;
			soft += row[x] > NOTHING && row[x] < SOLID;
		}
	}
	return some ? (double)soft / (double)some : 0;
}

void vrs_shape_find(struct vrs_shape_finder *f, const struct vrs_matte *matte, struct vrs_matte_shape *ret)
{
	const struct vrs_components *c = &f->components;
	int64_t people = mark(f, matte, true), holes = 0, islands = 0;
	*ret = (struct vrs_matte_shape){.people = (double)people / ((double)matte->width * matte->height)};
	if (people == 0)
		return;
	double slope = contour_slope(matte);
	ret->edge_width = slope > 0 ? 1 / slope : 0;
	ret->soft = soft_share(matte);
	vrs_components_find(&f->components, f->set, true, f->circle);
	for (int i = 1; i <= c->count; i++) {
		if (!(c->area[i] < MOST_ISLAND * c->area[c->largest]))
			continue;
		islands += c->area[i];
		ret->island_count++;
	}
	(void)mark(f, matte, false);
	vrs_components_find(&f->components, f->set, false, f->circle);
	for (int i = 1; i <= c->count; i++) {
		if (c->border[i] || (double)c->area[i] > MOST_HOLE * (double)people)
			continue;
		holes += c->area[i];
		ret->hole_count++;
	}
	ret->holes = (double)holes / (double)people;
	ret->islands = (double)islands / (double)people;
}
