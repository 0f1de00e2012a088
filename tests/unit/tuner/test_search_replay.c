/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards searches on recorded sweeps: the options and values of a sweep are found from its cases, its truth is the median over shared rounds, a case
 * that the sweep lacks or that is not good enough is never chosen, scores count what they say, what is no sweep is refused with a sentence, and runs
 * of a sweep that went on another day are held against those of the default of that day.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/str_parse.h"
#include "tuner/search_replay.h"
#include "unit/tuner/normal_noise.h"

#define ROUNDS 20

static const char *const batches[] = {"2", "1", "4", "8"}, *const threads[] = {"1", "2"}, *const queues[] = {"4", "8"};

/* 4 x 2 x 2 cases: threads 2 give 20 %, batch 4 with two threads 10 % more, the queue nothing; batch 8 is fast and has a poor matte. */
static double speed(int batch, int thread)
{
	return (thread ? 1.2 : 1) * (thread && batch == 2 ? 1.1 : 1) * (batch == 3 ? 1.5 : 1);
}

static struct vrs_result *make_sweep(double noise)
{
	struct vrs_result *result;
	struct vrs_rng rng;
	double drift[ROUNDS];
	vrs_rng_init(&rng, 11);
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	for (int r = 0; r < ROUNDS; r++)
		drift[r] = 1 + 0.1 * vrs_rng_unit(&rng);
	for (int i = 0; i < 16; i++) {
		int batch = i / 4, thread = i / 2 % 2, queue = i % 2;
		struct vrs_case_result *c = vrs_result_add_case(result);
		assert_non_null(c);
		snprintf(c->id, sizeof c->id, "r=640x480/b=%s/p=fp32/t=%s%s%s", batches[batch], threads[thread],
			 queue ? "/pipeline.queue_size=" : "", queue ? queues[queue] : "");
		for (int r = 0; r < ROUNDS; r++) {
			struct vrs_run *run = vrs_case_result_add_run(c);
			run->status = VRS_RUN_OK;
			run->round = r + 1;
			run->frames = 100;
			run->fps = 30 * drift[r] * speed(batch, thread) * (1 + noise * gauss(&rng));
			if (r == 0) /* a matte is compared in one run of its case */
				run->iou = batch == 3 ? 0.8 : 0.95;
		}
	}
	(void)vrs_strcpy(result->default_case, sizeof result->default_case, result->cases[0].id);
	return result;
}

static void a_sweep_is_a_space(void **state)
{
	struct vrs_result *result = make_sweep(0);
	struct vrs_recorded_sweep *sweep;
	struct vrs_objective objective = vrs_objective_default();
	struct vrs_case c = {.value_count = 0};
	const char *id;
	int cases, runs;
	(void)state;
	assert_int_equal(vrs_recorded_sweep_open(&sweep, result, NULL), VRS_OK);
	const struct vrs_space *space = vrs_recorded_sweep_space(sweep);
	assert_int_equal(space->count, 3);
	int values = 0;
	for (int k = 0; k < space->count; k++)
		values += space->knobs[k].count;
	assert_int_equal(values, 3 + 1 + 1);
	vrs_recorded_sweep_size(sweep, &cases, &runs);
	assert_int_equal(cases, 16);
	assert_int_equal(runs, 16 * ROUNDS);
	assert_true(fabs(vrs_recorded_sweep_best(sweep, &objective, &id) - 1.32) < 1e-9);
	assert_string_equal(id, "r=640x480/b=4/p=fp32/t=2");
	assert_true(vrs_recorded_sweep_speed(sweep, &c, &objective) == 1);
	assert_int_equal(vrs_case_set(&c, "engine.threads", "2", NULL), VRS_OK);
	assert_true(fabs(vrs_recorded_sweep_speed(sweep, &c, &objective) - 1.2) < 1e-9);
	assert_int_equal(vrs_case_set(&c, "engine.batch_size", "8", NULL), VRS_OK);
	assert_true(isnan(vrs_recorded_sweep_speed(sweep, &c, &objective)));
	assert_int_equal(vrs_case_set(&c, "engine.batch_size", "64", NULL), VRS_OK);
	assert_true(isnan(vrs_recorded_sweep_speed(sweep, &c, &objective)));
	vrs_recorded_sweep_close(sweep);
	vrs_result_destroy(result);
}

