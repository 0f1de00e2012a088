/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: trends of known series and how often their intervals cover the truth; leaks, drift and throttling fail a soak, noise and warm caches do
 * not, and what is too short or too noisy to say is neither passed nor failed; windows survive their file, a torn tail is left out and damage is
 * named; a long run is recorded and summed up within 20 MB.
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
#include "base/mem.h"
#include "base/rng.h"
#include "bench/judge/soak.h"
#include "bench/record/frame_metrics.h"
#include "bench/record/frame_recorder.h"
#include "bench/record/frames_file.h"
#include "unit/tuner/normal_noise.h"

#define MIB 1048576.0
enum { WINDOWS = 240 };

static void known_trends(void **state)
{
	(void)state;
	double x[WINDOWS], y[WINDOWS];
	struct vrs_trend t;
	for (int i = 0; i < WINDOWS; i++) {
		x[i] = i * 0.1;
		y[i] = 5 + 3 * x[i];
	}
	assert_int_equal(vrs_trend_fit(x, y, WINDOWS, &t), VRS_OK);
	assert_float_equal(t.slope, 3, 1e-9);
	assert_float_equal(t.low, 3, 1e-9);
	assert_int_equal(t.blocks, VRS_TREND_BLOCKS);
	assert_true(t.has_interval && t.first < t.last);
	assert_int_equal(vrs_trend_fit(x, y, 7, &t), VRS_OK);
	assert_false(t.has_interval);
	assert_int_equal(vrs_trend_fit(x, y, 1, &t), VRS_EINVAL);
	x[0] = NAN;
	assert_int_equal(vrs_trend_fit(x, y, WINDOWS, &t), VRS_EINVAL);
	double same[3] = {1, 1, 1};
	assert_int_equal(vrs_trend_fit(same, y, 3, &t), VRS_EINVAL);
}

/* Noise whose neighbours are alike (AR(1), 0.5): the interval still holds the true slope in at least 92 of 100 simulated soaks. */
static void interval_covers(void **state)
{
	(void)state;
	struct vrs_rng rng;
	int covered = 0;
	enum { RUNS = 400 };
	vrs_rng_init(&rng, 7);
	for (int r = 0; r < RUNS; r++) {
		double x[WINDOWS], y[WINDOWS], noise = 0;
		struct vrs_trend t;
		for (int i = 0; i < WINDOWS; i++) {
			noise = 0.5 * noise + gauss(&rng);
			x[i] = i;
			y[i] = 100 + 0.01 * i + noise;
		}
		assert_int_equal(vrs_trend_fit(x, y, WINDOWS, &t), VRS_OK);
		covered += t.low <= 0.01 && 0.01 <= t.high;
	}
	print_message("coverage %.1f %%\n", 100.0 * covered / RUNS);
	assert_true(covered >= 0.92 * RUNS);
}

/* A day in windows of six minutes. */
static void make_day(struct vrs_soak_window *w, struct vrs_rng *rng, double grow_mib, double slower)
{
	for (int i = 0; i < WINDOWS; i++) {
		double part = (double)i / WINDOWS, warm = i < 10 ? 30.0 * i / 10 : 30;
		w[i] = (struct vrs_soak_window){.end_seconds = 360.0 * (i + 1), .frames = 21600, .median_ms = 16.6 * (1 + slower * part) + 0.1 * gauss(rng),
						.p95_ms = 20, .max_ms = 40 + i % 7, .rss_bytes = (int64_t)((300 + warm + grow_mib * part + 0.5 * gauss(rng)) * MIB),
						.frequency_mhz = NAN, .temperature_c = 50 + 5 * part, .throttle_events = 3};
	}
}

static enum vrs_outcome judge(const struct vrs_soak_window *w, int count, struct vrs_soak *s)
{
	assert_int_equal(vrs_soak_judge(w, count, s), VRS_OK);
	return s->verdict;
}

