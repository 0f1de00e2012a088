/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: what the statistics promise, on simulated machines: false verdicts, power, coverage of every kind of interval, bursts of slow frames.
 *
 * The generator: runs of one process have a level of their own, the session drifts, a tenth of the pairs is five times as noisy; frames are
 * autocorrelated and slow ones come in bursts.  Seeds are fixed.
 *
 * Which test guards which trap of measuring tools (what other tools fell into):
 *
 *   percentile index at 100 % leaves the array         quantile_type_7 in test_stats.c
 *   a key `latency_median` that holds another quantile each_key_holds_its_quantile here
 *   units mixed between files                          schema_knows_every_key in test_result.c; units_are_in_the_keys here
 *   unequal numbers of repetitions break a test        unequal_repetitions here
 *   0.000 ms accepted as a win                         impossible_values in test_verdict.c; no_time_is_no_win here
 *   all samples discarded, empty result                too_many_excluded in test_noise_gate.c; everything_discarded here
 *   truncated journal line                             torn_tail_and_resume and cut_anywhere in test_runner.c
 *   cache hit from another compiler, driver, machine   stored_and_found and renamed_entry in test_noise_record.c
 *   gate that cannot fail                              twenty_percent_is_exit_10 in test_versus.c; tests/cli/vrbench/versus.sh
 *   stale baseline                                     what_names_side_a in test_versus.c: a results.json gives a configuration, never its figures;
 *                                                      changed_input_is_refused in test_runner.c
 *   A/A that says FASTER or SLOWER                     equals_are_not_told_apart here
 *   flag accepted but ignored                          refusals in tests/cli/vrbench/{usage,versus,calibrate}.sh
 *   huge report built in memory                        test_frames_file.c reads and writes frame by frame
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

#include "analyzer/figures/case_summary.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/str_parse.h"
#include "bench/judge/comparison.h"
#include "bench/judge/interval_goal.h"
#include "bench/judge/verdict.h"
#include "bench/record/frame_metrics.h"
#include "bench/record/record_fields.h"
#include "bench/stats/stats.h"

static double normal(struct vrs_rng *rng)
{
	return sqrt(-2 * log(1 - vrs_rng_unit(rng))) * cos(6.283185307179586 * vrs_rng_unit(rng));
}

/* Both sides of one simulated session: pair_sd is that of the clean nine tenths of the log ratios. */
static void simulate_session(struct vrs_rng *rng, double pair_sd, double change, double *a, double *b, int n)
{
	double drift = 0.03 * normal(rng), level = 20;
	for (int i = 0; i < n; i++) {
		double wild = vrs_rng_unit(rng) < 0.1 ? 5 : 1, half = pair_sd / sqrt(2);
		level *= exp(drift / n + 0.002 * normal(rng));
		a[i] = level * exp(half * wild * normal(rng));
		b[i] = level * (1 + change) * exp(half * wild * normal(rng));
	}
}

/* Look after look as a measurement makes them. */
static struct vrs_comparison decide(const double *a, const double *b, const struct vrs_verdict_options *options)
{
	struct vrs_comparison c;
	for (int n = 8; n <= 20; n += 6) {
		assert_int_equal(vrs_verdict_pairs(a, b, n, options, &c), VRS_OK);
		if (c.final)
			break;
	}
	return c;
}

/* 200 A/A sessions on a quiet and on a noisy, calibrated machine: at most 2 of them say FASTER or SLOWER at all, not only beyond the margin. */
static void equals_are_not_told_apart(void **state)
{
	(void)state;
	static const double spreads[] = {0.01, 0.02, 0.03};
	double a[20], b[20];
	for (size_t s = 0; s < sizeof spreads / sizeof *spreads; s++) {
		struct vrs_verdict_options options = vrs_verdict_options_default();
		struct vrs_rng rng;
		int words = 0, gates = 0, decided = 0;
		vrs_rng_init(&rng, 200 + s);
		options.pair_sd = spreads[s]; /* as --calibrate has stored it: the margin is 2, 3 and 4.5 % */
		for (int t = 0; t < 200; t++) {
			simulate_session(&rng, spreads[s], 0, a, b, 20);
			struct vrs_comparison c = decide(a, b, &options);
			words += c.verdict == VRS_VERDICT_FASTER || c.verdict == VRS_VERDICT_SLOWER;
			gates += vrs_verdict_exit_code(&c) == 10;
			decided += c.verdict == VRS_VERDICT_EQUIVALENT;
		}
		print_message("spread %.0f %%: %d of 200 equals told apart, %d alarms, %d found equal\n", 100 * spreads[s], words, gates, decided);
		assert_in_range(words, 0, 2);
		assert_int_equal(gates, 0);
		assert_true(decided >= 170);
	}
}

