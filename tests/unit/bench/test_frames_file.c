/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards: frame times survive their file, damage is named, pooling takes good runs only and never leaves the result folder; percentiles of pools. */
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

#include "base/file.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "bench/frames_file.h"

static char folder[128], path[160];

static int set_up(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "/tmp/vrs-test-frames-%d", (int)getpid());
	snprintf(path, sizeof path, "%s/a.bin", folder);
	return vrs_mkdirs(folder, NULL) == VRS_OK ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	char command[200];
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	return system(command);
}

/* n + 1 frames, 10 ms apart, every slow_every-th one 50 ms. */
static void write_frames(const char *to, int n, int slow_every)
{
	struct vrs_frame_times *frames = vrs_calloc((size_t)n + 1, sizeof *frames);
	uint64_t now = 5000000;
	assert_non_null(frames);
	for (int i = 0; i <= n; i++) {
		frames[i].index = i - 3;
		for (int s = 0; s < VRS_STAGE_COUNT; s++) {
			frames[i].start_ns[s] = now + (uint64_t)s;
			frames[i].end_ns[s] = now + (uint64_t)s + 1;
		}
		now += slow_every && (i + 1) % slow_every == 0 ? 50000000 : 10000000;
	}
	assert_int_equal(vrs_frames_write(to, frames, (size_t)n + 1, NULL), VRS_OK);
	vrs_free(frames);
}

static void round_trip_and_damage(void **state)
{
	(void)state;
	struct vrs_frame_times *frames;
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_buf text;
	size_t count;
	write_frames(path, 20, 0);
	assert_int_equal(vrs_frames_read(path, &frames, &count, &err), VRS_OK);
	assert_int_equal(count, 21);
	assert_int_equal(frames[0].index, -3);
	assert_int_equal(frames[20].start_ns[VRS_STAGE_ENCODE], 205000005);
	vrs_free(frames);
	assert_int_equal(vrs_file_read(path, 1 << 20, &text, &err), VRS_OK);
	for (size_t cut = 0; cut < text.len; cut += 13) {
		assert_int_equal(vrs_file_replace(path, text.data, cut, &err), VRS_OK);
		assert_int_equal(vrs_frames_read(path, &frames, &count, &err), VRS_EFORMAT);
		assert_non_null(strstr(err.text, "byte"));
	}
	text.data[21] = 1; /* 2^40 more frames than there are */
	assert_int_equal(vrs_file_replace(path, text.data, text.len, &err), VRS_OK);
	assert_int_equal(vrs_frames_read(path, &frames, &count, &err), VRS_EFORMAT);
	vrs_buf_fini(&text);
}

static struct vrs_run *add_run(struct vrs_case_result *c, const char *file)
{
	struct vrs_run *run = vrs_case_result_add_run(c);
	run->status = VRS_RUN_OK;
	run->fps = 100;
	vrs_strcpy(run->frames_file, sizeof run->frames_file, file);
	return run;
}

static void pooling(void **state)
{
	(void)state;
	struct vrs_case_result c;
	struct vrs_frame_pool pool;
	char other[160];
	vrs_case_result_init(&c);
	snprintf(other, sizeof other, "%s/b.bin", folder);
	write_frames(path, 700, 10);
	write_frames(other, 300, 10);
	add_run(&c, "a.bin");
	add_run(&c, "b.bin");
	add_run(&c, "missing.bin");
	add_run(&c, "a.bin")->status = VRS_RUN_CRASH;
	add_run(&c, path);           /* absolute: not ours to read */
	add_run(&c, "../../etc/passwd");
	add_run(&c, "x/../../a.bin");
	assert_int_equal(vrs_frame_pool_load(&pool, &c, folder), VRS_OK);
	assert_int_equal(pool.runs, 2);
	assert_int_equal(pool.count, 1000);
	assert_int_equal(pool.run_starts[1], 700);
	assert_float_equal(pool.interval_ms[0], 10, 1e-6);
	assert_float_equal(pool.interval_ms[9], 50, 1e-6);
	vrs_frame_pool_fini(&pool);
	assert_int_equal(vrs_case_result_summarize(&c, folder), VRS_OK);
	assert_int_equal(c.pooled_frames, 1000);
	assert_float_equal(c.p50_ms, 10, 1e-6);
	assert_float_equal(c.p95_ms, 50, 1e-6);
	assert_float_equal(c.p99_ms, 50, 1e-6); /* 1000 frames just support it */
	assert_string_equal(c.p99_note, "uncalibrated");
	assert_string_equal(c.p50_note, "");
	vrs_case_result_fini(&c);
}

/* 999 frames do not support a P99, and 10 support nothing. */
static void too_few_frames(void **state)
{
	(void)state;
	struct vrs_case_result c;
	vrs_case_result_init(&c);
	write_frames(path, 999, 10);
	add_run(&c, "a.bin");
	assert_int_equal(vrs_case_result_summarize(&c, folder), VRS_OK);
	assert_true(isnan(c.p99_ms));
	assert_string_equal(c.p99_note, "needs 1 more frames");
	assert_false(isnan(c.p95_ms));
	write_frames(path, 10, 0);
	assert_int_equal(vrs_case_result_summarize(&c, folder), VRS_OK);
	assert_true(isnan(c.p50_ms));
	assert_string_equal(c.p50_note, "needs 10 more frames");
	vrs_case_result_fini(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip_and_damage),
		cmocka_unit_test(pooling),
		cmocka_unit_test(too_few_frames),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
