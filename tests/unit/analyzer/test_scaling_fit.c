/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards the fits of scaling laws: known curves come back exactly, noisy runs within intervals that cover 95 %, and too few points give none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "analyzer/scaling_fit.h"
#include "base/rng.h"

static double normal(struct vrs_rng *rng)
{
	return sqrt(-2 * log(1 - vrs_rng_unit(rng))) * cos(6.283185307179586 * vrs_rng_unit(rng));
}

static double curve(enum vrs_scaling_law law, double x)
{
	return law == VRS_LAW_AMDAHL ? 20 / (0.25 + 0.75 / x) : law == VRS_LAW_USL ? 20 * x / (1 + 0.1 * (x - 1) + 0.02 * x * (x - 1)) : 5e8 * pow(x, -1.1);
}

static const double truth[VRS_LAWS][VRS_LAW_PARAMETERS] = {{20, 0.25, 0}, {20, 0.1, 0.02}, {5e8, -1.1, 0}};

static int make(enum vrs_scaling_law law, double noise, struct vrs_rng *rng, double *x, double *y)
{
	static const double threads[] = {1, 2, 3, 4, 6, 8}, pixels[] = {1e5, 3e5, 9e5, 2e6, 7e6, 2e7};
	int n = 0;
	for (int i = 0; i < 6; i++)
		for (int k = 0; k < 5; k++, n++) {
			x[n] = law == VRS_LAW_POWER ? pixels[i] : threads[i];
			y[n] = curve(law, x[n]) * exp(noise * normal(rng));
		}
	return n;
}

static void known_curves_come_back(void **state)
{
	double x[30], y[30];
	struct vrs_rng rng;
	(void)state;
	vrs_rng_init(&rng, 3);
	for (int law = 0; law < VRS_LAWS; law++) {
		struct vrs_scaling_fit fit;
		int n = make((enum vrs_scaling_law)law, 0, &rng, x, y);
		assert_true(vrs_scaling_fit((enum vrs_scaling_law)law, x, y, n, &fit));
		for (int i = 0; i < fit.parameters; i++)
			assert_true(fabs(fit.value[i] / truth[law][i] - 1) < 1e-4);
		assert_true(fabs(vrs_scaling_at(&fit, x[7]) / y[7] - 1) < 1e-6);
	}
}

static void intervals_cover(void **state)
{
	double x[30], y[30];
	struct vrs_rng rng;
	(void)state;
	vrs_rng_init(&rng, 4);
	for (int law = 0; law < VRS_LAWS; law++) {
		int covered = 0, solved = 0;
		for (int i = 0; i < 400; i++) {
			struct vrs_scaling_fit fit;
			int n = make((enum vrs_scaling_law)law, 0.02, &rng, x, y);
			if (!vrs_scaling_fit((enum vrs_scaling_law)law, x, y, n, &fit))
				continue;
			solved++;
			covered += fit.low[1] <= truth[law][1] && truth[law][1] <= fit.high[1];
		}
		printf("law %d: %d of 400 solved, %.1f %% covered\n", law, solved, 100.0 * covered / solved);
		assert_true(solved >= 396);
		assert_true(covered > 0.91 * solved && covered < 0.985 * solved);
	}
}

static void too_few_points_give_none(void **state)
{
	const double x[] = {1, 1, 2, 2}, y[] = {10, 11, 18, 19}, bad[] = {10, NAN, 18, 19};
	struct vrs_scaling_fit fit;
	(void)state;
	assert_true(vrs_scaling_fit(VRS_LAW_AMDAHL, x, y, 4, &fit));
	assert_false(vrs_scaling_fit(VRS_LAW_USL, x, y, 4, &fit));
	assert_false(vrs_scaling_fit(VRS_LAW_AMDAHL, x, y, 2, &fit));
	assert_false(vrs_scaling_fit(VRS_LAW_AMDAHL, x, bad, 4, &fit));
	assert_false(vrs_scaling_fit(VRS_LAW_POWER, x, y, 0, &fit));
	const double two[] = {1, 2}, values[] = {20, 32};
	assert_true(vrs_scaling_fit(VRS_LAW_AMDAHL, two, values, 2, &fit));
	assert_true(fabs(fit.value[1] - 0.25) < 1e-4); /* exact, and no interval */
	assert_true(isnan(fit.low[1]) && isnan(fit.spread));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_curves_come_back), cmocka_unit_test(intervals_cover), cmocka_unit_test(too_few_points_give_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
