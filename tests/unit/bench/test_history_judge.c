/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards: steps and drift of a series of nights, their ranges and directions; what was undone, accepted or is known does not alarm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/rng.h"
#include "bench/judge/history_judge.h"

enum { MOST = 32, NIGHTS = 400 };
static struct vrs_night nights[NIGHTS];
static struct vrs_history_alert alerts[MOST];

static double normal(struct vrs_rng *rng)
{
	return sqrt(-2 * log(1 - vrs_rng_unit(rng))) * cos(6.283185307179586 * vrs_rng_unit(rng));
}

/* Nights 0..count - 1, a day apart, spread by half a percent. */
static void make_nights(int count, uint64_t seed)
{
	struct vrs_rng rng;
	vrs_rng_init(&rng, seed);
	for (int i = 0; i < count; i++)
		nights[i] = (struct vrs_night){.day = 20000 + i, .ratio = exp(0.005 * normal(&rng)), .low = NAN, .high = NAN};
}

static void change_from(int night, int count, double factor)
{
	for (int i = night; i < count; i++)
		nights[i].ratio *= factor;
}

static int judge(int count, const struct vrs_history_rules *rules)
{
	int n;
	struct vrs_error err;
	assert_int_equal(vrs_history_judge(nights, count, rules, alerts, MOST, &n, &err), VRS_OK);
	return n;
}

static int count_alarms(int n)
{
	int alarms = 0;
	for (int i = 0; i < n; i++)
		alarms += vrs_history_alarms(&alerts[i]);
	return alarms;
}

static void a_step_alarms_after_three_nights(void **state)
{
	(void)state;
	struct vrs_history_rules rules = vrs_history_rules_default();
	make_nights(63, 1);
	change_from(60, 63, 1.05);
	assert_int_equal(count_alarms(judge(61, &rules)), 0);
	assert_int_equal(count_alarms(judge(62, &rules)), 0);
	assert_int_equal(judge(63, &rules), 1);
	const struct vrs_history_alert *a = &alerts[0];
	assert_true(vrs_history_alarms(a));
	assert_int_equal(a->kind, VRS_HISTORY_STEP);
	assert_int_equal(a->index, 60);
	assert_true(a->first == 60 && a->last == 60);
	assert_int_equal(a->nights, 3);
	assert_true(a->low < 0.05 && a->high > 0.05 && a->low > 0.03 && a->high < 0.07);
	assert_true(a->worse && a->confirmed && a->open && !a->settled && a->p < rules.alarm_p);
	assert_true(fabs(a->before - 1) < 0.003 && fabs(a->after / a->before - 1 - a->change) < 1e-12);
}

static void the_direction_is_that_of_the_figure(void **state)
{
	(void)state;
	struct vrs_history_rules rules = vrs_history_rules_default();
	make_nights(70, 2);
	change_from(60, 70, 0.95);
	assert_int_equal(judge(70, &rules), 1);
	assert_true(!alerts[0].worse && alerts[0].confirmed && alerts[0].open);
	assert_false(vrs_history_alarms(&alerts[0]));
	rules.larger_is_better = true;
	assert_int_equal(judge(70, &rules), 1);
	assert_true(alerts[0].worse && vrs_history_alarms(&alerts[0]));
}

static void noise_spikes_and_constants_are_silent(void **state)
{
	(void)state;
	struct vrs_history_rules rules = vrs_history_rules_default();
	make_nights(NIGHTS, 3);
	assert_int_equal(count_alarms(judge(NIGHTS, &rules)), 0);
	make_nights(100, 4);
	nights[60].ratio = 1.6;
	assert_int_equal(judge(100, &rules), 0);
	for (int end = 60; end < 70; end++)
		assert_int_equal(count_alarms(judge(end, &rules)), 0);
	for (int i = 0; i < 100; i++)
		nights[i].ratio = 1.25; /* always slower than the baseline, and no change */
	assert_int_equal(judge(100, &rules), 0);
}

static void changes_below_the_margin_do_not_matter(void **state)
{
	(void)state;
	struct vrs_history_rules rules = vrs_history_rules_default();
	make_nights(160, 5);
	change_from(60, 160, 1.015);
	assert_int_equal(judge(160, &rules), 0);
	rules.margin = 0.01;
	assert_int_equal(count_alarms(judge(160, &rules)), 1);
	assert_true(alerts[0].first <= 60 && alerts[0].last >= 60 && alerts[0].last - alerts[0].first < 10);
}

