/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards: the verdict of a night over all its comparisons: one family, two invocations for SLOWER, mattes, precedence, exit codes, planned rounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/judge/night_gate.h"

enum { ITEMS = 4, PAIRS = 20 };

/* Two cases with a headline, memory, and the matte. */
static struct vrs_comparison first[ITEMS], second[ITEMS];
static struct vrs_night_item items[ITEMS];
static struct vrs_night_verdict verdict;

/* Times of B are `change` above those of A, and the pairs spread by `spread` around that. */
static struct vrs_comparison compare(const char *metric, double change, double spread, int pairs)
{
	double a[PAIRS], b[PAIRS];
	struct vrs_comparison c;
	struct vrs_verdict_options options = vrs_verdict_options_default();
	options.alpha = VRS_VERDICT_ALPHA;
	for (int i = 0; i < pairs; i++) {
		a[i] = 20;
		b[i] = 20 * (1 + change) * (1 + spread * ((i * 7 % PAIRS) - 9.5) / 10);
	}
	assert_int_equal(vrs_verdict_pairs(a, b, pairs, &options, &c), VRS_OK);
	(void)snprintf(c.metric, sizeof c.metric, "%s", metric);
	return c;
}

static struct vrs_comparison matte(double a, double b)
{
	struct vrs_comparison c;
	vrs_comparison_init(&c);
	(void)snprintf(c.metric, sizeof c.metric, "iou");
	c.a = a;
	c.b = b;
	c.change = (a - b) / a;
	c.verdict = a - b >= 0.01 ? VRS_VERDICT_SLOWER : VRS_VERDICT_EQUIVALENT;
	return c;
}

static int setup(void **state)
{
	(void)state;
	first[0] = compare("fps", 0, 0.01, PAIRS);
	first[1] = compare("fps", 0, 0.01, PAIRS);
	first[2] = compare("peak_memory", 0, 0.001, PAIRS);
	first[3] = matte(0.97, 0.97);
	for (int i = 0; i < ITEMS; i++)
		items[i] = (struct vrs_night_item){.role = i < 2 ? VRS_NIGHT_HEADLINE : i == 2 ? VRS_NIGHT_SECONDARY : VRS_NIGHT_QUALITY,
						   .case_id = i == 0 ? "model=slow" : "model=fast", .first = &first[i]};
	return 0;
}

static void measure_again(int i, double change, double spread, int pairs)
{
	second[i] = compare(first[i].metric, change, spread, pairs);
	items[i].second = &second[i];
}

static void assert_night(enum vrs_verdict word, int exit_code, int decisive)
{
	assert_int_equal(vrs_night_gate(items, ITEMS, 0, &verdict), VRS_OK);
	assert_int_equal(verdict.verdict, word);
	assert_int_equal(verdict.exit_code, exit_code);
	assert_int_equal(verdict.decisive, decisive);
}

static void nothing_changed(void **state)
{
	(void)state;
	assert_night(VRS_VERDICT_EQUIVALENT, 0, -1);
	assert_true(verdict.family == 3 && verdict.suspects == 0 && verdict.regressed == 0 && !verdict.confirm);
	assert_string_equal(verdict.reason, "nothing became worse by its margin or more");
}

static void slower_takes_two_invocations(void **state)
{
	(void)state;
	first[1] = compare("fps", 0.05, 0.01, PAIRS);
	assert_night(VRS_VERDICT_INCONCLUSIVE, 11, 1);
	assert_true(verdict.confirm && items[1].suspect && !items[0].suspect && !items[1].regressed);
	measure_again(1, 0.05, 0.01, PAIRS);
	assert_night(VRS_VERDICT_SLOWER, 10, 1);
	assert_true(!verdict.confirm && items[1].regressed && verdict.regressed == 1);
	assert_string_equal(verdict.reason, "two invocations agree that it became worse: fps +5.0 % of model=fast");
	measure_again(1, 0, 0.01, PAIRS);
	assert_night(VRS_VERDICT_EQUIVALENT, 0, -1);
	assert_string_equal(verdict.reason, "a second invocation does not confirm what the first one called slower");
}

static void the_second_may_leave_it_open(void **state)
{
	(void)state;
	first[1] = compare("fps", 0.05, 0.01, PAIRS);
	measure_again(1, 0.04, 0.3, PAIRS);
	assert_night(VRS_VERDICT_INCONCLUSIVE, 11, 1);
	assert_false(verdict.confirm);
	second[1].verdict = VRS_VERDICT_INVALID;
	assert_night(VRS_VERDICT_INVALID, 12, 1);
}

