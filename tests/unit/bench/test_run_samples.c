/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: samples of a run are taken, read back and bounded in cost; sensors of a recorded machine reach them; damaged files end where the damage
 * is; use of the processor between two moments is what was burnt between them; what is missing is named with its reason.
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

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "bench/run/profile_run.h"
#include "bench/run/run_samples.h"

static char frames[80], samples[80];

static int set_up(void **state)
{
	(void)state;
	snprintf(frames, sizeof frames, "/tmp/vrs-test-samples-%d.bin", (int)getpid());
	return vrs_samples_name(frames, samples, sizeof samples) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(samples);
	return 0;
}

static void names(void **state)
{
	(void)state;
	char name[32];
	assert_true(vrs_samples_name("frames/a-0001.bin", name, sizeof name));
	assert_string_equal(name, "frames/a-0001.tsv");
	assert_false(vrs_samples_name("", name, sizeof name));
	assert_false(vrs_samples_name(".bin", name, sizeof name));
	assert_false(vrs_samples_name("frames/a", name, sizeof name));
	assert_false(vrs_samples_name("frames/a-name-that-is-far-too-long.bin", name, sizeof name));
	assert_null(vrs_sampler_start(""));
	vrs_sampler_stop(NULL, NULL, true);
	vrs_sampler_measure(NULL, true);
}

/* Memory that grows while the run lasts is in the timeline. */
static void memory_over_time(void **state)
{
	(void)state;
	enum { BYTES = 64 << 20 };
	struct vrs_run run;
	struct vrs_sample *rows;
	int count;
	struct vrs_error err = {.status = VRS_OK};
	vrs_run_init(&run);
	run.fps = 10;
	struct vrs_sampler *s = vrs_sampler_start(frames);
	assert_non_null(s);
	vrs_sampler_measure(s, true);
	vrs_sleep_until_ns(vrs_now_ns() + 200000000);
	char *block = vrs_alloc(BYTES);
	assert_non_null(block);
	memset(block, 1, BYTES);
	vrs_sleep_until_ns(vrs_now_ns() + 400000000);
	vrs_sampler_stop(s, &run, true);
	assert_true(block[BYTES - 1] == 1);
	vrs_free(block);
	assert_int_equal(vrs_samples_read(samples, &rows, &count, &err), VRS_OK);
	assert_in_range(count, 2, 40); /* a busy machine makes samples dear, and dear ones come seldom; the end is always there */
	assert_true(rows[count - 1].rss_bytes - rows[0].rss_bytes > BYTES / 2);
	for (int i = 1; i < count; i++)
		assert_true(rows[i].seconds > rows[i - 1].seconds);
	assert_true(run.sampling_percent >= 0 && run.sampling_percent < 5);
	vrs_free(rows);
}

/* The recorded laptop has a clock and a temperature and no energy counter: no power is made up. The server's counters stand still: 0 W. */
static void recorded_sensors(void **state)
{
	(void)state;
	struct vrs_run run;
	struct vrs_sample *rows;
	int count;
	struct vrs_error err = {.status = VRS_OK};
	vrs_run_init(&run);
	run.fps = 10;
	setenv("VRSEG_ROOT", VRS_TEST_DIR "/machines/hybrid-laptop", 1);
	struct vrs_sampler *s = vrs_sampler_start(frames);
	assert_non_null(s);
	vrs_sampler_measure(s, true);
	vrs_sleep_until_ns(vrs_now_ns() + 700000000);
	vrs_sampler_stop(s, &run, true);
	unsetenv("VRSEG_ROOT");
	assert_int_equal(vrs_samples_read(samples, &rows, &count, &err), VRS_OK);
	assert_true(count > 1 && rows[1].temperature_c > 0 && rows[1].clock_mhz > 100); /* the first line is of memory alone */
	assert_true(isnan(run.power_watts));
	vrs_free(rows);
	setenv("VRSEG_ROOT", VRS_TEST_DIR "/machines/numa-server", 1);
	s = vrs_sampler_start(frames);
	assert_non_null(s);
	vrs_sampler_measure(s, true);
	vrs_sleep_until_ns(vrs_now_ns() + 700000000);
	vrs_sampler_stop(s, &run, true);
	unsetenv("VRSEG_ROOT");
	assert_true(isfinite(run.power_watts) && fabs(run.power_watts) < 1e-9);
}

static void nothing_stays(void **state)
{
	(void)state;
	struct vrs_run run;
	vrs_run_init(&run);
	vrs_sampler_stop(vrs_sampler_start(frames), &run, false);
	assert_int_not_equal(access(samples, F_OK), 0);
	assert_int_equal(run.device_peak_bytes, -1);
}

