/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards: quantile rules at both ends, exact ranks of intervals, refusal of NaN, coverage of the intervals by simulation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/rng.h"
#include "bench/stats/stats.h"

static double normal(struct vrs_rng *rng)
{
	return sqrt(-2 * log(1 - vrs_rng_unit(rng))) * cos(6.283185307179586 * vrs_rng_unit(rng));
}

static void quantile_type_7(void **state)
{
	(void)state;
	const double x[] = {7, 1, 3, 9, 5};
	double q;
	assert_int_equal(vrs_stats_quantile(x, 5, 0, &q), VRS_OK);
	assert_float_equal(q, 1, 0);
	assert_int_equal(vrs_stats_quantile(x, 5, 1, &q), VRS_OK); /* an index at 100 % must not leave the array */
	assert_float_equal(q, 9, 0);
	assert_int_equal(vrs_stats_quantile(x, 5, 0.9, &q), VRS_OK);
	assert_float_equal(q, 8.2, 1e-12); /* R: quantile(c(7,1,3,9,5), .9) */
	assert_int_equal(vrs_stats_median(x, 4, &q), VRS_OK);
	assert_float_equal(q, 5, 1e-12);
	assert_float_equal(x[0], 7, 0); /* input untouched */
	assert_int_equal(vrs_stats_quantile(x, 5, 1.01, &q), VRS_EINVAL);
	assert_int_equal(vrs_stats_quantile(x, 5, NAN, &q), VRS_EINVAL);
	assert_int_equal(vrs_stats_quantile(x, 0, 0.5, &q), VRS_EINVAL);
}

static void broken_values_are_refused(void **state)
{
	(void)state;
	const double bad[] = {1, NAN, 3, 4, 5, 6}, huge[] = {1, 2, INFINITY, 4, 5, 6}, x[] = {1, 2, 3, 4, 5, 6};
	double value = 42;
	struct vrs_estimate e;
	struct vrs_shift shift;
	assert_int_equal(vrs_stats_median(bad, 6, &value), VRS_EINVAL);
	assert_int_equal(vrs_stats_mean(huge, 6, &value), VRS_EINVAL);
	assert_int_equal(vrs_stats_sd(bad, 6, &value), VRS_EINVAL);
	assert_int_equal(vrs_stats_mad(huge, 6, &value), VRS_EINVAL);
	assert_int_equal(vrs_stats_theil_sen(x, bad, 6, &value), VRS_EINVAL);
	assert_int_equal(vrs_stats_estimate(bad, 6, &e), VRS_EINVAL);
	assert_int_equal(vrs_stats_shift(bad, 6, 0.05, &shift), VRS_EINVAL);
	assert_float_equal(value, 42, 0);
}

static void spread_and_slope(void **state)
{
	(void)state;
	const double x[] = {1, 2, 3, 4, 100}, t[] = {0, 1, 2, 3, 4}, y[] = {1, 3, 5, 7, 900}, same[] = {2, 2, 2};
	double value;
	assert_int_equal(vrs_stats_mad(x, 5, &value), VRS_OK);
	assert_float_equal(value, 1.4826, 1e-9);
	assert_int_equal(vrs_stats_theil_sen(t, y, 5, &value), VRS_OK);
	assert_float_equal(value, 2, 1e-12); /* one wild point of five does not move it */
	assert_int_equal(vrs_stats_theil_sen(same, t, 3, &value), VRS_EINVAL);
	assert_int_equal(vrs_stats_sd(x, 4, &value), VRS_OK);
	assert_float_equal(value, 1.2909944487358056, 1e-12);
}

/* Existence bounds and ranks as they can be computed by hand from binomial tails. */
static void ranks_of_intervals(void **state)
{
	(void)state;
	static const struct {
		double p;
		int n95, n99;
	} bounds[] = {{0.5, 6, 8}, {0.9, 36, 51}, {0.95, 72, 104}, {0.99, 368, 528}, {0.999, 3688, 5296}};
	static const struct {
		int n, low, high;
	} ranks[] = {{6, 1, 6}, {8, 1, 8}, {10, 2, 9}, {12, 3, 10}, {16, 4, 13}, {20, 6, 15}};
	int low, high;
	double coverage;
	for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
		assert_int_equal(vrs_stats_quantile_min_n(bounds[i].p, 0.95), bounds[i].n95);
		assert_int_equal(vrs_stats_quantile_min_n(bounds[i].p, 0.99), bounds[i].n99);
		assert_int_equal(vrs_stats_quantile_ranks(bounds[i].n95 - 1, bounds[i].p, 0.95, &low, &high, &coverage), VRS_ELIMIT);
		assert_int_equal(vrs_stats_quantile_ranks(bounds[i].n95, bounds[i].p, 0.95, &low, &high, &coverage), VRS_OK);
		assert_true(coverage >= 0.95);
	}
	for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
		assert_int_equal(vrs_stats_quantile_ranks(ranks[i].n, 0.5, 0.95, &low, &high, &coverage), VRS_OK);
		assert_int_equal(low, ranks[i].low);
		assert_int_equal(high, ranks[i].high);
	}
	assert_int_equal(vrs_stats_quantile_ranks(10, 0.5, 0.95, &low, &high, &coverage), VRS_OK);
	assert_float_equal(coverage, 0.978515625, 1e-9);
}

