/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the parts of an eye that are looked at one by one: people with space between them get a part each that holds all of them, near ones share
 * one, noise gets none, and never more than asked for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "matte/regions.h"

static struct vrs_arena arena; /* of all tests */

static int free_arena(void **state)
{
	(void)state;
	vrs_arena_free(&arena);
	return 0;
}

#define EYE 960
#define SIDE 96 /* ten pixels of the eye each */

static const struct vrs_picture_format format = {.width = EYE, .height = EYE, .planes = 3, .chroma_shift_x = 1, .chroma_shift_y = 1, .bit_depth = 8};
static const struct vrs_rect all = {0, 0, EYE, EYE};

static void draw(float *alpha, int x, int y, int width, int height)
{
	for (int j = y; j < y + height; j++)
		for (int i = x; i < x + width; i++)
			alpha[j * SIDE + i] = 0.9f;
}

static struct vrs_regions found(const float *alpha, int most)
{
	struct vrs_region_finder *finder;
	struct vrs_regions regions;
	struct vrs_follow follow = vrs_follow_make(&all, &all, &format);
	assert_int_equal(vrs_region_finder_create(&finder, &arena, SIDE, SIDE), VRS_OK);
	vrs_region_find(finder, &follow, &all, alpha, most, &regions);
	return regions;
}

static void assert_holds(const struct vrs_rect *rect, int x, int y, int width, int height)
{
	assert_true(rect->x <= x * 10 && rect->y <= y * 10);
	assert_true(rect->x + rect->width >= (x + width) * 10 && rect->y + rect->height >= (y + height) * 10);
	assert_true(rect->x % 2 == 0 && rect->y % 2 == 0 && rect->width % 2 == 0 && rect->height % 2 == 0);
}

static void test_people(void **state)
{
	(void)state;
	static float alpha[SIDE * SIDE];
	assert_int_equal(found(alpha, 4).count, 0);
	draw(alpha, 10, 30, 12, 40);
	assert_int_equal(found(alpha, 4).count, 1);
	draw(alpha, 70, 30, 12, 40);
	draw(alpha, 40, 90, 2, 2); /* noise */
	struct vrs_regions two = found(alpha, 4);
	assert_int_equal(two.count, 2);
	assert_holds(&two.rect[0], 10, 30, 12, 40);
	assert_holds(&two.rect[1], 70, 30, 12, 40);
	assert_true(two.rect[0].width < EYE / 3 && two.rect[0].x + two.rect[0].width < two.rect[1].x);
	/* one who stands next to the first shares the part */
	draw(alpha, 22, 32, 12, 38);
	two = found(alpha, 4);
	assert_int_equal(two.count, 2);
	assert_holds(&two.rect[0], 10, 30, 24, 40);
	/* as many as asked for, the nearest together; those above each other count too */
	draw(alpha, 70, 2, 12, 14);
	assert_int_equal(found(alpha, 4).count, 3);
	assert_int_equal(found(alpha, 2).count, 2);
	struct vrs_regions one = found(alpha, 1);
	assert_int_equal(one.count, 1);
	assert_holds(&one.rect[0], 10, 2, 72, 68);
}

/* Whatever the picture: parts lie in the eye, are no more than asked for, and hold every group of people. */
static void test_random(void **state)
{
	(void)state;
	struct vrs_rng rng;
	vrs_rng_init(&rng, 8);
	for (int round = 0; round < 200; round++) {
		static float alpha[SIDE * SIDE];
		int boxes[30][4], count = (int)vrs_rng_below(&rng, 30), most = 1 + (int)vrs_rng_below(&rng, VRS_REGIONS_MAX);
		memset(alpha, 0, sizeof alpha);
		for (int k = 0; k < count; k++) {
			int *b = boxes[k];
			b[2] = 5 + (int)vrs_rng_below(&rng, 20);
			b[3] = 5 + (int)vrs_rng_below(&rng, 20);
			b[0] = (int)vrs_rng_below(&rng, (uint64_t)(SIDE - b[2]));
			b[1] = (int)vrs_rng_below(&rng, (uint64_t)(SIDE - b[3]));
			draw(alpha, b[0], b[1], b[2], b[3]);
		}
		struct vrs_regions regions = found(alpha, most);
		assert_in_range(regions.count, count ? 1 : 0, most);
		for (int r = 0; r < regions.count; r++)
			assert_true(vrs_rect_fits(&regions.rect[r], &format));
		for (int k = 0; k < count; k++) {
			int *b = boxes[k], holding = 0;
			for (int r = 0; r < regions.count; r++) {
				const struct vrs_rect *p = &regions.rect[r];
				holding += p->x <= b[0] * 10 && p->y <= b[1] * 10 && p->x + p->width >= (b[0] + b[2]) * 10 &&
					   p->y + p->height >= (b[1] + b[3]) * 10;
			}
			assert_true(holding > 0);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_people),
		cmocka_unit_test(test_random),
	};
	return cmocka_run_group_tests_name("regions", tests, NULL, free_arena);
}
