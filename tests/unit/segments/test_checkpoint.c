/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: checkpoints survive a round trip and tell what differs; damaged ones are refused as a whole; plans cut videos without gaps or overlaps,
 * whatever the rates and time bases are; identities change with content.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "segments/checkpoint.h"

#include <vrseg/config.h>

static struct vrs_settings defaults(void)
{
	struct vrs_config *config;
	assert_int_equal(vrs_config_create(&config), VRS_OK);
	struct vrs_settings settings = *vrs_config_settings(config);
	vrs_config_destroy(config);
	return settings;
}

static struct vrs_media_clock clock_of(int fps_num, int fps_den, int tb_num, int tb_den, int64_t frames)
{
	return (struct vrs_media_clock){.fps_num = fps_num, .fps_den = fps_den, .time_base_num = tb_num, .time_base_den = tb_den, .frames = frames,
		.exact = true};
}

/* Frame n has the time n * step, rounded down, up or to the nearest: it must fall into the segment that its number says. */
static void test_plan_borders(void **state)
{
	(void)state;
	static const int rates[][2] = {{24000, 1001}, {25, 1}, {30000, 1001}, {60, 1}, {72, 1}, {90000, 1501}};
	static const int bases[][2] = {{1, 1000}, {1, 15360}, {1, 90000}, {1001, 30000}, {1, 1000000}};
	for (size_t r = 0; r < sizeof rates / sizeof rates[0]; r++) {
		for (size_t b = 0; b < sizeof bases / sizeof bases[0]; b++) {
			struct vrs_settings settings = defaults();
			struct vrs_media_clock clock = clock_of(rates[r][0], rates[r][1], bases[b][0], bases[b][1], 5000);
			struct vrs_segment_plan plan;
			if ((double)rates[r][0] / rates[r][1] * bases[b][0] / bases[b][1] > 0.5)
				continue; /* the time base is too coarse to tell frames apart */
			settings.pipeline.segment_frames = 700;
			assert_int_equal(vrs_segment_plan_make(&plan, &clock, &settings, false, 0, NULL), VRS_OK);
			assert_int_equal(plan.segments, 7);
			for (int64_t n = 0; n < 5000; n++) {
				double exact = (double)n * rates[r][1] * bases[b][1] / ((double)rates[r][0] * bases[b][0]);
				int number = (int)(n / 700) < plan.segments ? (int)(n / 700) : plan.segments - 1;
				struct vrs_segment segment = vrs_segment_plan_at(&plan, number);
				assert_true((int64_t)exact >= segment.first && (int64_t)exact + 1 < segment.end);
				assert_true(number == 0 || segment.preroll < segment.first);
				if (number > 0)
					assert_int_equal(segment.first, vrs_segment_plan_at(&plan, number - 1).end);
			}
		}
	}
}

