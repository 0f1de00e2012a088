/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards: warm-up ends when frame times are steady and not before, slow cases get small windows, and the measured part has the right length. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "bench/record/frame_metrics.h"
#include "bench/record/frame_recorder.h"

static const struct vrs_recorder_rules rules = {
	.warmup_min_seconds = 3, .warmup_max_seconds = 60, .warmup_min_frames = 30, .duration_seconds = 10, .min_frames = 60};

/* Feed frames whose lengths a function gives, until there are enough; returns seconds until the measurement began. */
static double feed(struct vrs_recorder *r, double (*length_ms)(int), int limit, int *ret_frames)
{
	double now = 0, start = NAN;
	int n = 0;
	for (int i = 0; i < limit; i++) {
		now += length_ms(i) / 1000;
		struct vrs_frame_times times = {.index = i};
		times.end_ns[VRS_STAGE_ENCODE] = (uint64_t)(now * 1e9);
		enum vrs_recorder_event event = vrs_recorder_frame(r, &times);
		if (event == VRS_RECORDER_START) {
			assert_true(isnan(start)); /* only once */
			start = now;
		}
		n += !isnan(start) && event != VRS_RECORDER_START;
		if (event == VRS_RECORDER_ENOUGH)
			break;
	}
	*ret_frames = n;
	return start;
}

static double steady_60(int i)
{
	return 16.6 + 0.1 * (i % 3);
}

static double settles_after_300(int i)
{
	return i < 300 ? 40 - 0.08 * i : 16;
}

static double never_settles(int i)
{
	return 20 * pow(1.002, i);
}

static double slow(int i)
{
	return 500 + i % 2;
}

static void steady_frames(void **state)
{
	(void)state;
	struct vrs_recorder r;
	int n;
	struct vrs_frames_writer writer;
	struct vrs_error err = {.status = VRS_OK};
	assert_int_equal(vrs_frames_writer_open(&writer, "", &err), VRS_OK);
	vrs_recorder_init(&r, &rules, &writer);
	double start = feed(&r, steady_60, 100000, &n);
	assert_true(r.settled);
	assert_true(start >= 3 && start < 3.6); /* three windows of a second */
	assert_in_range(n, 595, 605);
	assert_int_equal(r.measured, n);
	assert_int_equal(writer.count, n + 1); /* the frame that ended the warm-up comes first */
	struct vrs_frame_times late = {.index = 99999};
	assert_int_equal(vrs_recorder_frame(&r, &late), VRS_RECORDER_GO_ON); /* frames in flight after the end do not count */
	assert_int_equal(writer.count, n + 1);
	struct vrs_frames_reader reader;
	struct vrs_run run;
	const struct vrs_live_goal offline = {.hz = 0};
	vrs_run_init(&run);
	assert_int_equal(vrs_frames_reader_of_writer(&reader, &writer, &err), VRS_OK);
	assert_int_equal(vrs_frame_metrics(&reader, &offline, &run, &err), VRS_OK);
	vrs_frames_reader_close(&reader);
	assert_true(run.wall_seconds >= 10 && run.wall_seconds < 10.05);
	assert_int_equal(run.frames, n);
	vrs_frames_writer_discard(&writer);
}

static void a_trend_keeps_it_warming(void **state)
{
	(void)state;
	struct vrs_recorder r;
	int n;
	vrs_recorder_init(&r, &rules, NULL);
	double start = feed(&r, settles_after_300, 100000, &n);
	assert_true(r.settled);
	assert_true(start > 9 && start < 13); /* the slope ends after 8.4 s */
	vrs_recorder_init(&r, &rules, NULL);
	start = feed(&r, never_settles, 100000, &n);
	assert_false(r.settled); /* said so, and measured all the same */
	assert_true(start >= 60 && start < 61);
	assert_true(n > 0);
}

/* Between -1 and 1, the same for the same numbers. */
static double chance(int i, uint64_t seed)
{
	uint64_t x = (uint64_t)i * 0x9E3779B97F4A7C15 + seed * 0xBF58476D1CE4E5B9;
	x = (x ^ x >> 31) * 0x94D049BB133111EB;
	return 2 * (double)((x ^ x >> 29) >> 11) / 9007199254740992.0 - 1;
}

static uint64_t seed;

/* Every second frame waits for the network, and all wait for what else the machine does. */
static double bursts(int i)
{
	return (i % 2 ? 90 : 10) * exp(0.8 * chance(i, seed));
}

static double noisy_start(int i)
{
	return (i < 500 ? 80 - 0.12 * i : 20) * exp(0.2 * chance(i, seed));
}

/* Frames that come unevenly have no levels that agree by 2 %: what cannot be seen is not waited for, and a trend still is. */
static void noise_is_not_waited_for(void **state)
{
	(void)state;
	struct vrs_recorder r;
	int n, late = 0, early = 0;
	for (seed = 1; seed <= 100; seed++) {
		vrs_recorder_init(&r, &rules, NULL);
		double start = feed(&r, bursts, 100000, &n); /* 56 ms a frame: three windows of 50 frames are 8.4 s */
		assert_true(r.settled);
		late += start > 2 * 8.4;
		vrs_recorder_init(&r, &rules, NULL);
		feed(&r, noisy_start, 100000, &n);
		early += r.count - n < 450;
	}
	assert_true(late <= 5);
	assert_true(early <= 5);
}

/* At 2 FPS windows have 10 frames: 30 frames of warm-up, not 150. */
static void slow_cases(void **state)
{
	(void)state;
	struct vrs_recorder r;
	int n;
	vrs_recorder_init(&r, &rules, NULL);
	double start = feed(&r, slow, 100000, &n);
	assert_true(r.settled);
	assert_true(start > 14 && start < 18);
	assert_in_range(n, 59, 60); /* 60 frames or three times the duration, whichever comes first */
}

static void frame_limits(void **state)
{
	(void)state;
	struct vrs_recorder r;
	struct vrs_recorder_rules few = rules;
	int n;
	few.max_frames = 7;
	few.warmup_max_seconds = 0;
	few.warmup_min_seconds = 0;
	vrs_recorder_init(&r, &few, NULL);
	assert_int_equal(r.measured, 0);
	assert_false(vrs_recorder_end(&r));
	feed(&r, steady_60, 100, &n);
	assert_int_equal(n, 7);
	assert_true(r.first_frame_ms > 16 && r.first_frame_ms < 17);
	few = rules;
	few.warmup_max_frames = 5;
	few.max_frames = 7;
	vrs_recorder_init(&r, &few, NULL);
	feed(&r, steady_60, 100, &n);
	assert_int_equal(n, 7);
	assert_int_equal(r.count, 12);
	assert_false(r.settled);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steady_frames),
		cmocka_unit_test(a_trend_keeps_it_warming),
		cmocka_unit_test(noise_is_not_waited_for),
		cmocka_unit_test(slow_cases),
		cmocka_unit_test(frame_limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
