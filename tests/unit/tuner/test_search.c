/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the tuner's honesty on a simulated machine with 2 % noise between runs: it finds real gains, keeps the default when nothing is
 * faster, never chooses a worse matte, and claims nothing from fewer than eight rounds.
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
#include "tuner/tune_findings.h"
#include "small_network.h"
#include "unit/tuner/normal_noise.h"

/* Speed factors of the simulated machine; 1: no effect. */
struct machine {
	struct vrs_rng rng;
	double noise;
	double threads2, fp16, small_input; /* engine.threads=2, precision=fp16, input_size=192x192 */
	double small_quality;               /* IoU of the small input; others .95 */
	bool default_fails;
	enum vrs_status status;             /* returned instead of measuring */
	double encode_share;                /* of the work; 0: no stage is counted */
	double run_seconds;                 /* of a process; 0: not known */
	double slow_late;                   /* live: share of frames that are late without engine.threads=2 */
	double threads2_long;               /* the same as threads2 in long runs; 0: no other */
	double now_stretch;                 /* of the step that is measured */
	int most_batch;                     /* that memory holds; 0: any */
	double fp16_bytes;                  /* of a frame of the output with engine.precision=fp16; others 5000; 0: not known */
	const char *heavy;                  /* threads whose first run alone takes HEAVY_BYTES, "": of the default; NULL: none does */
	int64_t long_bytes;                 /* of every long run; 0: as usual */
	double default_fps[256];            /* of every run of the default */
	int runs, default_runs;
};

#define USUAL_BYTES (100 << 20)
#define HEAVY_BYTES (300 << 20)

static bool sets(const struct vrs_case *c, const char *key, const char *value)
{
	const char *v = vrs_case_get(c, key);
	return v && strcmp(v, value) == 0;
}

static int64_t take_memory(struct machine *m, const struct vrs_case *c)
{
	bool heavy = m->heavy && (m->heavy[0] ? c->value_count == 1 && sets(c, "engine.threads", m->heavy) : c->value_count == 0);
	if (heavy)
		m->heavy = NULL;
	return heavy ? HEAVY_BYTES : m->long_bytes && m->now_stretch > 1 ? m->long_bytes : USUAL_BYTES;
}

static void simulate(struct machine *m, const struct vrs_case *c, int round, double drift, struct vrs_case_result *case_result)
{
	struct vrs_run *run = vrs_case_result_add_run(case_result);
	double fps = 20 * drift * (1 + m->noise * gauss(&m->rng));
	fps *= !sets(c, "engine.threads", "2") ? 1 : m->now_stretch > 1 && m->threads2_long > 0 ? m->threads2_long : m->threads2;
	fps *= sets(c, "engine.precision", "fp16") ? m->fp16 : 1;
	fps *= sets(c, "engine.input_size", "192x192") ? m->small_input : 1;
	int batch = vrs_case_get(c, "engine.batch_size") ? atoi(vrs_case_get(c, "engine.batch_size")) : 1;
	fps *= batch > 1 ? 1 + 0.05 * batch : 1;
	run->status = m->default_fails && !c->value_count ? VRS_RUN_FAILED : m->most_batch && batch > m->most_batch ? VRS_RUN_OOM : VRS_RUN_OK;
	(void)vrs_strcpy(run->reason, sizeof run->reason, m->default_fails ? "no memory" : "");
	run->round = round;
	run->frames = 100;
	run->fps = fps;
	run->wall_seconds = 5 * fmax(m->now_stretch, 1);
	run->iou = sets(c, "engine.input_size", "192x192") ? m->small_quality : 0.95;
	run->peak_rss_bytes = take_memory(m, c);
	if (c->value_count == 0 && m->default_runs < (int)(sizeof m->default_fps / sizeof *m->default_fps))
		m->default_fps[m->default_runs++] = fps;
	if (m->fp16_bytes > 0)
		run->output_bytes_per_frame = (sets(c, "engine.precision", "fp16") ? m->fp16_bytes : 5000) * (1 + 0.001 * (round % 2));
	for (int i = 0; m->encode_share > 0 && i < VRS_STAGE_COUNT; i++)
		run->stage_busy_ms[i] = i == VRS_STAGE_ENCODE ? m->encode_share : i == VRS_STAGE_INFERENCE ? 1 - m->encode_share : 0;
	if (c->live_hz > 0) { /* the rate is given; what the machine could do more makes frames be done earlier */
		run->fps = c->live_hz;
		run->latency_median_ms = 1000 / fps;
		run->live_due = 100;
		run->live_dropped = 0;
		run->live_late = sets(c, "engine.threads", "2") ? 0 : (int64_t)(100 * m->slow_late);
		run->live_miss_percent = (double)run->live_late;
	}
	if (m->run_seconds > 0)
		run->process_seconds = m->run_seconds;
	m->runs++;
}

