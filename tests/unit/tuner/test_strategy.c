/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the strategies of a search on simulated machines whose knobs act on each other (a job is as fast as its slowest stage), with 3 % noise
 * between runs: each strategy ends, keeps to its runs, proposes what an id can name and repeats itself; and what the default one chooses is near
 * the optimum of the whole grid.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/figures/case_summary.h"
#include "base/str_parse.h"
#include "tuner/search.h"
#include "small_network.h"
#include "unit/tuner/normal_noise.h"

#define CPUS 8

/* Work of the stages in ms of one thread, and how they react. */
struct machine {
	struct vrs_rng rng;
	double decode, network, encode, noise;
	double serial;       /* share of the network that threads do not divide */
	double fp16;         /* its time in fp16 */
	double batch_gain;   /* of the network's time from batch 1 to 16 */
	double stream_cost;  /* of memory bandwidth, per further stream */
	int runs;
};

static double number(const struct vrs_case *c, const char *key, double otherwise)
{
	const char *value = vrs_case_get(c, key);
	return value ? strtod(value, NULL) : otherwise;
}

/* Frames a second without noise. */
static double speed(const struct machine *m, const struct vrs_case *c)
{
	double threads = number(c, "engine.threads", 4), streams = number(c, "engine.streams", 1), batch = number(c, "engine.batch_size", 2);
	double workers = number(c, "pipeline.decode_workers", 2), queue = number(c, "pipeline.queue_size", 4);
	const char *precision = vrs_case_get(c, "engine.precision");
	double network = m->network * (m->serial + (1 - m->serial) / threads) / streams * (1 + m->stream_cost * (streams - 1));
	network *= precision && strcmp(precision, "fp16") == 0 ? m->fp16 : 1;
	network *= 1 - m->batch_gain * fmin(log2(batch), 4) / 4 + 0.02 * fmax(log2(batch) - 4, 0);
	double decode = m->decode / fmin(workers, CPUS - threads * streams + 2);
	double slowest = fmax(fmax(network, decode), m->encode);
	return 1000 / (slowest + 0.15 * (network + decode + m->encode) / fmin(queue, 4));
}

static enum vrs_status measure(void *cookie, const struct vrs_step *step, const struct vrs_case *cases, int count, int rounds,
			       struct vrs_result **ret_result, struct vrs_error *err)
{
	struct machine *m = cookie;
	struct vrs_result *result;
	(void)step;
	(void)err;
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	for (int i = 0; i < count; i++) {
		char id[VRS_CASE_ID_MAX]; /* as the real one needs it */
		assert_int_equal(vrs_case_id(&cases[i], NULL, 32768, 32768, id, sizeof id, NULL), VRS_OK);
		struct vrs_case_result *c = vrs_result_add_case(result);
		for (int k = 0; k < cases[i].value_count; k++) {
			size_t used = strlen(c->id);
			snprintf(c->id + used, sizeof c->id - used, "/%.60s=%.30s", cases[i].values[k].key, cases[i].values[k].value);
		}
	}
	for (int r = 1; r <= rounds; r++) {
		double drift = fmax(1 + 0.1 * gauss(&m->rng), 0.5);
		for (int i = 0; i < count; i++) {
			struct vrs_run *run = vrs_case_result_add_run(&result->cases[i]);
			run->status = VRS_RUN_OK;
			run->round = r;
			run->frames = 100;
			run->fps = speed(m, &cases[i]) * drift * fmax(1 + m->noise * gauss(&m->rng), 0.5);
			run->iou = 0.95;
			run->peak_rss_bytes = 100 << 20;
			m->runs++;
		}
	}
	for (int i = 0; i < count; i++)
		assert_int_equal(vrs_case_result_summarize(&result->cases[i], NULL), VRS_OK);
	*ret_result = result;
	return VRS_OK;
}

