/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the trace: JSON at every moment (a killed program leaves a file that opens), spans of a row that never overlap, sums that are the counters
 * of the stages, every frame's arrow from decode to encode, lanes of devices, titles with quotes, a disk that fails, and links that somebody has put
 * in place of a worker's file.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/json.h"
#include "flow/trace.h"

#include <vrseg/pipeline.h>

#include "scratch_folder.h"
#include "small_network.h"

#define FLAT_CLIP VRS_TEST_DIR "/data/person_flat.mp4"
#define MAX_ROWS 16
#define FRAMES 12

static const char path[] = "trace.json";

static void assert_ok(enum vrs_status status, const struct vrs_error *err)
{
	if (status != VRS_OK)
		print_message("%s: %s\n", vrs_status_name(status), err->text);
	assert_int_equal(status, VRS_OK);
}

static cJSON *read_trace(void)
{
	struct vrs_error err = {0};
	cJSON *json;
	assert_ok(vrs_json_read_file(path, 1 << 26, &json, &err), &err);
	assert_true(cJSON_IsArray(json));
	return json;
}

static bool is_kind(const cJSON *event, const char *kind)
{
	return strcmp(vrs_json_string(event, "ph"), kind) == 0;
}

/* The file is whole between any two calls, however much was written; nothing of a longer file from before stays. */
static void test_json_at_every_moment(void **state)
{
	(void)state;
	struct vrs_error err = {0};
	struct vrs_trace *trace;
	assert_ok(vrs_trace_create(&trace, path, "a \"quoted\" \\ name\n.mp4", 1, VRS_TRACE_OVER_ALL, &err), &err);
	vrs_trace_thread(trace, 1, "decode");
	int seen = 0;
	for (int i = 0; i < 3000; i++) {
		vrs_trace_span(trace, "decode", "decode", (uint64_t)i * 1000, (uint64_t)i * 1000 + 999, (uint64_t)i, 1);
		if (i % 100)
			continue;
		struct vrs_buf text;
		assert_ok(vrs_file_read(path, 1 << 26, &text, &err), &err);
		size_t len = strlen(vrs_buf_str(&text));
		vrs_buf_fini(&text);
		if (len == 0)
			continue; /* before the first block */
		cJSON *json = read_trace();
		assert_true(cJSON_GetArraySize(json) >= seen);
		seen = cJSON_GetArraySize(json);
		cJSON_Delete(json);
	}
	assert_true(seen > 1000);
	vrs_trace_destroy(trace);
	cJSON *json = read_trace();
	assert_int_equal(cJSON_GetArraySize(json), 3 + 3000);
	const cJSON *title = cJSON_GetObjectItem(cJSON_GetArrayItem(json, 0), "args");
	assert_string_equal(vrs_json_string(title, "name"), "a \"quoted\" \\ name\n.mp4");
	cJSON_Delete(json);
	assert_ok(vrs_trace_create(&trace, path, "short", 1, VRS_TRACE_OVER_ALL, &err), &err);
	vrs_trace_destroy(trace);
	json = read_trace();
	assert_int_equal(cJSON_GetArraySize(json), 1);
	cJSON_Delete(json);
}

/* Queues of a device have rows of their own, named once after the queue and the thread that tells of it; that thread's row stays its own. */
static void test_lanes(void **state)
{
	(void)state;
	struct vrs_error err = {0};
	struct vrs_trace *trace;
	assert_ok(vrs_trace_create(&trace, path, "t", 1, VRS_TRACE_OVER_ALL, &err), &err);
	vrs_trace_thread(trace, 2, "worker 1");
	for (uint64_t i = 0; i < 3; i++) {
		vrs_trace_lane(trace, 0, "device: up", "host to device", 1000 * i, 1000 * i + 100, i, 1);
		vrs_trace_lane(trace, 1, "device: compute", "network", 1000 * i + 100, 1000 * i + 900, i, 1);
		vrs_trace_span(trace, "inference", "inference", 1000 * i, 1000 * i + 950, i, 1);
	}
	vrs_trace_lane(NULL, 2, "device: down", "device to host", 0, 1, VRS_TRACE_NO_FRAME, 0);
	vrs_trace_destroy(trace);
	cJSON *json = read_trace();
	const cJSON *event;
	int names = 0, spans[3] = {0};
	int64_t row, frame;
	cJSON_ArrayForEach(event, json) {
		const char *name = vrs_json_string(event, "name");
		const cJSON *args = cJSON_GetObjectItem(event, "args");
		assert_true(vrs_json_int(event, "tid", &row));
		if (is_kind(event, "M") && row >= 1000 && strcmp(name, "thread_name") == 0)
			assert_string_equal(vrs_json_string(args, "name"), names++ ? "device: compute, worker 1" : "device: up, worker 1");
		if (!is_kind(event, "X"))
			continue;
		assert_int_equal(row, strcmp(name, "inference") == 0 ? 2 : strcmp(name, "network") == 0 ? 2002 : 1002);
		spans[row / 1000]++;
		assert_true(vrs_json_int(args, "frame", &frame));
		assert_string_equal(vrs_json_string(args, "stage"), row == 2 ? "inference" : "device");
	}
	assert_int_equal(names, 2);
	for (int i = 0; i < 3; i++)
		assert_int_equal(spans[i], 3);
	cJSON_Delete(json);
}

