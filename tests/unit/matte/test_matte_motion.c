/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards overlap, flicker where the picture stands still, and slopes under outlines against pictures with known answers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unit/drawn_matte.h"
#include "matte/matte_motion.h"

#define SIDE 64

static struct vrs_arena arena;

static int free_arena(void **state)
{
	(void)state;
	vrs_arena_free(&arena);
	return 0;
}

static void test_overlap(void **state)
{
	(void)state;
	struct vrs_matte a = drawn_box(&arena, SIDE, 0, 0, 16, 16, 255), b = drawn_box(&arena, SIDE, 8, 0, 24, 16, 255),
		c = drawn_box(&arena, SIDE, 0, 0, 16, 16, 51), none = drawn_box(&arena, SIDE, 0, 0, 0, 0, 0);
	assert_true(fabs(vrs_matte_overlap(&a, &b) - 1.0 / 3) < 1e-12);
	assert_true(fabs(vrs_matte_overlap(&a, &c) - 0.2) < 1e-12);
	assert_true(vrs_matte_overlap(&none, &none) == 1 && vrs_matte_overlap(&a, &none) == 0);
	assert_int_equal(vrs_matte_largest_change(&a, &c), 204);
	assert_int_equal(vrs_matte_largest_change(&a, &a), 0);
}

/* Alpha changes in two blocks of 8x8; the picture moves in one of them. */
static void test_flicker(void **state)
{
	(void)state;
	struct vrs_matte now = drawn_box(&arena, SIDE, 8, 8, 16, 16, 255), past = drawn_box(&arena, SIDE, 8, 8, 16, 16, 0),
		still = drawn_box(&arena, SIDE, 0, 0, SIDE, SIDE, 90), moved = drawn_box(&arena, SIDE, 0, 0, SIDE, SIDE, 90);
	for (int y = 32; y < 40; y++) {
		memset(now.data + now.stride * y + 32, 255, 4); /* half of the block: it has the outline */
		memset(moved.data + moved.stride * y + 32, 93, 8);
	}
	const struct vrs_matte mattes[2] = {now, past}, lumas[2] = {moved, still}, same[2] = {still, still};
	struct vrs_matte_stillness s = vrs_matte_stillness(mattes, lumas, 256);
	assert_true(fabs(s.flicker - sqrt(64.0 / 256)) < 1e-12);
	assert_true(s.moving == 1);
	s = vrs_matte_stillness(mattes, same, 256);
	assert_true(fabs(s.flicker - sqrt((64.0 + 32) / 256)) < 1e-12);
	assert_true(s.moving == 0);
}

/* A picture with one edge of 100 levels; an outline on it, and one three samples beside it. */
static void test_slopes(void **state)
{
	(void)state;
	struct vrs_matte luma = drawn_box(&arena, SIDE, 0, 0, 32, SIDE, 100), on = drawn_box(&arena, SIDE, 0, 0, 32, SIDE, 255),
		beside = drawn_box(&arena, SIDE, 0, 0, 29, SIDE, 255);
	struct vrs_outline_slope s;
	assert_int_equal(vrs_outline_slope(&s, &on, &luma, 4), VRS_OK);
	assert_int_equal(s.samples, SIDE);
	assert_true(s.at == 100.0 * SIDE && s.near == 100.0 * SIDE);
	assert_int_equal(vrs_outline_slope(&s, &beside, &luma, 4), VRS_OK);
	assert_true(s.at == 0 && s.near == 100.0 * SIDE);
	assert_int_equal(vrs_outline_slope(&s, &beside, &luma, 2), VRS_OK);
	assert_true(s.near == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overlap),
		cmocka_unit_test(test_flicker),
		cmocka_unit_test(test_slopes),
	};
	return cmocka_run_group_tests_name("matte_motion", tests, NULL, free_arena);
}