static struct machine make_machine(uint64_t seed)
{
	struct machine m = {.noise = 0.03};
	vrs_rng_init(&m.rng, seed);
	m.decode = 10 + 20 * vrs_rng_unit(&m.rng);
	m.network = 20 + 60 * vrs_rng_unit(&m.rng);
	m.encode = 4 + 8 * vrs_rng_unit(&m.rng);
	m.serial = 0.4 * vrs_rng_unit(&m.rng);
	m.fp16 = 0.8 + 0.3 * vrs_rng_unit(&m.rng);
	m.batch_gain = 0.2 * vrs_rng_unit(&m.rng);
	m.stream_cost = 0.4 * vrs_rng_unit(&m.rng);
	return m;
}

static void make_space(struct vrs_space *ret_space, const char *only)
{
	struct vrs_config *config;
	assert_int_equal(vrs_config_create(&config), VRS_OK);
	assert_true(small_network_config(config)); /* quickly read */
	assert_int_equal(vrs_space_build(ret_space, config, &(struct vrs_bench_input){.cpus = CPUS}, only, NULL), VRS_OK);
	vrs_config_destroy(config);
}

/* The highest speed on the grid. */
static double optimum(const struct machine *m, const struct vrs_space *space)
{
	struct vrs_grid grid;
	struct vrs_point point = {{0}};
	struct vrs_case c = {.value_count = 0};
	vrs_grid_init(&grid, space);
	double best = speed(m, &c);
	while (vrs_grid_next(&grid, &point)) {
		c.value_count = 0;
		assert_int_equal(vrs_grid_case(&grid, &point, &c, NULL), VRS_OK);
		best = fmax(best, speed(m, &c));
	}
	return best;
}

/* Searches on machines 1 to `seeds`: how many end within 3 % of the best point of the grid? */
static int search_machines(const struct vrs_strategy *strategy, const char *only, int explore_runs, int seeds)
{
	struct vrs_space space;
	int near = 0;
	make_space(&space, only);
	for (int seed = 1; seed <= seeds; seed++) {
		struct machine m = make_machine((uint64_t)seed);
		struct vrs_search_options options = vrs_search_options_default(false);
		struct vrs_search_result r;
		struct vrs_case none = {.value_count = 0};
		options.strategy = strategy;
		options.explore_runs = explore_runs;
		double best = optimum(&m, &space);
		assert_int_equal(vrs_search(&space, &options, measure, &m, &r, NULL), VRS_OK);
		near += speed(&m, &r.best) >= 0.97 * best;
		assert_true(speed(&m, &r.best) >= 0.99 * speed(&m, &none));
		int screened = 1;
		for (int k = 0; k < space.count; k++)
			screened += space.knobs[k].count;
		assert_true(m.runs <= 1 + screened * options.screen_rounds + explore_runs + (1 + options.finalists) * options.final_rounds +
				      2 * VRS_SEARCH_LONG_ROUNDS);
		vrs_search_result_fini(&r);
	}
	return near;
}

/* 7,000 combinations, 120 runs of them. Found by simulation of 30 machines: surrogate and descent 30, halving 27. */
static void near_the_best_of_many(void **state)
{
	static const char *const only = "threads streams batch_size precision decode_workers queue_size";
	(void)state;
	assert_true(search_machines(&vrs_strategy_descent, only, 120, 20) >= 18);
	assert_true(search_machines(&vrs_strategy_halving, only, 120, 20) >= 15);
	assert_true(search_machines(&vrs_strategy_surrogate, only, 60, 3) == 3);
}

/* A grid that fits the runs: every strategy finds its best point, exhaustive search among them. */
static void near_the_best_of_few(void **state)
{
	(void)state;
	for (int i = 0; vrs_strategies()[i]; i++)
		assert_true(search_machines(vrs_strategies()[i], "threads streams precision", 160, 10) >= 9);
}

