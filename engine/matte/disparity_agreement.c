/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/disparity_agreement.h"

#include <stdlib.h>

#define BLOCKS 128      /* across an eye */
#define REACH 12       /* shifts go up to 1/12 of the eye's width: 15 degrees of a half sphere, a hand at a quarter of a metre */
#define RISE 128       /* and to 1/128 of its height up and down: away from the middle the eyes see things at other heights too */

#define OUTSIDE 32     /* difference to what the other eye's picture does not hold: little, but no shift goes there without need */

/* Where a block lies in the other eye. */
struct shift {
	int x, y;
};

/* Sums of smaller and of larger values. */
struct sums {
	int64_t both, either;
};

struct eyes {
	const struct vrs_matte *from, *to;
	bool circle;
};

/* The sample of the other eye at (x, y); -1: outside its picture. */
static int sample(const struct eyes *eyes, int x, int y)
{
	const struct vrs_matte *to = eyes->to;
	if (eyes->circle)
		x = (x % to->width + to->width) % to->width;
	return x < 0 || y < 0 || x >= to->width || y >= to->height ? -1 : to->data[to->stride * y + x];
}

/* Sum of differences of a window under a shift. Ends early above `most`. */
static int64_t difference(const struct eyes *eyes, const struct vrs_rect *window, struct shift shift, int64_t most)
{
	int64_t sum = 0;
	bool within = window->x + shift.x >= 0 && window->x + window->width + shift.x <= eyes->to->width && window->y + shift.y >= 0 &&
		      window->y + window->height + shift.y <= eyes->to->height;
	for (int y = window->y; y < window->y + window->height && sum <= most; y++) {
		const uint8_t *own = eyes->from->data + eyes->from->stride * y;
		int line = 0;
		if (within) {
			const uint8_t *other = eyes->to->data + eyes->to->stride * (y + shift.y) + shift.x;
			for (int x = window->x; x < window->x + window->width; x++)
				line += abs(own[x] - other[x]);
		} else {
			for (int x = window->x; x < window->x + window->width; x++) {
				int other = sample(eyes, x + shift.x, y + shift.y);
				line += other < 0 ? OUTSIDE : abs(own[x] - other);
			}
		}
		sum += line;
	}
	return sum;
}

static bool is_even(const struct vrs_matte *matte, const struct vrs_rect *window)
{
	uint8_t first = matte->data[matte->stride * window->y + window->x];
	for (int y = window->y; y < window->y + window->height; y++)
		for (int x = window->x; x < window->x + window->width; x++)
			if (matte->data[matte->stride * y + x] != first)
				return false;
	return true;
}

/* The shift of the least difference: the last one where it fits, else from near to far; then up and down. */
static struct shift find_shift(const struct eyes *truths, const struct vrs_rect *window, int direction, struct shift last)
{
	int reach = truths->from->width / REACH, rise = truths->from->height / RISE;
	struct shift best = last, tried = {0, 0};
	int64_t least = difference(truths, window, last, INT64_MAX);
	if (least == 0 || (is_even(truths->from, window) && least < (int64_t)window->width * window->height))
		return best;
	for (int way = 0; way <= reach; way++) {
		tried = (struct shift){direction * way, last.y};
		int64_t sum = difference(truths, window, tried, least);
		if (sum >= least)
			continue;
		least = sum;
		best = tried;
	}
	for (int y = -rise; y <= rise; y++) {
		tried = (struct shift){best.x, y};
		int64_t sum = difference(truths, window, tried, least);
		if (sum >= least)
			continue;
		least = sum;
		best = tried;
	}
	return best;
}

static void add_block(struct sums *sums, const struct eyes *mattes, const struct vrs_rect *block, struct shift shift)
{
	for (int y = block->y; y < block->y + block->height; y++)
		for (int x = block->x; x < block->x + block->width; x++) {
			int own = mattes->from->data[mattes->from->stride * y + x], other = sample(mattes, x + shift.x, y + shift.y);
			if (other < 0)
				continue;
			sums->both += own < other ? own : other;
			sums->either += own > other ? own : other;
		}
}

/* The block and half of it on each side, cut at the eye. */
static struct vrs_rect window_of(const struct vrs_rect *block, int size, int width, int height)
{
	int left = block->x > size / 2 ? block->x - size / 2 : 0, top = block->y > size / 2 ? block->y - size / 2 : 0;
	int right = block->x + block->width + size / 2, bottom = block->y + block->height + size / 2;
	return (struct vrs_rect){left, top, (right < width ? right : width) - left, (bottom < height ? bottom : height) - top};
}

static void compare(const struct eyes *truths, const struct eyes *mattes, int direction, struct sums *matte_sums, struct sums *truth_sums)
{
	int width = truths->from->width, height = truths->from->height, size = width / BLOCKS < 4 ? 4 : width / BLOCKS;
	for (int y = 0; y < height; y += size) {
		struct shift shift = {0, 0};
		for (int x = 0; x < width; x += size) {
			const struct vrs_rect block = {x, y, width - x < size ? width - x : size, height - y < size ? height - y : size};
			const struct vrs_rect window = window_of(&block, size, width, height);
			shift = find_shift(truths, &window, direction, shift);
			add_block(matte_sums, mattes, &block, shift);
			add_block(truth_sums, truths, &block, shift);
		}
	}
}

struct vrs_disparity_agreement vrs_disparity_agreement(const struct vrs_matte truth[2], const struct vrs_matte matte[2], bool circle)
{
	struct sums mattes = {0, 0}, truths = {0, 0};
	for (int eye = 0; eye < 2; eye++) {
		const struct eyes t = {&truth[eye], &truth[!eye], circle}, m = {&matte[eye], &matte[!eye], circle};
		compare(&t, &m, eye ? 1 : -1, &mattes, &truths);
	}
	return (struct vrs_disparity_agreement){mattes.either == 0 && truths.either > 0, mattes.either ? (double)mattes.both / (double)mattes.either : 1,
		truths.either ? (double)truths.both / (double)truths.either : 1};
}