static void one_confirmed_case_is_enough(void **state)
{
	(void)state;
	first[0] = compare("fps", 0.08, 0.01, PAIRS);
	first[1] = compare("fps", 0.05, 0.01, PAIRS);
	measure_again(0, 0, 0.01, PAIRS);
	measure_again(1, 0.05, 0.01, PAIRS);
	assert_night(VRS_VERDICT_SLOWER, 10, 1);
	assert_true(!items[0].regressed && items[1].regressed);
}

static void what_the_first_did_not_suspect_is_no_regression(void **state)
{
	(void)state;
	first[1] = compare("fps", 0.05, 0.01, PAIRS);
	measure_again(0, 0.05, 0.01, PAIRS);
	measure_again(1, 0, 0.01, PAIRS);
	assert_night(VRS_VERDICT_EQUIVALENT, 0, -1);
}

static void memory_counts_and_is_never_undecided(void **state)
{
	(void)state;
	first[2] = compare("peak_memory", 0.1, 0.5, PAIRS); /* not even its sign is known */
	assert_night(VRS_VERDICT_EQUIVALENT, 0, -1);
	first[2] = compare("peak_memory", 0.1, 0.001, PAIRS);
	measure_again(2, 0.1, 0.001, PAIRS);
	assert_night(VRS_VERDICT_SLOWER, 10, 2);
}

static void changes_below_the_margin_pass(void **state)
{
	(void)state;
	first[0] = compare("fps", 0.018, 0.005, PAIRS);
	assert_night(VRS_VERDICT_EQUIVALENT, 0, -1);
	assert_int_equal(verdict.suspects, 0);
}

static void headlines_have_to_rule_a_slowdown_out(void **state)
{
	(void)state;
	first[0] = compare("fps", 0, 0.1, PAIRS); /* not EQUIVALENT, and certainly below 5 % */
	assert_int_equal(first[0].verdict, VRS_VERDICT_INCONCLUSIVE);
	assert_true(first[0].high > 0.02 && first[0].high < 0.05);
	assert_night(VRS_VERDICT_EQUIVALENT, 0, -1);
	assert_int_equal(vrs_night_gate(items, ITEMS, 0.02, &verdict), VRS_OK);
	assert_int_equal(verdict.exit_code, 11);
	first[0] = compare("fps", 0, 0.3, PAIRS);
	assert_night(VRS_VERDICT_INCONCLUSIVE, 11, 0);
	first[0] = compare("fps", 0, 0.01, 4); /* too few to say anything */
	assert_night(VRS_VERDICT_INCONCLUSIVE, 11, 0);
	assert_false(verdict.confirm);
}

static void a_disturbed_headline_makes_the_night_invalid(void **state)
{
	(void)state;
	first[0].verdict = VRS_VERDICT_INVALID;
	first[1] = compare("fps", 0, 0.3, PAIRS);
	assert_night(VRS_VERDICT_INVALID, 12, 0);
	first[1] = compare("fps", 0.05, 0.01, PAIRS); /* but a regression that is confirmed is one */
	measure_again(1, 0.05, 0.01, PAIRS);
	assert_night(VRS_VERDICT_SLOWER, 10, 1);
	setup(NULL);
	first[2].verdict = VRS_VERDICT_INVALID;
	assert_night(VRS_VERDICT_EQUIVALENT, 0, -1);
}

static void a_worse_matte_is_a_regression_at_any_speed(void **state)
{
	(void)state;
	first[0] = compare("fps", -0.2, 0.01, PAIRS);
	first[3] = matte(0.97, 0.9601);
	assert_night(VRS_VERDICT_FASTER, 0, 0);
	first[3] = matte(0.97, 0.959);
	assert_night(VRS_VERDICT_SLOWER, 10, 3);
	assert_true(!verdict.confirm && verdict.suspects == 0 && verdict.regressed == 1);
	assert_string_equal(verdict.reason, "the matte became worse: iou from 0.9700 to 0.9590 of model=fast");
}