static void five_percent_is_found(void **state)
{
	(void)state;
	double a[20], b[20];
	for (int calibrated = 0; calibrated < 2; calibrated++) {
		struct vrs_verdict_options options = vrs_verdict_options_default();
		struct vrs_rng rng;
		int found = 0;
		vrs_rng_init(&rng, 5);
		options.pair_sd = calibrated ? 0.02 : 0;
		for (int t = 0; t < 100; t++) {
			simulate_session(&rng, 0.02, 0.05, a, b, 20);
			struct vrs_comparison c = decide(a, b, &options);
			found += vrs_verdict_exit_code(&c) == 10;
		}
		print_message("5 %% slower at 2 %% spread, margin %.0f %%: found in %d of 100\n", calibrated ? 3.0 : 2.0, found);
		assert_true(found >= 95);
	}
}

/* Skewed values of runs: most near their best, some slow. */
static double skewed(struct vrs_rng *rng)
{
	return 20 * exp(0.01 * normal(rng)) - 0.3 * log(1 - vrs_rng_unit(rng));
}

/* Every size from 6 to 30 covers at least 94 %, and what it says it covers within a point. */
static void medians_cover(void **state)
{
	(void)state;
	enum { TRIALS = 6000, LONG = 200001 };
	struct vrs_rng rng;
	vrs_rng_init(&rng, 94);
	static double many[LONG];
	double truth;
	for (int i = 0; i < LONG; i++)
		many[i] = skewed(&rng);
	assert_int_equal(vrs_stats_median(many, LONG, &truth), VRS_OK);
	for (int n = 6; n <= 30; n += n < 12 ? 1 : 4) {
		struct vrs_estimate e = {.n = 0};
		int covered = 0;
		for (int t = 0; t < TRIALS; t++) {
			double x[30];
			for (int i = 0; i < n; i++)
				x[i] = skewed(&rng);
			assert_int_equal(vrs_stats_estimate(x, n, &e), VRS_OK);
			covered += e.low <= truth && truth <= e.high;
		}
		double share = (double)covered / TRIALS;
		if (share < 0.94 || fabs(share - e.confidence) > 0.01)
			fail_msg("n = %d: covers %.3f, says %.3f", n, share, e.confidence);
	}
}

/* P(W <= k - 1) of the signed-rank sum by counting, apart from the code that is tested. */
static double signed_rank_tail(int n, int k)
{
	static double ways[31][500];
	memset(ways, 0, sizeof ways);
	ways[0][0] = 1;
	for (int i = 1; i <= n; i++)
		for (int w = 0; w <= i * (i + 1) / 2; w++)
			ways[i][w] = 0.5 * (ways[i - 1][w] + (w >= i ? ways[i - 1][w - i] : 0));
	double sum = 0;
	for (int w = 0; w < k; w++)
		sum += ways[n][w];
	return sum;
}

/* Wilcoxon intervals of the three looks (97.8 % each), and of one look at 95 %. */
static void shifts_cover(void **state)
{
	(void)state;
	enum { TRIALS = 6000 };
	static const struct {
		int n;
		double alpha;
	} looks[] = {{8, VRS_VERDICT_LOOK_ALPHA}, {14, VRS_VERDICT_LOOK_ALPHA}, {20, VRS_VERDICT_LOOK_ALPHA}, {8, 0.05}, {20, 0.05}};
	struct vrs_rng rng;
	vrs_rng_init(&rng, 978);
	for (size_t l = 0; l < sizeof looks / sizeof *looks; l++) {
		int n = looks[l].n, covered = 0;
		for (int t = 0; t < TRIALS; t++) {
			double d[20];
			struct vrs_shift s;
			for (int i = 0; i < n; i++)
				d[i] = 0.05 + 0.02 * (vrs_rng_unit(&rng) < 0.1 ? 5 : 1) * normal(&rng);
			assert_int_equal(vrs_stats_shift(d, n, looks[l].alpha, &s), VRS_OK);
			covered += s.low <= 0.05 && 0.05 <= s.high;
		}
		double share = (double)covered / TRIALS, exact = 1 - 2 * signed_rank_tail(n, vrs_stats_walsh_rank(n, looks[l].alpha));
		if (share < 0.94 || fabs(share - exact) > 0.01 || exact < 1 - looks[l].alpha)
			fail_msg("n = %d, alpha %.4f: covers %.3f, exactly %.3f", n, looks[l].alpha, share, exact);
	}
}

