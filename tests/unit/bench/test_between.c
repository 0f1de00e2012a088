/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards verdicts between invocations: calibrations of one subject an hour apart give the variance, others and resumed ones do not; without it
 * nothing is decided; with it a change beyond drift is found, and drift alone raises no more alarms than the level promises (simulated).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/rng.h"
#include "base/str_parse.h"
#include "bench/judge/between.h"

#define NOW 1800000000
static char folder[128];

static double normal(struct vrs_rng *rng)
{
	return sqrt(-2 * log(1 - vrs_rng_unit(rng))) * cos(6.283185307179586 * vrs_rng_unit(rng));
}

static void add_level(struct vrs_noise_record *r, int hour, uint64_t subject, double level)
{
	struct vrs_noise_level *l = &r->levels[r->level_count++];
	*l = (struct vrs_noise_level){.created = NOW - 100 * 3600 + hour * 3600, .subject = subject, .level = level};
	snprintf(l->started_utc, sizeof l->started_utc, "hour %d", hour);
}

static void only_invocations_apart_count(void **state)
{
	struct vrs_noise_record r;
	double sd;
	int freedom, invocations;
	(void)state;
	vrs_noise_record_init(&r);
	for (int i = 0; i < 6; i++)
		add_level(&r, i, 1, i % 2 ? 101 : 99);
	assert_int_equal(vrs_noise_record_between(&r, NOW, &sd, &freedom, &invocations), VRS_OK);
	assert_int_equal(freedom, 5);
	assert_int_equal(invocations, 6);
	assert_true(fabs(sd - 0.5 * log(101.0 / 99) * sqrt(6.0 / 5)) < 1e-9);
	add_level(&r, 5, 1, 200); /* within the hour: the same drift */
	add_level(&r, 6, 2, 500); /* another clip or build: no difference to anything */
	assert_int_equal(vrs_noise_record_between(&r, NOW, &sd, &freedom, &invocations), VRS_OK);
	assert_int_equal(freedom, 5);
	assert_int_equal(invocations, 7);
	assert_true(sd < 0.02);
	assert_int_equal(vrs_noise_record_between(&r, NOW + VRS_NOISE_LEVELS_DAYS * 86400, &sd, &freedom, &invocations), VRS_ENOTFOUND);
	r.level_count = 5;
	assert_int_equal(vrs_noise_record_between(&r, NOW, &sd, &freedom, &invocations), VRS_ENOTFOUND);
	assert_int_equal(freedom, 4);
}

/* Levels are carried from calibration to calibration; one that was gone on with stays one. */
static void levels_are_kept(void **state)
{
	struct vrs_noise_record r, back;
	struct vrs_error err = {.status = VRS_OK};
	char *text;
	(void)state;
	for (int i = 0; i < 45; i++) {
		vrs_noise_record_init(&r);
		r.fingerprint = 7;
		vrs_strcpy(r.class_name, sizeof r.class_name, "end_to_end offline cpu 8M");
		add_level(&r, i < 44 ? i : 43, 1, 100 + i);
		assert_int_equal(vrs_noise_record_store(&r, &err), VRS_OK);
	}
	assert_int_equal(vrs_noise_record_load(7, "end_to_end offline cpu 8M", time(NULL), &back, &err), VRS_OK);
	assert_int_equal(back.level_count, VRS_NOISE_LEVELS_MAX);
	assert_float_equal(back.levels[back.level_count - 1].level, 144, 1e-9);
	assert_float_equal(back.levels[back.level_count - 2].level, 142, 1e-9);
	assert_int_equal(vrs_noise_record_print(&back, &text), VRS_OK);
	assert_int_equal(vrs_noise_record_parse(text, strlen(text), "again", &r, &err), VRS_OK);
	assert_int_equal(r.level_count, back.level_count);
	assert_memory_equal(r.levels, back.levels, sizeof r.levels);
	vrs_json_free_text(text);
}

/* A case of so many runs around fps. */
static void make_case(struct vrs_case_result *c, double fps, int runs, struct vrs_rng *rng)
{
	vrs_case_result_init(c);
	for (int i = 0; i < runs; i++) {
		struct vrs_run *run = vrs_case_result_add_run(c);
		assert_non_null(run);
		run->status = VRS_RUN_OK;
		run->round = i + 1;
		run->fps = fps * exp(0.01 * normal(rng));
	}
}

