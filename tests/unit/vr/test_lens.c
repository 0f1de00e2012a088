/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the geometry of pictures: known directions at known pixels (the convention of the truth clips), positions and directions as inverses of each
 * other for every projection and turn, and what lies outside.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vr/lens.h"

#define PI 3.14159265358979323846
#define DEGREES (PI / 180)

static struct vrs_lens lens_of(enum vrs_projection projection, double fov, int width, int height)
{
	struct vrs_lens lens;
	struct vrs_error err = {0};

	if (vrs_lens_init(&lens, projection, fov, width, height, &err) != VRS_OK)
		fail_msg("%s", err.text);
	return lens;
}

static void near_values(double a, double b)
{
	if (!(fabs(a - b) < 1e-9))
		fail_msg("%.12g, expected %.12g", a, b);
}

/* Pixel (x, y) of 1024 looks along longitude (x + 0.5) / 1024 * 180 - 90 and latitude 90 - (y + 0.5) / 1024 * 180 degrees. */
static void half_sphere_of_the_clips(void **state)
{
	struct vrs_lens lens = lens_of(VRS_PROJECTION_HEQUIRECT, 0, 1024, 1024);

	(void)state;
	for (int x = 0; x < 1024; x += 93) {
		double lon = ((x + 0.5) / 1024 * 180 - 90) * DEGREES, lat = (90 - (x / 2 + 0.5) / 1024 * 180) * DEGREES, d[3];

		assert_true(vrs_lens_direction(&lens, x + 0.5, x / 2 + 0.5, d));
		near_values(d[0], sin(lon) * cos(lat));
		near_values(d[1], sin(lat));
		near_values(d[2], cos(lon) * cos(lat));
	}
}

/* The middle looks ahead; a quarter turn to the right and straight up lie where each projection has them. */
static void known_places(void **state)
{
	static const struct {
		enum vrs_projection projection;
		double fov;
		int width, height;
		double direction[3], u, v;
		bool shown;
	} cases[] = {
		{VRS_PROJECTION_HEQUIRECT, 180, 200, 200, {1, 0, 0}, 200, 100, true},
		{VRS_PROJECTION_HEQUIRECT, 180, 200, 200, {0, 0, -1}, 0, 0, false},
		{VRS_PROJECTION_EQUIRECT, 360, 400, 200, {1, 0, 0}, 300, 100, true},
		{VRS_PROJECTION_EQUIRECT, 360, 400, 200, {0, 0, 2}, 200, 100, true},
		{VRS_PROJECTION_FISHEYE, 180, 300, 200, {0, 1, 0}, 150, 0, true},
		{VRS_PROJECTION_FISHEYE, 200, 200, 200, {1, 0, 0}, 190, 100, true},
		{VRS_PROJECTION_FISHEYE, 180, 200, 200, {1, 0, -0.1}, 0, 0, false},
		{VRS_PROJECTION_FLAT, 90, 200, 100, {1, 0.5, 1}, 200, 0, true},
		{VRS_PROJECTION_FLAT, 90, 200, 100, {1.1, 0, 1}, 0, 0, false},
		{VRS_PROJECTION_FLAT, 90, 200, 100, {0, 0, -1}, 0, 0, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct vrs_lens lens = lens_of(cases[i].projection, cases[i].fov, cases[i].width, cases[i].height);
		double u, v;

		assert_int_equal(vrs_lens_position(&lens, cases[i].direction, &u, &v), cases[i].shown);
		if (cases[i].shown) {
			near_values(u, cases[i].u);
			near_values(v, cases[i].v);
		}
	}
}

static void inverses(void **state)
{
	static const struct {
		enum vrs_projection projection;
		double fov;
		int width, height;
	} cases[] = {
		{VRS_PROJECTION_HEQUIRECT, 180, 97, 97}, {VRS_PROJECTION_EQUIRECT, 360, 128, 64}, {VRS_PROJECTION_FISHEYE, 180, 100, 100},
		{VRS_PROJECTION_FISHEYE, 220, 120, 90}, {VRS_PROJECTION_FLAT, 100, 64, 48}, {VRS_PROJECTION_HEQUIRECT, 160, 80, 90},
	};
	static const double turns[][2] = {{0, 0}, {0.5, 0}, {0, -0.4}, {-2, 0.7}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		for (size_t k = 0; k < sizeof turns / sizeof turns[0]; k++) {
			struct vrs_lens lens = lens_of(cases[i].projection, cases[i].fov, cases[i].width, cases[i].height);
			int inside = 0;

			vrs_lens_turn(&lens, turns[k][0], turns[k][1]);
			for (double u = 0.5; u < lens.width; u += 3)
				for (double v = 0.5; v < lens.height; v += 3) {
					double d[3], back_u, back_v;

					if (!vrs_lens_direction(&lens, u, v, d))
						continue;
					inside++;
					near_values(d[0] * d[0] + d[1] * d[1] + d[2] * d[2], 1);
					assert_true(vrs_lens_position(&lens, d, &back_u, &back_v));
					assert_true(fabs(back_u - u) < 1e-7 && fabs(back_v - v) < 1e-7);
				}
			assert_true(inside > lens.width * lens.height / 16);
		}
	}
}

/* The middle of a turned lens looks to the yaw and pitch that were asked for, and its horizon stays level. */
static void turned_lens(void **state)
{
	struct vrs_lens lens = lens_of(VRS_PROJECTION_FLAT, 60, 80, 80);
	double d[3], right[3];

	(void)state;
	vrs_lens_turn(&lens, 30 * DEGREES, 20 * DEGREES);
	assert_true(vrs_lens_direction(&lens, 40, 40, d));
	near_values(atan2(d[0], d[2]), 30 * DEGREES);
	near_values(asin(d[1]), 20 * DEGREES);
	assert_true(vrs_lens_direction(&lens, 80, 40, right));
	assert_true(atan2(right[0], right[2]) > 30 * DEGREES);
	near_values(lens.turn[0][1], 0);
}

static void what_cannot_be(void **state)
{
	struct vrs_lens lens;
	struct vrs_error err = {0};

	(void)state;
	assert_int_equal(vrs_lens_init(&lens, VRS_PROJECTION_UNKNOWN, 0, 10, 10, &err), VRS_EINVAL);
	assert_int_equal(vrs_lens_init(&lens, VRS_PROJECTION_FLAT, 0, 0, 10, &err), VRS_EINVAL);
	assert_int_equal(vrs_lens_init(&lens, VRS_PROJECTION_FLAT, 180, 10, 10, &err), VRS_EINVAL);
	assert_string_equal(err.text, "a field of view of 180 degrees; a flat picture shows 1 to 170");
	assert_int_equal(vrs_lens_init(&lens, VRS_PROJECTION_FISHEYE, 361, 10, 10, &err), VRS_EINVAL);
	assert_int_equal(vrs_lens_init(&lens, VRS_PROJECTION_FISHEYE, NAN, 10, 10, &err), VRS_OK); /* like 0: what is usual */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(half_sphere_of_the_clips),
		cmocka_unit_test(known_places),
		cmocka_unit_test(inverses),
		cmocka_unit_test(turned_lens),
		cmocka_unit_test(what_cannot_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