static void test_plan_segments(void **state)
{
	(void)state;
	static const struct {
		int64_t frames;
		int segments;
	} films[] = {{1, 1}, {1000, 1}, {1499, 1}, {1500, 2}, {2499, 2}, {2500, 3}, {100000, 100}};
	struct vrs_settings settings = defaults();
	struct vrs_segment_plan plan;
	for (size_t i = 0; i < sizeof films / sizeof films[0]; i++) {
		struct vrs_media_clock clock = clock_of(60, 1, 1, 90000, films[i].frames);
		assert_int_equal(vrs_segment_plan_make(&plan, &clock, &settings, false, 0, NULL), VRS_OK);
		assert_int_equal(plan.segments, films[i].segments);
	}
	settings.pipeline.every_nth = 2;
	struct vrs_media_clock clock = clock_of(60, 1, 1, 90000, 6000);
	assert_int_equal(vrs_segment_plan_make(&plan, &clock, &settings, false, 0, NULL), VRS_OK);
	assert_int_equal(plan.segments, 3);
	assert_int_equal(plan.frames, 3000);
	/* a limit shortens the video, one in four frames that is seen lengthens segments to whole fours */
	settings.pipeline.max_frames = 2100;
	settings.matte.stride = 4;
	settings.pipeline.segment_frames = 998;
	assert_int_equal(vrs_segment_plan_make(&plan, &clock, &settings, false, 0, NULL), VRS_OK);
	assert_int_equal(plan.frames, 2100);
	assert_int_equal(plan.segments, 2);
	assert_int_equal(plan.segment_frames, 1000);
	struct vrs_segment second = vrs_segment_plan_at(&plan, 1);
	assert_int_equal(second.frames_before, 1000);
	assert_int_equal(second.frames_unseen % 4, 0);
	assert_int_equal(second.first, 2000 * 1500 - 750);
	assert_int_equal(second.end, INT64_MAX);
	settings.pipeline.max_frames = 0;
	settings.matte.stride = 1;
	settings.pipeline.segment_frames = 1000;
	assert_int_equal(vrs_segment_plan_make(&plan, &clock, &settings, false, 0, NULL), VRS_OK);
	/* the past of a slow running mean is longer */
	int preroll = plan.preroll_frames;
	settings.matte.smoothing = 0.1;
	assert_int_equal(vrs_segment_plan_make(&plan, &clock, &settings, false, 0, NULL), VRS_OK);
	assert_int_equal(plan.preroll_frames, preroll + 60); /* 0.9^60 = 1/557 */
	double gate = settings.matte.motion_gate;
	settings.matte.motion_gate = 0; /* nothing is smoothed */
	assert_int_equal(vrs_segment_plan_make(&plan, &clock, &settings, false, 0, NULL), VRS_OK);
	assert_int_equal(plan.preroll_frames, preroll);
	settings.matte.motion_gate = gate;
	/* a recurrent network remembers further than any preroll: segments begin with what the one before has left */
	assert_int_equal(vrs_segment_plan_make(&plan, &clock, &settings, true, 2, NULL), VRS_OK);
	assert_int_equal(plan.preroll_frames, 0);
	second = vrs_segment_plan_at(&plan, 1);
	assert_int_equal(second.preroll, second.first);
	assert_int_equal(second.frames_unseen, second.frames_before);
	assert_int_equal(second.tail_frames, 2);
	clock.exact = false;
	assert_int_equal(vrs_segment_plan_make(&plan, &clock, &settings, false, 0, NULL), VRS_EUNSUPPORTED);
	clock = clock_of(0, 1, 1, 90000, 6000);
	assert_int_equal(vrs_segment_plan_make(&plan, &clock, &settings, false, 0, NULL), VRS_EUNSUPPORTED);
}

static void make(struct vrs_checkpoint *ckpt)
{
	struct vrs_settings settings = defaults();
	struct vrs_media_clock clock = clock_of(30000, 1001, 1, 90000, 3600);
	struct vrs_segment_plan plan;
	const struct vrs_input_identity input = {.size = INT64_C(1) << 53, .mtime_ns = INT64_C(1700000000123456789),
		.ctime_ns = INT64_C(1700000000123456790), .device = 1, .inode = -2, .content = UINT64_C(0xfedcba9876543210), .sample = 3};
	assert_int_equal(vrs_segment_plan_make(&plan, &clock, &settings, true, 0, NULL), VRS_OK);
	assert_int_equal(vrs_checkpoint_init(ckpt, &input, &plan), VRS_OK);
	ckpt->encoder_threads = 3;
	assert_true(vrs_checkpoint_option(ckpt, "output.crf", "20"));
	assert_true(vrs_checkpoint_option(ckpt, "engine.model", "a \"name\"\n"));
	assert_true(vrs_checkpoint_option(ckpt, "output.title", "rtmp://s:// @")); /* hidden once more it would be another text */
	assert_true(vrs_checkpoint_file(ckpt, "output.background", "0000000000000001"));
	ckpt->segments[0] = (struct vrs_segment_record){.done = true, .frames = 1000, .first_pts = 0, .end_pts = 3003000, .bytes = 12345, .hash = 777,
		.past_bytes = 6789, .past_hash = INT64_MAX};
	ckpt->segments[2] = (struct vrs_segment_record){.done = true, .frames = 998, .first_pts = 6006000, .end_pts = 9009000, .bytes = 54321,
		.kernels = "avx2"};
}

