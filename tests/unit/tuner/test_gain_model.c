/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards what a search knows and concludes: medians and noise of trials; a model that goes through what was measured, is unsure where nothing was,
 * adds up effects that were seen alone, and grows surer by what it assumes.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tuner/gain_model.h"

/* Three options with 4, 4 and 2 levels. */
static struct vrs_space make_space(void)
{
	struct vrs_space space = {.cpus = 64, .count = 3};
	static const char *const keys[] = {"engine.batch_size", "pipeline.queue_size", "engine.precision"};
	for (int k = 0; k < 3; k++) {
		space.knobs[k].row = vrs_option_find(keys[k]);
		space.knobs[k].count = k < 2 ? 3 : 1;
		snprintf(space.knobs[k].default_value, sizeof space.knobs[k].default_value, "%s", k < 2 ? "1" : "fp32");
		for (int v = 0; v < space.knobs[k].count; v++)
			snprintf(space.knobs[k].values[v], sizeof space.knobs[k].values[v], k < 2 ? "%d" : "fp16", 2 << v);
	}
	return space;
}

static void take(struct vrs_trials *trials, int a, int b, int c, double gain, int rounds)
{
	struct vrs_point point = {{(unsigned char)a, (unsigned char)b, (unsigned char)c}};
	for (int r = 0; r < rounds; r++) {
		double noisy = gain + (r % 2 ? 0.001 : -0.001);
		assert_int_equal(vrs_trials_take(trials, &point, &noisy, 1, true), VRS_OK);
	}
}

/* Each value alone: batch gains 3 % a doubling, the queue nothing, fp16 10 %. */
static void take_screening(struct vrs_trials *trials)
{
	for (int v = 1; v <= 3; v++) {
		take(trials, v, 0, 0, 0.03 * v, 4);
		take(trials, 0, v, 0, 0, 4);
	}
	take(trials, 0, 0, 1, 0.1, 4);
}

static void predict(const struct vrs_gain_model *model, int a, int b, int c, double *ret_mean, double *ret_sd)
{
	struct vrs_point point = {{(unsigned char)a, (unsigned char)b, (unsigned char)c}};
	vrs_gain_model_predict(model, &point, ret_mean, ret_sd);
}

static void trials_are_summed_up(void **state)
{
	struct vrs_trials trials = {.count = 0};
	struct vrs_point point = {{1}};
	const double gains[] = {0.05, NAN, 0.03, 0.9};
	(void)state;
	assert_true(vrs_trials_noise(&trials) == 0.02);
	assert_int_equal(vrs_trials_take(&trials, &point, gains, 4, true), VRS_OK);
	const struct vrs_trial *t = vrs_trials_find(&trials, &point);
	assert_non_null(t);
	assert_int_equal(t->rounds, 3);
	assert_true(vrs_trial_gain(t) == 0.05); /* a disturbed round moves the median little */
	assert_ptr_equal(vrs_trials_best(&trials, 0.01), t);
	assert_null(vrs_trials_best(&trials, 0.2)); /* so noisy that it may be nothing */
	assert_int_equal(vrs_trials_take(&trials, &point, gains, 0, false), VRS_OK);
	assert_null(vrs_trials_best(&trials, 0.01)); /* refused once, refused for ever */
	take_screening(&trials);
	assert_true(fabs(vrs_trials_noise(&trials) - 0.0017) < 0.0005);
	vrs_trials_fini(&trials);
}

static void model_adds_effects_up(void **state)
{
	struct vrs_space space = make_space();
	struct vrs_grid grid;
	struct vrs_trials trials = {.count = 0};
	struct vrs_gain_model *model;
	double mean, sd, far_sd;
	(void)state;
	vrs_grid_init(&grid, &space);
	take_screening(&trials);
	assert_int_equal(vrs_gain_model_fit(&model, &grid, &trials, vrs_trials_noise(&trials)), VRS_OK);
	predict(model, 0, 0, 0, &mean, &sd);
	assert_true(fabs(mean) < 1e-3 && sd < 1e-3);
	predict(model, 3, 0, 0, &mean, &sd);
	assert_true(fabs(mean - 0.09) < 5e-3 && sd < 5e-3);
	predict(model, 3, 0, 1, &mean, &far_sd);
	assert_true(mean > 0.13 && mean < 0.22 && far_sd > 2 * sd); /* 0.19 when effects add up */
	struct vrs_point point = {{3, 0, 1}};
	assert_int_equal(vrs_gain_model_assume(model, &point, mean), VRS_OK);
	double again;
	predict(model, 3, 0, 1, &again, &sd);
	assert_true(fabs(again - mean) < 5e-3 && sd < far_sd);
	vrs_gain_model_destroy(model);
	vrs_trials_fini(&trials);
}

/* Nothing but a default, more trials than it takes, and trials without a round are no error. */
static void model_takes_any_archive(void **state)
{
	struct vrs_space space = make_space();
	struct vrs_grid grid;
	struct vrs_trials trials = {.count = 0};
	struct vrs_gain_model *model;
	struct vrs_point point = {{0}};
	double mean, sd;
	(void)state;
	vrs_grid_init(&grid, &space);
	assert_int_equal(vrs_gain_model_fit(&model, &grid, &trials, 0.02), VRS_OK);
	predict(model, 1, 1, 1, &mean, &sd);
	assert_true(fabs(mean) < 1e-6 && sd > 0);
	vrs_gain_model_destroy(model);
	while (vrs_grid_next(&grid, &point)) {
		double gain = point.level[0] ? 0.01 * point.level[0] : NAN;
		assert_int_equal(vrs_trials_take(&trials, &point, &gain, 1, isfinite(gain)), VRS_OK);
	}
	assert_int_equal(vrs_gain_model_fit(&model, &grid, &trials, 0.02), VRS_OK);
	predict(model, 2, 0, 0, &mean, &sd);
	assert_true(fabs(mean - 0.02) < 0.02);
	vrs_gain_model_destroy(model);
	vrs_trials_fini(&trials);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trials_are_summed_up),
		cmocka_unit_test(model_adds_effects_up),
		cmocka_unit_test(model_takes_any_archive),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
