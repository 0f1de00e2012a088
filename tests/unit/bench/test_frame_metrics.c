/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: what a run says about its frames is what its frames were, with few of them and with more than fit the memory; latency counts from the
 * intended start; dropped and late frames, stalls and misses in a row; pass or fail of a live case; modes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "analyzer/figures/case_summary.h"
#include "base/str_parse.h"
#include "bench/record/frame_metrics.h"

#define MS UINT64_C(1000000)

static struct vrs_frames_writer writer;
static struct vrs_error err;

static int open_writer(void **state)
{
	(void)state;
	return vrs_frames_writer_open(&writer, "", &err) == VRS_OK ? 0 : -1;
}

static int close_writer(void **state)
{
	(void)state;
	vrs_frames_writer_discard(&writer);
	return 0;
}

static void add(uint64_t intended_ns, uint64_t done_ns)
{
	struct vrs_frame_times times = {.intended_ns = intended_ns};
	times.start_ns[VRS_STAGE_DECODE] = intended_ns;
	times.end_ns[VRS_STAGE_DECODE] = intended_ns + 1;
	times.end_ns[VRS_STAGE_ENCODE] = done_ns;
	vrs_frames_writer_add(&writer, &times);
}

static struct vrs_run metrics(double hz, double deadline_ms)
{
	const struct vrs_live_goal goal = {hz, deadline_ms};
	struct vrs_frames_reader reader;
	struct vrs_run run;
	vrs_run_init(&run);
	assert_int_equal(vrs_frames_reader_of_writer(&reader, &writer, &err), VRS_OK);
	assert_int_equal(vrs_frame_metrics(&reader, &goal, &run, &err), VRS_OK);
	vrs_frames_reader_close(&reader);
	return run;
}

static void offline(void **state)
{
	(void)state;
	for (uint64_t i = 0; i <= 400; i++)
		add(10 * i * MS, 10 * i * MS + 30 * MS + (i % 100 == 99 ? 5 * MS : 0));
	struct vrs_run run = metrics(0, 0);
	assert_int_equal(run.frames, 400);
	assert_float_equal(run.wall_seconds, 4, 1e-9);
	assert_float_equal(run.fps, 100, 1e-9);
	assert_float_equal(run.frame_median_ms, 10, 1e-9);
	assert_float_equal(run.frame_max_ms, 15, 1e-9);
	assert_float_equal(run.latency_median_ms, 30, 1e-9);
	assert_true(isnan(run.live_miss_percent));
	assert_int_equal(run.live_due, -1);
}

static void too_few_for_percentiles(void **state)
{
	(void)state;
	struct vrs_frames_reader reader;
	const struct vrs_live_goal goal = {0, 0};
	struct vrs_run run;
	vrs_run_init(&run);
	add(0, 1);
	assert_int_equal(vrs_frames_reader_of_writer(&reader, &writer, &err), VRS_OK);
	assert_int_equal(vrs_frame_metrics(&reader, &goal, &run, &err), VRS_EINVAL); /* the end of the warm-up is no frame */
	vrs_frames_reader_close(&reader);
	add(0, 11 * MS);
	run = metrics(0, 0);
	assert_int_equal(run.frames, 1);
	assert_float_equal(run.frame_median_ms, 11, 1e-3);
	assert_true(isnan(run.frame_p99_ms));
}

/* More frames than are kept: quantiles come from the histogram and stay within 1 %. */
static void very_many_frames(void **state)
{
	(void)state;
	uint64_t now = 0;
	for (int i = 0; i <= VRS_METRICS_EXACT + 1000; i++) {
		now += (i % 200 == 0 ? 40 : 5 + i % 3) * MS;
		add(now - 8 * MS, now);
	}
	struct vrs_run run = metrics(0, 0);
	assert_int_equal(run.frames, VRS_METRICS_EXACT + 1000);
	assert_float_equal(run.frame_median_ms, 6, 0.06);
	assert_float_equal(run.frame_p99_ms, 7, 0.07);
	assert_float_equal(run.frame_max_ms, 40, 1e-6);
	assert_float_equal(run.latency_p95_ms, 8, 0.08);
}

/* 100 Hz: frames 10 and 11 never come, frame 12 is late; frames 50 to 52 are late; one late frame lies 6 after another. */
static void deadlines(void **state)
{
	(void)state;
	for (uint64_t i = 0; i <= 100; i++) {
		bool late = i == 12 || (i >= 50 && i <= 52) || i == 80 || i == 86;
		if (i != 10 && i != 11)
			add(10 * i * MS, 10 * i * MS + (late ? 18 : 9) * MS);
	}
	struct vrs_run run = metrics(100, 10);
	assert_int_equal(run.frames, 98);
	assert_int_equal(run.live_due, 100);
	assert_int_equal(run.live_dropped, 2);
	assert_int_equal(run.live_late, 6);
	assert_int_equal(run.live_longest, 3);
	assert_int_equal(run.live_episodes, 3); /* 80 and 86 are one stall */
	assert_int_equal(run.live_late_starts, 0);
	assert_float_equal(run.live_miss_percent, 8, 1e-9);
	assert_float_equal(run.live_deadline_ms, 10, 1e-9);
	run = metrics(100, 20); /* a kinder deadline: only the dropped ones miss */
	assert_int_equal(run.live_late, 0);
	assert_float_equal(run.live_miss_percent, 2, 1e-9);
}