static void test_round_trip(void **state)
{
	(void)state;
	struct vrs_checkpoint ckpt, read;
	struct vrs_error err = {0};
	char reason[200], path[] = "vrs-checkpoint-XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	make(&ckpt);
	assert_int_equal(vrs_checkpoint_write(&ckpt, path, &err), VRS_OK);
	assert_int_equal(vrs_checkpoint_read(&read, path, &err), VRS_OK);
	unlink(path);
	assert_true(vrs_checkpoint_matches(&read, &ckpt, reason, sizeof reason));
	assert_int_equal(vrs_checkpoint_frames(&read), 1998);
	assert_memory_equal(read.segments, ckpt.segments, sizeof *ckpt.segments * (size_t)ckpt.plan.segments);
	assert_int_equal(read.saved.size, 0);
	assert_memory_equal(&read.input, &ckpt.input, sizeof read.input);
	assert_int_equal(read.encoder_threads, 3);
	vrs_checkpoint_fini(&ckpt);

	make(&ckpt);
	cJSON_DeleteItemFromObjectCaseSensitive(ckpt.options, "output.crf");
	assert_true(vrs_checkpoint_option(&ckpt, "output.crf", "18"));
	assert_false(vrs_checkpoint_matches(&read, &ckpt, reason, sizeof reason));
	assert_string_equal(reason, "output.crf was 20 and is 18");
	vrs_checkpoint_fini(&ckpt);
	make(&ckpt);
	cJSON_DeleteItemFromObjectCaseSensitive(ckpt.options, "content of output.background");
	assert_false(vrs_checkpoint_matches(&read, &ckpt, reason, sizeof reason));
	assert_string_equal(reason, "the content behind output.background has changed");
	assert_true(vrs_checkpoint_file(&ckpt, "output.background", "0000000000000002"));
	assert_false(vrs_checkpoint_matches(&read, &ckpt, reason, sizeof reason));
	assert_string_equal(reason, "the content behind output.background has changed");
	ckpt.input.content++;
	assert_false(vrs_checkpoint_matches(&read, &ckpt, reason, sizeof reason));
	assert_string_equal(reason, "the input has changed");
	vrs_checkpoint_fini(&ckpt);
	make(&ckpt);
	assert_int_equal(ckpt.plan.keeps_past, 1); /* the network is recurrent */
	ckpt.plan.preroll_frames++;
	assert_false(vrs_checkpoint_matches(&read, &ckpt, reason, sizeof reason));
	assert_string_equal(reason, "it was cut into other segments");
	vrs_checkpoint_fini(&ckpt);
	vrs_checkpoint_fini(&read);
}