static enum vrs_status measure(void *cookie, const struct vrs_step *step, const struct vrs_case *cases, int count, int rounds,
			       struct vrs_result **ret_result, struct vrs_error *err)
{
	struct machine *m = cookie;
	struct vrs_result *result;
	m->now_stretch = step->stretch;
	if (m->status)
		return vrs_fail(err, m->status, "simulated");
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	for (int i = 0; i < count; i++) {
		struct vrs_case_result *case_result = vrs_result_add_case(result);
		assert_non_null(case_result);
		snprintf(case_result->id, sizeof case_result->id, "case");
		for (int k = 0; k < cases[i].value_count; k++) {
			size_t used = strlen(case_result->id);
			snprintf(case_result->id + used, sizeof case_result->id - used, "/%.60s=%.60s", cases[i].values[k].key, cases[i].values[k].value);
		}
	}
	for (int r = 1; r <= rounds; r++) {
		double drift = 1 + 0.1 * gauss(&m->rng); /* a noisy neighbour comes and goes between rounds */
		for (int i = 0; i < count; i++)
			simulate(m, &cases[i], r, fmax(drift, 0.5), &result->cases[i]);
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
	assert_true(small_network_config(config)); /* quickly read */
	assert_int_equal(vrs_space_build(&space, config, &(struct vrs_bench_input){.cpus = 2}, "threads precision input_size", NULL), VRS_OK);
	vrs_config_destroy(config);
	assert_int_equal(space.count, 3);
	return space;
}

static struct machine make_machine(uint64_t seed)
{
	struct machine m = {.noise = 0.02, .threads2 = 1, .fp16 = 1, .small_input = 1, .small_quality = 0.95};
	vrs_rng_init(&m.rng, seed);
	return m;
}

static void search(struct machine *m, const struct vrs_search_options *options, struct vrs_search_result *ret)
{
	struct vrs_space space = make_space();
	struct vrs_error err = {.status = VRS_OK};
	if (vrs_search(&space, options, measure, m, ret, &err) != VRS_OK)
		fail_msg("%s", err.text);
}

/* 200 machines on which nothing helps: at most 5 % may end with another choice (it is the level of the final). */
static void nothing_helps(void **state)
{
	(void)state;
	int wrong = 0;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct machine m = make_machine(seed);
		struct vrs_search_options options = vrs_search_options_default(true);
		struct vrs_search_result r;
		search(&m, &options, &r);
		wrong += !r.keeps_default;
		vrs_search_result_fini(&r);
	}
	assert_true(wrong <= 10);
}

/* Two knobs give 8 and 10 %: found, combined, and the claimed gain is near the truth (1.188), in 95 of 100. */
static void real_gains_are_found(void **state)
{
	(void)state;
	int found = 0;
	double claimed = 0;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct machine m = make_machine(seed);
		m.threads2 = 1.08;
		m.fp16 = 1.10;
		struct vrs_search_options options = vrs_search_options_default(false);
		struct vrs_search_result r;
		search(&m, &options, &r);
		bool both = sets(&r.best, "engine.threads", "2") && sets(&r.best, "engine.precision", "fp16");
		found += both && r.verified;
		claimed += both ? 1 / (1 + r.gain.change) : 0;
		vrs_search_result_fini(&r);
	}
	assert_true(found >= 95);
	assert_true(fabs(claimed / found - 1.188) < 0.01);
}

/* Of settings that cannot be told apart the simplest is chosen, and the tie names the others: never the choice itself. */
static void ties_name_the_others(void **state)
{
	(void)state;
	int ties = 0;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct machine m = make_machine(seed);
		m.threads2 = 1.3;
		m.fp16 = 1.02; /* more than screening asks for, less than a final tells */
		struct vrs_search_options options = vrs_search_options_default(false);
		struct vrs_search_result r;
		search(&m, &options, &r);
		ties += r.tie[0] != '\0';
		for (const char *p = r.tie; *p;) {
			size_t length = strcspn(p, ",");
			assert_false(length == strlen(r.best_id) && strncmp(p, r.best_id, length) == 0);
			p += length + strspn(p + length, ", ");
		}
		vrs_search_result_fini(&r);
	}
	assert_true(ties > 5);
}

/* One run that takes too much is enough, in whichever phase it was: of the default the very first, of threads=2 one of screening. */
static void memory_is_that_of_all_runs(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		struct machine m = make_machine(5);
		struct vrs_search_options options = vrs_search_options_default(false);
		struct vrs_search_result r;
		m.noise = 0.001; /* nobody wins by luck */
		m.heavy = i == 2 ? "2" : "";
		m.threads2 = i == 0 ? 1 : 1.3;
		m.run_seconds = 7;
		options.budget_seconds = 2000; /* one round at a time */
		options.objective.memory_limit_bytes = 200 << 20;
		search(&m, &options, &r);
		assert_null(m.heavy);
		assert_true(r.default_figures.peak_bytes == (i == 2 ? USUAL_BYTES : HEAVY_BYTES));
		assert_int_equal(r.default_limits.missed, i == 2 ? 0 : 1 << VRS_LIMIT_MEMORY);
		assert_int_equal(r.feasible, i != 0);
		assert_int_equal(r.best.value_count == 1 && sets(&r.best, "engine.threads", "2"), i == 1);
		vrs_search_result_fini(&r);
	}
}