/* A file from anywhere may have a frame that is due in centuries: its missing ones are counted at once, and no more than a file can have. */
static void due_in_centuries(void **state)
{
	(void)state;
	add(0, 1 * MS);
	add(10 * MS, 11 * MS);
	add(UINT64_C(1) << 63, 12 * MS);
	add(20 * MS, 23 * MS);
	struct vrs_run run = metrics(100, 20);
	assert_int_equal(run.live_due, 2 + VRS_FRAMES_MAX);
	assert_int_equal(run.live_dropped, VRS_FRAMES_MAX - 1);
	assert_int_equal(run.live_longest, VRS_FRAMES_MAX - 1);
	assert_int_equal(run.live_episodes, 1);
}

/* Behind one slow frame the others wait: their latency says so although each took 1 ms itself. */
static void waiting_is_charged(void **state)
{
	(void)state;
	uint64_t done = 0;
	for (uint64_t i = 0; i <= 60; i++) {
		uint64_t intended = 10 * i * MS, begin = done > intended ? done : intended;
		done = begin + (i == 20 ? 200 : 1) * MS;
		add(intended, done);
	}
	struct vrs_run run = metrics(100, 10);
	assert_int_equal(run.live_dropped, 0);
	assert_true(run.live_late > 15);
	assert_int_equal(run.live_episodes, 1);
}

static void verdicts(void **state)
{
	(void)state;
	struct vrs_case_result c;
	vrs_case_result_init(&c);
	vrs_live_judge(&c);
	assert_int_equal(c.live_verdict, VRS_OUTCOME_NONE);
	assert_string_equal(c.live_note, "");
	for (int i = 0; i < 2; i++) {
		struct vrs_run *run = vrs_case_result_add_run(&c);
		run->status = VRS_RUN_OK;
		run->fps = 72;
		run->live_due = 1000;
		run->live_dropped = 4;
		run->live_late = 6;
		run->live_longest = 3 + i;
		run->live_deadline_ms = 13.889;
		run->live_miss_percent = 1;
	}
	vrs_live_judge(&c);
	assert_int_equal(c.live_verdict, VRS_OUTCOME_PASS);
	assert_string_equal(c.live_note, "1.00 % of 2000 frames missed 13.9 ms (1 % may): 8 dropped, 12 late, 4 in a row");
	(void)vrs_case_result_add_run(&c); /* a run that noise disturbed, and that was measured again, counts for nothing */
	c.runs[2] = c.runs[1];
	c.runs[2].live_late = 900;
	vrs_strcpy(c.runs[2].excluded, sizeof c.runs[2].excluded, "others: other processes took 40 %");
	vrs_live_judge(&c);
	assert_int_equal(c.live_verdict, VRS_OUTCOME_PASS);
	c.runs[1].live_late++;
	assert_int_equal(vrs_case_result_summarize(&c, NULL), VRS_OK);
	assert_int_equal(c.live_verdict, VRS_OUTCOME_FAIL);
	assert_int_equal(strncmp(c.live_note, "1.05 %", 6), 0);
	assert_int_equal(c.live_miss_percent.n, 2);
	vrs_case_result_fini(&c);
}

static void modes(void **state)
{
	(void)state;
	double hz;
	assert_true(vrs_mode_parse("offline", &hz));
	assert_float_equal(hz, 0, 0);
	assert_true(vrs_mode_parse("live@59.94", &hz));
	assert_float_equal(hz, 59.94, 1e-9);
	static const char *const bad[] = {"", "live", "live@", "live@0", "live@5000", "live@x", "offline ", "LIVE@30"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(vrs_mode_parse(bad[i], &hz));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(offline, open_writer, close_writer),
		cmocka_unit_test_setup_teardown(too_few_for_percentiles, open_writer, close_writer),
		cmocka_unit_test_setup_teardown(very_many_frames, open_writer, close_writer),
		cmocka_unit_test_setup_teardown(deadlines, open_writer, close_writer),
		cmocka_unit_test_setup_teardown(due_in_centuries, open_writer, close_writer),
		cmocka_unit_test_setup_teardown(waiting_is_charged, open_writer, close_writer),
		cmocka_unit_test(verdicts),
		cmocka_unit_test(modes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
