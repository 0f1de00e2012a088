/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards that connected parts are found with their areas, the largest one, the edge of the picture, corners and rows that close to a circle. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "matte/components.h"

static struct vrs_arena arena;

static int free_arena(void **state)
{
	(void)state;
	vrs_arena_free(&arena);
	return 0;
}

static struct vrs_components find(const char *picture, int width, int height, bool diagonal, bool circle)
{
	struct vrs_components c;
	uint8_t set[64];
	assert_int_equal(vrs_components_init(&c, &arena, width, height), VRS_OK);
	for (int i = 0; i < width * height; i++)
		set[i] = picture[i] == '#';
	vrs_components_find(&c, set, diagonal, circle);
	return c;
}

static void test_parts(void **state)
{
	(void)state;
	static const char picture[] = "........"
				      ".##..#.."
				      ".##...#."
				      "........"
				      "#......#";
	struct vrs_components c = find(picture, 8, 5, false, false);
	assert_int_equal(c.count, 5);
	assert_int_equal(c.area[c.largest], 4);
	assert_int_equal(c.label[9], c.largest);
	assert_int_equal(c.border[c.largest], 0);
	assert_int_equal(c.border[c.label[32]], 1);
	c = find(picture, 8, 5, true, false);
	assert_int_equal(c.count, 4); /* the corner joins two */
	assert_int_equal(c.area[c.label[13]], 2);
	c = find(picture, 8, 5, false, true);
	assert_int_equal(c.count, 4); /* the last row closes */
	assert_int_equal(c.label[32], c.label[39]);
	c = find("................", 4, 4, false, false);
	assert_int_equal(c.count, 0);
	assert_int_equal(c.largest, 0);
}

static void test_checkerboard(void **state)
{
	(void)state;
	struct vrs_components c = find("#.#.#.#.#", 3, 3, false, false);
	assert_int_equal(c.count, 5);
	assert_int_equal(vrs_components_init(&c, &arena, 0, 3), VRS_EINVAL);
	assert_int_equal(vrs_components_init(&c, &arena, INT32_MAX, 2), VRS_EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_checkerboard),
	};
	return cmocka_run_group_tests_name("components", tests, NULL, free_arena);
}