/* A choice whose long runs take more, if less than may be: the figure is theirs. */
static void memory_is_that_of_long_runs(void **state)
{
	(void)state;
	struct machine m = make_machine(5);
	struct vrs_search_options options = vrs_search_options_default(false);
	struct vrs_search_result r;
	m.threads2 = 1.3;
	m.long_bytes = HEAVY_BYTES;
	options.objective.memory_limit_bytes = 400 << 20;
	search(&m, &options, &r);
	assert_true(r.feasible && !r.keeps_default);
	assert_true(r.best_figures.peak_bytes == HEAVY_BYTES && r.default_figures.peak_bytes == HEAVY_BYTES);
	vrs_search_result_fini(&r);
}

/* Where no candidate reaches a final, what is said of the default is of all its runs, as a reader of the results finds it. */
static void default_is_that_of_all_runs(void **state)
{
	(void)state;
	for (int with_target = 0; with_target < 2; with_target++) {
		struct machine m = make_machine(7);
		struct vrs_search_options options = vrs_search_options_default(true);
		struct vrs_search_result r;
		double median;
		m.noise = 0.001;
		options.objective.min_fps = with_target ? 5 : 0;
		search(&m, &options, &r);
		assert_true(r.keeps_default && r.feasible);
		assert_int_equal(r.best_figures.fps.n, m.default_runs);
		assert_int_equal(vrs_stats_median(m.default_fps, m.default_runs, &median), VRS_OK);
		assert_true(r.best_figures.fps.median == median);
		vrs_search_result_fini(&r);
	}
}

static void verdict_lines(void **state)
{
	static const struct {
		bool keeps, verified;
		const char *line;
	} cases[] = {
		{false, true, "VERDICT FASTER metric=fps delta=-10.0% n=8 margin=2.0% case=best"},
		{true, true, "VERDICT EQUIVALENT metric=fps case=best"},
		{true, false, "VERDICT INCONCLUSIVE metric=fps case=best"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct vrs_search_result r = {.keeps_default = cases[i].keeps, .verified = cases[i].verified, .best_id = "best"};
		char line[512];
		vrs_comparison_init(&r.gain);
		(void)vrs_strcpy(r.gain.metric, sizeof r.gain.metric, "fps");
		r.gain.change = -0.1;
		r.gain.pairs = 8;
		r.gain.margin = 0.02;
		vrs_tune_line(&r, line, sizeof line);
		assert_string_equal(line, cases[i].line);
	}
}

/* A table for each phase with the default first, why a candidate was refused, and targets by the low end of the interval. */
static void findings_show_all(void **state)
{
	(void)state;
	struct vrs_tried tried[3] = {{.phase = VRS_PHASE_SCREEN, .id = "base", .accepted = true, .ratio = NAN, .figures = {.quality = 0.95}},
				     {.phase = VRS_PHASE_SCREEN, .id = "small", .ratio = 2, .figures = {.quality = 0.9, .kbps = 1200, .ssim = 0.98},
				      .limits = {.why = "IoU 0.9000 is below 0.9450"}},
				     {.phase = VRS_PHASE_FINAL, .id = "base", .accepted = true, .ratio = NAN, .figures = {.quality = 0.95}}};
	struct vrs_search_result r = {.tried = tried, .tried_count = 3, .keeps_default = true, .best_id = "base", .sentence = "The default stays.",
				      .best_figures = {.fps = {.n = 8, .median = 60}, .low_fps = 59, .kbps = 2000},
				      .best_limits = {.missed = 1u << VRS_LIMIT_SPEED}};
	struct vrs_space space = {.fixed = "engine.threads (flag)"};
	struct vrs_findings *f = vrs_findings_create();
	assert_non_null(f);
	vrs_tune_findings(&r, &space, f);
	const struct vrs_objective asked = {.min_fps = 60, .max_kbps = 2500}, nothing = {.min_fps = 0};
	vrs_tune_limits(&r, &asked, f);
	vrs_tune_limits(&r, &nothing, f);
	assert_int_equal(vrs_findings_finish(f), VRS_OK);
	assert_string_equal(f->verdict, "The default stays.");
	assert_int_equal(f->table_count, 3);
	assert_string_equal(f->tables[0].cells[0], "base (default)");
	assert_string_equal(f->tables[0].cells[7], "small");
	assert_string_equal(f->tables[0].cells[9], "2.000x");
	assert_string_equal(f->tables[0].cells[11], "1200");
	assert_string_equal(f->tables[0].cells[12], "0.9800");
	assert_string_equal(f->tables[0].cells[13], "IoU 0.9000 is below 0.9450");
	assert_int_equal(f->tables[1].rows, 1);
	assert_string_equal(f->tables[2].cells[2], "59.00 FPS");
	assert_string_equal(f->tables[2].cells[3], "fail");
	assert_string_equal(f->tables[2].cells[5], "at most 2500 kbit/s");
	assert_string_equal(f->tables[2].cells[7], "pass");
	assert_int_equal(f->note_count, 1);
	vrs_findings_destroy(f);
}

static void a_worse_matte_never_wins(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct machine m = make_machine(seed);
		m.small_input = 2;
		m.small_quality = 0.94; /* .01 below the default, more than may be lost */
		struct vrs_search_options options = vrs_search_options_default(true);
		struct vrs_search_result r;
		bool listed = false;
		search(&m, &options, &r);
		assert_null(vrs_case_get(&r.best, "engine.input_size"));
		for (int i = 0; i < r.tried_count; i++)
			listed = listed || (!r.tried[i].accepted && strstr(r.tried[i].limits.why, "IoU 0.9400 is below 0.9450"));
		assert_true(listed);
		vrs_search_result_fini(&r);
	}
}