/* What comparisons leave: every number of the sums comes back, segments without sums stay without. */
static void test_extras(void **state)
{
	(void)state;
	struct vrs_checkpoint ckpt, read;
	char path[] = "vrs-checkpoint-XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	make(&ckpt);
	ckpt.truth = (struct vrs_input_identity){.size = 5, .mtime_ns = 6, .content = 7};
	assert_true(vrs_checkpoint_compare(&ckpt));
	ckpt.sums[2].eyes = 2;
	ckpt.sums[2].pair = (struct vrs_truth_eyes){998, {970.5, 0.875, 12}, {990.25, 0.9375, 11}};
	for (int eye = 0; eye < 2; eye++) {
		struct vrs_truth_sum *sums[] = {&ckpt.sums[2].frame_size[eye], &ckpt.sums[2].matte_size[eye]};
		for (int i = 0; i < 2; i++) {
			sums[i]->score.frames = 998 + (uint64_t)eye;
			sums[i]->score.pairs = 997;
			sums[i]->score.iou = (struct vrs_truth_metric){316.625 + eye + i, 0.125, 1 + eye};
			sums[i]->score.mad = (struct vrs_truth_metric){0.375, 0.0078125, 2000000000000};
			sums[i]->score.boundary_f = (struct vrs_truth_metric){900.125, 0, 0};
			sums[i]->score.dtssd = (struct vrs_truth_metric){0, 1, 3};
			sums[i]->score.mse = (struct vrs_truth_metric){12.5, 0.25, 17};
			sums[i]->score.contour_f = (struct vrs_truth_metric){6.25, 0.125, 18};
		}
		ckpt.sums[2].frame_size[eye].box = (struct vrs_rect){100, 200, 400 + eye, 600};
		ckpt.sums[2].frame_size[eye].width = ckpt.sums[2].frame_size[eye].circle = 480;
		ckpt.sums[2].frame_size[eye].height = 800;
	}
	assert_int_equal(vrs_checkpoint_write(&ckpt, path, NULL), VRS_OK);
	assert_int_equal(vrs_checkpoint_read(&read, path, NULL), VRS_OK);
	unlink(path);
	assert_memory_equal(read.sums, ckpt.sums, sizeof *ckpt.sums * (size_t)ckpt.plan.segments);
	assert_true(vrs_input_identity_same(&read.truth, &ckpt.truth));
	vrs_checkpoint_fini(&read);
	ckpt.sums[2].frame_size[1].box.height = 601; /* beyond the eye: the file is damaged */
	assert_int_equal(vrs_checkpoint_write(&ckpt, path, NULL), VRS_OK);
	assert_int_equal(vrs_checkpoint_read(&read, path, NULL), VRS_EFORMAT);
	unlink(path);
	vrs_checkpoint_fini(&ckpt);
}

static void test_damaged(void **state)
{
	(void)state;
#define INPUT "\"schema\":\"vrseg-checkpoint/6\",\"input\":{\"size\":1,\"mtime_ns\":1,\"ctime_ns\":1,\"device\":1," \
		     "\"inode\":1,\"content\":\"0000000000000001\",\"sample\":\"0000000000000001\"},"
#define PLAN(segments) "\"plan\":{\"time_base_num\":1,\"time_base_den\":90000,\"fps_num\":30,\"fps_den\":1,\"frames\":3000,\"max_frames\":0," \
		    "\"segment_frames\":1000,\"every_nth\":1,\"preroll_frames\":16,\"tail_frames\":0,\"segments\":" segments ",\"keeps_past\":1},"
#define PART(n) "{\"segment\":" n ",\"frames\":1,\"first_pts\":0,\"end_pts\":1,\"bytes\":1,\"hash\":3,\"past_bytes\":5,\"past_hash\":7}"
	static const struct {
		const char *text;
		bool good;
	} cases[] = {
		{"{" INPUT PLAN("3") "\"done\":[" PART("0") "," PART("2") "],\"options\":{}}", true},
		{"{" INPUT PLAN("3") "\"done\":[" PART("3") "],\"options\":{}}", false},
		{"{" INPUT PLAN("3") "\"done\":[" PART("1") "," PART("1") "],\"options\":{}}", false},
		{"{" INPUT PLAN("0") "\"done\":[],\"options\":{}}", false},
		{"{" INPUT PLAN("1000000000") "\"done\":[],\"options\":{}}", false},
		{"{" INPUT PLAN("3") "\"done\":[],\"options\":{\"a\":1}}", false},
		{"{" INPUT PLAN("3") "\"done\":[]}", false},
		{"{" INPUT PLAN("3") "\"done\":{},\"options\":{}}", false},
		{"{" PLAN("3") "\"done\":[],\"options\":{}}", false},
		{"[]", false},
		{"", false},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct vrs_checkpoint ckpt;
		struct vrs_error err = {0};
		enum vrs_status status = vrs_checkpoint_parse(&ckpt, cases[i].text, strlen(cases[i].text), "test", &err);
		assert_int_equal(status, cases[i].good ? VRS_OK : VRS_EFORMAT);
		if (status == VRS_OK)
			vrs_checkpoint_fini(&ckpt);
		else
			assert_true(err.text[0]);
	}
}

