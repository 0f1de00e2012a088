/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: how often the gate of a night and the judge of the history are wrong, by simulation with the noise of real machines: 10 % of the pairs are
 * five times noisier, half of them in bursts that all cases share, neighbouring pairs are alike, and the metrics of a case move together.
 *   test_night_simulation [NIGHTS SERIES]
 * With numbers it prints the tables of docs/performance.md, section "The nightly gate, simulated"; without, few nights and series go by.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "bench/judge/history_judge.h"
#include "bench/judge/night_gate.h"

enum { CASES = 10, METRICS = 5, ITEMS = CASES * METRICS, MOST_PAIRS = 100, QUICK_NIGHTS = 100, QUICK_SERIES = 50 };
enum { FIRST_JUDGED = 30, STEP_NIGHT = 120, STEP_NIGHTS = 7 };
static const double slowdown = 0.05;
static int nights = QUICK_NIGHTS, series = QUICK_SERIES;
static bool full;

/* Noise of one pair in one case: its own autocorrelation, and bursts of the machine. */
struct noise {
	struct vrs_rng rng;
	double before[CASES];
	int burst;              /* rounds that it still lasts */
};

static double normal(struct vrs_rng *rng)
{
	return sqrt(-2 * log(1 - vrs_rng_unit(rng))) * cos(6.283185307179586 * vrs_rng_unit(rng));
}

static void next_round(struct noise *noise)
{
	if (noise->burst > 0)
		noise->burst--;
	else if (vrs_rng_unit(&noise->rng) < 0.02)
		for (noise->burst = 1; vrs_rng_unit(&noise->rng) < 0.6;)
			noise->burst++;
}

static double pair_noise(struct noise *noise, int c, double *ret_scale)
{
	const double alike = 0.2;
	noise->before[c] = alike * noise->before[c] + sqrt(1 - alike * alike) * normal(&noise->rng);
	*ret_scale = noise->burst > 0 || vrs_rng_unit(&noise->rng) < 0.05 ? 5 : 1;
	return noise->before[c] * *ret_scale;
}

static struct vrs_comparison compare(const double *a, const double *b, int rounds, double pair_sd)
{
	struct vrs_comparison c;
	struct vrs_verdict_options options = vrs_verdict_options_default();
	options.pair_sd = pair_sd;
	options.alpha = VRS_VERDICT_ALPHA;
	assert_int_equal(vrs_verdict_pairs(a, b, rounds, &options, &c), VRS_OK);
	return c;
}

/* One invocation: every metric of every case; all times of case 0 of B are longer by `change`, its memory is not. */
static void simulate(struct noise *noise, double pair_sd, int rounds, double change, struct vrs_comparison ret[ITEMS])
{
	static const double shared[METRICS] = {1, 0.5, 0.8, 0.8, 0.05}, own[METRICS] = {0, 0.3, 0.6, 0.6, 0.05};
	static double a[ITEMS][MOST_PAIRS], b[ITEMS][MOST_PAIRS];
	for (int i = 0; i < rounds; i++) {
		next_round(noise);
		for (int c = 0; c < CASES; c++) {
			double scale, e = pair_noise(noise, c, &scale);
			for (int m = 0; m < METRICS; m++) {
				double level = 20 * exp(0.02 * normal(&noise->rng)), moved = c == 0 && m < METRICS - 1 ? log1p(change) : 0;
				a[c * METRICS + m][i] = level;
				b[c * METRICS + m][i] = level * exp(moved + pair_sd * (shared[m] * e + own[m] * scale * normal(&noise->rng)));
			}
		}
	}
	for (int i = 0; i < ITEMS; i++)
		ret[i] = compare(a[i], b[i], rounds, pair_sd);
}

/* A night with its second invocation, where one is asked for. */
static struct vrs_night_verdict run_night(struct noise *noise, double pair_sd, int rounds, double change)
{
	static struct vrs_comparison first[ITEMS], second[ITEMS];
	static struct vrs_night_item items[ITEMS];
	struct vrs_night_verdict v;
	bool again[CASES] = {false};
	simulate(noise, pair_sd, rounds, change, first);
	for (int i = 0; i < ITEMS; i++)
		items[i] = (struct vrs_night_item){.role = i % METRICS ? VRS_NIGHT_SECONDARY : VRS_NIGHT_HEADLINE, .case_id = "c", .first = &first[i]};
	assert_int_equal(vrs_night_gate(items, ITEMS, slowdown, &v), VRS_OK);
	if (!v.confirm)
		return v;
	simulate(noise, pair_sd, rounds, change, second);
	for (int i = 0; i < ITEMS; i++)
		again[i / METRICS] |= items[i].suspect;
	for (int i = 0; i < ITEMS; i++)
		items[i].second = again[i / METRICS] ? &second[i] : NULL;
	assert_int_equal(vrs_night_gate(items, ITEMS, slowdown, &v), VRS_OK);
	return v;
}

