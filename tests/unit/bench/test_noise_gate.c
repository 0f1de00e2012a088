/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: hard and soft noise gates with made-up readings; what cannot be observed fires nothing and is said; too many excluded runs are invalid; the
 * stop rule by interval width.
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
#include "base/clock.h"
#include "base/file.h"
#include "base/str_parse.h"
#include "bench/judge/interval_goal.h"
#include "bench/judge/noise_gate.h"
#include "bench/run/runner_state.h"

/* Ten quiet seconds on four processors: two busy with the run itself, clock at 3 GHz. */
static struct vrs_noise_seen quiet(void)
{
	struct vrs_noise_reading before = {.monotonic_ns = UINT64_C(5000000000), .boottime_ns = UINT64_C(6000000000), .cpus = 4, .busy_seconds = 100,
					   .steal_seconds = 3, .clock_mhz = 3000, .swapped_in_pages = 7, .oom_kills = 1, .throttle_events = 9,
					   .governor = "performance", .turbo = 1, .battery = 0};
	struct vrs_noise_seen seen = {.before = before, .after = before, .clock_mhz = 3000, .own_cpu_seconds = 20, .best_mhz = 3010, .partner_mhz = 2990};
	seen.after.monotonic_ns += UINT64_C(10000000000);
	seen.after.boottime_ns += UINT64_C(10000000000);
	seen.after.busy_seconds += 20.5;
	return seen;
}

static void expect_hard(const struct vrs_noise_seen *seen, const char *code)
{
	char words[192];
	bool fired = vrs_noise_hard(seen, words, sizeof words);
	assert_int_equal(fired, code[0] != 0);
	if (strncmp(words, code, strlen(code)) != 0 || (fired && (words[strlen(code)] != ':' || !strchr(words, ';'))))
		fail_msg("\"%s\" instead of %s with what was seen and what to do", words, code);
}

static void hard_gates(void **state)
{
	(void)state;
	struct vrs_noise_seen seen = quiet();
	expect_hard(&seen, "");
	assert_float_equal(vrs_noise_others(&seen), 0.5 / 40, 1e-9);
	seen.after.busy_seconds += 3.4; /* others have 9.75 % of the processors now */
	expect_hard(&seen, "");
	seen.after.busy_seconds += 0.3;
	expect_hard(&seen, "other_processes");
	seen.quota = 2; /* of four: others have 0.4, which leaves more than enough */
	expect_hard(&seen, "");
	seen.after.busy_seconds += 20; /* others have 2.4 now, so that 0.4 of our two are missing */
	assert_true(fabs(vrs_noise_others(&seen) - 0.21) < 0.01);
	expect_hard(&seen, "other_processes");
	seen = quiet();
	seen.after.boottime_ns += UINT64_C(3000000000);
	expect_hard(&seen, "suspend");
	seen = quiet();
	seen.after.throttle_events++;
	expect_hard(&seen, "throttle");
	seen = quiet();
	seen.after.swapped_in_pages += 63;
	expect_hard(&seen, "");
	seen.after.swapped_in_pages++;
	expect_hard(&seen, "swap_in");
	seen = quiet();
	seen.after.oom_kills++;
	expect_hard(&seen, "oom_kill");
	seen = quiet();
	seen.partner_mhz = NAN;
	seen.best_mhz = 4001;
	expect_hard(&seen, "clock");
	seen.best_mhz = 3999;
	expect_hard(&seen, "");
	seen.partner_mhz = 3100;
	expect_hard(&seen, "clock_pair");
	seen.partner_mhz = 2920;
	expect_hard(&seen, "");
}

/* No sensor at all: nothing fires, nothing is claimed, and the report names what is not seen. */
static void the_unobservable(void **state)
{
	(void)state;
	struct vrs_noise_seen seen = quiet();
	char words[192];
	struct vrs_noise_reading *ends[] = {&seen.before, &seen.after};
	for (int i = 0; i < 2; i++) {
		ends[i]->busy_seconds = ends[i]->steal_seconds = ends[i]->clock_mhz = NAN;
		ends[i]->swapped_in_pages = ends[i]->oom_kills = ends[i]->throttle_events = ends[i]->turbo = ends[i]->battery = -1;
		ends[i]->cpus = 0;
		ends[i]->governor[0] = 0;
	}
	seen.clock_mhz = NAN;
	expect_hard(&seen, "");
	assert_true(isnan(vrs_noise_others(&seen)));
	assert_true(isnan(vrs_noise_steal(&seen)));
	vrs_noise_unobservable(&seen.after, words, sizeof words);
	assert_string_equal(words, "clock, throttling, steal, other processes, swap, governor, power source");
	seen = quiet();
	vrs_noise_unobservable(&seen.after, words, sizeof words);
	assert_string_equal(words, "");
	/* Half a second is too short for ticks of 10 ms. */
	seen.after.monotonic_ns = seen.before.monotonic_ns + UINT64_C(500000000);
	seen.after.boottime_ns = seen.before.boottime_ns + UINT64_C(500000000);
	seen.own_cpu_seconds = 0;
	assert_true(isnan(vrs_noise_others(&seen)));
	expect_hard(&seen, "");
}

