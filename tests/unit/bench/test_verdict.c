/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards: verdict words, looks, margins, exit codes; A/A false alarms and power by simulation; impossible times are never a win. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "base/str_parse.h"
#include "bench/judge/verdict.h"

static double normal(struct vrs_rng *rng)
{
	return sqrt(-2 * log(1 - vrs_rng_unit(rng))) * cos(6.283185307179586 * vrs_rng_unit(rng));
}

/* Pairs of one machine: slow drift over the session, noise of both runs, and a true change of B. */
static void simulate(struct vrs_rng *rng, double pair_sd, double change, double *a, double *b, int n)
{
	double drift = 0.02 * normal(rng);
	for (int i = 0; i < n; i++) {
		double level = 20 * exp(drift * i / n), wild = vrs_rng_unit(rng) < 0.1 ? 5 : 1;
		a[i] = level;
		b[i] = level * exp(log1p(change) + pair_sd * wild * normal(rng));
	}
}

/* As a measurement would go: look after look until a decision. */
static struct vrs_comparison decide(const double *a, const double *b, int n, double margin)
{
	struct vrs_verdict_options options = vrs_verdict_options_default();
	struct vrs_comparison c;
	options.margin = margin;
	for (int k = 8; k <= n; k += 6) {
		assert_int_equal(vrs_verdict_pairs(a, b, k, &options, &c), VRS_OK);
		if (c.final)
			break;
	}
	return c;
}

static void no_change_raises_no_alarm(void **state)
{
	(void)state;
	struct vrs_rng rng;
	int alarms = 0, decided = 0;
	double a[20], b[20];
	vrs_rng_init(&rng, 20260101);
	for (int t = 0; t < 200; t++) {
		simulate(&rng, 0.01, 0, a, b, 20);
		struct vrs_comparison c = decide(a, b, 20, 0.02);
		alarms += (c.verdict == VRS_VERDICT_FASTER || c.verdict == VRS_VERDICT_SLOWER) && c.gate;
		decided += c.verdict == VRS_VERDICT_EQUIVALENT;
	}
	assert_in_range(alarms, 0, 2);
	assert_true(decided >= 190); /* and it does come to a decision */
}

static void five_percent_is_found(void **state)
{
	(void)state;
	struct vrs_rng rng;
	int found = 0;
	double a[20], b[20];
	vrs_rng_init(&rng, 5);
	for (int t = 0; t < 100; t++) {
		simulate(&rng, 0.02, 0.05, a, b, 20);
		struct vrs_comparison c = decide(a, b, 20, 0.02);
		found += c.verdict == VRS_VERDICT_SLOWER && c.gate && vrs_verdict_exit_code(&c) == 10;
	}
	assert_true(found >= 95);
}

static void words_and_direction(void **state)
{
	(void)state;
	double a[20], b[20];
	struct vrs_verdict_options options = vrs_verdict_options_default();
	struct vrs_comparison c;
	for (int i = 0; i < 20; i++) {
		a[i] = 10 + 0.01 * i;
		b[i] = a[i] * (1.2 + 0.001 * (i % 3));
	}
	assert_int_equal(vrs_verdict_pairs(a, b, 8, &options, &c), VRS_OK);
	assert_int_equal(c.verdict, VRS_VERDICT_SLOWER);
	assert_true(c.final && c.gate);
	assert_float_equal(c.change, 0.201, 0.002);
	assert_int_equal(vrs_verdict_exit_code(&c), 10);
	assert_int_equal(vrs_verdict_pairs(b, a, 8, &options, &c), VRS_OK);
	assert_int_equal(c.verdict, VRS_VERDICT_FASTER);
	assert_int_equal(vrs_verdict_exit_code(&c), 0);
	options.larger_is_better = true; /* as rates, B is better */
	assert_int_equal(vrs_verdict_pairs(a, b, 8, &options, &c), VRS_OK);
	assert_int_equal(c.verdict, VRS_VERDICT_FASTER);
	assert_true(c.change < 0);
	options.invalid = VRS_CAUSE_DISTURBED;
	options.why = "throttle: the clock fell";
	assert_int_equal(vrs_verdict_pairs(a, b, 8, &options, &c), VRS_OK);
	assert_int_equal(c.verdict, VRS_VERDICT_INVALID);
	assert_int_equal(vrs_verdict_exit_code(&c), 12);
	char line[256];
	vrs_strcpy(c.metric, sizeof c.metric, "fps");
	vrs_verdict_line(&c, line, sizeof line);
	assert_int_equal(strncmp(line, "VERDICT INVALID metric=fps delta=-", 34), 0);
	assert_non_null(strstr(line, " n=8 "));
	assert_non_null(strstr(line, " reason=disturbed"));
	assert_string_equal(c.reason, "throttle: the clock fell");
	c.margin = c.low = NAN; /* as in a result that lacks them */
	vrs_verdict_line(&c, line, sizeof line);
	assert_null(strstr(line, "nan"));
}