static void add_fps(struct vrs_case_result *c, double fps)
{
	struct vrs_run *run = vrs_case_result_add_run(c);
	assert_non_null(run);
	run->status = VRS_RUN_OK;
	run->round = c->run_count;
	run->fps = fps;
}

/* Stopping when the interval is narrow does not spoil it: rounds go on until the goal of 1 % or 20 runs. */
static void stopping_by_width_covers(void **state)
{
	(void)state;
	enum { TRIALS = 3000 };
	static const double spreads[] = {0.005, 0.01, 0.02};
	struct vrs_rng rng;
	vrs_rng_init(&rng, 51);
	for (size_t s = 0; s < sizeof spreads / sizeof *spreads; s++) {
		int covered = 0, met = 0;
		for (int t = 0; t < TRIALS; t++) {
			struct vrs_case_result c;
			vrs_case_result_init(&c);
			while (c.run_count < 20 && !vrs_interval_settled(&c, VRS_INTERVAL_OFFLINE))
				add_fps(&c, 50 * exp(spreads[s] * normal(&rng)));
			assert_int_equal(vrs_case_result_summarize(&c, NULL), VRS_OK);
			covered += c.fps.low <= 50 && 50 <= c.fps.high;
			met += vrs_interval_settled(&c, VRS_INTERVAL_OFFLINE);
			vrs_case_result_fini(&c);
		}
		print_message("spread %.1f %%: covers %.1f %%, goal met in %.0f %%\n", 100 * spreads[s], 100.0 * covered / TRIALS, 100.0 * met / TRIALS);
		assert_true((double)covered / TRIALS >= 0.94);
	}
}

/* Frame times of one run: autocorrelated, 1.2 % slow ones in bursts of a mean length. */
static void make_frames(struct vrs_rng *rng, double *x, int n, double length)
{
	double level = 0.03 * normal(rng);
	bool burst = false;
	for (int i = 0; i < n; i++) {
		level = 0.8 * level + 0.018 * normal(rng);
		burst = burst || vrs_rng_unit(rng) < 0.012 / length;
		x[i] = 16 * (1 + level + (burst ? 0.05 - 0.3 * log(1 - vrs_rng_unit(rng)) : 0));
		burst = burst && vrs_rng_unit(rng) >= 1 / length;
	}
}

/* P99 with a design effect stored from 60,000 frames: where it is answered, its interval covers; the textbook interval does not. */
static void tails_cover(void **state)
{
	(void)state;
	enum { FRAMES = 900, TRIALS = 120, LONG = 3000000, STORED = 12 };
	static const struct {
		double length;
		int runs;
	} kinds[] = {{1, 20}, {5, 40}, {15, 80}};
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		struct vrs_rng rng;
		int runs = kinds[k].runs, n = runs * FRAMES, covered = 0, answered = 0, textbook = 0;
		double *x = vrs_calloc(LONG, sizeof *x), *sorted, truth, stored[STORED], deff, low, high;
		long *starts = vrs_calloc((size_t)runs, sizeof *starts), one = 0;
		assert_non_null(x);
		assert_non_null(starts);
		vrs_rng_init(&rng, 1000 + k);
		make_frames(&rng, x, LONG, kinds[k].length);
		assert_int_equal(vrs_stats_quantile(x, LONG, 0.99, &truth), VRS_OK);
		for (int i = 0; i < STORED; i++) {
			double p99;
			assert_int_equal(vrs_stats_quantile(x + 60000 * i, 60000, 0.99, &p99), VRS_OK);
			assert_int_equal(vrs_stats_design_effect(x + 60000 * i, 60000, &one, 1, p99, &stored[i]), VRS_OK);
		}
		for (int t = 0; t < TRIALS; t++) {
			double p99;
			for (int r = 0; r < runs; r++) {
				starts[r] = (long)r * FRAMES;
				make_frames(&rng, x + starts[r], FRAMES, kinds[k].length);
			}
			assert_int_equal(vrs_stats_sorted(x, n, &sorted), VRS_OK);
			assert_int_equal(vrs_stats_quantile(x, n, 0.99, &p99), VRS_OK);
			assert_int_equal(vrs_stats_design_effect(x, n, starts, runs, p99, &deff), VRS_OK);
			deff = fmax(deff, stored[t % STORED]);
			if (vrs_stats_frames_missing(n, 0.99, deff) == 0) {
				assert_int_equal(vrs_stats_burst_interval(sorted, n, 0.99, deff, &low, &high), VRS_OK);
				answered++;
				covered += low <= truth && truth <= high;
			}
			assert_int_equal(vrs_stats_burst_interval(sorted, n, 0.99, 1, &low, &high), VRS_OK);
			textbook += low <= truth && truth <= high;
			vrs_free(sorted);
		}
		print_message("bursts of %2.0f: answered in %d of %d, covers %.0f %%; the textbook interval covers %.0f %%\n", kinds[k].length, answered,
			      TRIALS, answered ? 100.0 * covered / answered : 0, 100.0 * textbook / TRIALS);
		assert_true(answered >= TRIALS / 2);
		assert_true(covered >= 0.92 * answered); /* 94 % less two standard errors of so few trials */
		assert_true(kinds[k].length < 2 || textbook < 0.75 * TRIALS);
		vrs_free(starts);
		vrs_free(x);
	}
}

