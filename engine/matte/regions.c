/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * People are connected pixels (8 neighbours), found by filling; a part around them comes from their box as in vrs_follow_judge.  Parts that overlap
 * are joined, so that nobody is looked at twice.
 */
#include "matte/regions.h"

#include <string.h>

#include "base/wraparound.h"

#define LEAST_SHARE 0.001   /* of the matte; less is noise */
#define OVERLAP 0.5         /* of the smaller one: worth one view instead of two */
#define MOST_AIM 1e6        /* of the numbers of a camera, which it checks itself */
#define WORTH 1.25          /* area of all parts against that of the part around all: beyond it one will do */

struct vrs_region_finder {
	int width, height;
	uint8_t *seen;          /* [height][width] */
	int32_t *stack;         /* [height * width] pixels to go on from */
};

enum vrs_status vrs_region_finder_create(struct vrs_region_finder **ret_finder, struct vrs_arena *arena, int width, int height)
{
	size_t size;
	if (width < 1 || height < 1 || !vrs_mul_size((size_t)width, (size_t)height, &size) || size > INT32_MAX)
		return VRS_EINVAL;
	struct vrs_region_finder *finder = vrs_arena_calloc(arena, 1, sizeof *finder);
	if (!finder)
		return VRS_ENOMEM;
	finder->width = width;
	finder->height = height;
	finder->seen = vrs_arena_calloc(arena, size, 1);
	finder->stack = vrs_arena_calloc(arena, size, sizeof *finder->stack);
	*ret_finder = finder;
	return arena->failed ? VRS_ENOMEM : VRS_OK;
}

/* The box around the group that pixel `first` belongs to, columns counted from `cut` on, around; returns its number of pixels. */
static int fill_group(struct vrs_region_finder *f, const float *alpha, int first, int cut, struct vrs_follow_extent *ret)
{
	int depth = 0, count = 0, left = f->width, top = f->height, right = 0, bottom = 0;
	f->stack[depth++] = first;
	f->seen[first] = 1;
	while (depth > 0) {
		int at = f->stack[--depth], y = at / f->width, x = at - y * f->width - cut;
		x += x < 0 ? f->width : 0;
		left = x < left ? x : left;
		top = y < top ? y : top;
		right = x >= right ? x + 1 : right;
		bottom = y >= bottom ? y + 1 : bottom;
		count++;
		for (int j = y > 0 ? y - 1 : 0; j <= y + 1 && j < f->height; j++)
			for (int i = x > 0 ? x - 1 : 0; i <= x + 1 && i < f->width; i++) {
				int next = j * f->width + i + cut - (i + cut >= f->width ? f->width : 0);
				if (f->seen[next] || !(alpha[next] >= VRS_REGION_ALPHA))
					continue;
				f->seen[next] = 1;
				f->stack[depth++] = next;
			}
	}
	*ret = (struct vrs_follow_extent){(left + cut) % f->width, top, right - left, bottom - top};
	return count;
}

static double area(const struct vrs_rect *r)
{
	return (double)r->width * r->height;
}

static double shared_area(const struct vrs_rect *a, const struct vrs_rect *b, int circle)
{
	int turn = vrs_wraparound_turn(b->x, b->width, a->x, a->width, circle), from = b->x + turn, to = from + b->width;
	int left = a->x > from ? a->x : from, top = a->y > b->y ? a->y : b->y;
	int right = a->x + a->width < to ? a->x + a->width : to;
	int bottom = a->y + a->height < b->y + b->height ? a->y + a->height : b->y + b->height;
	return right > left && bottom > top ? (double)(right - left) * (bottom - top) : 0;
}

double vrs_region_share(const struct vrs_rect *a, const struct vrs_rect *b, int circle)
{
	return area(a) > 0 ? shared_area(a, b, circle) / area(a) : 0;
}

bool vrs_regions_archive(struct vrs_regions *regions, struct vrs_archive *archive, const struct vrs_rect *eye, int circle, int most)
{
	bool good = vrs_archive_int(archive, &regions->count, 1, most);
	for (int r = 0; good && r < regions->count; r++)
		good = vrs_archive_part(archive, &regions->rect[r], eye, circle) && vrs_archive_u32(archive, &regions->who[r]) &&
		       vrs_archive_flag(archive, &regions->truncated[r]);
	for (int i = 0; good && i < 6; i++)
		good = vrs_archive_double(archive, &regions->aim[i], -MOST_AIM, MOST_AIM);
	return good;
}

