/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the disparity that people of some height should have: none, and unsure, before anybody was seen; on the line of those who were seen, of
 * either sign; held level where all have one height; newer frames count more; never surer than people differ.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "matte/disparity.h"

static double spread;

static double predict(const struct vrs_disparity *disparity, double height)
{
	return vrs_disparity_predict(disparity, height, &spread);
}

static void test_unknown(void **state)
{
	(void)state;
	const struct vrs_disparity nobody = {0};
	for (double height = 0; height <= 1; height += 0.25) {
		assert_true(predict(&nobody, height) == 0);
		assert_true(fabs(spread - 0.05) < 1e-9);
	}
}

static void test_line(void **state)
{
	(void)state;
	static const double slopes[] = {-0.05, -0.01, 0, 0.02, 0.08};
	for (int s = 0; s < 5; s++) {
		struct vrs_disparity d = {0};
		for (int i = 0; i < 600; i++) {
			double height = 0.1 + 0.8 * (i % 11) / 10;
			vrs_disparity_learn(&d, height, 0.01 + slopes[s] * height);
		}
		for (double height = 0.1; height < 0.95; height += 0.1)
			assert_true(fabs(predict(&d, height) - (0.01 + slopes[s] * height)) < 2e-3);
	}
}

/* One height says nothing about others; noise of a few pixels must not become a slope. */
static void test_one_height(void **state)
{
	(void)state;
	struct vrs_disparity d = {0};
	vrs_disparity_learn(&d, 0.5, 0.03);
	assert_true(fabs(predict(&d, 0.1) - 0.03) < 1e-9);
	assert_true(fabs(predict(&d, 1) - 0.03) < 1e-9);
	for (int i = 0; i < 20; i++)
		vrs_disparity_learn(&d, 0.5 + 0.002 * (i % 3 - 1), 0.03 + 0.002 * (i % 2 ? 1 : -1));
	assert_true(fabs(predict(&d, 1) - 0.03) < 4e-3);
}

static void test_newer_frames(void **state)
{
	(void)state;
	struct vrs_disparity d = {0};
	double last = 1;
	for (int i = 0; i < 300; i++)
		vrs_disparity_learn(&d, 0.5, 0.04);
	for (int i = 0; i < 600; i++) { /* another scene */
		vrs_disparity_learn(&d, 0.5, 0.01);
		assert_true(predict(&d, 0.5) < last);
		last = predict(&d, 0.5);
	}
	assert_true(fabs(last - 0.01) < 1e-3);
}

static void test_spread(void **state)
{
	(void)state;
	struct vrs_disparity d = {0};
	double last = 1;
	for (int i = 0; i < 100; i++) {
		(void)predict(&d, 0.5);
		assert_true(spread <= last && spread >= 0.01);
		last = spread;
		vrs_disparity_learn(&d, 0.5, 0.02);
	}
	assert_true(fabs(last - 0.01) < 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_unknown), cmocka_unit_test(test_line), cmocka_unit_test(test_one_height),
		cmocka_unit_test(test_newer_frames), cmocka_unit_test(test_spread)};
	return cmocka_run_group_tests_name("disparity", tests, NULL, NULL);
}
