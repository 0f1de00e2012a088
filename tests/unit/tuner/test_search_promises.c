/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards what a search promises, on simulated machines whose options have effects drawn by chance and whose limits lie near what their settings
 * reach: a choice seldom harms (3 %), claimed intervals hold the true gain (93 %), and limits that were accepted are kept in truth (99 %).  Speeds
 * have the noise of shared machines: it wanders from round to round (sd 5 %, correlation .8), neighbours take a fifth of some rounds, and each
 * process has 1.5 % of its own.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/figures/case_summary.h"
#include "base/str_parse.h"
#include "small_network.h"
#include "tuner/search.h"
#include "unit/tuner/normal_noise.h"

#define RUN_SD 0.015
#define WANDER_SD 0.05
#define WANDER_LASTS 0.8
#define DISTURBED 0.05    /* share of the rounds, and what they take */
#define DISTURBED_SPEED 0.8
#define MEMORY_SD 0.01
#define DEFAULT_FPS 30.0
#define DEFAULT_BYTES (400e6)
#define LIVE_DUE 45        /* frames of a short run at 30 Hz */
#define SEARCHES 300

struct machine {
	struct vrs_rng rng;
	struct vrs_space *space;
	double wander;                                                   /* of the speed now, ln */
	double speed[VRS_SPACE_MAX_KNOBS][VRS_KNOB_MAX_VALUES + 1];      /* ln of what each value makes of it; 0 for the default's */
	double memory[VRS_SPACE_MAX_KNOBS][VRS_KNOB_MAX_VALUES + 1];
	double output[VRS_SPACE_MAX_KNOBS][VRS_KNOB_MAX_VALUES + 1];     /* what takes time makes the output smaller */
	double stretch;                                                  /* of runs */
	double late;                                                     /* live: share of frames that are late at the default's speed */
};

/* Sum of the effects of a case's values. */
static double effect(const struct machine *m, const double effects[][VRS_KNOB_MAX_VALUES + 1], const struct vrs_case *c)
{
	double sum = 0;
	for (int k = 0; k < m->space->count; k++)
		for (int v = 0; v < m->space->knobs[k].count; v++) {
			const char *value = vrs_case_get(c, m->space->knobs[k].row->key);
			sum += value && strcmp(value, m->space->knobs[k].values[v]) == 0 ? effects[k][v + 1] : 0;
		}
	return sum;
}

static double true_fps(const struct machine *m, const struct vrs_case *c)
{
	return DEFAULT_FPS * exp(effect(m, m->speed, c));
}

static double true_bytes(const struct machine *m, const struct vrs_case *c)
{
	return DEFAULT_BYTES * exp(effect(m, m->memory, c));
}

/* Faster settings are late less often: a tenth of the speed halves the share. */
static double true_late(const struct machine *m, const struct vrs_case *c)
{
	return fmin(m->late * exp(-7 * effect(m, m->speed, c)), 1);
}

static struct machine make_machine(uint64_t seed, struct vrs_space *space)
{
	struct machine m = {.space = space};
	vrs_rng_init(&m.rng, seed);
	m.wander = WANDER_SD * gauss(&m.rng);
	m.late = 0.02 * vrs_rng_unit(&m.rng);
	for (int k = 0; k < space->count; k++) {
		bool matters = vrs_rng_unit(&m.rng) < 0.5;
		for (int v = 1; v <= space->knobs[k].count; v++) {
			m.speed[k][v] = (matters ? 0.06 : 0.004) * gauss(&m.rng);
			m.memory[k][v] = 0.05 * gauss(&m.rng);
			m.output[k][v] = strcmp(space->knobs[k].row->key, "output.preset") == 0 ? m.speed[k][v] + 0.02 * gauss(&m.rng) : 0;
		}
	}
	return m;
}