struct vrs_rect vrs_regions_around(const struct vrs_regions *regions, int circle)
{
	struct vrs_rect all = regions->rect[0];
	for (int i = 1; i < regions->count; i++)
		all = vrs_wraparound_around(&all, &regions->rect[i], circle);
	return all;
}

void vrs_regions_remove(struct vrs_regions *regions, int i)
{
	regions->count--;
	memmove(&regions->rect[i], &regions->rect[i + 1], (size_t)(regions->count - i) * sizeof regions->rect[0]);
	memmove(&regions->who[i], &regions->who[i + 1], (size_t)(regions->count - i) * sizeof regions->who[0]);
	memmove(&regions->truncated[i], &regions->truncated[i + 1], (size_t)(regions->count - i) * sizeof regions->truncated[0]);
}

/* Region b goes into region a. */
static void join_two(struct vrs_regions *regions, int a, int b, int circle)
{
	bool larger = area(&regions->rect[b]) > area(&regions->rect[a]);
	if (regions->who[b] && (larger || !regions->who[a]))
		regions->who[a] = regions->who[b];
	regions->rect[a] = vrs_wraparound_around(&regions->rect[a], &regions->rect[b], circle);
	regions->truncated[a] |= regions->truncated[b];
	vrs_regions_remove(regions, b);
}

bool vrs_regions_join(struct vrs_regions *regions, int most, int circle)
{
	bool joined = false;
	for (;;) {
		int best_a = -1, best_b = -1;
		double best_growth = 0;
		for (int a = 0; a < regions->count; a++)
			for (int b = a + 1; b < regions->count; b++) {
				const struct vrs_rect *ra = &regions->rect[a], *rb = &regions->rect[b];
				struct vrs_rect both = vrs_wraparound_around(ra, rb, circle);
				double smaller = area(ra) < area(rb) ? area(ra) : area(rb), growth = area(&both) - area(ra) - area(rb);
				if (regions->count <= most && shared_area(ra, rb, circle) < OVERLAP * smaller)
					continue;
				if (best_a >= 0 && growth >= best_growth)
					continue;
				best_a = a;
				best_b = b;
				best_growth = growth;
			}
		if (best_a < 0)
			return joined;
		join_two(regions, best_a, best_b, circle);
		joined = true;
	}
}

static void sort_by_place(struct vrs_regions *regions)
{
	for (int i = 1; i < regions->count; i++) {
		struct vrs_rect rect = regions->rect[i];
		uint32_t who = regions->who[i];
		bool truncated = regions->truncated[i];
		int k = i;
		for (; k > 0 && regions->rect[k - 1].x > rect.x; k--) {
			regions->rect[k] = regions->rect[k - 1];
			regions->who[k] = regions->who[k - 1];
			regions->truncated[k] = regions->truncated[k - 1];
		}
		regions->rect[k] = rect;
		regions->who[k] = who;
		regions->truncated[k] = truncated;
	}
}

static bool any_truncated(const struct vrs_regions *regions)
{
	bool any = false;
	for (int r = 0; r < regions->count; r++)
		any |= regions->truncated[r];
	return any;
}

void vrs_region_find(struct vrs_region_finder *finder, const struct vrs_follow *follow, const struct vrs_rect *view, const float *alpha, int most,
		     struct vrs_regions *ret)
{
	int size = finder->width * finder->height;
	int cut = vrs_follow_is_whole_circle(follow, view) ? vrs_follow_cut(alpha, finder->width, finder->height) : 0;
	struct vrs_regions found = {0};
	memset(finder->seen, 0, (size_t)size);
	for (int i = 0; i < size; i++) {
		struct vrs_rect around;
		struct vrs_follow_extent people;
		if (finder->seen[i] || !(alpha[i] >= VRS_REGION_ALPHA) || fill_group(finder, alpha, i, cut, &people) < LEAST_SHARE * size)
			continue;
		bool truncated = vrs_follow_around(follow, view, &people, finder->width, finder->height, &around);
		if (found.count == VRS_REGIONS_MAX)
			(void)vrs_regions_join(&found, VRS_REGIONS_MAX - 1, follow->circle);
		found.truncated[found.count] = truncated;
		found.rect[found.count++] = around;
	}
	(void)vrs_regions_join(&found, most, follow->circle);
	double sum = 0;
	for (int i = 0; i < found.count; i++)
		sum += area(&found.rect[i]);
	if (found.count > 1) {
		struct vrs_rect all = vrs_regions_around(&found, follow->circle);
		if (sum > WORTH * area(&all))
			found = (struct vrs_regions){.count = 1, .rect = {all}, .truncated = {any_truncated(&found)}};
	}
	sort_by_place(&found);
	*ret = found;
}