/* A reader who sees a candidate ahead in one table is told why it did not reach the final: what it came to over all its rounds. */
static void luck_of_one_phase_is_told(void **state)
{
	int told = 0;
	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct machine m = make_machine(seed);
		m.noise = 0.05;
		m.threads2 = m.fp16 = m.small_input = 0.96;
		struct vrs_search_options options = vrs_search_options_default(false);
		struct vrs_search_result r;
		const struct vrs_tried *ahead = NULL;
		char expected[1024];
		search(&m, &options, &r);
		bool stays = strncmp(r.sentence, "The default stays: over all rounds no candidate", 47) == 0;
		for (int i = 0; i < r.tried_count && stays; i++)
			if (r.tried[i].settings.value_count && r.tried[i].accepted && r.tried[i].ratio > 1.01 && (!ahead || r.tried[i].ratio > ahead->ratio))
				ahead = &r.tried[i];
		snprintf(expected, sizeof expected, "; %s had %.3fx the speed in %s, and ", ahead ? ahead->id : "", ahead ? ahead->ratio : 0,
			 ahead ? vrs_phase_name(ahead->phase) : "");
		if (ahead)
			assert_non_null(strstr(r.sentence, expected));
		else if (stays)
			assert_null(strstr(r.sentence, "the speed in"));
		told += ahead != NULL;
		vrs_search_result_fini(&r);
	}
	assert_true(told >= 3);
}

static void few_rounds_claim_nothing(void **state)
{
	(void)state;
	struct machine m = make_machine(3);
	m.threads2 = 1.5;
	struct vrs_search_options options = vrs_search_options_default(true);
	struct vrs_search_result r;
	options.final_rounds = 7;
	search(&m, &options, &r);
	assert_true(r.keeps_default);
	assert_false(r.verified);
	assert_int_equal(strncmp(r.sentence, "not verified", 12), 0);
	vrs_search_result_fini(&r);
}

/* Screening and combinations keep to the budget; the final has its rounds even when the budget does not hold them. */
static void budget_is_kept(void **state)
{
	static const double budgets[] = {1, 400, 2000};
	(void)state;
	for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
		struct machine m = make_machine(5);
		struct vrs_search_options options = vrs_search_options_default(false);
		struct vrs_search_result r;
		m.threads2 = 1.3;
		m.fp16 = 1.2;
		m.run_seconds = 2;
		options.budget_seconds = budgets[i];
		search(&m, &options, &r);
		struct vrs_space space = make_space();
		int screening = 2, final = (1 + options.finalists) * options.final_rounds; /* the default twice */
		for (int k = 0; k < space.count; k++)
			screening += space.knobs[k].count;
		double least = m.run_seconds * (screening + final);
		assert_true(m.run_seconds * m.runs <= fmax(budgets[i], least));
		assert_false(r.keeps_default);
		vrs_search_result_fini(&r);
	}
}

/* A noisy machine's final has more rounds where the budget leaves time for them: not more than that, nor where the user gave their number. */
static void noise_takes_rounds(void **state)
{
	static const struct {
		double noise, budget;
		int fixed, least, most;
	} cases[] = {{0.02, 8000, 0, 14, 14}, {0.15, 8000, 0, 20, 60}, {0.15, 0, 0, 14, 14}, {0.15, 300, 0, 14, 14}, {0.15, 8000, 9, 9, 9}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct machine m = make_machine(17);
		struct vrs_search_options options = vrs_search_options_default(false);
		struct vrs_search_result r;
		m.threads2 = 1.5;
		m.noise = cases[i].noise;
		m.run_seconds = 10;
		options.budget_seconds = cases[i].budget;
		options.fixed_rounds = cases[i].fixed > 0;
		options.final_rounds = cases[i].fixed ? cases[i].fixed : options.final_rounds;
		search(&m, &options, &r);
		assert_in_range(r.rounds, cases[i].least, cases[i].most);
		vrs_search_result_fini(&r);
	}
}