static void simulate(struct machine *m, const struct vrs_case *c, int round, double level, struct vrs_case_result *ret)
{
	struct vrs_run *run = vrs_case_result_add_run(ret);
	run->status = VRS_RUN_OK;
	run->round = round;
	run->frames = 100;
	run->fps = true_fps(m, c) * level * exp(RUN_SD * gauss(&m->rng));
	run->wall_seconds = 5;
	run->process_seconds = 7;
	run->iou = 0.95;
	run->peak_rss_bytes = (int64_t)(true_bytes(m, c) * exp(MEMORY_SD * gauss(&m->rng)));
	run->output_bytes_per_frame = 5000 * exp(effect(m, m->output, c));
	if (c->live_hz > 0) {
		run->latency_median_ms = 1000 / run->fps;
		run->fps = c->live_hz;
		run->live_due = (int64_t)(LIVE_DUE * m->stretch);
		run->live_dropped = run->live_late = 0;
		for (int64_t i = 0; i < run->live_due; i++)
			run->live_late += vrs_rng_unit(&m->rng) < true_late(m, c);
		run->live_miss_percent = 100.0 * (double)run->live_late / (double)run->live_due;
	}
}

static void name_case(const struct vrs_case *c, char *id, size_t size)
{
	snprintf(id, size, "case");
	for (int i = 0; i < c->value_count; i++) {
		size_t used = strlen(id);
		snprintf(id + used, size - used, "/%.60s=%.60s", c->values[i].key, c->values[i].value);
	}
}

static enum vrs_status measure(void *cookie, const struct vrs_step *step, const struct vrs_case *cases, int count, int rounds,
			       struct vrs_result **ret_result, struct vrs_error *err)
{
	struct machine *m = cookie;
	struct vrs_result *result;
	(void)err;
	m->stretch = fmax(step ? step->stretch : m->stretch, 1);
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	for (int i = 0; i < count; i++)
		name_case(&cases[i], vrs_result_add_case(result)->id, VRS_CASE_ID_MAX);
	for (int r = 1; r <= rounds; r++) {
		m->wander = WANDER_LASTS * m->wander + WANDER_SD * sqrt(1 - WANDER_LASTS * WANDER_LASTS) * gauss(&m->rng);
		double level = exp(m->wander) * (vrs_rng_unit(&m->rng) < DISTURBED ? DISTURBED_SPEED : 1);
		for (int i = 0; i < count; i++)
			simulate(m, &cases[i], r, level, &result->cases[i]);
	}
	for (int i = 0; i < count; i++)
		assert_int_equal(vrs_case_result_summarize(&result->cases[i], NULL), VRS_OK);
	*ret_result = result;
	return VRS_OK;
}

static struct vrs_space make_space(void)
{
	struct vrs_config *config;
	struct vrs_space space;
	assert_int_equal(vrs_config_create(&config), VRS_OK);
	assert_true(small_network_config(config));
	assert_int_equal(vrs_space_build(&space, config, &(struct vrs_bench_input){.cpus = 2}, "threads precision preset queue_size stride", NULL), VRS_OK);
	vrs_config_destroy(config);
	return space;
}

/* What came of many searches. */
struct tally {
	int searches, chosen, worse, claims, covered;
	int accepted, broken, again;     /* limits that were said to be kept; those that truth breaks; those that fail when they are measured again */
};

static struct vrs_search_result search(struct machine *m, const struct vrs_search_options *options)
{
	struct vrs_search_result r;
	struct vrs_error err = {.status = VRS_OK};
	if (vrs_search(m->space, options, measure, m, &r, &err) != VRS_OK)
		fail_msg("%s", err.text);
	return r;
}

/* A limit somewhere near what the machine's settings reach. */
static double near(struct machine *m, double value, double share)
{
	return value * (1 + share * (2 * vrs_rng_unit(&m->rng) - 1));
}

static void count_limits(struct tally *t, struct machine *m, const struct vrs_search_options *o, const struct vrs_search_result *r)
{
	const struct vrs_objective *limits = &o->objective;
	struct vrs_case c = r->best;
	c.live_hz = o->live_hz;
	bool breaks = true_fps(m, &c) < limits->min_fps || (limits->memory_limit_bytes && true_bytes(m, &c) > (double)limits->memory_limit_bytes) ||
		      (o->live_hz > 0 && 100 * true_late(m, &c) > VRS_LIVE_MAX_MISSED_PERCENT);
	struct vrs_result *result;
	struct vrs_limits again = {.missed = 0};
	assert_int_equal(measure(m, NULL, &c, 1, o->final_rounds, &result, NULL), VRS_OK);
	const struct vrs_case_result *second = &result->cases[0];
	double memory = 0;
	for (int i = 0; i < second->run_count; i++)
		memory = fmax(memory, (double)second->runs[i].peak_rss_bytes);
	again.missed = second->fps.median < limits->min_fps || (limits->memory_limit_bytes && memory > (double)limits->memory_limit_bytes) ||
		       (o->live_hz > 0 && second->live_miss_percent.median > VRS_LIVE_MAX_MISSED_PERCENT);
	vrs_result_destroy(result);
	t->accepted++;
	t->broken += breaks;
	t->again += again.missed != 0;
}

