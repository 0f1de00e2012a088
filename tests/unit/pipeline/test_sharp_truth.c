/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards --refine-full on the clips with exact truth, in every sample of the written matte: it has more overlap and less error than the matte's own
 * edges and than --refine, also after that, and gives the same bytes for any threads and streams.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define vrs_source vrs_value_source /* where a value comes from; a video source has the same tag in video/source.h */
#undef vrs_source
#include <vrseg/log.h>
#include <vrseg/pipeline.h>
#include <vrseg/quality.h>

#include "scratch_folder.h"
#include "small_network.h"

#include "matte/matte_expand.h"
#include "video/source.h"

static struct vrs_arena arena; /* of all tests */

#define MATTE "matte.mkv"

struct means {
	double iou, worst, mad, boundary;
	int frames;
};

static void assert_ok(enum vrs_status status, const struct vrs_error *err)
{
	if (status != VRS_OK)
		print_message("%s: %s\n", vrs_status_name(status), err->text);
	assert_int_equal(status, VRS_OK);
}

static void write_matte(const char *clip, const char *path, bool refine, bool full, int max_frames)
{
	char input[512];
	struct vrs_settings settings;
	struct vrs_job *job;
	struct vrs_error err = {0};
	assert_true(small_network_settings(&settings));
	snprintf(input, sizeof input, "%s/data/%s.mp4", VRS_TEST_DIR, clip);
	snprintf(settings.output.file, sizeof settings.output.file, "%s", path);
	snprintf(settings.output.encoder, sizeof settings.output.encoder, "ffv1");
	settings.output.overwrite = true;
	settings.output.mode = VRS_MODE_MATTE;
	settings.matte.refine = refine;
	settings.matte.refine_full = full;
	settings.pipeline.max_frames = max_frames;
	assert_ok(vrs_job_create(&job, input, &settings, 1, NULL, &err), &err);
	assert_ok(vrs_job_run(job, &err), &err);
	vrs_job_destroy(job);
}

static struct vrs_source *open_video(const char *path)
{
	const struct vrs_source_options options = {.threads = 1};
	struct vrs_source *source;
	struct vrs_error err = {0};
	assert_ok(vrs_source_open(&source, path, &options, &err), &err);
	return source;
}

static void add_frame(struct means *m, const struct vrs_frame *frame, const struct vrs_frame *truth)
{
	struct vrs_rect all = {0, 0, frame->format.width, frame->format.height};
	struct vrs_matte a, b;
	struct vrs_quality q;
	assert_int_equal(vrs_matte_init(&a, &arena, all.width, all.height), VRS_OK);
	assert_int_equal(vrs_matte_init(&b, &arena, all.width, all.height), VRS_OK);
	assert_int_equal(vrs_matte_from_luma(&a, frame, &all, &all), VRS_OK);
	assert_int_equal(vrs_matte_from_luma(&b, truth, &all, &all), VRS_OK);
	assert_int_equal(vrs_quality_compare(&q, &a, &b), VRS_OK);
	m->iou += q.iou;
	m->worst = m->frames == 0 || q.iou < m->worst ? q.iou : m->worst;
	m->mad += q.mad;
	m->boundary += q.boundary_f;
	m->frames++;
}

static struct means score(const char *clip, bool refine, bool full, int max_frames)
{
	char alpha[512];
	struct means m = {0};
	struct vrs_error err = {0};
	snprintf(alpha, sizeof alpha, "%s/data/%s_alpha.mkv", VRS_TEST_DIR, clip);
	write_matte(clip, MATTE, refine, full, max_frames);
	struct vrs_source *ours = open_video(MATTE), *truth = open_video(alpha);
	struct vrs_frame a = {0}, b = {0};
	while (vrs_source_read(ours, &a, &err) == VRS_OK) {
		assert_int_equal(vrs_source_read(truth, &b, &err), VRS_OK);
		add_frame(&m, &a, &b);
		vrs_frame_unref(&a);
		vrs_frame_unref(&b);
	}
	vrs_source_close(ours);
	vrs_source_close(truth);
	m.iou /= m.frames;
	m.mad /= m.frames;
	m.boundary /= m.frames;
	print_message("%s%s%s: IoU %.4f worst %.4f, MAD %.5f, boundary F %.4f\n", clip, refine ? " refine" : "", full ? " refine-full" : "", m.iou, m.worst,
		      m.mad, m.boundary);
	return m;
}

static void check_clip(const char *clip, int max_frames)
{
	struct means plain = score(clip, false, false, max_frames), full = score(clip, false, true, max_frames);
	struct means refined = score(clip, true, false, max_frames), both = score(clip, true, true, max_frames);
	assert_true(full.iou >= plain.iou + 0.003 && full.worst >= plain.worst && full.mad < plain.mad * 0.96);
	assert_true(full.boundary >= plain.boundary - 0.006); /* a little of thin parts, as --refine */
	assert_true(full.iou > refined.iou + 0.001 && full.mad < refined.mad && full.boundary > refined.boundary);
	assert_true(both.iou > refined.iou && both.mad < refined.mad);
}

static void test_flat(void **state)
{
	(void)state;
	check_clip("person_flat", 60);
}

static void test_vr180(void **state)
{
	(void)state;
	check_clip("person_vr180_sbs", 20);
}

static void test_same_bytes(void **state)
{
	(void)state;
	static const struct {
		int threads, streams, batch;
	} ways[] = {{1, 1, 0}, {2, 1, 1}, {1, 3, 4}};
	static const enum vrs_output_mode modes[] = {VRS_MODE_GREEN, VRS_MODE_CUTOUT, VRS_MODE_ALPHA};
	char first[4096] = "", text[4096];
	for (size_t i = 0; i < 9; i++) {
		struct vrs_settings settings;
		struct vrs_job *job;
		struct vrs_error err = {0};
		assert_true(small_network_settings(&settings));
		snprintf(settings.output.file, sizeof settings.output.file, "hash:" MATTE);
		settings.output.overwrite = true;
		settings.output.mode = modes[i / 3];
		settings.matte.refine_full = true;
		settings.matte.despill = i / 3 ? 0 : 0.5;
		settings.pipeline.max_frames = 9;
		settings.engine.threads = ways[i % 3].threads;
		settings.engine.streams = ways[i % 3].streams;
		settings.engine.batch_size = ways[i % 3].batch;
		assert_ok(vrs_job_create(&job, VRS_TEST_DIR "/data/person_vr180_sbs.mp4", &settings, 1, NULL, &err), &err);
		assert_ok(vrs_job_run(job, &err), &err);
		vrs_job_destroy(job);
		FILE *file = fopen(MATTE, "r");
		assert_non_null(file);
		size_t size = fread(text, 1, sizeof text - 1, file);
		fclose(file);
		text[size] = '\0';
		assert_true(size > 200);
		if (i % 3 == 0)
			memcpy(first, text, sizeof first);
		assert_string_equal(text, first);
	}
}

static int make_folder(void **state)
{
	(void)state;
	vrs_log_set_level(VRS_LOG_ERROR);
	return scratch_folder_enter("sharp_truth");
}

static int remove_folder(void **state)
{
	(void)state;
	(void)unlink(MATTE);
	vrs_arena_free(&arena);
	return scratch_folder_leave("sharp_truth");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flat),
		cmocka_unit_test(test_vr180),
		cmocka_unit_test(test_same_bytes),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