/* A result of two cases without runs. */
static struct vrs_result *make_pair(void)
{
	struct vrs_result *result;
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	assert_non_null(vrs_result_add_case(result));
	assert_non_null(vrs_result_add_case(result));
	return result;
}

/* A run without any disturbance of its own clock: 0 ms, or a rate without end. */
static void no_time_is_no_win(void **state)
{
	(void)state;
	static struct vrs_compare_details details;
	struct vrs_result *result = make_pair();
	struct vrs_case_result *a = &result->cases[0], *b = &result->cases[1];
	struct vrs_comparison c;
	const struct vrs_compare_options options = {.margin = 0};
	for (int i = 0; i < 20; i++) {
		add_fps(a, 50 + 0.01 * i);
		add_fps(b, i % 2 ? INFINITY : 0);
	}
	assert_int_equal(vrs_compare(result, a, b, &options, &c, &details), VRS_OK);
	assert_int_equal(c.verdict, VRS_VERDICT_INCONCLUSIVE);
	assert_int_equal(c.pairs, 0);
	assert_int_equal(vrs_verdict_exit_code(&c), 11);
	vrs_result_destroy(result);
}

/* A has twenty runs, B nine, in rounds of which eight are common: eight pairs, each of one round. */
static void unequal_repetitions(void **state)
{
	(void)state;
	static struct vrs_compare_details details;
	struct vrs_result *result = make_pair();
	struct vrs_case_result *a = &result->cases[0], *b = &result->cases[1];
	struct vrs_comparison c;
	const struct vrs_compare_options options = {.margin = 0};
	for (int i = 0; i < 20; i++)
		add_fps(a, 40 + i);
	for (int i = 0; i < 9; i++) {
		add_fps(b, 40 + 2 * i);
		b->runs[i].round = 2 * i + 1;
	}
	vrs_strcpy(b->runs[4].excluded, sizeof b->runs[4].excluded, "throttle: 1; cool");
	assert_int_equal(vrs_compare(result, a, b, &options, &c, &details), VRS_OK);
	assert_int_equal(details.pairs, 8);
	for (int i = 0; i < 8; i++) {
		assert_int_equal(details.round[i] % 2, 1);
		assert_float_equal(details.a[i], details.b[i], 0);
	}
	assert_int_equal(c.verdict, VRS_VERDICT_EQUIVALENT);
	vrs_result_destroy(result);
}

/* Every run disturbed: figures are shown and marked, the verdict says INVALID and why; nothing is empty and nothing is claimed. */
static void everything_discarded(void **state)
{
	(void)state;
	static struct vrs_compare_details details;
	struct vrs_result *result = make_pair();
	struct vrs_comparison c;
	const struct vrs_compare_options options = {.invalid = VRS_CAUSE_DISTURBED, .why = "throttle: 16 of 16 runs excluded"};
	char line[320];
	for (int i = 0; i < 8; i++)
		for (int side = 0; side < 2; side++) {
			struct vrs_case_result *case_result = &result->cases[side];
			add_fps(case_result, 50);
			vrs_strcpy(case_result->runs[i].excluded, sizeof case_result->runs[i].excluded, "throttle: 1; cool");
		}
	assert_int_equal(vrs_compare(result, &result->cases[0], &result->cases[1], &options, &c, &details), VRS_OK);
	assert_int_equal(c.verdict, VRS_VERDICT_INVALID);
	assert_int_equal(vrs_verdict_exit_code(&c), 12);
	vrs_verdict_line(&c, line, sizeof line);
	assert_non_null(strstr(line, " reason=disturbed"));
	assert_string_equal(c.reason, "throttle: 16 of 16 runs excluded");
	assert_int_equal(vrs_case_result_summarize(&result->cases[0], NULL), VRS_OK);
	assert_int_equal(result->cases[0].fps.n, 8);
	vrs_result_destroy(result);
}