static void without_a_variance_nothing_is_decided(void **state)
{
	struct vrs_rng rng;
	struct vrs_case_result a, b;
	struct vrs_comparison c;
	struct vrs_between s;
	struct vrs_noise_record r;
	(void)state;
	vrs_rng_init(&rng, 1);
	make_case(&a, 100, 10, &rng);
	make_case(&b, 50, 10, &rng);
	assert_int_equal(vrs_between_judge(NULL, "there is none", NOW, &a, &b, &c, &s), VRS_OK);
	assert_int_equal(c.verdict, VRS_VERDICT_INCONCLUSIVE);
	assert_string_equal(s.why, "there is none");
	assert_true(c.change > 0.9 && c.change < 1.1); /* the figure is there all the same */
	vrs_noise_record_init(&r);
	add_level(&r, 1, 1, 100);
	assert_int_equal(vrs_between_judge(&r, "", NOW, &a, &b, &c, &s), VRS_OK);
	assert_int_equal(c.verdict, VRS_VERDICT_INCONCLUSIVE);
	assert_non_null(strstr(s.why, "1 calibration of the last"));
	for (int i = 2; i < 9; i++)
		add_level(&r, i, 1, 100 + i % 3);
	vrs_strcpy(b.invalid, sizeof b.invalid, "disturbed");
	assert_int_equal(vrs_between_judge(&r, "", NOW, &a, &b, &c, &s), VRS_OK);
	assert_int_equal(c.verdict, VRS_VERDICT_INCONCLUSIVE);
	b.invalid[0] = 0;
	assert_int_equal(vrs_between_judge(&r, "", NOW, &a, &b, &c, &s), VRS_OK);
	assert_int_equal(c.verdict, VRS_VERDICT_SLOWER);
	assert_true(c.gate);
	assert_int_equal(vrs_between_judge(&r, "", NOW, &b, &a, &c, &s), VRS_OK);
	assert_int_equal(c.verdict, VRS_VERDICT_FASTER);
	vrs_case_result_fini(&a);
	vrs_case_result_fini(&b);
}

/* Share of 1,000 comparisons that say SLOWER or FASTER, with drift of 1.5 % between invocations and a change. */
static double decided(double change, struct vrs_rng *rng)
{
	int n = 0;
	for (int i = 0; i < 1000; i++) {
		struct vrs_case_result a, b;
		struct vrs_comparison c;
		struct vrs_between s;
		struct vrs_noise_record r;
		vrs_noise_record_init(&r);
		r.run_cv = 0.01;
		for (int k = 0; k < 8; k++)
			add_level(&r, k, 1, 100 * exp(0.015 * normal(rng)));
		make_case(&a, 100 * exp(0.015 * normal(rng)), 10, rng);
		make_case(&b, 100 / (1 + change) * exp(0.015 * normal(rng)), 10, rng);
		assert_int_equal(vrs_between_judge(&r, "", NOW, &a, &b, &c, &s), VRS_OK);
		n += c.verdict == VRS_VERDICT_SLOWER || c.verdict == VRS_VERDICT_FASTER;
		vrs_case_result_fini(&a);
		vrs_case_result_fini(&b);
	}
	return n / 1000.0;
}

static void drift_raises_few_alarms(void **state)
{
	struct vrs_rng rng;
	(void)state;
	vrs_rng_init(&rng, 7);
	double alarms = decided(0, &rng), found = decided(0.12, &rng);
	printf("between invocations, drift of 1.5 %%: %.1f %% alarms without a change, %.1f %% of changes by 12 %% found\n", 100 * alarms, 100 * found);
	assert_true(alarms <= 0.07); /* 5 % and the spread of 1,000 draws */
	assert_true(found >= 0.95);
}

static int set_up(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "/tmp/vrs-test-between-%d", (int)getpid());
	return setenv("XDG_STATE_HOME", folder, 1);
}

static int tear_down(void **state)
{
	char command[200];
	(void)state;
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_invocations_apart_count), cmocka_unit_test(levels_are_kept),
		cmocka_unit_test(without_a_variance_nothing_is_decided), cmocka_unit_test(drift_raises_few_alarms),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
