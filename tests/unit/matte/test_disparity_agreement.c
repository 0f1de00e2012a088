/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the agreement of two eyes with the truth's disparity: people at different distances do not lower it, a person whom one eye lacks does by
 * their share, what the frame's edge cuts off does not count, and a circle has no edge.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "matte/disparity_agreement.h"
#include "matte/matte_expand.h"

#define WIDTH 256
#define HEIGHT 128

static struct vrs_arena arena; /* of all tests */

static int free_arena(void **state)
{
	(void)state;
	vrs_arena_free(&arena);
	return 0;
}

/* An ellipse; columns are counted around a circle if asked. */
static void draw(const struct vrs_matte *matte, int cx, int cy, int rx, int ry, bool circle)
{
	for (int y = cy - ry; y <= cy + ry; y++)
		for (int x = cx - rx; x <= cx + rx; x++) {
			double u = (double)(x - cx) / rx, v = (double)(y - cy) / ry;
			int at = circle ? (x + WIDTH) % WIDTH : x;
			if (u * u + v * v <= 1 && at >= 0 && at < WIDTH)
				matte->data[matte->stride * y + at] = 255;
		}
}

struct pair {
	struct vrs_matte eye[2];
};

static struct pair empty(void)
{
	struct pair pair;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(vrs_matte_init(&pair.eye[i], &arena, WIDTH, HEIGHT), VRS_OK);
		for (int y = 0; y < HEIGHT; y++)
			memset(pair.eye[i].data + pair.eye[i].stride * y, 0, WIDTH);
	}
	return pair;
}

/* A near person of 12 samples of disparity and a far one of 3. */
static struct pair two_people(void)
{
	struct pair pair = empty();
	draw(&pair.eye[0], 80, 64, 20, 40, false);
	draw(&pair.eye[1], 68, 64, 20, 40, false);
	draw(&pair.eye[0], 180, 60, 10, 20, false);
	draw(&pair.eye[1], 177, 60, 10, 20, false);
	return pair;
}

static void test_distances(void **state)
{
	(void)state;
	struct pair truth = two_people(), nobody = empty();
	struct vrs_disparity_agreement a = vrs_disparity_agreement(truth.eye, truth.eye, false);
	assert_true(a.truths > 0.995 && a.mattes == a.truths);
	a = vrs_disparity_agreement(nobody.eye, nobody.eye, false);
	assert_true(a.truths == 1 && a.mattes == 1);
}

/* The far person, a fifth of all, is in the left matte alone. */
static void test_missing(void **state)
{
	(void)state;
	struct pair truth = two_people(), matte = two_people();
	for (int y = 0; y < HEIGHT; y++)
		memset(matte.eye[1].data + matte.eye[1].stride * y + 160, 0, 50);
	struct vrs_disparity_agreement a = vrs_disparity_agreement(truth.eye, matte.eye, false);
	assert_true(fabs(a.mattes - 0.8) < 0.01 && a.truths > 0.995);
	/* somebody who is not there, in one eye */
	matte = two_people();
	draw(&matte.eye[1], 230, 40, 10, 20, false);
	a = vrs_disparity_agreement(truth.eye, matte.eye, false);
	assert_true(fabs(a.mattes - 1.0 / 1.2) < 0.01);
}

static void test_edges(void **state)
{
	(void)state;
	struct pair truth = empty();
	draw(&truth.eye[0], 6, 64, 20, 40, false); /* the right eye sees half a person less */
	draw(&truth.eye[1], -6, 64, 20, 40, false);
	struct vrs_disparity_agreement a = vrs_disparity_agreement(truth.eye, truth.eye, false);
	assert_true(a.truths > 0.99);
	truth = empty();
	draw(&truth.eye[0], 6, 64, 20, 40, true);
	draw(&truth.eye[1], -6, 64, 20, 40, true);
	a = vrs_disparity_agreement(truth.eye, truth.eye, true);
	assert_true(a.truths > 0.99);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_distances),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_edges),
	};
	return cmocka_run_group_tests_name("disparity_agreement", tests, NULL, free_arena);
}