static void estimate_needs_six(void **state)
{
	(void)state;
	const double x[] = {10, 12, 11, 15, 9, 13, 14, 16, 8, 17};
	struct vrs_estimate e;
	assert_int_equal(vrs_stats_estimate(x, 0, &e), VRS_OK);
	assert_int_equal(e.n, 0);
	assert_true(isnan(e.median));
	assert_int_equal(vrs_stats_estimate(x, 5, &e), VRS_OK);
	assert_false(e.has_interval);
	assert_float_equal(e.median, 11, 0);
	assert_float_equal(e.min, 9, 0);
	assert_float_equal(e.max, 15, 0);
	assert_int_equal(vrs_stats_estimate(x, 10, &e), VRS_OK);
	assert_true(e.has_interval);
	assert_float_equal(e.low, 9, 0);
	assert_float_equal(e.high, 16, 0);
	assert_float_equal(e.median, 12.5, 0);
}

/* 95 % intervals of the median cover as often as they say: exact values are 97.9 % at n = 10 and 95.9 % at n = 20. */
static void coverage_of_the_median(void **state)
{
	(void)state;
	static const int sizes[] = {6, 10, 20};
	struct vrs_rng rng;
	vrs_rng_init(&rng, 2024);
	for (int k = 0; k < 3; k++) {
		int hits = 0, trials = 4000;
		double exact = 0;
		for (int trial = 0; trial < trials; trial++) {
			double x[20];
			struct vrs_estimate e;
			for (int i = 0; i < sizes[k]; i++)
				x[i] = exp(0.5 * normal(&rng)); /* skewed, median 1 */
			assert_int_equal(vrs_stats_estimate(x, sizes[k], &e), VRS_OK);
			hits += e.low <= 1 && e.high >= 1;
			exact = e.confidence;
		}
		assert_true(exact >= 0.95);
		assert_true(fabs((double)hits / trials - exact) < 0.01);
	}
}

static void percentiles_need_frames(void **state)
{
	(void)state;
	assert_int_equal(vrs_stats_frames_missing(1000, 0.99, 1), 0);
	assert_int_equal(vrs_stats_frames_missing(999, 0.99, 1), 1);
	assert_int_equal(vrs_stats_frames_missing(1000, 0.99, 7.5), 6500);
	assert_int_equal(vrs_stats_frames_missing(200, 0.95, 1), 0);
	assert_int_equal(vrs_stats_frames_missing(20, 0.5, 1), 0);
	assert_int_equal(vrs_stats_frames_missing(19, 0.5, 1), 1);
	assert_int_equal(vrs_stats_frames_missing(0, 0.999, 1), 10000);
}

static void bursts_raise_the_design_effect(void **state)
{
	(void)state;
	double x[100] = {0};
	const long starts[] = {0, 50};
	double deff;
	assert_int_equal(vrs_stats_design_effect(x, 100, starts, 2, 0.5, &deff), VRS_OK);
	assert_float_equal(deff, 1, 0);
	x[10] = x[11] = x[12] = x[13] = 1; /* one episode of 4 */
	x[80] = 1;                         /* one of 1 */
	assert_int_equal(vrs_stats_design_effect(x, 100, starts, 2, 0.5, &deff), VRS_OK);
	assert_float_equal(deff, 17.0 / 5, 1e-12);
	x[80] = 0;
	x[48] = x[52] = 1; /* 4 apart but in two runs: two episodes */
	assert_int_equal(vrs_stats_design_effect(x, 100, starts, 2, 0.5, &deff), VRS_OK);
	assert_float_equal(deff, 18.0 / 6, 1e-12);
}

static void holm_and_mde(void **state)
{
	(void)state;
	const double p[] = {0.03, 0.001, 0.02, 0.5};
	double adjusted[4];
	double mde;
	assert_int_equal(vrs_stats_holm(p, 4, adjusted), VRS_OK);
	assert_float_equal(adjusted[1], 0.004, 1e-12); /* .001 <= .05 / 4 */
	assert_float_equal(adjusted[2], 0.06, 1e-12);  /* .02 > .05 / 3 stops the rest */
	assert_float_equal(adjusted[0], 0.06, 1e-12);  /* not 2 x .03 with a smaller one before it */
	assert_float_equal(adjusted[3], 0.5, 1e-12);
	assert_int_equal(vrs_stats_holm(p, 0, adjusted), VRS_EINVAL);
	assert_int_equal(vrs_stats_mde(1.5, 10, &mde), VRS_OK);
	assert_float_equal(mde, 1.49, 0.01);
	assert_int_equal(vrs_stats_mde(1.5, 1, &mde), VRS_EINVAL);
}

