/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: a process that makes a segment gets every option of the table and every number of its segment, and all that it reports comes back; damaged
 * requests and reports are refused as a whole.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "segments/segment_process.h"

#include <vrseg/config.h>

/* Another value than the default, for any row. */
static void set_other_value(struct vrs_config *config, const struct vrs_option *row)
{
	static const char *const candidates[] = {"true", "false", "3", "0.125", "640x320", "123456", "some \"text\""};
	char before[VRS_PATH_MAX], after[VRS_PATH_MAX], word[64];
	assert_int_equal(vrs_config_get(config, row->key, before, sizeof before), VRS_OK);
	for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++) {
		snprintf(word, sizeof word, "%s", candidates[i]);
		if (row->choices) /* the second word: defaults are the first or a later one */
			sscanf(strcmp(before, row->default_text) == 0 && strncmp(row->choices, before, strlen(before)) == 0 ? strchr(row->choices, ' ') + 1
														   : row->choices, "%63s", word);
		if (vrs_config_set(config, row->key, word, VRS_SOURCE_FLAG, NULL, NULL) != VRS_OK)
			continue;
		assert_int_equal(vrs_config_get(config, row->key, after, sizeof after), VRS_OK);
		if (strcmp(before, after) != 0)
			return;
	}
	fail_msg("%s: no value but the default was found", row->key);
}

static void test_every_option(void **state)
{
	(void)state;
	struct vrs_config *config;
	struct vrs_segment_request read, request = {.input = "in.mp4", .process = 2};
	int count, seen = 0;
	const struct vrs_option *rows = vrs_option_table(&count);
	assert_int_equal(vrs_config_create(&config), VRS_OK);
	for (int i = 0; i < count; i++)
		if (rows[i].state == VRS_OPT_READY)
			set_other_value(config, &rows[i]);
	request.settings = *vrs_config_settings(config);
	snprintf(request.settings.output.file, sizeof request.settings.output.file, "a\ttab in the name of the input.mp4");
	char *text = vrs_segment_request_write(&request);
	assert_non_null(text);
	assert_int_equal(vrs_segment_request_read(&read, text, strlen(text), NULL), VRS_OK);
	for (int i = 0; i < count; i++) {
		char wanted[VRS_PATH_MAX], got[VRS_PATH_MAX];
		if (rows[i].state != VRS_OPT_READY)
			continue;
		assert_int_equal(vrs_option_text(&rows[i], &request.settings, wanted, sizeof wanted), VRS_OK);
		assert_int_equal(vrs_option_text(&rows[i], &read.settings, got, sizeof got), VRS_OK);
		if (strcmp(wanted, got) != 0)
			fail_msg("%s is %s for the parent and %s for the child", rows[i].key, wanted, got);
		seen++;
	}
	assert_true(seen > 70);
	vrs_segment_request_fini(&read);
	vrs_json_free_text(text);
	vrs_config_destroy(config);
}

static void test_segment(void **state)
{
	(void)state;
	struct vrs_config *config;
	assert_int_equal(vrs_config_create(&config), VRS_OK);
	struct vrs_segment_request read, request = {.settings = *vrs_config_settings(config), .input = "in \"1\".mp4", .truth = "truth.mkv", .number = 7,
		.process = 3,
		.segment = {.video_first_us = 66667, .preroll = 1, .first = INT64_MIN, .end = INT64_MAX, .tail_frames = 5, .frames_before = 1000,
		.frames_unseen = 984,
		.begin_ns = UINT64_C(1) << 62, .video = "out.mkv", .pictures = {.width = 4096, .height = 2048, .planes = 3, .chroma_shift_x = 1,
		.chroma_shift_y = 1, .bit_depth = 10, .matrix = VRS_MATRIX_BT2020, .range = VRS_RANGE_FULL, .primaries = 9, .transfer = 16,
		.chroma_location = 2}}};
	vrs_config_destroy(config);
	char *text = vrs_segment_request_write(&request);
	assert_non_null(text);
	assert_int_equal(vrs_segment_request_read(&read, text, strlen(text), NULL), VRS_OK);
	assert_string_equal(read.input, request.input);
	assert_string_equal(read.truth, request.truth);
	assert_null(read.trace);
	assert_int_equal(read.number, 7);
	assert_int_equal(read.process, 3);
	assert_string_equal(read.segment.video, request.segment.video);
	read.segment.video = request.segment.video;
	assert_memory_equal(&read.segment, &request.segment, sizeof read.segment);
	vrs_segment_request_fini(&read);
	vrs_json_free_text(text);
}

