/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards mattes moved on a circle, whatever the scale: each pixel has the value of the one place that the map gives it, no column of the old matte
 * shows twice, people on the seam stay in one piece while they grow, and nothing is left of the map before.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "matte/roi_warp.h"

#define SIDE 64
#define ROWS 3
#define NONE -1.0f

static struct vrs_arena arena;

static int free_arena(void **state)
{
	(void)state;
	vrs_arena_free(&arena);
	return 0;
}

/* Column of the old matte, between its ends, that pixel i has by the map; -1: none. */
static double column_of(int i, double scale, double offset, const struct vrs_roi_warp_circle *circle)
{
	double p = (i + 0.5) / SIDE, best = INFINITY, at = -1;
	for (int turn = -9; turn <= 9; turn++)
		if (fabs(p + turn * circle->to - circle->middle) < fabs(best - circle->middle))
			best = p + turn * circle->to;
	double across = scale * best + offset, middle = scale * circle->middle + offset;
	if (fabs(across - middle) > circle->from / 2)
		return -1;
	for (int turn = -40; turn <= 40; turn++)
		if (across + turn * circle->from >= 0 && across + turn * circle->from <= 1)
			at = (across + turn * circle->from) * SIDE;
	return at < 0 ? -1 : fmin(fmax(at - 0.5, 0), SIDE - 1);
}

static struct vrs_roi_warp made(void)
{
	struct vrs_roi_warp warp;
	assert_int_equal(vrs_roi_warp_init(&warp, &arena, SIDE, ROWS, SIDE, ROWS), VRS_OK);
	return warp;
}

static void check(struct vrs_roi_warp *used, double scale_x, double offset_x, const struct vrs_roi_warp_circle *circle)
{
	const double scale[2] = {scale_x, 1}, offset[2] = {offset_x, 0};
	float src[SIDE * ROWS], dst[SIDE * ROWS], fresh[SIDE * ROWS], none[SIDE * ROWS];
	double seen[SIDE];
	struct vrs_roi_warp warp = made();
	int count = 0, close = 0;
	for (int i = 0; i < SIDE * ROWS; i++) {
		src[i] = (float)(i % SIDE);
		none[i] = NONE;
	}
	vrs_roi_warp_map(used, scale, offset, circle);
	vrs_roi_warp_alpha(used, dst, src, none);
	vrs_roi_warp_map(&warp, scale, offset, circle);
	vrs_roi_warp_alpha(&warp, fresh, src, none);
	assert_memory_equal(dst, fresh, sizeof dst);
	for (int i = 0; i < SIDE * ROWS; i++)
		if (fabs((double)dst[i] - column_of(i % SIDE, scale_x, offset_x, circle)) > 1e-3)
			fail_msg("column %d is %.3f, expected %.3f", i % SIDE, (double)dst[i], column_of(i % SIDE, scale_x, offset_x, circle));
	for (int i = 0; i < SIDE; i++)
		if (dst[i] > 0 && dst[i] < SIDE - 1) /* the columns at the ends reach half a pixel further */
			seen[count++] = (double)dst[i];
	for (int a = 0; a < count; a++)
		for (int b = 0; b < a; b++)
			close += fabs(seen[a] - seen[b]) < 0.9 * scale_x;
	assert_in_range(close, 0, 1); /* the two pixels half a turn from the middle, on either side of it */
}

/* Numbers that no pixel's centre meets exactly. */
static double between(struct vrs_rng *rng, double low, double high)
{
	return low + (high - low) * vrs_rng_unit(rng);
}

static void test_any_scale(void **state)
{
	struct vrs_roi_warp used = made();
	struct vrs_rng rng;
	(void)state;
	vrs_rng_init(&rng, 5);
	for (int i = 0; i < 20000; i++) {
		const struct vrs_roi_warp_circle circle = {between(&rng, 1, 3), between(&rng, 1, 3), between(&rng, -0.2, 1.2)};
		check(&used, between(&rng, i % 2 ? 1.2 : 0.3, 4), between(&rng, -3, 3), &circle);
	}
}

/* A person who lies across the ends of a view of the whole circle, and grows: one piece around the seam, twice as wide. */
static void test_grows_on_the_seam(void **state)
{
	const double scale[2] = {0.5, 1}, offset[2] = {0.5, 0};
	const struct vrs_roi_warp_circle circle = {1, 1, 1};
	struct vrs_roi_warp warp = made();
	float src[SIDE * ROWS] = {0}, dst[SIDE * ROWS];
	(void)state;
	for (int y = 0; y < ROWS; y++)
		for (int x = -4; x < 4; x++)
			src[y * SIDE + (x + SIDE) % SIDE] = 1;
	vrs_roi_warp_map(&warp, scale, offset, &circle);
	vrs_roi_warp_alpha(&warp, dst, src, src);
	for (int x = 0; x < SIDE; x++) {
		int away = x < SIDE / 2 ? x : SIDE - 1 - x;
		if (away < 7 || away > 8)
			assert_true(fabs((double)dst[x] - (away < 7)) < 1e-6);
	}
}

/* From part to part of the picture: what lies at the same place of the circle. */
static void test_parts(void **state)
{
	struct vrs_roi_warp used = made();
	struct vrs_rng rng;
	float src[SIDE * ROWS], dst[SIDE * ROWS], none[SIDE * ROWS];
	(void)state;
	vrs_rng_init(&rng, 6);
	for (int i = 0; i < 2000; i++) {
		int circle = 1000;
		struct vrs_rect from = {(int)vrs_rng_below(&rng, 1000), 0, 1 + (int)vrs_rng_below(&rng, 1000), 3};
		struct vrs_rect to = {(int)vrs_rng_below(&rng, 1000), 0, 1 + (int)vrs_rng_below(&rng, 1000), 3};
		for (int k = 0; k < SIDE * ROWS; k++) {
			src[k] = (float)(k % SIDE);
			none[k] = NONE;
		}
		vrs_roi_warp_set(&used, &from, &to, circle);
		vrs_roi_warp_alpha(&used, dst, src, none);
		for (int x = 0; x < SIDE; x++) {
			double at = fmod(to.x + (x + 0.5) * to.width / SIDE - from.x + circle, circle) / from.width * SIDE;
			double off = fmin(fabs(at), fabs(at - SIDE)); /* of the ends: either is right */
			if (off > 1e-6 && fabs((double)dst[x] - (at > SIDE ? NONE : fmin(fmax(at - 0.5, 0), SIDE - 1))) > 1e-3)
				fail_msg("%d+%d to %d+%d: column %d is %.3f", from.x, from.width, to.x, to.width, x, (double)dst[x]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_scale),
		cmocka_unit_test(test_grows_on_the_seam),
		cmocka_unit_test(test_parts),
	};
	return cmocka_run_group_tests_name("roi_warp", tests, NULL, free_arena);
}