static void put(const char *path, const char *byte, off_t at)
{
	int fd = open(path, O_WRONLY);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, byte, 1, at), 1);
	close(fd);
}

/* The time of change of the content, which programs set; that of the file moves on. */
static void set_time(const char *path)
{
	const struct timespec times[2] = {{.tv_sec = 1700000000}, {.tv_sec = 1700000000}};
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void make_file(char *path, off_t size)
{
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	close(fd);
	set_time(path);
}

/* One byte anywhere, under the same size and time, is another content; a copy is the same. */
static void test_identity(void **state)
{
	(void)state;
	char path[] = "vrs-identity-XXXXXX", copy[] = "vrs-identity-XXXXXX";
	struct vrs_input_identity a, b;
	make_file(path, 1000000);
	make_file(copy, 1000000);
	put(copy, "", 5); /* what it has, at another time */
	assert_int_equal(vrs_input_identity_read(&a, path, NULL, NULL), VRS_OK);
	assert_int_equal(vrs_input_identity_read(&b, copy, &a, NULL), VRS_OK);
	assert_true(a.mtime_ns != b.mtime_ns && a.inode != b.inode);
	assert_true(vrs_input_identity_same(&a, &b));
	assert_false(vrs_input_identity_looks_same(&a, &b));
	put(path, "x", 30000); /* between samples */
	set_time(path);
	assert_int_equal(vrs_input_identity_read(&b, path, &a, NULL), VRS_OK);
	assert_true(vrs_input_identity_looks_same(&a, &b));
	assert_false(vrs_input_identity_same(&a, &b));
	unlink(path);
	unlink(copy);
	assert_int_equal(vrs_input_identity_read(&b, path, NULL, NULL), VRS_ENOTFOUND);
	assert_int_equal(vrs_input_identity_read(&b, "/dev/null", NULL, NULL), VRS_EUNSUPPORTED);
}

/* A large file is read again when anything of it has changed, and not else; what has changed a moment ago is read by the next one, too. */
static void test_large_identity(void **state)
{
	(void)state;
	char path[] = "vrs-identity-XXXXXX";
	struct vrs_input_identity known, now, content;
	make_file(path, VRS_INPUT_SMALL + 1);
	assert_int_equal(vrs_input_identity_read(&content, path, NULL, NULL), VRS_OK);
	assert_int_equal(content.ctime_ns, 0);
	assert_int_equal(vrs_input_identity_look(&known, path, NULL), VRS_OK);
	assert_true(known.ctime_ns != 0);
	known.content = 42;
	assert_int_equal(vrs_input_identity_read(&now, path, &known, NULL), VRS_OK);
	assert_int_equal(now.content, 42);
	usleep(20000);  /* a step of the clock */
	put(path, "x", 30000);
	set_time(path);
	assert_int_equal(vrs_input_identity_read(&now, path, &known, NULL), VRS_OK);
	assert_true(vrs_input_identity_looks_same(&now, &known));
	assert_true(now.content != 42 && now.content != content.content);
	known.ctime_ns = 0;
	assert_int_equal(vrs_input_identity_read(&now, path, &known, NULL), VRS_OK);
	assert_true(now.content != 42);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plan_borders), cmocka_unit_test(test_plan_segments), cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_extras), cmocka_unit_test(test_damaged), cmocka_unit_test(test_identity),
		cmocka_unit_test(test_large_identity),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