static void every_strategy_finds_the_best(void **state)
{
	struct vrs_result *result = make_sweep(0.01);
	struct vrs_recorded_sweep *sweep;
	struct vrs_search_options options = vrs_search_options_default(false);
	struct vrs_replay_score scores[VRS_STRATEGIES_MAX];
	int count = 0;
	(void)state;
	assert_int_equal(vrs_recorded_sweep_open(&sweep, result, NULL), VRS_OK);
	for (; vrs_strategies()[count]; count++) {
		options.strategy = vrs_strategies()[count];
		assert_int_equal(vrs_replay(sweep, &options, 20, 1, &scores[count], NULL), VRS_OK);
		assert_true(scores[count].near >= 0.9 && scores[count].worse == 0 && scores[count].covered >= 0.8);
		assert_true(scores[count].regret <= scores[count].regret_p95 && scores[count].runs > 30);
	}
	struct vrs_findings *f = vrs_findings_create();
	assert_non_null(f);
	vrs_replay_findings(sweep, &options.objective, scores, count, f);
	assert_int_equal(vrs_findings_finish(f), VRS_OK);
	assert_int_equal(f->tables[0].rows, count);
	assert_string_equal(f->tables[0].cells[0], "exhaustive");
	assert_non_null(strstr(f->subtitle, "16 cases, 320 runs; best: r=640x480/b=4/p=fp32/t=2"));
	vrs_findings_destroy(f);
	vrs_recorded_sweep_close(sweep);
	vrs_result_destroy(result);
}

/* The same sweep on a noisy machine, and on one of a tenth of that noise. */
static void less_noise_finds_more(void **state)
{
	struct vrs_result *result = make_sweep(0.15);
	struct vrs_recorded_sweep *sweep;
	struct vrs_search_options options = vrs_search_options_default(false);
	struct vrs_replay_score noisy, quiet;
	(void)state;
	options.strategy = &vrs_strategy_surrogate;
	assert_int_equal(vrs_recorded_sweep_open(&sweep, result, NULL), VRS_OK);
	assert_int_equal(vrs_replay(sweep, &options, 40, 1, &noisy, NULL), VRS_OK);
	assert_int_equal(vrs_replay(sweep, &options, 40, 0.05, &quiet, NULL), VRS_OK);
	assert_true(noisy.near < 0.9 && quiet.near == 1 && quiet.regret < noisy.regret);
	struct vrs_findings *f = vrs_findings_create();
	assert_non_null(f);
	vrs_replay_findings(sweep, &options.objective, &quiet, 1, f);
	assert_non_null(strstr(f->notes[0].text, "5 % of what was recorded"));
	vrs_findings_destroy(f);
	vrs_recorded_sweep_close(sweep);
	vrs_result_destroy(result);
}

/* What keeps a speed counts as accepted, and is measured again; what no setting keeps is accepted by no search. */
static void limits_are_measured_again(void **state)
{
	struct vrs_result *result = make_sweep(0.01);
	struct vrs_recorded_sweep *sweep;
	struct vrs_search_options options = vrs_search_options_default(false);
	struct vrs_replay_score score;
	(void)state;
	options.strategy = &vrs_strategy_descent;
	assert_int_equal(vrs_recorded_sweep_open(&sweep, result, NULL), VRS_OK);
	options.objective.min_fps = 33; /* the default has 30 to 33, two threads a fifth more */
	assert_int_equal(vrs_replay(sweep, &options, 40, 1, &score, NULL), VRS_OK);
	assert_true(score.accepted >= 36 && score.kept >= 0.97);
	struct vrs_findings *f = vrs_findings_create();
	assert_non_null(f);
	vrs_replay_findings(sweep, &options.objective, &score, 1, f);
	assert_int_equal(f->tables[0].columns, 10);
	vrs_findings_destroy(f);
	options.objective.min_fps = 90;
	assert_int_equal(vrs_replay(sweep, &options, 10, 1, &score, NULL), VRS_OK);
	assert_int_equal(score.accepted, 0);
	assert_true(isnan(score.kept));
	vrs_recorded_sweep_close(sweep);
	vrs_result_destroy(result);
}