static void faster_is_said_when_nothing_is_worse(void **state)
{
	(void)state;
	first[0] = compare("fps", -0.06, 0.01, PAIRS);
	assert_night(VRS_VERDICT_FASTER, 0, 0);
	assert_string_equal(verdict.reason, "proven by its margin or more, and nothing became worse: fps -6.0 % of model=slow");
}

/* Eight pairs prove one comparison (p .0078); of a family of 20 nothing can be proven with them. */
static void all_comparisons_are_one_family(void **state)
{
	(void)state;
	struct vrs_comparison many[20];
	struct vrs_night_item all[20];
	for (int i = 0; i < 20; i++) {
		many[i] = compare("cpu", i == 0 ? 0.05 : 0, 0.01, 8);
		all[i] = (struct vrs_night_item){.role = VRS_NIGHT_SECONDARY, .case_id = "c", .first = &many[i]};
	}
	assert_int_equal(many[0].verdict, VRS_VERDICT_SLOWER);
	assert_int_equal(vrs_night_gate(all, 1, 0, &verdict), VRS_OK);
	assert_int_equal(verdict.suspects, 1);
	assert_int_equal(vrs_night_gate(all, 20, 0, &verdict), VRS_OK);
	assert_int_equal(verdict.suspects, 0);
	assert_int_equal(many[0].cause, VRS_CAUSE_HOLM);
	many[0] = compare("cpu", 0.05, 0.01, 14);
	for (int again = 0; again < 2; again++) {
		assert_int_equal(vrs_night_gate(all, 20, 0, &verdict), VRS_OK);
		assert_int_equal(verdict.suspects, 1);
	}
}

static void an_empty_night_has_nothing_worse(void **state)
{
	(void)state;
	assert_int_equal(vrs_night_gate(NULL, 0, 0, &verdict), VRS_OK);
	assert_true(verdict.verdict == VRS_VERDICT_EQUIVALENT && verdict.family == 0);
}

static void rounds_grow_with_noise_and_family(void **state)
{
	(void)state;
	assert_int_equal(vrs_night_gate_rounds(0, 10, 0), 14);
	assert_int_equal(vrs_night_gate_rounds(0.01, 50, 0.05), 14);
	assert_int_equal(vrs_night_gate_rounds(0.02, 50, 0.05), 24);
	assert_int_equal(vrs_night_gate_rounds(0.03, 50, 0.05), 29);
	assert_int_equal(vrs_night_gate_rounds(0.05, 50, 0.05), 80);
	assert_int_equal(vrs_night_gate_rounds(0.03, 50, 0.1), 24);
	assert_true(vrs_night_gate_rounds(0.01, 5000, 0.05) > 18);
	assert_int_equal(vrs_night_gate_rounds(1, 50, 0.01), VRS_STATS_MAX_PAIRS);
}

static void margins_shrink_with_planned_rounds(void **state)
{
	(void)state;
	assert_true(vrs_verdict_noise_margin(0, 8) == 0);
	assert_true(fabs(vrs_verdict_noise_margin(0.02, 8) - 0.03) < 1e-12);
	assert_true(fabs(vrs_verdict_noise_margin(0.02, 20) - 0.03) < 1e-12);
	assert_true(fabs(vrs_verdict_noise_margin(0.02, 80) - 0.015) < 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(nothing_changed, setup),
		cmocka_unit_test_setup(slower_takes_two_invocations, setup),
		cmocka_unit_test_setup(the_second_may_leave_it_open, setup),
		cmocka_unit_test_setup(one_confirmed_case_is_enough, setup),
		cmocka_unit_test_setup(what_the_first_did_not_suspect_is_no_regression, setup),
		cmocka_unit_test_setup(memory_counts_and_is_never_undecided, setup),
		cmocka_unit_test_setup(changes_below_the_margin_pass, setup),
		cmocka_unit_test_setup(headlines_have_to_rule_a_slowdown_out, setup),
		cmocka_unit_test_setup(a_disturbed_headline_makes_the_night_invalid, setup),
		cmocka_unit_test_setup(a_worse_matte_is_a_regression_at_any_speed, setup),
		cmocka_unit_test_setup(faster_is_said_when_nothing_is_worse, setup),
		cmocka_unit_test(all_comparisons_are_one_family),
		cmocka_unit_test(an_empty_night_has_nothing_worse),
		cmocka_unit_test(rounds_grow_with_noise_and_family),
		cmocka_unit_test(margins_shrink_with_planned_rounds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