static void failures_are_reported(void **state)
{
	(void)state;
	struct vrs_space space = make_space();
	struct vrs_search_options options = vrs_search_options_default(true);
	struct vrs_search_result r;
	struct vrs_error err = {.status = VRS_OK};
	struct machine m = make_machine(1);
	m.status = VRS_ESTOPPED;
	assert_int_equal(vrs_search(&space, &options, measure, &m, &r, &err), VRS_ESTOPPED);
	m.status = VRS_OK;
	m.default_fails = true;
	assert_int_equal(vrs_search(&space, &options, measure, &m, &r, &err), VRS_EINTERNAL);
	assert_non_null(strstr(err.text, "no memory"));
	space.count = 0;
	assert_int_equal(vrs_search(&space, &options, measure, &m, &r, &err), VRS_ECONFIG);
}

/* No measured settings are fast enough: nothing is chosen, and the nearest that keep the matte, and those that do not, are named. */
static void what_cannot_be_reached_is_said(void **state)
{
	(void)state;
	struct machine m = make_machine(7);
	m.threads2 = 1.3;
	m.small_input = 3;
	m.small_quality = 0.90;
	struct vrs_search_options options = vrs_search_options_default(true);
	struct vrs_search_result r;
	char line[512];
	options.objective.min_fps = 40; /* 20 are the default's, 26 those of two threads, 60 those of the small input */
	search(&m, &options, &r);
	assert_false(r.feasible);
	assert_non_null(strstr(r.sentence, "No measured settings keep all limits"));
	assert_int_equal(vrs_tune_nearest(&r), VRS_LIMIT_MATTE); /* 5 % of IoU are less than a third of the speed */
	vrs_tune_target_line(&r, options.objective.min_fps, line, sizeof line);
	assert_int_equal(strncmp(line, "VERDICT INFEASIBLE target_fps=40 ", 33), 0);
	assert_non_null(strstr(line, "limit=matte"));
	struct vrs_findings *f = vrs_findings_create();
	assert_non_null(f);
	vrs_tune_infeasible(&r, f);
	assert_int_equal(vrs_findings_finish(f), VRS_OK);
	assert_int_equal(f->tables[0].rows, 2);
	assert_string_equal(f->tables[0].cells[0], "matte (least)");
	assert_non_null(strstr(f->tables[0].cells[1], "engine.input_size=192x192"));
	assert_string_equal(f->tables[0].cells[6], "speed");
	assert_non_null(strstr(f->tables[0].cells[7], "engine.threads=2"));
	vrs_findings_destroy(f);
	vrs_search_result_fini(&r);
}

/* A default that is too slow is left for settings that are fast enough, in 19 of 20. */
static void a_target_is_reached(void **state)
{
	(void)state;
	int reached = 0;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct machine m = make_machine(seed);
		m.threads2 = 1.5;
		struct vrs_search_options options = vrs_search_options_default(true);
		struct vrs_search_result r;
		options.objective.min_fps = 22;
		search(&m, &options, &r);
		reached += r.feasible && !r.keeps_default && sets(&r.best, "engine.threads", "2");
		vrs_search_result_fini(&r);
	}
	assert_true(reached >= 19);
}

/* The best matte that is fast enough, although it is slower than the default; where it is too slow, the default stays. */
static void quality_takes_what_speed_leaves(void **state)
{
	static const struct {
		double speed;   /* of the better matte */
		bool taken;
		const char *line;
	} cases[] = {{0.8, true, "VERDICT BETTER metric=iou case="}, {0.3, false, "VERDICT INCONCLUSIVE metric=iou case="}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int right = 0;
		for (uint64_t seed = 1; seed <= 20; seed++) {
			struct machine m = make_machine(seed);
			m.small_input = cases[i].speed;
			m.small_quality = 0.97;
			struct vrs_search_options options = vrs_search_options_default(true);
			struct vrs_search_result r;
			char line[512];
			options.objective.goal = VRS_GOAL_QUALITY;
			options.objective.min_fps = 10; /* neighbours take 10 % now and then: the low end of 16 FPS lies near 12 */
			search(&m, &options, &r);
			assert_true(r.feasible);
			vrs_tune_line(&r, line, sizeof line);
			right += !r.keeps_default == cases[i].taken && strncmp(line, cases[i].line, strlen(cases[i].line)) == 0;
			vrs_search_result_fini(&r);
		}
		assert_true(right >= 19);
	}
}

/*
 * Live: where the default keeps up, only a proven lower latency replaces it; where it does not, what does keep up, whatever its latency.
 */