/* Half of the cases ran on another day, on a machine a fifth slower, and so did the default, again. */
static void days_are_kept_apart(void **state)
{
	struct vrs_result *sweep_result = make_sweep(0), *result = NULL;
	struct vrs_recorded_sweep *sweep;
	struct vrs_case cases[3] = {{.value_count = 0}};
	(void)state;
	for (int r = 0; r < ROUNDS; r++) {
		struct vrs_run *again = vrs_case_result_add_run(&sweep_result->cases[0]);
		*again = sweep_result->cases[0].runs[r];
		again->session = 1;
		again->fps *= 0.8;
		for (int i = 8; i < 16; i++) {
			sweep_result->cases[i].runs[r].session = 1;
			sweep_result->cases[i].runs[r].fps *= 0.8;
		}
	}
	assert_int_equal(vrs_recorded_sweep_open(&sweep, sweep_result, NULL), VRS_OK);
	struct vrs_recorded_measure measure = {.sweep = sweep, .noise = 1};
	vrs_rng_init(&measure.rng, 5);
	assert_int_equal(vrs_case_set(&cases[1], "engine.threads", "2", NULL), VRS_OK);
	cases[2] = cases[1];
	assert_int_equal(vrs_case_set(&cases[2], "engine.batch_size", "4", NULL), VRS_OK);
	assert_int_equal(vrs_recorded_measure(&measure, NULL, cases, 3, 6, &result, NULL), VRS_OK);
	assert_true(fabs(vrs_case_speed(&result->cases[1], &result->cases[0]) - 1.2) < 1e-9);
	assert_true(fabs(vrs_case_speed(&result->cases[2], &result->cases[0]) - 1.32) < 1e-9);
	assert_int_equal(result->cases[0].run_count, 12);
	assert_int_equal(result->cases[2].run_count, 6);
	assert_int_equal(measure.runs, 18);
	vrs_result_destroy(result);
	vrs_recorded_sweep_close(sweep);
	vrs_result_destroy(sweep_result);
}

static void refused(struct vrs_result *result, const char *words)
{
	struct vrs_recorded_sweep *sweep;
	struct vrs_error err = {.status = VRS_OK};
	assert_int_equal(vrs_recorded_sweep_open(&sweep, result, &err), VRS_ECONFIG);
	if (!strstr(err.text, words))
		fail_msg("%s", err.text);
	vrs_result_destroy(result);
}

static void what_is_no_sweep_is_refused(void **state)
{
	struct vrs_result *result = make_sweep(0);
	(void)state;
	result->default_case[0] = 0;
	refused(result, "no default case");
	result = make_sweep(0);
	result->cases[3].run_count = 7;
	refused(result, "shares only 7 rounds");
	result = make_sweep(0);
	result->case_count = 1; /* the others are still freed: they own nothing but runs */
	for (int i = 1; i < 16; i++)
		vrs_case_result_fini(&result->cases[i]);
	refused(result, "no option has two values");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sweep_is_a_space),
		cmocka_unit_test(every_strategy_finds_the_best),
		cmocka_unit_test(less_noise_finds_more),
		cmocka_unit_test(limits_are_measured_again),
		cmocka_unit_test(days_are_kept_apart),
		cmocka_unit_test(what_is_no_sweep_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