static void count(struct tally *t, struct machine *m, const struct vrs_search_options *o, const struct vrs_search_result *r)
{
	double speed = true_fps(m, &r->best) / DEFAULT_FPS;
	bool by_speed = o->objective.goal == VRS_GOAL_THROUGHPUT && !r->by_value && !r->keeps_default;
	t->searches++;
	t->chosen += !r->keeps_default;
	t->worse += by_speed && speed < 0.99;
	t->claims += by_speed;
	t->covered += by_speed && r->gain.low <= 1 / speed - 1 && 1 / speed - 1 <= r->gain.high;
	if (r->feasible)
		count_limits(t, m, o, r);
}

enum limit { NO_LIMIT, SPEED, SPEED_FOR_SIZE, MEMORY, DEADLINES, LIMITS };
static const char *const names[LIMITS] = {"no limit", "speed", "speed, smallest output", "memory", "deadlines"};

static void set_limit(struct machine *m, enum limit limit, struct vrs_search_options *o)
{
	o->objective.min_fps = limit == SPEED || limit == SPEED_FOR_SIZE ? near(m, DEFAULT_FPS, 0.15) : 0;
	o->objective.memory_limit_bytes = limit == MEMORY ? (int64_t)near(m, DEFAULT_BYTES, 0.15) : 0;
	o->objective.goal = limit == SPEED_FOR_SIZE ? VRS_GOAL_SIZE : limit == DEADLINES ? VRS_GOAL_LIVE : VRS_GOAL_THROUGHPUT;
	o->live_hz = limit == DEADLINES ? 30 : 0;
	o->final_rounds = limit == SPEED_FOR_SIZE ? vrs_search_options_default(false).final_rounds : o->final_rounds;
}

static struct tally search_often(enum limit limit, bool quick, int searches)
{
	struct tally t = {.searches = 0};
	struct vrs_space space = make_space();
	for (int i = 0; i < searches; i++) {
		struct machine m = make_machine((uint64_t)(1 + i + 100000 * (int)limit), &space);
		struct vrs_search_options o = vrs_search_options_default(quick);
		o.explore_runs = quick ? o.explore_runs : 40;
		o.strategy = vrs_strategy_find("descent");
		o.seed = (uint64_t)i;
		set_limit(&m, limit, &o);
		struct vrs_search_result r = search(&m, &o);
		count(&t, &m, &o, &r);
		vrs_search_result_fini(&r);
	}
	print_message("%s, %s: %d searches, %d chosen, %d worse, %d of %d intervals right; limits: %d kept, %d broken, %d when measured again\n",
		      quick ? "quick" : "whole", names[limit], t.searches, t.chosen, t.worse, t.covered, t.claims, t.accepted, t.broken, t.again);
	return t;
}

static void promises_hold(void **state)
{
	(void)state;
	for (int quick = 0; quick < 2; quick++) {
		struct tally sum = {.searches = 0};
		for (enum limit limit = NO_LIMIT; limit < LIMITS; limit++) {
			struct tally t = search_often(limit, quick, SEARCHES);
			assert_true(t.worse <= 0.03 * t.searches);
			assert_true(t.covered >= 0.93 * t.claims);
			assert_true(t.chosen > 0.05 * t.searches && t.accepted > 0.2 * t.searches); /* refusing everything keeps no promise */
			sum.accepted += limit ? t.accepted : 0;
			sum.broken += t.broken;
			sum.again += t.again;
		}
		assert_true(sum.broken <= 0.01 * sum.accepted);
		assert_true(sum.again <= 0.01 * sum.accepted);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(promises_hold),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