static void add_runs(struct vrs_case_result *c, int n, double fps, double step)
{
	vrs_case_result_init(c);
	c->threads = 2;
	c->streams = 1;
	for (int i = 0; i < n; i++) {
		struct vrs_run *run = vrs_case_result_add_run(c);
		assert_non_null(run);
		run->status = VRS_RUN_OK;
		run->round = i + 1;
		run->fps = fps * (1 + step * i + 0.001 * (i % 3));
		run->process_seconds = 10;
		run->involuntary_switches = 20;
	}
}

static void expect_soft(const struct vrs_case_result *c, const struct vrs_noise_facts *facts, const char *code)
{
	char words[256];
	int fired = vrs_noise_soft(c, facts, words, sizeof words);
	assert_int_equal(fired, code[0] != 0);
	if (strncmp(words, code, strlen(code)) != 0)
		fail_msg("\"%s\" instead of %s", words, code);
}

static void soft_gates(void **state)
{
	(void)state;
	struct vrs_noise_reading first = quiet().before, last = first;
	struct vrs_noise_facts facts = vrs_noise_facts_from(&first, &last, 0.02, NAN);
	struct vrs_case_result c;
	facts.slow_build = false;
	add_runs(&c, 10, 50, 0);
	expect_soft(&c, &facts, "");
	facts.stored_cv = 0.0001;
	expect_soft(&c, &facts, "spread");
	facts.stored_cv = 0.01;
	c.runs[3].steal_percent = 1.5;
	expect_soft(&c, &facts, "steal");
	c.runs[3].steal_percent = 0;
	c.runs[4].involuntary_switches = 1100; /* 55 a second for each of two workers */
	expect_soft(&c, &facts, "switches");
	for (int i = 0; i < 10; i++)
		c.runs[i].involuntary_switches = 12000 + 500 * i; /* threads that outnumber the processors: in every run alike */
	expect_soft(&c, &facts, "");
	c.runs[4].involuntary_switches = 24100;
	expect_soft(&c, &facts, "switches");
	for (int i = 0; i < 10; i++)
		c.runs[i].involuntary_switches = 900;
	c.runs[0].temperature_c = 40;
	c.runs[9].temperature_c = 51;
	expect_soft(&c, &facts, "thermal");
	c.runs[9].temperature_c = 49;
	facts.governor = "powersave";
	expect_soft(&c, &facts, "governor (powersave");
	facts.governor = NULL;
	facts.battery = 1;
	expect_soft(&c, &facts, "battery");
	facts.battery = -1;
	facts.slow_build = true;
	expect_soft(&c, &facts, "build");
	last.turbo = 0;
	facts = vrs_noise_facts_from(&first, &last, 0.02, NAN);
	facts.slow_build = false;
	expect_soft(&c, &facts, "turbo");
	facts.turbo_changed = false;
	vrs_case_result_fini(&c);
	add_runs(&c, 10, 50, -0.004); /* 3.6 % slower in the end */
	expect_soft(&c, &facts, "drift");
	vrs_case_result_fini(&c);
}

static void too_many_excluded(void **state)
{
	(void)state;
	struct vrs_case_result c;
	char words[256];
	add_runs(&c, 10, 50, 0);
	for (int i = 0; i < 2; i++)
		vrs_strcpy(c.runs[i].excluded, sizeof c.runs[i].excluded, "throttle: 3 throttle events; let it cool");
	assert_false(vrs_noise_invalid(&c, words, sizeof words));
	assert_string_equal(words, "");
	vrs_strcpy(c.runs[5].excluded, sizeof c.runs[5].excluded, "swap_in: 100 pages; close programs");
	assert_true(vrs_noise_invalid(&c, words, sizeof words));
	assert_string_equal(words, "throttle: 3 of 10 runs excluded: 3 throttle events; let it cool");
	/* Excluded runs are in no figure... */
	c.runs[0].fps = 9;
	assert_int_equal(vrs_case_result_summarize(&c, NULL), VRS_OK);
	assert_int_equal(c.fps.n, 7);
	assert_true(c.fps.min > 49);
	/* ... but where all are excluded, the figures of all are shown rather than none. */
	for (int i = 0; i < 10; i++)
		vrs_strcpy(c.runs[i].excluded, sizeof c.runs[i].excluded, "throttle: 1; cool");
	assert_int_equal(vrs_case_result_summarize(&c, NULL), VRS_OK);
	assert_int_equal(c.fps.n, 10);
	assert_true(vrs_noise_invalid(&c, words, sizeof words));
	vrs_case_result_fini(&c);
}