static void what_was_undone_is_not_open(void **state)
{
	(void)state;
	struct vrs_history_rules rules = vrs_history_rules_default();
	make_nights(100, 6);
	change_from(50, 80, 1.06);
	assert_int_equal(count_alarms(judge(80, &rules)), 1);
	int n = judge(100, &rules);
	assert_int_equal(n, 2);
	assert_int_equal(count_alarms(n), 0);
	assert_true(alerts[0].index == 50 && alerts[0].worse && alerts[0].confirmed && !alerts[0].open);
	assert_true(alerts[1].index == 80 && !alerts[1].worse && alerts[1].open);
}

static void an_accepted_baseline_settles_what_was_before(void **state)
{
	(void)state;
	struct vrs_history_rules rules = vrs_history_rules_default();
	make_nights(120, 7);
	change_from(50, 60, 1.06); /* from night 60 on the baseline is as slow */
	nights[60].new_baseline = true;
	int n = judge(90, &rules);
	assert_int_equal(n, 1);
	assert_true(alerts[0].index == 50 && alerts[0].settled && !vrs_history_alarms(&alerts[0]));
	change_from(95, 120, 1.05);
	n = judge(120, &rules);
	assert_int_equal(n, 2);
	assert_true(alerts[1].index == 95 && !alerts[1].settled && vrs_history_alarms(&alerts[1]));
}

static void a_known_change_does_not_alarm(void **state)
{
	(void)state;
	struct vrs_history_rules rules = vrs_history_rules_default();
	make_nights(150, 8);
	change_from(100, 150, 1.06);
	nights[100].known_change = true;
	assert_int_equal(judge(150, &rules), 0); /* nor does drift: 30 days before, the level was another */
	make_nights(150, 8);
	change_from(60, 150, 1.05);
	change_from(100, 150, 1.06);
	nights[100].known_change = true;
	assert_int_equal(judge(150, &rules), 1); /* what nobody knows of stays open */
	assert_true(alerts[0].index == 60 && vrs_history_alarms(&alerts[0]));
}

/* Small steps that are never a change point of their own. */
static void slow_drift_alarms(void **state)
{
	(void)state;
	struct vrs_history_rules rules = vrs_history_rules_default();
	make_nights(150, 9);
	for (int i = 0; i < 150; i++)
		nights[i].ratio *= 1 + 0.0006 * i;
	assert_true(count_alarms(judge(150, &rules)) > 0);
	rules.change.max_p = 1e-200; /* no steps, so that it is drift which is seen */
	int n = judge(150, &rules);
	assert_int_equal(n, 1);
	assert_int_equal(alerts[0].kind, VRS_HISTORY_DRIFT_90);
	assert_true(vrs_history_alarms(&alerts[0]) && alerts[0].low < 0.054 && alerts[0].high > 0.045);
	assert_true(alerts[0].first == 59 && alerts[0].last == 149);
	for (int i = 0; i < 150; i++)
		nights[i].ratio *= 1 + 0.001 * i;
	assert_int_equal(judge(150, &rules), 2);
	assert_int_equal(alerts[0].kind, VRS_HISTORY_DRIFT_30);
	assert_int_equal(alerts[0].first, 119);
	rules.larger_is_better = true;
	assert_int_equal(count_alarms(judge(150, &rules)), 0);
}

/* The best fits of neighbouring steps leave single nights between them, which have no spread: no proof, and no error. */
static void single_nights_are_judged(void **state)
{
	static const double costs[] = {
		1.9939,  -0.3907, -0.6839, -0.7905, -0.8351, -0.8351, -0.8351, -0.8351, -0.8351, -0.8351, -0.8296, -0.8296, -0.8296, -0.8296,
		-0.8296, -0.8318, -0.8318, -0.8235, -0.8235, -0.8235, -0.8235, -0.8235, -0.8235, -0.8883, -0.8883, -0.8883, -0.8883, -0.8843,
		-0.8843, -0.8843, -0.889,  -0.8855, -0.8855, -0.8855, -0.8855, -0.8855, -0.8817, -0.8817, -0.8817, -0.89,   -0.89,
	};
	(void)state;
	struct vrs_history_rules rules = vrs_history_rules_default();
	int count = sizeof costs / sizeof *costs;
	make_nights(count, 1);
	for (int i = 0; i < count; i++) {
		nights[i].ratio = 1 + costs[i];
		nights[i].low = nights[i].high = NAN;
	}
	int n = judge(count, &rules);
	for (int i = 0; i < n; i++)
		assert_true(alerts[i].p >= 0 && alerts[i].p <= 1 && (alerts[i].p < 1 || !alerts[i].confirmed));
}