/* By hand: means 2 and 5, squares 2 and 2, pooled variance 1, error sqrt(2 / 3). */
static void two_means_by_student(void **state)
{
	(void)state;
	static const double a[] = {1, 2, 3}, b[] = {4, 5, 6}, same[] = {7, 7, 7}, other[] = {8, 8}, one[] = {3};
	static const struct vrs_spread twice = {.widening = 2}, narrow = {.widening = 0.5}, rough = {.widening = 1, .least_sd = 3};
	static const struct vrs_spread broken = {.widening = 1, .least_sd = -1};
	struct vrs_two_means t, wide;
	assert_int_equal(vrs_stats_two_means(a, 3, b, 3, NULL, &t), VRS_OK);
	assert_true(t.a == 2 && t.b == 5 && t.df == 4 && fabs(t.error - sqrt(2.0 / 3)) < 1e-12);
	assert_true(fabs(t.p - 0.021312) < 1e-6);
	assert_true(fabs(t.low - (3 - 2.776445 * t.error)) < 1e-5 && fabs(t.high - (3 + 2.776445 * t.error)) < 1e-5);
	assert_int_equal(vrs_stats_two_means(a, 3, b, 3, &twice, &wide), VRS_OK);
	assert_true(fabs(wide.error - 2 * t.error) < 1e-12 && wide.p > t.p);
	assert_int_equal(vrs_stats_two_means(a, 3, b, 3, &rough, &wide), VRS_OK);
	assert_true(fabs(wide.error - 3 * t.error) < 1e-12);
	assert_int_equal(vrs_stats_two_means(a, 3, b, 3, &broken, &wide), VRS_EINVAL);
	assert_int_equal(vrs_stats_two_means(same, 3, other, 2, NULL, &t), VRS_OK);
	assert_true(t.p == 0);
	assert_int_equal(vrs_stats_two_means(same, 1, same, 2, NULL, &t), VRS_OK);
	assert_true(t.p == 1);
	assert_int_equal(vrs_stats_two_means(one, 1, one, 1, NULL, &t), VRS_EINVAL);
	assert_int_equal(vrs_stats_two_means(a, 0, b, 3, NULL, &t), VRS_EINVAL);
	assert_int_equal(vrs_stats_two_means(a, 3, b, 3, &narrow, &t), VRS_EINVAL);
	assert_int_equal(vrs_stats_two_means((const double[]){1, NAN}, 2, b, 3, NULL, &t), VRS_EINVAL);
}

/* Beside 50 values, one wild one in three looks like a difference of means; the levels are the same without it. */
static void two_levels_do_not_rest_on_one_value(void **state)
{
	(void)state;
	double level[50], wild[3] = {10, 30, 10.1}, step[3] = {30, 30.2, 29.9};
	struct vrs_two_means t;
	for (int i = 0; i < 50; i++)
		level[i] = 10 + 0.1 * (i % 3);
	assert_int_equal(vrs_stats_two_means(level, 50, wild, 3, NULL, &t), VRS_OK);
	assert_true(t.p < 1e-4);
	assert_int_equal(vrs_stats_two_levels(level, 50, wild, 3, NULL, &t), VRS_OK);
	assert_true(t.p > 0.3);
	assert_int_equal(vrs_stats_two_levels(wild, 3, level, 50, NULL, &t), VRS_OK);
	assert_true(t.p > 0.3);
	assert_int_equal(vrs_stats_two_levels(level, 50, step, 3, NULL, &t), VRS_OK);
	assert_true(t.p < 1e-20 && fabs(t.b - 30.033333) < 1e-5);
	assert_int_equal(vrs_stats_two_levels(level, 50, step, 0, NULL, &t), VRS_EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantile_type_7),        cmocka_unit_test(broken_values_are_refused),
		cmocka_unit_test(spread_and_slope),       cmocka_unit_test(ranks_of_intervals),
		cmocka_unit_test(estimate_needs_six),     cmocka_unit_test(coverage_of_the_median),
		cmocka_unit_test(percentiles_need_frames), cmocka_unit_test(bursts_raise_the_design_effect),
		cmocka_unit_test(holm_and_mde),
		cmocka_unit_test(two_means_by_student),
		cmocka_unit_test(two_levels_do_not_rest_on_one_value),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