static void interval_goal(void **state)
{
	(void)state;
	struct vrs_case_result c;
	char note[96];
	add_runs(&c, 7, 50, 0);
	assert_false(vrs_interval_settled(&c, 0.01)); /* no look before eight */
	vrs_interval_note(&c, 0.01, note, sizeof note);
	assert_string_equal(note, "");
	vrs_case_result_fini(&c);
	add_runs(&c, 8, 50, 0);
	assert_true(vrs_interval_settled(&c, 0.01));
	assert_false(vrs_interval_settled(&c, 0));
	assert_false(vrs_interval_settled(&c, 0.0001));
	vrs_interval_note(&c, 0.0005, note, sizeof note);
	assert_string_equal(note, "half width 0.1 % after 8 runs, the goal is 0.1 %");
	vrs_strcpy(c.runs[2].excluded, sizeof c.runs[2].excluded, "throttle: 1; cool");
	assert_false(vrs_interval_settled(&c, 0.01)); /* seven count */
	vrs_case_result_fini(&c);
	add_runs(&c, 9, 50, 0); /* between two looks */
	assert_false(vrs_interval_settled(&c, 0.01));
	vrs_case_result_fini(&c);
	add_runs(&c, 3, 50, 0);
	vrs_interval_note(&c, 0.01, note, sizeof note);
	assert_string_equal(note, "no interval after 3 runs, at least 6 are needed");
	vrs_case_result_fini(&c);
	assert_int_equal(vrs_interval_runs_needed(0.01, 0.01), 8);
	assert_int_equal(vrs_interval_runs_needed(0.02, 0.01), 28);
	assert_int_equal(vrs_interval_runs_needed(NAN, 0.01), 0);
}

/* The real machine: a watch ends, and its readings are in order. */
static void a_watch(void **state)
{
	(void)state;
	struct vrs_noise_seen seen;
	struct vrs_noise_watch *watch = vrs_noise_watch_begin();
	assert_non_null(watch);
	assert_true(vrs_noise_watch_end(watch, &seen));
	assert_true(seen.after.monotonic_ns > seen.before.monotonic_ns);
	assert_true(seen.own_cpu_seconds >= 0);
	assert_false(vrs_noise_watch_end(NULL, &seen));
}

/* A made-up clock: it is sampled while the run lasts, and the median of the samples is what counts. */
static void clock_samples(void **state)
{
	(void)state;
	char root[128], path[300], command[400];
	struct vrs_noise_seen seen;
	snprintf(root, sizeof root, "/tmp/vrs-test-noise-gate-%d", (int)getpid());
	snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu0/cpufreq", root);
	assert_int_equal(vrs_mkdirs(path, NULL), VRS_OK);
	snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", root);
	assert_int_equal(vrs_file_replace(path, "2500000\n", 8, NULL), VRS_OK);
	setenv("VRSEG_ROOT", root, 1);
	struct vrs_noise_watch *watch = vrs_noise_watch_begin();
	assert_non_null(watch);
	vrs_sleep_until_ns(vrs_now_ns() + UINT64_C(1200000000));
	assert_int_equal(vrs_file_replace(path, "800000\n", 7, NULL), VRS_OK); /* idle again */
	assert_true(vrs_noise_watch_end(watch, &seen));
	unsetenv("VRSEG_ROOT");
	assert_true(fabs(seen.clock_mhz - 2500) < 1);
	assert_true(fabs(seen.after.clock_mhz - 800) < 1);
	snprintf(command, sizeof command, "rm -rf '%s'", root);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hard_gates),       cmocka_unit_test(the_unobservable), cmocka_unit_test(soft_gates),
		cmocka_unit_test(too_many_excluded), cmocka_unit_test(interval_goal),    cmocka_unit_test(a_watch),
		cmocka_unit_test(clock_samples),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