static void write_file(const char *text, size_t length)
{
	FILE *file = fopen(path, "w");
	assert_true(file && fwrite(text, 1, length, file) == length && fclose(file) == 0);
}

static void test_refusals(void **state)
{
	(void)state;
	struct vrs_error err = {0};
	struct vrs_trace *trace;
	write_file("mine", 4);
	assert_int_equal(vrs_trace_create(&trace, path, "t", 1, VRS_TRACE_OVER_INCOMPLETE, &err), VRS_EEXIST);
	assert_int_equal(vrs_trace_create(&trace, "no-such-folder/t.json", "t", 1, VRS_TRACE_OVER_ALL, &err), VRS_ENOTFOUND);
	/* a full disk ends the trace, not the caller */
	assert_ok(vrs_trace_create(&trace, "/dev/full", "t", 1, VRS_TRACE_OVER_ALL, &err), &err);
	for (int i = 0; i < 2000; i++)
		vrs_trace_mark(trace, "dropped", (uint64_t)i, (uint64_t)i);
	vrs_trace_destroy(trace);
}

/* What a killed or failed run has left is written over, at whatever byte it was killed; a complete trace, one in use and what is no trace are not. */
static void test_incomplete(void **state)
{
	(void)state;
	struct vrs_error err = {0};
	struct vrs_trace *trace, *other;
	char text[1024];
	for (int complete = 0; complete < 2; complete++) {
		assert_ok(vrs_trace_create(&trace, path, "film", 1, VRS_TRACE_OVER_ALL, &err), &err);
		assert_int_equal(vrs_trace_create(&other, path, "film", 1, VRS_TRACE_OVER_INCOMPLETE, &err), VRS_EEXIST); /* another run writes it */
		vrs_trace_mark(trace, "kept", 1, 600);
		if (complete)
			vrs_trace_complete(trace);
		vrs_trace_destroy(trace);
		cJSON_Delete(read_trace());
		FILE *file = fopen(path, "r");
		size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
		text[length] = '\0';
		assert_true(length > 100 && length < sizeof text && fclose(file) == 0);
		for (size_t bytes = 0; bytes <= length; bytes++) {
			bool taken = bytes < length || !complete;
			write_file(text, bytes);
			assert_int_equal(vrs_trace_create(&other, path, "film", 1, VRS_TRACE_OVER_INCOMPLETE, &err), taken ? VRS_OK : VRS_EEXIST);
			if (taken)
				vrs_trace_destroy(other);
		}
	}
	static const char *const others[] = {"half", "[\n]\n", "[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":7}\n]\n", "{}"};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		write_file(others[i], strlen(others[i]));
		assert_int_equal(vrs_trace_create(&other, path, "film", 1, VRS_TRACE_OVER_INCOMPLETE, &err), VRS_EEXIST);
		assert_int_equal(vrs_trace_create(&other, path, "film", 1, VRS_TRACE_OVER_TRACES, &err), VRS_EEXIST);
	}
	write_file(text, strlen(text)); /* the complete one */
	assert_ok(vrs_trace_create(&other, path, "film", 1, VRS_TRACE_OVER_TRACES, &err), &err);
	vrs_trace_destroy(other);
}

struct run {
	struct vrs_job *job;
	int stop_after;
	int frames;
};

static void on_frame(void *cookie, const struct vrs_frame_times *times)
{
	struct run *run = cookie;
	(void)times;
	if (++run->frames == run->stop_after)
		vrs_job_stop(run->job);
}

