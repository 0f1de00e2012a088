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

#include "analyzer/figures/case_summary.h"
#include "base/file.h"
#include "base/str_parse.h"
#include "bench/record/frames_file.h"

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
	struct vrs_frames_writer writer;
	uint64_t now = 5000000;
	assert_int_equal(vrs_frames_writer_open(&writer, to, NULL), VRS_OK);
	for (int i = 0; i <= n; i++) {
		struct vrs_frame_times times = {.index = i - 3, .intended_ns = now - 7};
		for (int s = 0; s < VRS_STAGE_COUNT; s++) {
			times.start_ns[s] = now + (uint64_t)s;
			times.end_ns[s] = now + (uint64_t)s + 1;
		}
		vrs_frames_writer_add(&writer, &times);
		now += slow_every && (i + 1) % slow_every == 0 ? 50000000 : 10000000;
	}
	assert_int_equal(vrs_frames_writer_commit(&writer, NULL), VRS_OK);
}

/* All frames of a file, checked; returns the status that ended reading. */
static enum vrs_status read_through(int *ret_count, struct vrs_frame_times *ret_last, struct vrs_error *err)
{
	struct vrs_frames_reader reader;
	enum vrs_status status = vrs_frames_reader_open(&reader, path, err);
	*ret_count = 0;
	if (status != VRS_OK)
		return status;
	while ((status = vrs_frames_reader_next(&reader, ret_last, err)) == VRS_OK)
		(*ret_count)++;
	vrs_frames_reader_close(&reader);
	return status;
}

static void round_trip_and_damage(void **state)
{
	(void)state;
	struct vrs_frame_times last;
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_buf text;
	int count;
	write_frames(path, 20, 0);
	assert_int_equal(read_through(&count, &last, &err), VRS_END);
	assert_int_equal(count, 21);
	assert_int_equal(last.index, 17);
	assert_int_equal(last.intended_ns, 204999993);
	assert_int_equal(last.start_ns[VRS_STAGE_ENCODE], 205000005);
	assert_int_equal(vrs_file_read(path, 1 << 20, &text, &err), VRS_OK);
	for (size_t cut = 0; cut < text.len; cut += 13) {
		assert_int_equal(vrs_file_replace(path, text.data, cut, &err), VRS_OK);
		assert_int_equal(read_through(&count, &last, &err), VRS_EFORMAT);
		assert_non_null(strstr(err.text, "byte"));
	}
	text.data[24 + 3 * 112 + 111] = 1; /* frame 3 ends in the far future */
	assert_int_equal(vrs_file_replace(path, text.data, text.len, &err), VRS_OK);
	assert_int_equal(read_through(&count, &last, &err), VRS_EFORMAT);
	assert_non_null(strstr(err.text, "frame 4"));
	text.data[21] = 1; /* 2^40 more frames than there are */
	assert_int_equal(vrs_file_replace(path, text.data, text.len, &err), VRS_OK);
	assert_int_equal(read_through(&count, &last, &err), VRS_EFORMAT);
	vrs_buf_fini(&text);
}

/* Files of the first form have no intended starts; decoding began then. */
static void first_form(void **state)
{
	(void)state;
	uint8_t bytes[24 + 8 + 16 * VRS_STAGE_COUNT] = "VRSFRAM1";
	struct vrs_frame_times last;
	struct vrs_error err = {.status = VRS_OK};
	int count;
	bytes[8] = VRS_STAGE_COUNT;
	bytes[16] = 1;
	bytes[24] = 9;                            /* index */
	bytes[32] = 77;                           /* start of decoding */
	bytes[32 + 8 * (2 * VRS_STAGE_COUNT - 1)] = 99; /* end of encoding */
	assert_int_equal(vrs_file_replace(path, bytes, sizeof bytes, &err), VRS_OK);
	assert_int_equal(read_through(&count, &last, &err), VRS_END);
	assert_int_equal(last.index, 9);
	assert_int_equal(last.intended_ns, 77);
	assert_int_equal(last.end_ns[VRS_STAGE_ENCODE], 99);
}

/* What is not committed does not exist, and a writer can be read back before it is. */
static void writers(void **state)
{
	(void)state;
	struct vrs_frames_writer writer;
	struct vrs_frames_reader reader;
	struct vrs_frame_times times = {.index = 1};
	struct vrs_error err = {.status = VRS_OK};
	unlink(path);
	assert_int_equal(vrs_frames_writer_open(&writer, path, &err), VRS_OK);
	vrs_frames_writer_add(&writer, &times);
	assert_int_equal(vrs_frames_reader_of_writer(&reader, &writer, &err), VRS_OK);
	assert_int_equal(vrs_frames_reader_next(&reader, &times, &err), VRS_OK);
	assert_int_equal(vrs_frames_reader_next(&reader, &times, &err), VRS_END);
	vrs_frames_reader_close(&reader);
	vrs_frames_writer_add(&writer, &times);
	vrs_frames_writer_discard(&writer);
	assert_false(vrs_path_exists(path));
	assert_int_equal(vrs_frames_writer_open(&writer, "", &err), VRS_OK); /* nameless */
	vrs_frames_writer_add(&writer, &times);
	assert_int_equal(vrs_frames_reader_of_writer(&reader, &writer, &err), VRS_OK);
	assert_int_equal(reader.count, 1);
	vrs_frames_reader_close(&reader);
	assert_int_equal(vrs_frames_writer_commit(&writer, &err), VRS_OK);
	assert_int_equal(vrs_frames_writer_open(&writer, "/dev/full/x", &err), VRS_EIO);
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
		cmocka_unit_test(first_form),
		cmocka_unit_test(writers),
		cmocka_unit_test(pooling),
		cmocka_unit_test(too_few_frames),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
