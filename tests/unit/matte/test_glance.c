/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards glances at an eye: a part counts as changed when somebody comes in there and until it is searched, not where people who are known move, also
 * across the seam of a circle; a slow change is not lost from glance to glance.  A part moves from its first change until it has been still for a
 * while, searched or not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "matte/glance.h"

#define EYE 1600 /* 100 for each cell */

static const struct vrs_rect eye = {EYE, 0, EYE, EYE}, left = {EYE, 0, EYE / 2, EYE}, right = {EYE + EYE / 2, 0, EYE / 2, EYE};

/* Grey, but for one cell. */
static struct vrs_scene_signature picture(int x, int y, float luma)
{
	struct vrs_scene_signature signature = {0};
	for (int i = 0; i < VRS_GLANCE_CELLS; i++)
		signature.mean[i] = 100;
	signature.mean[y * VRS_SCENE_SIDE + x] = luma;
	return signature;
}

static void take(struct vrs_glance *glance, int x, int y, float luma, const struct vrs_rect *views, int count, int circle)
{
	const struct vrs_scene_signature signature = picture(x, y, luma);
	vrs_glance_take(glance, &signature, &eye, views, count, circle);
}

static void test_arrival(void **state)
{
	(void)state;
	struct vrs_glance glance = {0};
	take(&glance, 3, 5, 100, NULL, 0, 0);
	assert_true(vrs_glance_change(&glance, &eye, &eye, 0) == 0);
	for (int step = 1; step <= 10; step++) /* slowly */
		take(&glance, 3, 5, 100 + (float)step, NULL, 0, 0);
	assert_true(vrs_glance_change(&glance, &eye, &left, 0) == 10 && vrs_glance_change(&glance, &eye, &right, 0) == 0);
	vrs_glance_searched(&glance, &eye, &right, 0);
	assert_true(vrs_glance_change(&glance, &eye, &left, 0) == 10);
	vrs_glance_searched(&glance, &eye, &left, 0);
	assert_true(vrs_glance_change(&glance, &eye, &eye, 0) == 0);
	take(&glance, 3, 5, 100, NULL, 0, 0); /* they left */
	assert_true(vrs_glance_change(&glance, &eye, &left, 0) == 10);
}

static void test_known_people(void **state)
{
	(void)state;
	const struct vrs_rect here = {EYE + 300, 500, 100, 100}, there = {EYE + 900, 500, 100, 100};
	struct vrs_glance glance = {0};
	take(&glance, 3, 5, 30, &here, 1, 0);
	take(&glance, 3, 5, 200, &here, 1, 0);  /* they move */
	assert_true(vrs_glance_change(&glance, &eye, &eye, 0) == 0);
	take(&glance, 9, 5, 30, &there, 1, 0);  /* and walk on: what was behind them is no news */
	assert_true(vrs_glance_change(&glance, &eye, &eye, 0) == 0);
	take(&glance, 3, 5, 30, &there, 1, 0);  /* somebody else is where they were */
	assert_true(vrs_glance_change(&glance, &eye, &left, 0) == 70);
}

static void test_seam(void **state)
{
	(void)state;
	/* a view that begins at the right edge and goes on at the left one */
	const struct vrs_rect across = {EYE + EYE - 100, 500, 250, 200};
	struct vrs_glance glance = {0};
	take(&glance, 0, 5, 100, NULL, 0, EYE);
	take(&glance, 0, 5, 150, NULL, 0, EYE);
	assert_true(vrs_glance_change(&glance, &eye, &across, EYE) == 50);
	vrs_glance_searched(&glance, &eye, &across, EYE);
	assert_true(vrs_glance_change(&glance, &eye, &eye, EYE) == 0);
	take(&glance, 0, 6, 20, &across, 1, EYE);
	assert_true(vrs_glance_change(&glance, &eye, &eye, EYE) == 0);
}

static void test_motion(void **state)
{
	(void)state;
	struct vrs_glance glance = {0};
	take(&glance, 3, 5, 30, NULL, 0, 0); /* the first glance knows no motion */
	assert_true(vrs_glance_motion(&glance, &eye, &eye, 0) == 0);
	take(&glance, 3, 5, 31, NULL, 0, 0);
	vrs_glance_searched(&glance, &eye, &eye, 0);
	assert_true(vrs_glance_motion(&glance, &eye, &left, 0) == 1 && vrs_glance_motion(&glance, &eye, &right, 0) == 0);
	take(&glance, 3, 5, 31, NULL, 0, 0);
	assert_true(vrs_glance_motion(&glance, &eye, &left, 0) > 0.5);
	for (int i = 0; i < 40; i++)
		take(&glance, 3, 5, 31, NULL, 0, 0);
	assert_true(vrs_glance_motion(&glance, &eye, &eye, 0) < 0.1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_arrival), cmocka_unit_test(test_known_people), cmocka_unit_test(test_seam),
		cmocka_unit_test(test_motion)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