static void verdicts(void **state)
{
	(void)state;
	struct vrs_soak_window w[WINDOWS];
	struct vrs_soak s;
	struct vrs_rng rng;
	vrs_rng_init(&rng, 3);
	make_day(w, &rng, 0, 0); /* caches that fill are no leak */
	assert_int_equal(judge(w, WINDOWS, &s), VRS_OUTCOME_PASS);
	assert_non_null(strstr(s.reasons, "are ruled out"));
	assert_int_equal(s.frames, 21600 * WINDOWS);
	assert_int_equal(s.throttle_events, 0);
	assert_true(isnan(s.frequency_first_mhz) && s.temperature_last_c > s.temperature_first_c && s.still_warming);
	make_day(w, &rng, 48, 0); /* 2 MiB an hour */
	assert_int_equal(judge(w, WINDOWS, &s), VRS_OUTCOME_FAIL);
	assert_non_null(strstr(s.reasons, "memory grows by 2."));
	assert_true(s.memory.low < 2 * MIB && s.memory.high > 2 * MIB);
	make_day(w, &rng, 4, 0); /* too little to matter in a day */
	assert_int_equal(judge(w, WINDOWS, &s), VRS_OUTCOME_PASS);
	make_day(w, &rng, 0, 0.08);
	w[WINDOWS - 1].throttle_events = 5;
	assert_int_equal(judge(w, WINDOWS, &s), VRS_OUTCOME_FAIL);
	assert_non_null(strstr(s.reasons, "frames became slower by "));
	assert_non_null(strstr(s.reasons, "the processor was throttled 2 times; "));
	assert_true(s.slow_from_seconds > 20000);
}

/* A pass needs proof that there is no more than the limits allow: no news is not good news. */
static void not_enough_to_say(void **state)
{
	(void)state;
	struct vrs_soak_window w[WINDOWS];
	struct vrs_soak s;
	struct vrs_rng rng;
	vrs_rng_init(&rng, 5);
	make_day(w, &rng, 0, 0);
	assert_int_equal(judge(w, 19, &s), VRS_OUTCOME_INCONCLUSIVE);
	assert_string_equal(s.reasons, "it was stopped after 19 windows of 6 min, and a trend takes 20: let it run for at least 2.0 h");
	assert_int_equal(judge(w, 0, &s), VRS_OUTCOME_INCONCLUSIVE);
	for (int i = 0; i < WINDOWS; i++) /* noise of 30 MiB: 8 MiB of growth could hide in it */
		w[i].rss_bytes += (int64_t)(30 * gauss(&rng) * MIB);
	assert_int_equal(judge(w, WINDOWS, &s), VRS_OUTCOME_INCONCLUSIVE);
	assert_non_null(strstr(s.reasons, "memory may have grown by up to "));
	make_day(w, &rng, 0, 0);
	for (int i = 0; i < WINDOWS; i++)
		w[i].median_ms += 2 * gauss(&rng);
	assert_int_equal(judge(w, WINDOWS, &s), VRS_OUTCOME_INCONCLUSIVE);
	assert_non_null(strstr(s.reasons, "frames may have become slower by up to "));
	make_day(w, &rng, 0, 0);
	for (int i = 0; i < WINDOWS; i++)
		w[i].rss_bytes = -1;
	assert_int_equal(judge(w, WINDOWS, &s), VRS_OUTCOME_INCONCLUSIVE);
	assert_string_equal(s.reasons, "memory was not observable");
}

/* 25 s and ten minutes: the same leak of 40 MiB an hour is too little for a proof, and is not passed. */
static void short_ones(void **state)
{
	(void)state;
	struct vrs_soak_window w[WINDOWS];
	struct vrs_soak s;
	struct vrs_rng rng;
	vrs_rng_init(&rng, 9);
	for (int i = 0; i < WINDOWS; i++)
		w[i] = (struct vrs_soak_window){.end_seconds = 2.5 * (i + 1), .frames = 150, .median_ms = 16.6, .max_ms = 20, .frequency_mhz = 3000,
						.rss_bytes = (int64_t)((300 + 40 * 2.5 * i / 3600 + 0.02 * gauss(&rng)) * MIB), .temperature_c = NAN,
						.throttle_events = -1};
	assert_int_equal(judge(w, WINDOWS, &s), VRS_OUTCOME_INCONCLUSIVE);
	assert_non_null(strstr(s.reasons, "too little so far to tell a leak from caches: run it for "));
	assert_int_equal(judge(w, 10, &s), VRS_OUTCOME_INCONCLUSIVE);
	assert_string_equal(s.reasons,
			    "25 s are too short: caches fill and machines warm up for minutes; take at least 10 min, and hours to find slow leaks");
	w[5].frames = 0; /* a fact, however short it was */
	assert_int_equal(judge(w, 10, &s), VRS_OUTCOME_FAIL);
	assert_string_equal(s.reasons, "no frame was done in 1 windows of 2.5 s");
	w[5].frames = 150;
	for (int i = 120; i < WINDOWS; i++)
		w[i].frequency_mhz = 2000;
	assert_int_equal(judge(w, WINDOWS, &s), VRS_OUTCOME_FAIL);
	assert_non_null(strstr(s.reasons, "the clock fell from 3000 to 2000 MHz"));
}

