/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards early exit: that looks which the small network settles never reach the large one (calls counted by the sessions themselves), that
 * threshold 0 is the small network alone and threshold 1 gives the bytes of a job without, that bytes do not depend on threads, streams and batch,
 * that quality lies between the two networks', and what is refused.
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

#include "base/file.h"
#include "base/mem.h"

#include <vrseg/log.h>
#include <vrseg/pipeline.h>
#include <vrseg/progress.h>
#include <vrseg/quality.h>

#include "scratch_folder.h"
#include "small_network.h"

#define VR_CLIP VRS_TEST_DIR "/data/person_vr180_sbs.mp4"
#define FLAT_CLIP VRS_TEST_DIR "/data/person_flat.mp4"
#define FLAT_ALPHA VRS_TEST_DIR "/data/person_flat_alpha.mkv"

static struct vrs_settings defaults(double threshold, int max_frames)
{
	struct vrs_settings settings;
	assert_true(small_network_settings(&settings));
	snprintf(settings.output.file, sizeof settings.output.file, "null:");
	settings.output.overwrite = true;
	settings.matte.early_exit = true;
	settings.matte.early_exit_threshold = threshold;
	settings.pipeline.max_frames = max_frames;
	return settings;
}

static void assert_ok(enum vrs_status status, const struct vrs_error *err)
{
	if (status != VRS_OK)
		print_message("%s: %s\n", vrs_status_name(status), err->text);
	assert_int_equal(status, VRS_OK);
}

/* One line for each frame, in a new string. */
static char *hashes(struct vrs_settings *settings, const char *clip, struct vrs_job_stats *ret_stats)
{
	struct vrs_error err = {0};
	struct vrs_job *job;
	struct vrs_buf text;
	snprintf(settings->output.file, sizeof settings->output.file, "hash:frames.txt");
	assert_ok(vrs_job_create(&job, clip, settings, 1, NULL, &err), &err);
	assert_ok(vrs_job_run(job, &err), &err);
	if (ret_stats)
		vrs_job_stats(job, ret_stats);
	vrs_job_destroy(job);
	assert_ok(vrs_file_read("frames.txt", 1 << 20, &text, &err), &err);
	char *copy = vrs_strdup(vrs_buf_str(&text));
	vrs_buf_fini(&text);
	assert_non_null(copy);
	return copy;
}

/* Calls of the slowest operator of the two networks' tables: small, large (0: it never ran). */
static void count_calls(const struct vrs_job *job, unsigned long long calls[2])
{
	char *text = NULL, line[256], kernel[128];
	size_t size;
	FILE *out = open_memstream(&text, &size);
	vrs_job_profile_report(job, out);
	fclose(out);
	calls[0] = calls[1] = 0;
	int network = -1;
	for (const char *at = text; *at; at = strchr(at, '\n') + 1) {
		snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
		network += strstr(line, " network, ") != NULL;
		if (network >= 0 && network < 2 && calls[network] == 0 && strlen(line) > 52)
			(void)!sscanf(line + 52, "%*f %*f %% %llu %127s", &calls[network], kernel);
	}
	free(text);
}

static void test_exits_save_the_large_network(void **state)
{
	(void)state;
	static const struct {
		double threshold;
		bool some_small, some_large;
	} cases[] = {{0, true, false}, {0.978, true, true}, {1, false, true}};
	for (size_t i = 0; i < 3; i++) {
		struct vrs_settings settings = defaults(cases[i].threshold, 20);
		struct vrs_job_stats stats;
		struct vrs_job *job;
		struct vrs_error err = {0};
		unsigned long long calls[2];
		settings.report.profile = true;
		settings.engine.batch_size = 1; /* a call for each look */
		assert_ok(vrs_job_create(&job, FLAT_CLIP, &settings, 1, NULL, &err), &err);
		assert_string_equal(vrs_job_info(job)->early_model, "selfie_segmentation_landscape");
		assert_ok(vrs_job_run(job, &err), &err);
		vrs_job_stats(job, &stats);
		count_calls(job, calls);
		vrs_job_destroy(job);
		assert_true(stats.early_looks >= 20);
		assert_int_equal(calls[0], stats.early_looks);
		assert_int_equal(calls[1], stats.early_looks - stats.early_enough);
		assert_true(cases[i].some_small == (stats.early_enough > 0) && cases[i].some_large == (stats.early_enough < stats.early_looks));
		assert_true(stats.early_confidence / (double)stats.early_looks > 0.9);
	}
}

