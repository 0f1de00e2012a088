/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards parts of pictures that close to a circle: their pieces cover the right columns, the part around two parts holds both, is the smallest and
 * stays in its eye, and without a circle all is as on a line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/wraparound.h"
#include "base/rng.h"

#define CIRCLE 48

static void assert_rect(const struct vrs_rect *got, int x, int y, int width, int height)
{
	if (got->x != x || got->y != y || got->width != width || got->height != height)
		fail_msg("%d,%d %dx%d instead of %d,%d %dx%d", got->x, got->y, got->width, got->height, x, y, width, height);
}

static void pieces(void **state)
{
	(void)state;
	struct vrs_rect piece[2];
	assert_int_equal(vrs_wraparound_spans(&(struct vrs_rect){40, 3, 8, 5}, CIRCLE, piece), 1);
	assert_rect(&piece[0], 40, 3, 8, 5);
	assert_int_equal(vrs_wraparound_spans(&(struct vrs_rect){40, 3, 20, 5}, CIRCLE, piece), 2);
	assert_rect(&piece[0], 40, 3, 8, 5);
	assert_rect(&piece[1], 0, 3, 12, 5);
	/* the second eye */
	assert_int_equal(vrs_wraparound_spans(&(struct vrs_rect){60, 0, CIRCLE, 5}, CIRCLE, piece), 2);
	assert_rect(&piece[0], 60, 0, 36, 5);
	assert_rect(&piece[1], 48, 0, 12, 5);
	assert_int_equal(vrs_wraparound_spans(&(struct vrs_rect){40, 3, 20, 5}, 0, piece), 1);
	assert_rect(&piece[0], 40, 3, 20, 5);
}

static void around(void **state)
{
	(void)state;
	struct vrs_rect line = vrs_wraparound_around(&(struct vrs_rect){40, 3, 8, 5}, &(struct vrs_rect){4, 1, 8, 5}, 0);
	assert_rect(&line, 4, 1, 44, 7);
	struct vrs_rect circle = vrs_wraparound_around(&(struct vrs_rect){40, 3, 4, 5}, &(struct vrs_rect){4, 1, 8, 5}, CIRCLE);
	assert_rect(&circle, 40, 1, 20, 7);
	/* the whole circle is cut opposite of the first */
	circle = vrs_wraparound_around(&(struct vrs_rect){40, 3, 8, 5}, &(struct vrs_rect){0, 0, CIRCLE, 9}, CIRCLE);
	assert_rect(&circle, 20, 0, CIRCLE, 9);
	circle = vrs_wraparound_around(&(struct vrs_rect){52, 3, 4, 5}, &(struct vrs_rect){48, 0, CIRCLE, 9}, CIRCLE);
	assert_rect(&circle, 80, 0, CIRCLE, 9); /* in steps of four */
}

static bool holds(const struct vrs_rect *part, int column)
{
	return (column - part->x % CIRCLE + CIRCLE) % CIRCLE < part->width;
}

/* Of all pairs: both are held; turned parts give the turned part around them; no narrower one exists. */
static void around_random(void **state)
{
	(void)state;
	struct vrs_rng rng;
	vrs_rng_init(&rng, 5);
	for (int n = 0; n < 20000; n++) {
		int eye = (int)vrs_rng_below(&rng, 2) * CIRCLE;
		struct vrs_rect a = {eye + (int)vrs_rng_below(&rng, CIRCLE), 0, 1 + (int)vrs_rng_below(&rng, CIRCLE), 1};
		struct vrs_rect b = {eye + (int)vrs_rng_below(&rng, CIRCLE), 0, 1 + (int)vrs_rng_below(&rng, CIRCLE), 1};
		struct vrs_rect both = vrs_wraparound_around(&a, &b, CIRCLE);
		assert_true(both.x >= eye && both.x < eye + CIRCLE && both.width <= CIRCLE);
		int gap = 0, most_gap = 0;
		for (int c = 0; c < 2 * CIRCLE; c++) {
			bool in = holds(&a, c) || holds(&b, c);
			assert_true(!in || holds(&both, c));
			gap = in ? 0 : gap + 1;
			most_gap = gap > most_gap ? gap : most_gap;
		}
		if (a.width + b.width < CIRCLE / 2) /* two short ones have a long gap, which stays out */
			assert_int_equal(both.width, CIRCLE - most_gap);
		int x, width;
		vrs_wraparound_settle(a.x - 5 * CIRCLE, a.x - 5 * CIRCLE + a.width, eye, CIRCLE, &x, &width);
		assert_int_equal(x, a.x);
		assert_int_equal(width, a.width);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces),
		cmocka_unit_test(around),
		cmocka_unit_test(around_random),
	};
	return cmocka_run_group_tests_name("circle", tests, NULL, NULL);
}
