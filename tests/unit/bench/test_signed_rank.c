/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards: Walsh ranks and exact p values against published tables, ties and zeros, coverage and false alarms by simulation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/rng.h"
#include "bench/stats/stats.h"

static void walsh_ranks(void **state)
{
	(void)state;
	/* Three looks at alpha .0221 each, and the plain 95 % interval at n = 8. */
	assert_int_equal(vrs_stats_walsh_rank(8, 0.0221), 2);
	assert_int_equal(vrs_stats_walsh_rank(14, 0.0221), 17);
	assert_int_equal(vrs_stats_walsh_rank(20, 0.0221), 45);
	assert_int_equal(vrs_stats_walsh_rank(8, 0.05), 4);
	assert_int_equal(vrs_stats_walsh_rank(8, 0.05 / 6), 1);
	assert_int_equal(vrs_stats_walsh_rank(5, 0.05), 0); /* smallest two-sided p is 1/16 */
	assert_int_equal(vrs_stats_walsh_rank(6, 0.05), 1);
	assert_int_equal(vrs_stats_walsh_rank(0, 0.05), 0);
}

/* Hollander & Wolfe, depression factor of 9 patients (second minus first visit): T+ = 5, two-sided p 0.0390625, estimate -0.46. */
static void textbook_example(void **state)
{
	(void)state;
	const double first[] = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
	const double second[] = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
	double d[9];
	struct vrs_shift shift;
	for (int i = 0; i < 9; i++)
		d[i] = second[i] - first[i];
	assert_int_equal(vrs_stats_shift(d, 9, 0.04, &shift), VRS_OK);
	assert_float_equal(shift.p, 0.0390625, 1e-12);
	assert_float_equal(shift.estimate, -0.46, 1e-9);
	assert_true(shift.has_interval);
	assert_float_equal(shift.low, -0.786, 1e-9);
	assert_float_equal(shift.high, -0.010, 1e-9);
}

static void zeros_and_ties(void **state)
{
	(void)state;
	const double zeros[] = {0, 0, 0, 0, 0, 0, 0, 0}, ties[] = {1, 1, 1, 1, 1, 1, -1, 0};
	struct vrs_shift shift;
	assert_int_equal(vrs_stats_shift(zeros, 8, 0.05, &shift), VRS_OK);
	assert_float_equal(shift.p, 1, 0);
	assert_float_equal(shift.estimate, 0, 0);
	/* Seven equal magnitudes, one negative: P(at most one of seven negative) twice = 16 / 128. */
	assert_int_equal(vrs_stats_shift(ties, 8, 0.05, &shift), VRS_OK);
	assert_float_equal(shift.p, 0.125, 1e-12);
}

static double normal(struct vrs_rng *rng)
{
	return sqrt(-2 * log(1 - vrs_rng_unit(rng))) * cos(6.283185307179586 * vrs_rng_unit(rng));
}

/* At no change the p value is below .05 in at most 5 % of the cases, and the interval covers the shift at least as often as it says. */
static void no_change_and_coverage(void **state)
{
	(void)state;
	struct vrs_rng rng;
	int alarms = 0, hits = 0, trials = 3000;
	vrs_rng_init(&rng, 7);
	for (int t = 0; t < trials; t++) {
		double d[10];
		struct vrs_shift shift;
		for (int i = 0; i < 10; i++)
			d[i] = normal(&rng) * (vrs_rng_unit(&rng) < 0.1 ? 5 : 1); /* symmetric, heavy tails */
		assert_int_equal(vrs_stats_shift(d, 10, 0.05, &shift), VRS_OK);
		alarms += shift.p <= 0.05;
		hits += shift.low <= 0 && shift.high >= 0;
	}
	assert_in_range(alarms, trials * 35 / 1000, trials * 58 / 1000); /* exact: 4.88 % */
	assert_true(hits >= trials * 94 / 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(walsh_ranks),
		cmocka_unit_test(textbook_example),
		cmocka_unit_test(zeros_and_ties),
		cmocka_unit_test(no_change_and_coverage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