static void test_never_enough_is_as_without(void **state)
{
	(void)state;
	static const struct {
		int regions, scales, stride;
		bool refine;
	} ways[] = {{1, 1, 1, false}, {1, 1, 2, true}, {2, 2, 1, true}};
	for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
		struct vrs_settings with = defaults(1, 9);
		with.matte.max_regions = ways[i].regions;
		with.matte.scales = ways[i].scales;
		with.matte.stride = ways[i].stride;
		with.matte.refine = ways[i].refine;
		struct vrs_settings without = with;
		without.matte.early_exit = false;
		char *a = hashes(&with, VR_CLIP, NULL), *b = hashes(&without, VR_CLIP, NULL);
		assert_string_equal(a, b);
		vrs_free(a);
		vrs_free(b);
	}
}

static void test_always_enough_is_the_small_one(void **state)
{
	(void)state;
	/* the same network at a smaller size has mattes of another size; at its own it is refused: so the small one at its own size on both sides */
	struct vrs_settings cascade = defaults(0, 9), alone = defaults(0, 9);
	snprintf(cascade.engine.model, sizeof cascade.engine.model, "selfie_segmentation_landscape");
	cascade.engine.input_size[0] = cascade.engine.input_size[1] = 256; /* mattes of that size */
	snprintf(cascade.matte.early_exit_model, sizeof cascade.matte.early_exit_model, "selfie_segmentation");
	alone.matte.early_exit = false;
	char *a = hashes(&cascade, FLAT_CLIP, NULL), *b = hashes(&alone, FLAT_CLIP, NULL);
	assert_string_equal(a, b);
	vrs_free(a);
	vrs_free(b);
}

static void test_same_bytes(void **state)
{
	(void)state;
	static const struct {
		int threads, streams, batch, regions;
	} ways[] = {{1, 1, 0, 1}, {2, 1, 0, 1}, {1, 3, 0, 1}, {1, 2, 3, 1}, {1, 2, 8, 1}, {1, 1, 1, 2}, {2, 3, 4, 2}};
	char *first = NULL;
	for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
		struct vrs_settings settings = defaults(0.945, 11); /* about half of the looks */
		struct vrs_job_stats stats;
		settings.matte.smoothing = 0.5;
		settings.matte.max_regions = ways[i].regions;
		settings.engine.threads = ways[i].threads;
		settings.engine.streams = ways[i].streams;
		settings.engine.batch_size = ways[i].batch;
		char *text = hashes(&settings, VR_CLIP, &stats);
		assert_true(stats.early_enough > 0 && stats.early_enough < stats.early_looks);
		if (i == 0 || ways[i].regions != ways[i - 1].regions) {
			vrs_free(first);
			first = text;
			continue;
		}
		assert_string_equal(text, first);
		vrs_free(text);
	}
	vrs_free(first);
}

static void on_matte(void *truth, int64_t index, int eye, const struct vrs_matte *matte, const struct vrs_rect *covers)
{
	vrs_truth_add(truth, index, eye, matte, covers);
}

