/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards edge width, semi-transparent share, holes and islands against mattes drawn with known answers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "matte/matte_expand.h"
#include "matte/matte_shape.h"

#define SIDE 100

static struct vrs_arena arena;

static int free_arena(void **state)
{
	(void)state;
	vrs_arena_free(&arena);
	return 0;
}

static struct vrs_matte blank(void)
{
	struct vrs_matte m;
	assert_int_equal(vrs_matte_init(&m, &arena, SIDE, SIDE), VRS_OK);
	return m;
}

static void fill(struct vrs_matte *m, int x0, int y0, int x1, int y1, int value)
{
	for (int y = y0; y < y1; y++)
		memset(m->data + m->stride * y + x0, value, (size_t)(x1 - x0));
}

static struct vrs_matte_shape shape_of(const struct vrs_matte *m)
{
	struct vrs_shape_finder finder;
	struct vrs_matte_shape shape;
	assert_int_equal(vrs_shape_finder_init(&finder, &arena, SIDE, SIDE, false), VRS_OK);
	vrs_shape_find(&finder, m, &shape);
	return shape;
}

/* A ramp from left to right over so many samples has that edge width. */
static void test_edges(void **state)
{
	(void)state;
	static const int widths[] = {1, 5, 17};
	for (int i = 0; i < 3; i++) {
		struct vrs_matte m = blank();
		int soft = 0, some = 0;
		for (int x = 0; x < SIDE; x++) {
			double alpha = (x - 40.0) / widths[i];
			int value = alpha < 0 ? 0 : alpha > 1 ? 255 : (int)lround(255 * alpha);
			some += value > 13;
			soft += value > 13 && value < 242;
			fill(&m, x, 0, x + 1, SIDE, value);
		}
		struct vrs_matte_shape shape = shape_of(&m);
		assert_true(fabs(shape.edge_width - widths[i]) < 0.07 * widths[i]); /* levels are whole numbers */
		assert_true(fabs(shape.soft - (double)soft / some) < 1e-12);
		assert_true(shape.holes == 0 && shape.islands == 0);
	}
}

static void test_holes_and_islands(void **state)
{
	(void)state;
	struct vrs_matte m = blank();
	fill(&m, 20, 20, 80, 80, 255); /* 3600 samples */
	struct vrs_matte_shape shape = shape_of(&m);
	assert_true(fabs(shape.people - 0.36) < 1e-12);
	assert_true(shape.hole_count == 0 && shape.island_count == 0);
	fill(&m, 30, 30, 34, 34, 0);   /* a hole */
	fill(&m, 40, 40, 56, 56, 0);   /* larger than 2 %: a gap between limbs */
	fill(&m, 20, 60, 22, 62, 0);   /* at the outline: open to the outside */
	fill(&m, 2, 2, 5, 5, 255);     /* an island */
	fill(&m, 85, 20, 99, 40, 255); /* somebody else: 280 of the largest part */
	shape = shape_of(&m);
	double people = 3600 - 16 - 256 - 4 + 9 + 280;
	assert_int_equal(shape.hole_count, 1);
	assert_int_equal(shape.island_count, 1);
	assert_true(fabs(shape.holes - 16 / people) < 1e-12);
	assert_true(fabs(shape.islands - 9 / people) < 1e-12);
}

static void test_nobody(void **state)
{
	(void)state;
	struct vrs_matte m = blank();
	fill(&m, 0, 0, SIDE, SIDE, 127);
	struct vrs_matte_shape shape = shape_of(&m);
	assert_true(shape.people == 0 && shape.soft == 0 && shape.edge_width == 0);
	fill(&m, 0, 0, SIDE, SIDE, 255);
	shape = shape_of(&m);
	assert_true(shape.people == 1 && shape.edge_width == 0 && shape.holes == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_holes_and_islands),
		cmocka_unit_test(test_nobody),
	};
	return cmocka_run_group_tests_name("matte_shape", tests, NULL, free_arena);
}