/* All options at once, as a search without --only moves them: what is drawn of them has an id. */
static void combinations_of_all_options_have_ids(void **state)
{
	struct vrs_space space;
	(void)state;
	make_space(&space, NULL);
	assert_true(space.count >= 15);
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct machine m = make_machine(seed);
		struct vrs_search_options options = vrs_search_options_default(false);
		struct vrs_search_result r;
		options.seed = seed;
		assert_int_equal(vrs_search(&space, &options, measure, &m, &r, NULL), VRS_OK);
		vrs_search_result_fini(&r);
	}
}

/* Nothing may be tried: every strategy ends with the default as it ran. */
static void nothing_to_try_keeps_the_default(void **state)
{
	struct vrs_space space = {.cpus = 2, .count = 1};
	(void)state;
	space.knobs[0] = (struct vrs_knob){.row = vrs_option_find("engine.threads"), .count = 2, .default_value = "4", .values = {"6", "8"}};
	for (int i = 0; vrs_strategies()[i]; i++) {
		struct machine m = make_machine(1);
		struct vrs_search_options options = vrs_search_options_default(true);
		struct vrs_search_result r;
		options.strategy = vrs_strategies()[i];
		assert_int_equal(vrs_search(&space, &options, measure, &m, &r, NULL), VRS_OK);
		assert_true(r.keeps_default && r.feasible && r.tried_count == 0 && r.best_figures.fps.median > 0);
		vrs_search_result_fini(&r);
	}
}

static void view_of(struct vrs_strategy_view *view, const struct vrs_grid *grid, struct vrs_trials *trials)
{
	*view = (struct vrs_strategy_view){.grid = grid, .trials = trials, .runs = 60, .runs_left = 60, .seed = 7};
	for (int k = 0; k < grid->space->count; k++)
		for (int v = 1; v <= grid->space->knobs[k].count; v++) {
			struct vrs_point point = {{0}};
			double gains[2] = {0.01 * v, 0.01 * v + 0.002};
			point.level[k] = (unsigned char)v;
			assert_int_equal(vrs_trials_take(trials, &point, gains, 2, v != 2), VRS_OK);
		}
}

/* The same knowledge gives the same proposal; nothing that was closed, refused or is the default; nothing when no runs are left. */
static void proposals_repeat_and_keep_to_the_grid(void **state)
{
	struct vrs_space space;
	struct vrs_grid grid;
	(void)state;
	make_space(&space, "threads streams batch_size precision");
	vrs_grid_init(&grid, &space);
	for (int k = 0; k < space.count; k++)
		grid.closed[k][2] = space.knobs[k].count >= 2;
	for (int i = 0; vrs_strategies()[i]; i++) {
		struct vrs_trials trials = {.count = 0};
		struct vrs_strategy_view view;
		struct vrs_proposal a = {.count = 0}, b = {.count = 0}, none = {.count = 0};
		view_of(&view, &grid, &trials);
		assert_int_equal(vrs_strategies()[i]->propose(&view, &a), VRS_OK);
		assert_int_equal(vrs_strategies()[i]->propose(&view, &b), VRS_OK);
		assert_true(a.count > 0);
		assert_memory_equal(&a, &b, sizeof a);
		assert_true(a.why[0] != 0 && vrs_proposal_cost(a.count, a.rounds) <= 60);
		for (int p = 0; p < a.count; p++)
			assert_true(vrs_grid_has(&grid, &a.points[p]) && vrs_point_changes(&a.points[p]) > 0);
		view.runs_left = 0;
		assert_int_equal(vrs_strategies()[i]->propose(&view, &none), VRS_OK);
		assert_int_equal(none.count, 0);
		assert_ptr_equal(vrs_strategy_find(vrs_strategies()[i]->name), vrs_strategies()[i]);
		vrs_trials_fini(&trials);
	}
	assert_null(vrs_strategy_find("luck"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(proposals_repeat_and_keep_to_the_grid),
		cmocka_unit_test(combinations_of_all_options_have_ids),
		cmocka_unit_test(nothing_to_try_keeps_the_default),
		cmocka_unit_test(near_the_best_of_few),
		cmocka_unit_test(near_the_best_of_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