static void damaged_files(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int lines;
	} files[] = {
		{"", 0},
		{"# seconds\n", 0},
		{"0.1\t5\t\t\t\t\t\t\n0.2\t6\t3000\t40.5\t12\t7\t1024\t33\n", 2},
		{"0.1\t5\t\t\t\t\t\t\n0.2\t6\t30", 1},                   /* torn */
		{"0.1\t5\t\t\t\t\t\t\n0.2\tx\t\t\t\t\t\t\n0.3\t5\t\t\t\t\t\t\n", 1},
		{"0.1\t5\n", 0},
		{"0.1\t5\t\t\t\t\t\t\t9\n", 0},
		{"-1\t5\t\t\t\t\t\t\n", 0},
		{"nan\t5\t\t\t\t\t\t\n", 0},
	};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct vrs_sample *rows = NULL;
		int count = -1;
		struct vrs_error err = {.status = VRS_OK};
		assert_int_equal(vrs_file_replace(samples, files[i].text, strlen(files[i].text), &err), VRS_OK);
		assert_int_equal(vrs_samples_read(samples, &rows, &count, &err), VRS_OK);
		if (count != files[i].lines)
			fail_msg("file %zu: %d lines instead of %d", i, count, files[i].lines);
		if (i == 2) {
			assert_true(isnan(rows[0].clock_mhz) && rows[0].device_bytes == -1);
			assert_float_equal(rows[1].device_watts, 33, 0);
			assert_int_equal(rows[1].device_bytes, 1024);
		}
		vrs_free(rows);
	}
	struct vrs_sample *rows;
	int count;
	struct vrs_error err = {.status = VRS_OK};
	assert_int_equal(vrs_samples_read("/nonexistent/x.tsv", &rows, &count, &err), VRS_ENOTFOUND);
}

static void use_of_the_processor(void **state)
{
	(void)state;
	const struct vrs_run_usage start = {.user_seconds = 1, .system_seconds = 2, .counts = {1000, 5, -1, 0}};
	const struct vrs_run_usage end = {.user_seconds = 4, .system_seconds = 3, .counts = {6000001000, 5, 70, 9}};
	struct vrs_run run;
	vrs_run_init(&run);
	run.wall_seconds = 2;
	vrs_run_usage_put(&start, &end, false, &run);
	assert_float_equal(run.user_seconds, 3, 1e-12);
	assert_float_equal(run.system_seconds, 1, 1e-12);
	assert_int_equal(run.cycles, 6000000000);
	assert_float_equal(run.cycles_mhz, 1500, 1e-9);
	assert_int_equal(run.instructions, -1); /* a counter that stood still did not count */
	assert_int_equal(run.cache_misses, -1); /* nor did one that began in between */
	assert_true(isnan(run.miss_gbps));
	vrs_run_usage_put(&start, &end, true, &run);
	assert_float_equal(run.cycles_mhz, 2000, 1e-9); /* cycles without the kernel's: over user time */
	const struct vrs_run_usage misses[2] = {{.counts = {0, 0, 0, 0}}, {.counts = {-1, -1, 1000000000, -1}}};
	vrs_run_usage_put(&misses[0], &misses[1], false, &run);
	assert_float_equal(run.miss_gbps, 32, 1e-9);
}

static const char *reason_of(const struct vrs_result *result, const char *key)
{
	for (int i = 0; i < result->unavailable_count; i++)
		if (strcmp(result->unavailable[i].key, key) == 0)
			return result->unavailable[i].reason;
	return NULL;
}

static void missing_values_have_reasons(void **state)
{
	(void)state;
	struct vrs_result *result;
	struct vrs_machine *machine = vrs_calloc(1, sizeof *machine);
	assert_non_null(machine);
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	setenv("VRSEG_ROOT", VRS_TEST_DIR "/machines/bare", 1);
	assert_int_equal(vrs_machine_detect(machine, false), VRS_OK);
	vrs_machine_read_sensors(machine);
	vrs_unavailable_find(result, machine);
	assert_int_equal(result->unavailable_count, 0); /* nothing was measured: nothing is missing */
	struct vrs_run *run = vrs_case_result_add_run(vrs_result_add_case(result));
	run->status = VRS_RUN_OK;
	run->fps = 10;
	run->iou = 0.9;
	vrs_unavailable_find(result, machine);
	unsetenv("VRSEG_ROOT");
	assert_null(reason_of(result, "iou"));
	assert_string_equal(reason_of(result, "cycles"), "a recorded machine is replayed");
	assert_non_null(strstr(reason_of(result, "temperature_c"), "no chip in /sys/class/hwmon"));
	assert_non_null(strstr(reason_of(result, "throttle_events"), "thermal_throttle"));
	assert_non_null(strstr(reason_of(result, "frame_p99_ms"), "368 frames"));
	result->cases[0].scope = VRS_SCOPE_NET_ONLY;
	vrs_unavailable_find(result, machine);
	assert_int_equal(result->unavailable_count, 0);
	vrs_result_destroy(result);
	vrs_free(machine);
}

static void overhead_of_profiling(void **state)
{
	(void)state;
	const double plain[] = {100, 110, 0, 90}, profiled[] = {50, 100, 80, 0};
	double median, low, high;
	assert_int_equal(vrs_profile_overhead(plain, profiled, 4, &median, &low, &high), 2); /* pairs with a failed run are left out */
	assert_float_equal(low, 10, 1e-9);
	assert_float_equal(high, 100, 1e-9);
	assert_float_equal(median, 55, 1e-9);
	assert_int_equal(vrs_profile_overhead(plain + 2, profiled + 2, 2, &median, &low, &high), 0);
	assert_true(isnan(median) && isnan(low) && isnan(high));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),         cmocka_unit_test(memory_over_time),     cmocka_unit_test(recorded_sensors),
		cmocka_unit_test(nothing_stays), cmocka_unit_test(damaged_files),        cmocka_unit_test(use_of_the_processor),
		cmocka_unit_test(missing_values_have_reasons), cmocka_unit_test(overhead_of_profiling),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