static void trace_job(int streams, int batch, int stop_after, enum vrs_status expected, struct vrs_job_stats *stats)
{
	struct vrs_error err = {0};
	struct vrs_settings settings;
	struct run run = {.stop_after = stop_after};
	struct vrs_job_callbacks callbacks = {.cookie = &run, .on_frame = on_frame};
	assert_true(small_network_settings(&settings));
	snprintf(settings.output.file, sizeof settings.output.file, "null:");
	snprintf(settings.report.trace, sizeof settings.report.trace, "%s", path);
	settings.output.overwrite = true;
	settings.engine.streams = streams;
	settings.engine.batch_size = batch;
	settings.pipeline.max_frames = stop_after ? 0 : FRAMES;
	assert_ok(vrs_job_create(&run.job, FLAT_CLIP, &settings, stop_after ? 0 : 1, &callbacks, &err), &err);
	assert_int_equal(vrs_job_run(run.job, &err), expected);
	vrs_job_stats(run.job, stats);
	vrs_job_destroy(run.job);
}

static double number(const cJSON *object, const char *key)
{
	double value = -1;
	assert_true(vrs_json_number(object, key, &value));
	return value;
}

/* Spans of a row come in the order of time, none before the end of the one before (times are printed in steps of a nanosecond). */
static void check_rows(const cJSON *json)
{
	double end[MAX_ROWS] = {0};
	bool named[MAX_ROWS] = {false};
	const cJSON *event;
	cJSON_ArrayForEach(event, json) {
		int row = is_kind(event, "C") ? 0 : (int)number(event, "tid");
		assert_in_range(row, 0, MAX_ROWS - 1);
		if (is_kind(event, "M"))
			named[row] = true;
		if (!is_kind(event, "X"))
			continue;
		double start = number(event, "ts"), length = number(event, "dur");
		assert_true(named[row]);
		assert_true(length >= 0);
		assert_true(start >= end[row] - 1e-3);
		end[row] = start + length;
	}
}

static void check_sums(const cJSON *json, const struct vrs_job_stats *stats)
{
	double busy[VRS_STAGE_COUNT] = {0}, input[VRS_STAGE_COUNT] = {0}, room[VRS_STAGE_COUNT] = {0};
	const cJSON *event;
	cJSON_ArrayForEach(event, json) {
		if (!is_kind(event, "X"))
			continue;
		const char *name = vrs_json_string(event, "name"), *stage = vrs_json_string(cJSON_GetObjectItem(event, "args"), "stage");
		for (int i = 0; i < VRS_STAGE_COUNT; i++) {
			if (strcmp(stage, vrs_stage_name((enum vrs_stage)i)) != 0)
				continue;
			double *sum = strcmp(name, stage) == 0 ? busy : strcmp(name, "wait for input") == 0 ? input : room;
			sum[i] += number(event, "dur") * 1000;
		}
	}
	for (int i = 0; i < VRS_STAGE_COUNT; i++) {
		assert_true(stats->stage[i].busy_ns > 0);
		assert_true(fabs(busy[i] - (double)stats->stage[i].busy_ns) < 1000);
		assert_true(fabs(input[i] - (double)stats->stage[i].wait_input_ns) < 1000);
		assert_true(fabs(room[i] - (double)stats->stage[i].wait_output_ns) < 1000);
	}
}

/* Each frame's arrow begins once, ends once, later, and passes the steps of the worker. */
static void check_arrows(const cJSON *json, int frames)
{
	double begin[FRAMES] = {0}, end[FRAMES] = {0};
	int steps[FRAMES] = {0};
	bool begun[FRAMES] = {false};
	const cJSON *event;
	cJSON_ArrayForEach(event, json) {
		if (!is_kind(event, "s") && !is_kind(event, "t") && !is_kind(event, "f"))
			continue;
		int frame = (int)number(event, "id");
		assert_in_range(frame, 0, frames - 1);
		if (is_kind(event, "s")) {
			assert_false(begun[frame]);
			begun[frame] = true;
			begin[frame] = number(event, "ts");
		} else if (is_kind(event, "t")) {
			steps[frame]++;
		} else {
			assert_true(end[frame] == 0);
			end[frame] = number(event, "ts");
		}
	}
	for (int i = 0; i < frames; i++) {
		assert_true(begun[i]);
		assert_true(steps[i] >= 4);
		assert_true(end[i] > begin[i]);
	}
}

static void check_counters(const cJSON *json)
{
	const cJSON *event;
	int events = 0;
	cJSON_ArrayForEach(event, json) {
		if (!is_kind(event, "C"))
			continue;
		double value = number(cJSON_GetObjectItem(event, "args"), "frames");
		assert_true(value >= 0 && value <= 4);
		events++;
	}
	assert_true(events >= 2);
}

static void test_spans_and_counters(void **state)
{
	(void)state;
	static const int ways[][2] = {{1, 0}, {3, 2}};
	for (int i = 0; i < 2; i++) {
		struct vrs_job_stats stats;
		trace_job(ways[i][0], ways[i][1], 0, VRS_OK, &stats);
		cJSON *json = read_trace();
		check_rows(json);
		check_sums(json, &stats);
		check_arrows(json, FRAMES);
		check_counters(json);
		cJSON_Delete(json);
	}
}