static void few_pairs_claim_nothing(void **state)
{
	(void)state;
	const double a[] = {10, 10, 10, 10, 10, 10, 10}, b[] = {20, 20, 20, 20, 20, 20, 20};
	struct vrs_verdict_options options = vrs_verdict_options_default();
	struct vrs_comparison c;
	for (int n = 0; n <= 7; n++)
		for (int fixed = 0; fixed < 2; fixed++) {
			options.alpha = fixed ? 0.05 : 0;
			assert_int_equal(vrs_verdict_pairs(a, b, n, &options, &c), VRS_OK);
			assert_int_equal(c.verdict, VRS_VERDICT_INCONCLUSIVE);
			assert_int_equal(c.pairs_needed, 8);
			assert_int_equal(vrs_verdict_exit_code(&c), 11);
			assert_int_equal(c.cause, VRS_CAUSE_FEW_RUNS);
		}
}

/* A small but certain change waits for the last look, and fails no gate. */
static void below_the_margin(void **state)
{
	(void)state;
	double a[20], b[20];
	struct vrs_verdict_options options = vrs_verdict_options_default();
	struct vrs_comparison c;
	for (int i = 0; i < 20; i++) {
		a[i] = 10;
		b[i] = 10 * (1 + 0.034 * (i * 7 % 20) / 19); /* 0 to 3.4 %, 1.7 % in the middle; margin 2 % */
	}
	for (int n = 8; n <= 14; n += 6) {
		assert_int_equal(vrs_verdict_pairs(a, b, n, &options, &c), VRS_OK);
		assert_true(c.low > 0); /* significant already */
		assert_int_equal(c.verdict, VRS_VERDICT_INCONCLUSIVE);
		assert_false(c.final);
	}
	assert_int_equal(vrs_verdict_pairs(a, b, 20, &options, &c), VRS_OK);
	assert_int_equal(c.verdict, VRS_VERDICT_SLOWER);
	assert_true(c.final);
	assert_false(c.gate);
	assert_int_equal(vrs_verdict_exit_code(&c), 0);
	assert_int_equal(c.cause, VRS_CAUSE_BELOW_MARGIN);
	options.margin = 0.04;
	assert_int_equal(vrs_verdict_pairs(a, b, 20, &options, &c), VRS_OK);
	assert_int_equal(c.verdict, VRS_VERDICT_EQUIVALENT);
	options.margin = 0.02;
	options.pair_sd = 0.04; /* noise known from calibration widens the margin */
	assert_int_equal(vrs_verdict_pairs(a, b, 20, &options, &c), VRS_OK);
	assert_float_equal(c.margin, 0.06, 1e-12);
	assert_int_equal(c.verdict, VRS_VERDICT_EQUIVALENT);
}

/* The smallest change that is found is a cost as all others: where pairs spread by a factor, it is more than their logarithms say. */
static void the_mde_is_a_share(void **state)
{
	(void)state;
	double a[8], b[8], log_effect;
	struct vrs_verdict_options options = vrs_verdict_options_default();
	struct vrs_comparison c;
	for (int i = 0; i < 8; i++) {
		a[i] = 100;
		b[i] = 100 * exp(i % 2 ? 0.6 + 0.05 * i : -0.6 - 0.05 * i);
	}
	assert_int_equal(vrs_verdict_pairs(a, b, 8, &options, &c), VRS_OK);
	double d[8], sd;
	for (int i = 0; i < 8; i++)
		d[i] = log(b[i] / a[i]);
	assert_int_equal(vrs_stats_mad(d, 8, &sd), VRS_OK);
	assert_int_equal(vrs_stats_mde(sd, 8, &log_effect), VRS_OK);
	assert_true(log_effect > 0.9);
	assert_float_equal(c.mde, exp(log_effect) - 1, 1e-9);
	assert_float_equal(vrs_verdict_mde(sd, 8), c.mde, 1e-12);
	assert_true(isnan(vrs_verdict_mde(sd, 1)) && isnan(vrs_verdict_mde(1000, 8))); /* no file holds that */
}

