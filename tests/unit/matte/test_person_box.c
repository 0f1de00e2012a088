/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards the box around people: of all frames, with a quarter of its size on each side, also across the seam of a circle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "matte/matte_expand.h"
#include "matte/person_box.h"

#define WIDTH 100
#define HEIGHT 60

static struct vrs_arena arena; /* of all tests */

static int free_arena(void **state)
{
	(void)state;
	vrs_arena_free(&arena);
	return 0;
}

static struct vrs_matte empty(void)
{
	struct vrs_matte matte;
	assert_int_equal(vrs_matte_init(&matte, &arena, WIDTH, HEIGHT), VRS_OK);
	for (int y = 0; y < HEIGHT; y++)
		memset(matte.data + matte.stride * y, 0, WIDTH);
	return matte;
}

/* Columns and rows [x0, x1), [y0, y1); columns are counted around a circle. */
static void fill(const struct vrs_matte *matte, int x0, int y0, int x1, int y1, uint8_t value)
{
	for (int y = y0; y < y1; y++)
		for (int x = x0; x < x1; x++)
			matte->data[matte->stride * y + (x + WIDTH) % WIDTH] = value;
}

static void assert_box(const struct vrs_matte *matte, bool circle, int x, int y, int width, int height)
{
	struct vrs_rect box;
	assert_int_equal(vrs_person_box(&box, matte, circle), VRS_OK);
	assert_int_equal(box.x, x);
	assert_int_equal(box.y, y);
	assert_int_equal(box.width, width);
	assert_int_equal(box.height, height);
}

static void test_box(void **state)
{
	(void)state;
	struct vrs_matte matte = empty();
	assert_box(&matte, false, 0, 0, 0, 0);
	assert_box(&matte, true, 0, 0, 0, 0);
	fill(&matte, 0, 0, 5, 5, 127); /* not half a person */
	fill(&matte, 40, 20, 60, 40, 128);
	assert_box(&matte, false, 40, 20, 20, 20);
	assert_box(&matte, true, 40, 20, 20, 20);
	fill(&matte, 90, 30, 100, 60, 255);
	assert_box(&matte, false, 40, 20, 60, 40);
	fill(&matte, -8, 10, 12, 30, 200); /* across the seam: the longest gap is between 60 and 90 */
	assert_box(&matte, true, 90, 10, 70, 50);
	assert_box(&matte, false, 0, 10, WIDTH, 50);
	fill(&matte, 0, 0, WIDTH, HEIGHT, 255);
	assert_box(&matte, false, 0, 0, WIDTH, HEIGHT);
	assert_box(&matte, true, 0, 0, WIDTH, HEIGHT);
}

static void test_join(void **state)
{
	(void)state;
	const struct vrs_rect none = {0}, a = {10, 10, 5, 5}, b = {90, 20, 8, 5};
	struct vrs_rect join = vrs_person_box_join(&none, &a, 0);
	assert_memory_equal(&join, &a, sizeof a);
	join = vrs_person_box_join(&a, &none, 0);
	assert_memory_equal(&join, &a, sizeof a);
	join = vrs_person_box_join(&a, &b, 0);
	assert_memory_equal(&join, (&(struct vrs_rect){10, 10, 88, 15}), sizeof join);
	join = vrs_person_box_join(&a, &b, WIDTH); /* around the circle it is nearer */
	assert_memory_equal(&join, (&(struct vrs_rect){90, 10, 25, 15}), sizeof join);
}

static void test_area(void **state)
{
	(void)state;
	assert_true(vrs_person_box_area(&(struct vrs_rect){40, 20, 20, 20}, WIDTH, HEIGHT, false) == 30 * 30);
	assert_true(vrs_person_box_area(&(struct vrs_rect){90, 0, 10, 20}, WIDTH, HEIGHT, false) == 12.5 * 25); /* cut at the ends */
	assert_true(vrs_person_box_area(&(struct vrs_rect){90, 0, 10, 20}, WIDTH, HEIGHT, true) == 15 * 25); /* a circle has none */
	assert_true(vrs_person_box_area(&(struct vrs_rect){0, 0, 90, 60}, WIDTH, HEIGHT, true) == WIDTH * HEIGHT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_box),
		cmocka_unit_test(test_join),
		cmocka_unit_test(test_area),
	};
	return cmocka_run_group_tests_name("person_box", tests, NULL, free_arena);
}