/* The line for programs. */
static void line_for_scripts(void **state)
{
	(void)state;
	struct vrs_soak_window w[WINDOWS];
	struct vrs_soak s;
	struct vrs_rng rng;
	char line[256], span[24];
	vrs_rng_init(&rng, 3);
	make_day(w, &rng, 480, 0.5);
	assert_int_equal(judge(w, WINDOWS, &s), VRS_OUTCOME_FAIL);
	vrs_soak_line(&s, line, sizeof line);
	assert_string_equal(line, "VERDICT FAIL metric=soak seconds=86400 windows=240 reason=memory,drift");
	assert_string_equal(vrs_soak_span_text(s.seconds, span, sizeof span), "24 h");
	assert_string_equal(vrs_soak_span_text(s.window_seconds, span, sizeof span), "6 min");
}

static void windows_on_disk(void **state)
{
	(void)state;
	char path[64];
	struct vrs_soak_writer *writer;
	struct vrs_soak_window *windows;
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_buf text;
	int count;
	snprintf(path, sizeof path, "/tmp/vrs-test-soak-%d.jsonl", (int)getpid());
	assert_int_equal(vrs_soak_writer_create(&writer, path, 0.05, &err), VRS_OK);
	usleep(120000); /* warm-up makes no windows */
	vrs_soak_writer_begin(writer);
	for (int i = 0; i < 60; i++) {
		vrs_soak_writer_frame(writer, 5000000);
		usleep(5000);
	}
	vrs_soak_writer_destroy(writer);
	assert_int_equal(vrs_soak_windows_read(path, &windows, &count, &err), VRS_OK);
	assert_true(count >= 3);
	assert_true(windows[0].frames > 0 && windows[0].rss_bytes > 100000);
	assert_float_equal(windows[0].median_ms, 5, 0.001); /* the mean of what was told, below 20 frames */
	assert_true(windows[1].end_seconds > windows[0].end_seconds);
	vrs_free(windows);
	int whole = count;
	assert_int_equal(vrs_file_read(path, 1 << 20, &text, &err), VRS_OK);
	assert_int_equal(truncate(path, (off_t)text.len - 5), 0);
	assert_int_equal(vrs_soak_windows_read(path, &windows, &count, &err), VRS_OK); /* a torn tail is left out */
	assert_int_equal(count, whole - 1);
	vrs_free(windows);
	vrs_buf_fini(&text);
	static const char *const bad[] = {"{}\n", "nonsense\n", "{\"end_seconds\":1,\"frames\":-4}\n",
					  "{\"end_seconds\":2,\"frames\":1}\n{\"end_seconds\":1,\"frames\":1}\n"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(vrs_file_replace(path, bad[i], strlen(bad[i]), &err), VRS_OK);
		assert_int_equal(vrs_soak_windows_read(path, &windows, &count, &err), VRS_EFORMAT);
	}
	unlink(path);
	assert_int_equal(vrs_soak_windows_read(path, &windows, &count, &err), VRS_ENOTFOUND);
	assert_float_equal(vrs_soak_window_seconds(86400), 360, 0);
	assert_float_equal(vrs_soak_window_seconds(10), 1, 0);
}