static void a_step_is_no_drift(void **state)
{
	(void)state;
	struct vrs_history_rules rules = vrs_history_rules_default();
	make_nights(150, 10);
	change_from(130, 150, 1.06);
	for (int end = 136; end <= 150; end++) {
		assert_int_equal(judge(end, &rules), 1);
		assert_int_equal(alerts[0].kind, VRS_HISTORY_STEP);
	}
}

static void neighbours_that_are_alike_prove_less(void **state)
{
	(void)state;
	struct vrs_history_rules rules = vrs_history_rules_default();
	struct vrs_rng rng;
	double walk = 0, p_alike, p_apart;
	vrs_rng_init(&rng, 11);
	make_nights(80, 11);
	for (int i = 0; i < 80; i++) {
		walk = 0.8 * walk + 0.6 * normal(&rng);
		nights[i].ratio = (1 + 0.006 * walk) * (i < 60 ? 1 : 1.05);
	}
	assert_true(judge(80, &rules) > 0);
	p_alike = alerts[0].p;
	for (int i = 0; i < 60; i++) { /* the same values in another order: their spread is the same, but neighbours are not alike */
		int k = (int)vrs_rng_below(&rng, 60);
		double ratio = nights[i].ratio;
		nights[i].ratio = nights[k].ratio;
		nights[k].ratio = ratio;
	}
	assert_true(judge(80, &rules) > 0);
	p_apart = alerts[0].p;
	assert_true(p_alike > 100 * p_apart);
}

/* Three nights that agree by chance prove nothing when each of them says that it is not so sure. */
static void nights_that_are_unsure_prove_less(void **state)
{
	(void)state;
	struct vrs_history_rules rules = vrs_history_rules_default();
	for (int i = 0; i < 20; i++)
		nights[i] = (struct vrs_night){.day = i, .ratio = (i < 10 ? 1 : 1.03) + 0.0001 * (i % 3), .low = NAN, .high = NAN};
	assert_int_equal(count_alarms(judge(20, &rules)), 1);
	for (int i = 0; i < 20; i++) {
		nights[i].low = nights[i].ratio - 0.002;
		nights[i].high = nights[i].ratio + 0.002;
	}
	assert_int_equal(count_alarms(judge(20, &rules)), 1);
	for (int i = 0; i < 20; i++) {
		nights[i].low = nights[i].ratio - 0.06;
		nights[i].high = nights[i].ratio + 0.06;
	}
	assert_int_equal(judge(20, &rules), 1);
	assert_true(!alerts[0].confirmed && alerts[0].low < 0);
}

static void old_nights_and_gaps(void **state)
{
	(void)state;
	struct vrs_history_rules rules = vrs_history_rules_default();
	make_nights(NIGHTS, 12);
	change_from(50, NIGHTS, 1.05);
	assert_int_equal(judge(NIGHTS, &rules), 1);
	assert_int_equal(alerts[0].index, 50);
	rules.window_days = 340; /* begins at night 60 */
	assert_int_equal(judge(NIGHTS, &rules), 0);
	rules.window_days = 360;
	assert_int_equal(judge(NIGHTS, &rules), 1); /* indices count from the first night that was given */
	assert_int_equal(alerts[0].index, 50);
	make_nights(90, 13);
	change_from(60, 90, 1.05);
	for (int i = 0; i < 90; i++)
		nights[i].day = 20000 + i / 3 * 5; /* three nights a day, every fifth day */
	assert_int_equal(count_alarms(judge(90, &rules)), 1);
	assert_int_equal(alerts[0].index, 60);
}