static void live_takes_what_is_in_time(void **state)
{
	static const struct {
		double threads2, late;
		bool keeps, other_default; /* other: the sentence says that the default is late */
		const char *line;
	} cases[] = {
		{1.3, 0, false, false, "VERDICT FASTER metric=latency_p50 delta="},
		{1, 0, true, false, "VERDICT "},
		{1.3, 0.2, false, true, "VERDICT FASTER metric=latency_p50 delta="},
		{0.9, 0.2, false, true, "VERDICT EQUIVALENT metric=latency_p50 case="},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int right = 0;
		for (uint64_t seed = 1; seed <= 20; seed++) {
			struct machine m = make_machine(seed);
			struct vrs_search_options options = vrs_search_options_default(false);
			struct vrs_search_result r;
			char line[512];
			m.threads2 = cases[i].threads2;
			m.slow_late = cases[i].late;
			options.objective.goal = VRS_GOAL_LIVE;
			options.live_hz = 30;
			search(&m, &options, &r);
			vrs_tune_line(&r, line, sizeof line);
			assert_true(r.feasible);
			assert_int_equal(strstr(r.sentence, "The default does not keep the limits.") != NULL, cases[i].other_default);
			right += r.keeps_default == cases[i].keeps &&
				 (cases[i].keeps || sets(&r.best, "engine.threads", "2")) && strncmp(line, cases[i].line, strlen(cases[i].line)) == 0;
			assert_int_equal(r.best.live_hz, r.keeps_default ? 0 : 30);
			vrs_search_result_fini(&r);
		}
		assert_true(right >= 19);
	}
}

/* A gain that is gone in long runs is none; one that stays is said. */
static void a_choice_has_to_last(void **state)
{
	static const double in_long_runs[] = {0.9, 1.3};
	(void)state;
	for (int lasts = 0; lasts < 2; lasts++) {
		int right = 0;
		for (uint64_t seed = 1; seed <= 20; seed++) {
			struct machine m = make_machine(seed);
			struct vrs_search_options options = vrs_search_options_default(false);
			struct vrs_search_result r;
			m.threads2 = 1.3;
			m.threads2_long = in_long_runs[lasts];
			search(&m, &options, &r);
			const char *expected = lasts ? " In 2 runs of 30 s it has 1." : "won the final, but does not last: in 2 runs of 30 s it has 0.";
			right += r.keeps_default == !lasts && strstr(r.sentence, expected) && (r.best.value_count == 0) == !lasts;
			vrs_search_result_fini(&r);
		}
		assert_true(right >= 19);
	}
}

/* The smallest output that is fast enough, with the interval of its size. */
static void size_takes_what_speed_leaves(void **state)
{
	(void)state;
	int right = 0;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct machine m = make_machine(seed);
		struct vrs_search_options options = vrs_search_options_default(true);
		struct vrs_search_result r;
		char line[512];
		m.fp16_bytes = 4000;
		options.objective.goal = VRS_GOAL_SIZE;
		options.objective.min_fps = 10;
		search(&m, &options, &r);
		vrs_tune_line(&r, line, sizeof line);
		right += sets(&r.best, "engine.precision", "fp16") && strstr(r.sentence, "0.80 times the size of the default's (95 % interval 0.80 to 0.80)") &&
			 strncmp(line, "VERDICT SMALLER metric=size case=", strlen("VERDICT SMALLER metric=size case=")) == 0;
		vrs_search_result_fini(&r);
	}
	assert_true(right >= 19);
}

static bool is_noted(const struct vrs_space *space, const char *what, const char *why)
{
	for (int i = 0; i < space->rejected_count; i++)
		if (strcmp(space->rejected[i].what, what) == 0 && strcmp(space->rejected[i].why, why) == 0)
			return true;
	return false;
}

/*
 * A batch that ends for lack of memory: the largest that does not is found by bisection and tried, larger ones are not combined with anything, and
 * the search says so.  With a budget, larger ones are not measured again.
 */
static void memory_is_stepped_back_from(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct machine m = make_machine(5);
		struct vrs_config *config;
		struct vrs_space space;
		struct vrs_error err = {.status = VRS_OK};
		struct vrs_search_options options = vrs_search_options_default(false);
		struct vrs_search_result r;
		int tried = 0, out = 0, large = 0;
		m.most_batch = 11;
		m.run_seconds = 5;
		options.budget_seconds = i ? 3000 : 0;
		assert_int_equal(vrs_config_create(&config), VRS_OK);
		assert_true(small_network_config(config));
		assert_int_equal(vrs_space_build(&space, config, &(struct vrs_bench_input){.cpus = 2}, "batch_size precision", NULL), VRS_OK);
		vrs_config_destroy(config);
		if (vrs_search(&space, &options, measure, &m, &r, &err) != VRS_OK)
			fail_msg("%s", err.text);
		for (int t = 0; t < r.tried_count; t++) {
			const char *value = vrs_case_get(&r.tried[t].settings, "engine.batch_size");
			int batch = value ? atoi(value) : 1;
			tried += batch == 11 && r.tried[t].accepted;
			out += batch == 12 && strcmp(r.tried[t].limits.why, "out of memory") == 0;
			large += batch > 11 && (r.tried[t].phase != VRS_PHASE_SCREEN || r.tried[t].settings.value_count > 1);
		}
		assert_true(tried > 1);
		assert_int_equal(out, 1);
		assert_int_equal(large, 0);
		assert_true(is_noted(&space, "engine.batch_size 12 and more", "a run with 12 ran out of memory"));
		assert_string_equal(vrs_case_get(&r.best, "engine.batch_size"), "11");
		vrs_search_result_fini(&r);
	}
}