/* Frame times 1, 2, ... 1000 ms: the median is 500.5, P90 is 900.1, and no key holds another's value. */
static void each_key_holds_its_quantile(void **state)
{
	(void)state;
	enum { N = 1000 };
	struct vrs_frames_writer writer;
	struct vrs_frames_reader reader;
	struct vrs_run run;
	const struct vrs_live_goal offline = {.hz = 0};
	struct vrs_error err = {.status = VRS_OK};
	char path[96];
	snprintf(path, sizeof path, "/tmp/vrs-test-coverage-%d.bin", (int)getpid());
	assert_int_equal(vrs_frames_writer_open(&writer, path, &err), VRS_OK);
	uint64_t end = UINT64_C(10000000000);
	for (uint64_t i = 0; i <= N; i++) {
		struct vrs_frame_times t = {.index = (int64_t)i};
		end += (i * 3 % 1001) * UINT64_C(1000000); /* each of 1 to 1000 ms once */
		for (int s = 0; s < VRS_STAGE_COUNT; s++)
			t.start_ns[s] = t.end_ns[s] = end;
		t.intended_ns = t.start_ns[VRS_STAGE_DECODE] = end - (i * 3 % 1001) * UINT64_C(2000000);
		vrs_frames_writer_add(&writer, &t);
	}
	assert_int_equal(vrs_frames_reader_of_writer(&reader, &writer, &err), VRS_OK);
	vrs_run_init(&run);
	assert_int_equal(vrs_frame_metrics(&reader, &offline, &run, &err), VRS_OK);
	vrs_frames_reader_close(&reader);
	vrs_frames_writer_discard(&writer);
	assert_float_equal(run.frame_median_ms, 500.5, 1e-6);
	assert_float_equal(run.frame_p90_ms, 900.1, 1e-6);
	assert_float_equal(run.frame_p95_ms, 950.05, 1e-6);
	assert_float_equal(run.frame_p99_ms, 990.01, 1e-6);
	assert_float_equal(run.frame_max_ms, 1000, 1e-6);
	assert_float_equal(run.latency_median_ms, 1001, 1e-6);
	assert_float_equal(run.latency_p95_ms, 1900.1, 1e-6);
	assert_float_equal(run.latency_p99_ms, 1980.02, 1e-6);
}

/* Numbers with a unit say so in their key, and times of records are in one unit each. */
static void units_are_in_the_keys(void **state)
{
	(void)state;
	static const char *const units[] = {"_ms", "_seconds", "_percent", "_bytes", "_mhz", "_c", "_frames", "_hz", "_switches", "_faults", "_gbps",
		"_watts", "_pages", "_events", "_gflop", "_gflops", "_share", "_kbps"};
	static const char *const plain[] = {"round", "order", "session", "attempt", "frames", "fps", "agreement", "eye_agreement", "cycles", "instructions",
		"cache_misses", "joules_per_frame", "encode_ssim",
		"first_mattes"};
	for (const struct vrs_field *f = vrs_run_fields; f->key; f++) {
		bool known = f->kind == VRS_FIELD_BOOL || f->kind == VRS_FIELD_TEXT || f->kind == VRS_FIELD_ENUM;
		const char *rate = strstr(f->key, "_per_frame"); /* of what is before it */
		size_t length = rate ? (size_t)(rate - f->key) : strlen(f->key);
		for (size_t i = 0; i < sizeof units / sizeof *units; i++)
			known |= length > strlen(units[i]) && strncmp(f->key + length - strlen(units[i]), units[i], strlen(units[i])) == 0;
		for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
			known |= strcmp(f->key, plain[i]) == 0;
		for (int i = 0; i < VRS_QUALITY_FIGURES; i++)
			known |= strcmp(f->key, vrs_quality_figure_info((enum vrs_quality_figure)i)->key) == 0;
		/* Counts of live runs: live_due, live_shown and the like. */
		known |= strncmp(f->key, "live_", 5) == 0 && (f->kind == VRS_FIELD_INT64 || f->kind == VRS_FIELD_INT);
		if (!known)
			fail_msg("%s: no unit in the key", f->key);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_are_not_told_apart), cmocka_unit_test(five_percent_is_found),       cmocka_unit_test(medians_cover),
		cmocka_unit_test(shifts_cover),              cmocka_unit_test(stopping_by_width_covers),    cmocka_unit_test(tails_cover),
		cmocka_unit_test(no_time_is_no_win),         cmocka_unit_test(unequal_repetitions),         cmocka_unit_test(everything_discarded),
		cmocka_unit_test(each_key_holds_its_quantile), cmocka_unit_test(units_are_in_the_keys),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