static void few_nights_say_nothing(void **state)
{
	(void)state;
	struct vrs_history_rules rules = vrs_history_rules_default();
	make_nights(5, 14);
	nights[3].ratio = nights[4].ratio = 2;
	for (int n = 0; n <= 5; n++)
		assert_int_equal(judge(n, &rules), 0);
}

static void room_for_fewer_gives_the_number_of_all(void **state)
{
	(void)state;
	struct vrs_history_rules rules = vrs_history_rules_default();
	struct vrs_error err;
	int n;
	make_nights(100, 6);
	change_from(50, 80, 1.06);
	alerts[1].index = -7;
	assert_int_equal(vrs_history_judge(nights, 100, &rules, alerts, 1, &n, &err), VRS_OK);
	assert_int_equal(n, 2);
	assert_int_equal(alerts[0].index, 50);
	assert_int_equal(alerts[1].index, -7);
}

/* Drift of nights that are too far apart is not judged, and that can be told; a young history is not sparse. */
static void weekly_nights_are_sparse(void **state)
{
	(void)state;
	struct vrs_history_rules rules = vrs_history_rules_default();
	for (int days_apart = 1; days_apart <= 7; days_apart++) {
		make_nights(120, 11);
		for (int i = 0; i < 120; i++) {
			nights[i].day = 20000 + (int64_t)i * days_apart;
			nights[i].ratio *= 1 + 0.0005 * i * days_apart;
		}
		bool drifts = false;
		for (int i = 0, n = judge(120, &rules); i < n && i < MOST; i++)
			drifts |= alerts[i].kind != VRS_HISTORY_STEP;
		assert_true(vrs_history_is_sparse(nights, 120) == (days_apart > 4));
		assert_false(drifts && days_apart > 4);
		assert_false(vrs_history_is_sparse(nights, 40 / days_apart)); /* young */
		assert_false(vrs_history_is_sparse(nights, 0));
	}
}

static void broken_input_is_refused(void **state)
{
	(void)state;
	const struct vrs_history_rules good = vrs_history_rules_default();
	struct vrs_history_rules bad[6] = {good, good, good, good, good, good};
	static const double ratios[] = {0, -1, NAN, INFINITY};
	struct vrs_error err;
	int n;
	make_nights(10, 15);
	for (int i = 0; i < 4; i++) {
		nights[4].ratio = ratios[i];
		assert_int_equal(vrs_history_judge(nights, 10, &good, alerts, MOST, &n, &err), VRS_EINVAL);
		assert_string_equal(err.text, "the ratio of night 4 is not above 0; leave out nights without one");
	}
	nights[4].ratio = 1;
	nights[4].day = 10;
	assert_int_equal(vrs_history_judge(nights, 10, &good, alerts, MOST, &n, &err), VRS_EINVAL);
	nights[4].day = nights[3].day;
	assert_int_equal(vrs_history_judge(nights, -1, &good, alerts, MOST, &n, &err), VRS_ELIMIT);
	bad[0].margin = NAN;
	bad[1].margin = 1;
	bad[2].alarm_p = 0;
	bad[3].window_days = 0;
	bad[4].confirm_nights = 0;
	bad[5].change.window = 3;
	for (int i = 0; i < 6; i++)
		assert_int_equal(vrs_history_judge(nights, 10, &bad[i], alerts, MOST, &n, &err), VRS_EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_step_alarms_after_three_nights),
		cmocka_unit_test(the_direction_is_that_of_the_figure),
		cmocka_unit_test(noise_spikes_and_constants_are_silent),
		cmocka_unit_test(changes_below_the_margin_do_not_matter),
		cmocka_unit_test(what_was_undone_is_not_open),
		cmocka_unit_test(an_accepted_baseline_settles_what_was_before),
		cmocka_unit_test(a_known_change_does_not_alarm),
		cmocka_unit_test(slow_drift_alarms),
		cmocka_unit_test(single_nights_are_judged),
		cmocka_unit_test(a_step_is_no_drift),
		cmocka_unit_test(neighbours_that_are_alike_prove_less),
		cmocka_unit_test(nights_that_are_unsure_prove_less),
		cmocka_unit_test(old_nights_and_gaps),
		cmocka_unit_test(few_nights_say_nothing),
		cmocka_unit_test(room_for_fewer_gives_the_number_of_all),
		cmocka_unit_test(weekly_nights_are_sparse),
		cmocka_unit_test(broken_input_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