/* Shares of nights by what they end with. */
struct outcome {
	int regressed, undecided;
};

static struct outcome run_nights(uint64_t seed, int count, double pair_sd, int rounds, double change)
{
	struct noise noise = {.burst = 0};
	struct outcome o = {0};
	vrs_rng_init(&noise.rng, seed);
	for (int i = 0; i < count; i++) {
		int code = run_night(&noise, pair_sd, rounds, change).exit_code;
		o.regressed += code == VRS_EXIT_REGRESSION;
		o.undecided += code == VRS_EXIT_INCONCLUSIVE;
	}
	return o;
}

/* With the rounds that the gate plans for the noise: at most 1 % false alarms, and at least 95 % of slowdowns by 5 % found. */
static void a_night_finds_slowdowns_and_raises_no_alarms(void **state)
{
	(void)state;
	int most = full ? 5 : 2;
	print_message("pair sd | rounds | margin | no change: alarms, undecided | 5 %% slower: found, undecided (%d nights each)\n", nights);
	for (int percent = 1; percent <= most; percent++) {
		double sd = 0.01 * percent;
		int rounds = vrs_night_gate_rounds(sd, ITEMS, slowdown);
		struct outcome same = run_nights((uint64_t)percent, nights, sd, rounds, 0);
		struct outcome slower = run_nights((uint64_t)percent + 100, nights, sd, rounds, slowdown);
		print_message("%d %% | %d | %.1f %% | %.1f %%, %.1f %% | %.1f %%, %.1f %%\n", percent, rounds,
			      100 * fmax(0.02, vrs_verdict_noise_margin(sd, rounds)), 100.0 * same.regressed / nights, 100.0 * same.undecided / nights,
			      100.0 * slower.regressed / nights, 100.0 * slower.undecided / nights);
		assert_true(same.regressed <= nights / 100);
		assert_true(slower.regressed >= (full ? 0.95 : 0.9) * nights);
	}
}

/* What fewer rounds would find: a table for the documents, and that more rounds find more. */
static void more_rounds_find_more(void **state)
{
	(void)state;
	static const int rounds[] = {14, 20, 30, 50, 80};
	int count = full ? 100 : 20, columns = full ? 5 : 2;
	for (int percent = full ? 1 : 3; percent <= (full ? 5 : 3); percent++) {
		int before = 0;
		print_message("found with 14, 20, 30, 50, 80 rounds at pair sd %d %%:", percent);
		for (int k = 0; k < columns; k++) {
			struct outcome o = run_nights((uint64_t)(1000 * percent + k), count, 0.01 * percent, rounds[k], slowdown);
			print_message(" %.0f %%", 100.0 * o.regressed / count);
			assert_true(o.regressed >= before - count / 8);
			before = o.regressed;
		}
		print_message("\n");
	}
}

/*
 * What a night measures of a ratio whose true value is `factor`: the Hodges-Lehmann centre of its pairs with its interval, and what rebuilding alone
 * moves.
 */
static struct vrs_night measure_night(struct noise *noise, double pair_sd, int rounds, int day, double factor, double *layout)
{
	double d[MOST_PAIRS], scale;
	struct vrs_shift shift;
	for (int i = 0; i < rounds; i++) {
		next_round(noise);
		d[i] = pair_sd * pair_noise(noise, 0, &scale);
	}
	assert_int_equal(vrs_stats_shift(d, rounds, VRS_VERDICT_ALPHA, &shift), VRS_OK);
	*layout = 0.3 * *layout + sqrt(1 - 0.09) * 0.003 * normal(&noise->rng);
	factor *= exp(*layout);
	return (struct vrs_night){.day = day, .ratio = factor * exp(shift.estimate), .low = factor * exp(shift.low), .high = factor * exp(shift.high)};
}