/* Options of stages that do little of the work are tried last, and not at all where the budget ends before. */
static void little_work_comes_last(void **state)
{
	static const struct {
		double encode, budget;
		const char *first, *untried; /* the key of what is screened first */
	} cases[] = {
		{0.95, 0, "output.preset", ""},
		{0.95, 200, "output.preset", "engine.precision (5 % of the work)"},
		{0.05, 0, "engine.precision", ""},
		{0.05, 200, "engine.precision", "output.preset (5 % of the work)"},
	};
	(void)state;
	struct vrs_config *config;
	struct vrs_space space;
	assert_int_equal(vrs_config_create(&config), VRS_OK);
	assert_true(small_network_config(config)); /* quickly read */
	assert_int_equal(vrs_space_build(&space, config, &(struct vrs_bench_input){.cpus = 2}, "precision preset", NULL), VRS_OK);
	vrs_config_destroy(config);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct machine m = make_machine(9);
		struct vrs_search_options options = vrs_search_options_default(true);
		struct vrs_search_result r;
		struct vrs_error err = {.status = VRS_OK};
		bool tried_others = false;
		m.encode_share = cases[i].encode;
		m.run_seconds = 10;
		options.budget_seconds = cases[i].budget;
		assert_int_equal(vrs_search(&space, &options, measure, &m, &r, &err), VRS_OK);
		assert_non_null(vrs_case_get(&r.tried[1].settings, cases[i].first));
		for (int t = 1; t < r.tried_count; t++)
			tried_others = tried_others || (r.tried[t].settings.value_count && !vrs_case_get(&r.tried[t].settings, cases[i].first));
		assert_int_equal(tried_others, cases[i].untried[0] == 0);
		assert_string_equal(r.untried, cases[i].untried);
		vrs_search_result_fini(&r);
	}
}

/* What a hardware profile proposes is screened first, together and alone, and is no answer: it loses here. */
static void a_template_is_tried_first(void **state)
{
	(void)state;
	struct machine m = make_machine(13);
	struct vrs_space space = make_space();
	struct vrs_search_options options = vrs_search_options_default(true);
	struct vrs_search_result r;
	struct vrs_error err = {.status = VRS_OK};
	int threads = -1, precision = -1;
	for (int k = 0; k < space.count; k++) {
		threads = strcmp(space.knobs[k].row->key, "engine.threads") == 0 ? k : threads;
		precision = strcmp(space.knobs[k].row->key, "engine.precision") == 0 ? k : precision;
	}
	assert_true(vrs_space_prefer(&space, threads, "2"));
	assert_true(vrs_space_prefer(&space, precision, "fp16"));
	m.threads2 = 0.8;
	m.small_input = 1.3;
	assert_int_equal(vrs_search(&space, &options, measure, &m, &r, &err), VRS_OK);
	assert_true(sets(&r.tried[1].settings, "engine.threads", "2") && sets(&r.tried[1].settings, "engine.precision", "fp16"));
	assert_true(sets(&r.best, "engine.input_size", "192x192") && !vrs_case_get(&r.best, "engine.threads"));
	vrs_search_result_fini(&r);
}

/* Settings that were found before are the result where eight rounds prove them; where not, the search goes on and they may lose. */
static void a_candidate_is_proven_first(void **state)
{
	(void)state;
	for (int holds = 0; holds < 2; holds++) {
		struct machine m = make_machine(17);
		struct vrs_space space = make_space();
		struct vrs_search_options options = vrs_search_options_default(true);
		struct vrs_search_result r;
		struct vrs_error err = {.status = VRS_OK};
		for (int k = 0; k < space.count; k++)
			if (strcmp(space.knobs[k].row->key, "engine.threads") == 0)
				assert_true(vrs_space_prefer(&space, k, "2"));
		options.verify_start = true;
		m.threads2 = holds ? 1.3 : 0.9;
		m.fp16 = 1.2;
		assert_int_equal(vrs_search(&space, &options, measure, &m, &r, &err), VRS_OK);
		assert_int_equal(r.tried[1].phase, VRS_PHASE_VERIFY);
		assert_true(sets(&r.tried[1].settings, "engine.threads", "2"));
		assert_true(r.verified && !r.keeps_default);
		assert_true(sets(&r.best, "engine.threads", "2") == holds && sets(&r.best, "engine.precision", "fp16") == !holds);
		assert_int_equal(m.runs == 1 + 2 * VRS_VERDICT_MIN_PAIRS, holds);
		vrs_search_result_fini(&r);
	}
}