static void impossible_values(void **state)
{
	(void)state;
	double a[8] = {1, 1, 1, 1, 1, 1, 1, 1}, b[8] = {1, 1, 1, 1, 1, 1, 1, 0};
	struct vrs_verdict_options options = vrs_verdict_options_default();
	struct vrs_comparison c;
	assert_int_equal(vrs_verdict_pairs(a, b, 8, &options, &c), VRS_EINVAL); /* 0.000 ms is no win */
	b[7] = (double)NAN;
	assert_int_equal(vrs_verdict_pairs(a, b, 8, &options, &c), VRS_EINVAL);
	b[7] = -1;
	assert_int_equal(vrs_verdict_pairs(a, b, 8, &options, &c), VRS_EINVAL);
	b[7] = 1;
	options.margin = (double)NAN;
	assert_int_equal(vrs_verdict_pairs(a, b, 8, &options, &c), VRS_EINVAL);
}

/* Only runs of one round make a pair, also where runs are missing or failed. */
static void pairs_share_rounds(void **state)
{
	(void)state;
	struct vrs_case_result a, b;
	double x[8], y[8];
	int rounds[8];
	vrs_case_result_init(&a);
	vrs_case_result_init(&b);
	for (int round = 1; round <= 4; round++) {
		struct vrs_run *run = vrs_case_result_add_run(&a);
		run->status = round == 2 ? VRS_RUN_CRASH : VRS_RUN_OK;
		run->round = round;
		run->fps = 10 * round;
	}
	for (int round = 4; round >= 2; round--) {
		struct vrs_run *run = vrs_case_result_add_run(&b);
		run->status = VRS_RUN_OK;
		run->round = round;
		run->fps = round;
	}
	assert_int_equal(vrs_verdict_collect(&a, &b, vrs_figure_fps, 8, x, y, rounds), 2);
	assert_int_equal(rounds[0], 3);
	assert_int_equal(rounds[1], 4);
	assert_int_equal(vrs_verdict_collect(&b, &a, vrs_figure_fps, 8, x, y, rounds), 2); /* the other side holds its runs in another order */
	assert_int_equal(rounds[0], 3);
	assert_int_equal(vrs_verdict_collect(&a, &b, vrs_figure_fps, 8, x, y, NULL), 2);
	assert_float_equal((float)(x[0] / y[0]), 10, 1e-6);
	assert_float_equal(x[1], 40, 1e-12);
	assert_float_equal(y[1], 4, 1e-12);
	vrs_case_result_fini(&a);
	vrs_case_result_fini(&b);
}

/* One family: what Holm does not prove is no claim any more, and a claim that stays needs the margin to be a gain. */
static void one_judge_for_families(void **state)
{
	(void)state;
	const double p[] = {0.0078, 0.03, 0.0078, 0.2}; /* adjusted: .0312, .06, .0312, .2 */
	const enum vrs_verdict was[] = {VRS_VERDICT_FASTER, VRS_VERDICT_SLOWER, VRS_VERDICT_FASTER, VRS_VERDICT_EQUIVALENT};
	struct vrs_comparison c[4], *family[4];
	for (int i = 0; i < 4; i++) {
		vrs_comparison_init(&c[i]);
		c[i].verdict = was[i];
		c[i].gate = i < 2;
		c[i].p = p[i];
		c[i].pairs = 8;
		family[i] = &c[i];
	}
	assert_true(vrs_verdict_is_proven(&c[1])); /* alone */
	assert_int_equal(vrs_verdict_family(family, 4), VRS_OK);
	assert_int_equal(c[0].verdict, VRS_VERDICT_FASTER);
	assert_float_equal(c[0].holm_p, 0.0312, 1e-9);
	assert_true(vrs_verdict_is_gain(&c[0]));
	assert_int_equal(c[1].verdict, VRS_VERDICT_INCONCLUSIVE);
	assert_int_equal(c[1].cause, VRS_CAUSE_HOLM);
	assert_false(c[1].gate);
	assert_false(vrs_verdict_is_proven(&c[1]));
	assert_int_equal(c[2].verdict, VRS_VERDICT_FASTER);
	assert_false(vrs_verdict_is_gain(&c[2])); /* below the margin */
	assert_int_equal(c[3].verdict, VRS_VERDICT_EQUIVALENT);
	c[0].pairs = 7;
	assert_false(vrs_verdict_is_proven(&c[0]));
	assert_int_equal(vrs_verdict_family(family, 0), VRS_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_change_raises_no_alarm), cmocka_unit_test(five_percent_is_found), cmocka_unit_test(words_and_direction),
		cmocka_unit_test(few_pairs_claim_nothing),   cmocka_unit_test(below_the_margin),      cmocka_unit_test(impossible_values),
		cmocka_unit_test(the_mde_is_a_share),
		cmocka_unit_test(pairs_share_rounds),        cmocka_unit_test(one_judge_for_families),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