static void test_reply(void **state)
{
	(void)state;
	struct vrs_segment_reply read, reply = {.outcome = {.result = {.frames = 1000, .truncated = true, .first_pts = -3, .end_pts = INT64_C(1) << 60,
		.kernels = "opencl-01234567", .lost_device = true, .devices_left = "1+3"},
		.stats = {.frames_done = 1000, .frames_reused = 1, .early_looks = 2, .early_enough = 3, .early_confidence = 0.5, .eyes_compared = 4,
		.eyes_sum = 3.5, .eyes_worst = 0.25, .eyes_worst_frame = 6, .cpu_ns = UINT64_C(1) << 60, .peak_rss_bytes = 8, .queue_bytes = 9},
		.truth = {.eyes = 1, .frame_size[0].score.pairs = 10}}};
	for (int i = 0; i < VRS_STAGE_COUNT; i++)
		reply.outcome.stats.stage[i] = (struct vrs_stage_stats){11 + (uint64_t)i, 12, 13, 14, 15};
	for (int i = 0; i < VRS_TIME_BUCKETS; i++)
		reply.outcome.stats.stage_time[1].counts[i] = reply.outcome.stats.frame_time.counts[i] = 100 + (uint64_t)i;
	for (int q = 0; q < VRS_DEVICE_QUEUES; q++)
		reply.outcome.stats.device[q] = (struct vrs_device_stats){.runs = 5 + (uint64_t)q, .busy_ns = 70 + (uint64_t)q};
	reply.outcome.stats.stage_time[2].sum_ns = reply.outcome.stats.frame_time.sum_ns = 77;
	(void)vrs_fail(&reply.error, VRS_EFORMAT, "the \"end\" is missing");
	(void)vrs_fail(&reply.outcome.truth_error, VRS_EUNSUPPORTED, "no truth");
	char *text = vrs_segment_reply_write(&reply);
	assert_non_null(text);
	assert_int_equal(vrs_segment_reply_read(&read, text, strlen(text), NULL), VRS_OK);
	assert_memory_equal(&read.outcome.stats.stage, &reply.outcome.stats.stage, sizeof read.outcome.stats.stage);
	assert_memory_equal(&read.outcome.stats.device, &reply.outcome.stats.device, sizeof read.outcome.stats.device);
	assert_memory_equal(&read.outcome.stats.stage_time, &reply.outcome.stats.stage_time, sizeof read.outcome.stats.stage_time);
	assert_memory_equal(&read.outcome.stats.frame_time, &reply.outcome.stats.frame_time, sizeof read.outcome.stats.frame_time);
	assert_int_equal(read.outcome.result.end_pts, INT64_C(1) << 60);
	assert_string_equal(read.outcome.result.kernels, "opencl-01234567");
	assert_true(read.outcome.result.lost_device);
	assert_string_equal(read.outcome.result.devices_left, "1+3");
	assert_int_equal(read.outcome.stats.early_enough, 3);
	assert_int_equal(read.error.status, VRS_EFORMAT);
	assert_string_equal(read.outcome.truth_error.text, "no truth");
	char *again = vrs_segment_reply_write(&read); /* all else: what was read is written in the same way */
	assert_non_null(again);
	assert_string_equal(again, text);
	vrs_json_free_text(again);
	/* every end that is too early */
	for (size_t size = 0; size + 1 < strlen(text); size++)
		assert_int_not_equal(vrs_segment_reply_read(&read, text, size, NULL), VRS_OK);
	vrs_json_free_text(text);
}

static void test_damaged_requests(void **state)
{
	(void)state;
	static const char *const cases[] = {
		"", "[]", "{}", "{\"input\":\"a\",\"file\":\"b\",\"options\":{}}",
		"{\"input\":\"a\",\"file\":\"b\",\"options\":{},\"request\":{\"number\":-1,\"process\":2},\"segment\":{\"preroll\":0,\"first\":0,\"end\":1,"
		"\"tail\":1,\"frames_before\":0,\"frames_unseen\":0,\"begin_ns\":0}}",
		"{\"input\":\"a\",\"file\":\"b\",\"options\":{\"output.crf\":\"high\"},\"request\":{\"number\":1,\"process\":2},\"segment\":{\"preroll\":0,"
		"\"first\":0,\"end\":1,\"tail\":1,\"frames_before\":0,\"frames_unseen\":0,\"begin_ns\":0}}",
		"{\"input\":\"a\",\"options\":{},\"request\":{\"number\":1,\"process\":2},\"segment\":{\"preroll\":0,\"first\":0,\"end\":1,"
		"\"tail\":1,\"frames_before\":0,\"frames_unseen\":0,\"begin_ns\":0}}",
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct vrs_segment_request request;
		struct vrs_error err = {0};
		assert_int_not_equal(vrs_segment_request_read(&request, cases[i], strlen(cases[i]), &err), VRS_OK);
		assert_true(err.text[0]);
		vrs_segment_request_fini(&request);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_option), cmocka_unit_test(test_segment), cmocka_unit_test(test_reply),
		cmocka_unit_test(test_damaged_requests),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