static double score(double threshold)
{
	struct vrs_settings settings = defaults(threshold, 0);
	struct vrs_truth *truth;
	struct vrs_truth_result result;
	struct vrs_job *job;
	struct vrs_error err = {0};
	assert_ok(vrs_truth_open(&truth, FLAT_ALPHA, FLAT_CLIP, &settings, &err), &err);
	struct vrs_job_callbacks callbacks = {.cookie = truth, .on_matte = on_matte};
	assert_ok(vrs_job_create(&job, FLAT_CLIP, &settings, 1, &callbacks, &err), &err);
	assert_ok(vrs_truth_attach(truth, vrs_job_info(job), 1, &err), &err);
	assert_ok(vrs_job_run(job, &err), &err);
	assert_ok(vrs_truth_result(truth, &result, &err), &err);
	vrs_job_destroy(job);
	vrs_truth_close(truth);
	return result.frame_size[0].iou.mean;
}

static void test_quality(void **state)
{
	(void)state;
	double small = score(0), mixed = score(0.9785), large = score(1);
	print_message("flat: IoU mean of the small network %.4f, of both %.4f, of the large one %.4f\n", small, mixed, large);
	assert_true(small >= 0.97 && large > small);
	assert_true(mixed >= small && mixed <= large);
}

static void expect_refusal(const struct vrs_settings *settings, const char *part)
{
	struct vrs_job *job = NULL;
	struct vrs_error err = {0};
	assert_int_equal(vrs_job_create(&job, FLAT_CLIP, settings, 1, NULL, &err), VRS_ECONFIG);
	if (!strstr(err.text, part))
		fail_msg("%s", err.text);
}

static void test_refusals(void **state)
{
	(void)state;
	struct vrs_settings settings = defaults(0.95, 2);
	snprintf(settings.matte.early_exit_model, sizeof settings.matte.early_exit_model, "%s", settings.engine.model);
	expect_refusal(&settings, "needs two networks");
	settings.matte.early_exit_size[0] = 100;
	settings.matte.early_exit_size[1] = 96;
	expect_refusal(&settings, "multiples of 16");
	settings = defaults(0.95, 2);
	settings.engine.batch_size = 32; /* more than one picture has regions */
	snprintf(settings.engine.model, sizeof settings.engine.model, VRS_SOURCE_DIR "/configs/models/example_recurrent.yaml");
	expect_refusal(&settings, "is recurrent");
	settings = defaults(0.95, 2);
	snprintf(settings.matte.early_exit_model, sizeof settings.matte.early_exit_model, VRS_SOURCE_DIR "/configs/models/example_recurrent.yaml");
	expect_refusal(&settings, "is recurrent");
}

/* Every allocation fails once; the job says so and leaves nothing. */
static void test_out_of_memory(void **state)
{
	(void)state;
	struct vrs_settings settings = defaults(0.95, 2);
	struct vrs_error err = {0};
	settings.engine.streams = 2;
	struct vrs_job *job = NULL;
	assert_ok(vrs_job_create(&job, FLAT_CLIP, &settings, 1, NULL, &err), &err);
	vrs_job_destroy(job);
	uint64_t live = vrs_mem_stats().live_bytes, before = vrs_mem_stats().allocations;
	assert_ok(vrs_job_create(&job, FLAT_CLIP, &settings, 1, NULL, &err), &err);
	uint64_t all = vrs_mem_stats().allocations - before;
	vrs_job_destroy(job);
	for (uint64_t n = 1; n < all; n += all / 60 + 1) {
		job = NULL;
		vrs_mem_fail_after(n, true);
		enum vrs_status status = vrs_job_create(&job, FLAT_CLIP, &settings, 1, NULL, &err);
		vrs_mem_fail_after(0, false);
		assert_true(status != VRS_OK && !job);
		assert_int_equal(vrs_mem_stats().live_bytes, live);
	}
}

static int make_folder(void **state)
{
	(void)state;
	vrs_log_set_level(VRS_LOG_ERROR);
	return scratch_folder_enter("cascade");
}

static int remove_folder(void **state)
{
	(void)state;
	(void)unlink("frames.txt");
	return scratch_folder_leave("cascade");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exits_save_the_large_network),
		cmocka_unit_test(test_never_enough_is_as_without),
		cmocka_unit_test(test_always_enough_is_the_small_one),
		cmocka_unit_test(test_same_bytes),
		cmocka_unit_test(test_quality),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_out_of_memory),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