static void test_interrupted(void **state)
{
	(void)state;
	struct vrs_job_stats stats;
	trace_job(2, 0, 40, VRS_ESTOPPED, &stats);
	assert_true(stats.frames_done >= 40);
	cJSON *json = read_trace();
	check_rows(json);
	check_sums(json, &stats);
	cJSON_Delete(json);
}

static int make_folder(void **state)
{
	(void)state;
	return scratch_folder_enter("trace");
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(path);
	return scratch_folder_leave("trace");
}

/* A worker's file lies where others may write: what a link there leads to is neither written nor read. */
static void test_part_follows_no_link(void **state)
{
	(void)state;
	struct vrs_error err = {0};
	struct vrs_trace *trace, *part;
	static const char other[] = "part.json", victim[] = "victim";
	struct vrs_buf text;
	assert_ok(vrs_file_replace(victim, "precious", 8, &err), &err);
	for (int there = 1; there >= 0; there--) {
		assert_int_equal(symlink(there ? victim : "nobody", other), 0);
		assert_ok(vrs_trace_create_part(&part, other, "part", 2, &err), &err);
		vrs_trace_destroy(part);
		assert_int_equal(unlink(other), 0);
	}
	assert_false(vrs_path_exists("nobody"));
	assert_ok(vrs_file_read(victim, 100, &text, &err), &err);
	assert_string_equal(vrs_buf_str(&text), "precious");
	vrs_buf_fini(&text);
	assert_ok(vrs_trace_create_part(&part, victim, "secret", 2, &err), &err);
	vrs_trace_destroy(part);
	assert_int_equal(symlink(victim, other), 0);
	assert_ok(vrs_trace_create(&trace, path, "film", 1, VRS_TRACE_OVER_ALL, &err), &err);
	vrs_trace_append(trace, other);
	vrs_trace_destroy(trace);
	cJSON *json = read_trace();
	assert_int_equal(cJSON_GetArraySize(json), 1);
	cJSON_Delete(json);
	assert_int_equal(unlink(other), 0);
	assert_int_equal(unlink(victim), 0);
}

/* Traces of parts: one array with the processes, rows and frames that they had; damaged files are left out as a whole. */
static void test_append(void **state)
{
	(void)state;
	struct vrs_error err = {0};
	struct vrs_trace *trace, *part;
	static const char other[] = "part.json";
	assert_ok(vrs_trace_create(&trace, path, "film", 1, VRS_TRACE_OVER_ALL, &err), &err);
	for (int i = 0; i < 3; i++) {
		assert_ok(vrs_trace_create(&part, other, "film, process", i + 2, VRS_TRACE_OVER_ALL, &err), &err);
		vrs_trace_segment(part, i, 100 * i);
		vrs_trace_thread(part, 1, "decode");
		for (uint64_t frame = 0; frame < 2000; frame++) /* several blocks */
			vrs_trace_arrow(part, VRS_TRACE_FLOW_BEGIN, frame, 1000 * frame);
		vrs_trace_mark(part, "kept", 7, 500);
		vrs_trace_destroy(part);
		vrs_trace_append(trace, other);
	}
	assert_int_equal(truncate(other, 1000), 0);
	vrs_trace_append(trace, other);
	unlink(other);
	vrs_trace_append(trace, other);
	vrs_trace_mark(trace, "kept", 1, 600);
	vrs_trace_destroy(trace);
	cJSON *json = read_trace();
	const cJSON *event;
	int64_t frame, process, id, arrows = 0, marks = 0, last = -1;
	cJSON_ArrayForEach(event, json) {
		assert_true(vrs_json_int(event, "pid", &process));
		if (is_kind(event, "s")) {
			assert_true(vrs_json_int(event, "id", &id) && id > last); /* no arrow joins two parts */
			last = id;
			arrows++;
		} else if (is_kind(event, "i")) {
			assert_true(vrs_json_int(cJSON_GetObjectItem(event, "args"), "frame", &frame));
			assert_int_equal(frame, marks < 3 ? 100 * marks + 7 : 1);
			assert_int_equal(process, marks < 3 ? marks + 2 : 1);
			marks++;
		}
	}
	assert_int_equal(arrows, 6000);
	assert_int_equal(marks, 4);
	cJSON_Delete(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json_at_every_moment),
		cmocka_unit_test(test_part_follows_no_link),
		cmocka_unit_test(test_append),
		cmocka_unit_test(test_lanes),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_incomplete),
		cmocka_unit_test(test_spans_and_counters),
		cmocka_unit_test(test_interrupted),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