/* Two hours at 72 Hz, simulated: what the recorder, the file and the metrics take does not depend on the length. */
static void bounded_memory(void **state)
{
	(void)state;
	static struct vrs_recorder recorder;
	struct vrs_frames_writer writer;
	struct vrs_frames_reader reader;
	struct vrs_run run;
	struct vrs_error err = {.status = VRS_OK};
	const struct vrs_recorder_rules rules = {.warmup_max_seconds = 1, .duration_seconds = 7200, .min_frames = 1};
	const struct vrs_live_goal live = {72, 1000.0 / 72};
	uint64_t before = vrs_mem_stats().live_bytes, most = 0;
	assert_int_equal(vrs_frames_writer_open(&writer, "", &err), VRS_OK);
	vrs_recorder_init(&recorder, &rules, &writer);
	uint64_t cpu = vrs_cpu_ns();
	for (uint64_t i = 0; !recorder.done; i++) {
		struct vrs_frame_times times = {.index = (int64_t)i, .intended_ns = i * 13888889};
		times.end_ns[VRS_STAGE_ENCODE] = times.intended_ns + 9000000;
		(void)vrs_recorder_frame(&recorder, &times);
	}
	assert_true(recorder.measured > 518000);
	double us = 1e-3 * (double)(vrs_cpu_ns() - cpu) / (double)recorder.count;
	print_message("%.3f us of CPU time a frame\n", us);
	assert_true(us < 0.005 * 5000); /* half a percent of a frame of 5 ms, which no machine misses by a factor of ten */
	vrs_run_init(&run);
	assert_int_equal(vrs_frames_reader_of_writer(&reader, &writer, &err), VRS_OK);
	assert_int_equal(vrs_frame_metrics(&reader, &live, &run, &err), VRS_OK);
	vrs_frames_reader_close(&reader);
	assert_float_equal(run.live_miss_percent, 0, 0);
	assert_float_equal(run.frame_median_ms, 13.89, 0.14);
	vrs_frames_writer_discard(&writer);
	most = vrs_mem_stats().peak_bytes;
	print_message("recorder %zu bytes, most in use %.2f MB\n", sizeof recorder, 1e-6 * (double)(most - before));
	assert_true(most - before + sizeof recorder < 20000000);
}

/* More frames than percentiles take into memory: the record says what they are made of. */
static void first_hours(void **state)
{
	(void)state;
	char dir[] = "/tmp/vrs-test-pool-XXXXXX", path[64];
	struct vrs_frames_writer writer;
	struct vrs_case_result c;
	struct vrs_error err = {.status = VRS_OK};
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/long.bin", dir);
	vrs_case_result_init(&c);
	struct vrs_run *run = vrs_case_result_add_run(&c);
	assert_non_null(run);
	*run = (struct vrs_run){.status = VRS_RUN_OK, .fps = 100, .frames = VRS_FRAME_POOL_MAX + 100, .frames_file = "long.bin"};
	assert_int_equal(vrs_frames_writer_open(&writer, path, &err), VRS_OK);
	for (int64_t i = 0; i <= run->frames; i++) {
		struct vrs_frame_times times = {.index = i};
		times.end_ns[VRS_STAGE_ENCODE] = (uint64_t)i * 10000000;
		vrs_frames_writer_add(&writer, &times);
	}
	assert_int_equal(vrs_frames_writer_commit(&writer, &err), VRS_OK);
	uint64_t before = vrs_mem_stats().live_bytes;
	assert_int_equal(vrs_case_result_summarize(&c, dir), VRS_OK);
	assert_true(vrs_mem_stats().live_bytes == before);
	assert_string_equal(c.pooled_note, "the first 500000 of 500100 times between frames");
	assert_int_equal(c.pooled_frames, VRS_FRAME_POOL_MAX);
	assert_float_equal(c.p50_ms, 10, 1e-6);
	c.runs[0].frames_file[0] = 0;
	assert_int_equal(vrs_case_result_summarize(&c, dir), VRS_OK);
	assert_string_equal(c.pooled_note, "");
	vrs_case_result_fini(&c);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounded_memory), /* first: peaks of the others do not count */
		cmocka_unit_test(first_hours),
		cmocka_unit_test(known_trends),
		cmocka_unit_test(interval_covers),
		cmocka_unit_test(verdicts),
		cmocka_unit_test(not_enough_to_say),
		cmocka_unit_test(short_ones),
		cmocka_unit_test(line_for_scripts),
		cmocka_unit_test(windows_on_disk),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