static bool alarms(const struct vrs_night *all, int count, int *ret_first, int *ret_last)
{
	struct vrs_history_rules rules = vrs_history_rules_default();
	struct vrs_history_alert alerts[64];
	struct vrs_error err;
	int n;
	bool found = false;
	assert_int_equal(vrs_history_judge(all, count, &rules, alerts, 64, &n, &err), VRS_OK);
	for (int i = 0; i < n && i < 64; i++)
		if (vrs_history_alarms(&alerts[i])) {
			found = true;
			*ret_first = alerts[i].first;
			*ret_last = alerts[i].last;
		}
	return found;
}

/* A series is judged every night for three months without a change, then slowed; at most 1 % alarms a month, and 95 % reported within a week. */
static void the_history_finds_steps_and_raises_no_alarms(void **state)
{
	(void)state;
	int false_alarms = 0, found = 0, placed = 0, delays = 0;
	for (int s = 0; s < series; s++) {
		struct vrs_night all[STEP_NIGHT + STEP_NIGHTS];
		struct noise noise = {.burst = 0};
		double layout = 0, pair_sd = 0.01 * (1 + s % (full ? 5 : 2));
		int rounds = vrs_night_gate_rounds(pair_sd, ITEMS, slowdown), first = 0, last = 0;
		bool before = false, reported = false;
		vrs_rng_init(&noise.rng, 7000 + (uint64_t)s);
		for (int i = 0; i < STEP_NIGHT + STEP_NIGHTS && !reported; i++) {
			all[i] = measure_night(&noise, pair_sd, rounds, i, i >= STEP_NIGHT ? 1 + slowdown : 1, &layout);
			bool now = i >= FIRST_JUDGED && alarms(all, i + 1, &first, &last);
			false_alarms += i < STEP_NIGHT && now && !before;
			reported = i >= STEP_NIGHT && now && last >= STEP_NIGHT;
			delays += reported ? i - STEP_NIGHT + 1 : 0;
			before = now;
		}
		found += reported;
		placed += reported && first <= STEP_NIGHT && last >= STEP_NIGHT;
	}
	double months = series * (STEP_NIGHT - FIRST_JUDGED) / 30.0;
	print_message("%d series: %.2f %% alarms a month without a change; a step of 5 %% reported within %d nights: %.1f %%, after %.1f nights on average, "
		      "the right night in its range: %.1f %%\n",
		      series, 100 * false_alarms / months, STEP_NIGHTS, 100.0 * found / series, (double)delays / (found ? found : 1),
		      100.0 * placed / (found ? found : 1));
	assert_true(false_alarms <= 0.01 * months);
	assert_true(found >= 0.95 * series);
	assert_true(placed >= 0.9 * found);
}

/* A slowdown that comes in 90 nights, none of which shows it: reported before it has reached 5 %. */
static void the_history_finds_slow_drift(void **state)
{
	(void)state;
	enum { FLAT = 60, RISE = 90, EVERY = 5 };
	int found = 0, count = full ? series / 2 : series;
	double levels = 0;
	for (int s = 0; s < count; s++) {
		struct vrs_night all[FLAT + RISE];
		struct noise noise = {.burst = 0};
		double layout = 0, pair_sd = 0.01 * (1 + s % (full ? 5 : 2));
		int rounds = vrs_night_gate_rounds(pair_sd, ITEMS, slowdown), first, last;
		bool reported = false;
		vrs_rng_init(&noise.rng, 90000 + (uint64_t)s);
		for (int i = 0; i < FLAT + RISE && !reported; i++) {
			double factor = 1 + (i > FLAT ? slowdown * (i - FLAT) / RISE : 0);
			all[i] = measure_night(&noise, pair_sd, rounds, i, factor, &layout);
			reported = i > FLAT && i % EVERY == EVERY - 1 && alarms(all, i + 1, &first, &last);
			levels += reported ? factor - 1 : 0;
		}
		found += reported;
	}
	print_message("%d series: a drift of 5 %% in %d nights reported before its end: %.1f %%, at %.1f %% on average\n", count, RISE,
		      100.0 * found / count, 100 * levels / (found ? found : 1));
	assert_true(found >= 0.95 * count);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_night_finds_slowdowns_and_raises_no_alarms),
		cmocka_unit_test(more_rounds_find_more),
		cmocka_unit_test(the_history_finds_steps_and_raises_no_alarms),
		cmocka_unit_test(the_history_finds_slow_drift),
	};
	full = argc == 3;
	if (full) {
		nights = atoi(argv[1]);
		series = atoi(argv[2]);
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