/* A short budget has time for few values: the likeliest of as many options, and of more than one stage. */
static void a_short_budget_takes_the_likeliest(void **state)
{
	(void)state;
	struct vrs_config *config;
	struct vrs_space space;
	struct vrs_search_options options = vrs_search_options_default(true);
	struct vrs_search_result r;
	struct vrs_error err = {.status = VRS_OK};
	struct machine m = make_machine(11);
	unsigned stages = ~0u;
	int screened = 0;
	assert_int_equal(vrs_config_create(&config), VRS_OK);
	assert_true(small_network_config(config)); /* quickly read */
	assert_int_equal(vrs_space_build(&space, config, &(struct vrs_bench_input){.cpus = 2}, NULL, NULL), VRS_OK);
	vrs_config_destroy(config);
	m.encode_share = 0.4;
	m.run_seconds = 10;
	options.budget_seconds = 1;
	assert_int_equal(vrs_search(&space, &options, measure, &m, &r, &err), VRS_OK);
	for (int t = 1; t < r.tried_count && r.tried[t].phase == VRS_PHASE_SCREEN; t++, screened++) {
		const struct vrs_case_value *value = &r.tried[t].settings.values[0];
		stages &= vrs_knob_stages(vrs_option_find(value->key));
		for (int k = 0; k < space.count; k++)
			if (strcmp(space.knobs[k].row->key, value->key) == 0)
				assert_string_equal(value->value, space.knobs[k].values[0]);
		for (int other = 1; other < t; other++)
			assert_string_not_equal(r.tried[other].settings.values[0].key, value->key);
	}
	assert_int_equal(screened, 5);
	assert_int_equal(stages, 0); /* no stage that all of them change */
	assert_non_null(strstr(r.untried, "of the work)"));
	vrs_search_result_fini(&r);
}

static enum vrs_status measure_size(void *cookie, const struct vrs_step *step, const struct vrs_case *cases, int count, int rounds,
				    struct vrs_result **ret_result, struct vrs_error *err)
{
	for (int i = 0; i < count; i++)
		if (cases[i].width != 640 || cases[i].height != 320)
			return vrs_fail(err, VRS_EINTERNAL, "%s measures clips of %dx%d", step->phase, cases[i].width, cases[i].height);
	return measure(cookie, step, cases, count, rounds, ret_result, err);
}

/* With a size every case of every phase is of that size, the default as well, and so is the choice. */
static void a_size_is_everywhere(void **state)
{
	(void)state;
	struct vrs_space space = make_space();
	struct vrs_search_options options = vrs_search_options_default(false);
	struct vrs_search_result r;
	struct vrs_error err = {.status = VRS_OK};
	struct machine m = make_machine(5);
	m.threads2 = 1.5;
	options.width = 640;
	options.height = 320;
	if (vrs_search(&space, &options, measure_size, &m, &r, &err) != VRS_OK)
		fail_msg("%s", err.text);
	assert_false(r.keeps_default);
	assert_int_equal(r.best.width, 640);
	vrs_search_result_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_helps), cmocka_unit_test(real_gains_are_found), cmocka_unit_test(memory_is_that_of_all_runs),
		cmocka_unit_test(memory_is_that_of_long_runs), cmocka_unit_test(default_is_that_of_all_runs),
		cmocka_unit_test(ties_name_the_others),
		cmocka_unit_test(a_worse_matte_never_wins),
		cmocka_unit_test(luck_of_one_phase_is_told),
		cmocka_unit_test(few_rounds_claim_nothing), cmocka_unit_test(budget_is_kept), cmocka_unit_test(noise_takes_rounds),
		cmocka_unit_test(failures_are_reported), cmocka_unit_test(verdict_lines),
		cmocka_unit_test(findings_show_all), cmocka_unit_test(little_work_comes_last), cmocka_unit_test(a_short_budget_takes_the_likeliest),
		cmocka_unit_test(a_template_is_tried_first), cmocka_unit_test(a_candidate_is_proven_first),
		cmocka_unit_test(what_cannot_be_reached_is_said), cmocka_unit_test(a_size_is_everywhere),
		cmocka_unit_test(a_target_is_reached), cmocka_unit_test(quality_takes_what_speed_leaves), cmocka_unit_test(size_takes_what_speed_leaves),
		cmocka_unit_test(memory_is_stepped_back_from), cmocka_unit_test(live_takes_what_is_in_time), cmocka_unit_test(a_choice_has_to_last),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
