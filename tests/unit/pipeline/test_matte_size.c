/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the size of mattes: the network's, twice that for several regions, and in mode alpha no larger than the discs show, by the part of the eye
 * that is looked at, the angle and the height of the carrier; that smaller mattes keep their overlap with the truth; and the mean over areas that
 * makes them.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"
#include "matte/matte_expand.h"

#include <vrseg/log.h>
#include <vrseg/pipeline.h>
#include <vrseg/quality.h>

#include "small_network.h"

static struct vrs_arena arena; /* of all tests */

static int free_arena(void **state)
{
	(void)state;
	vrs_arena_free(&arena);
	return 0;
}

#define CLIP VRS_TEST_DIR "/data/person_vr180_sbs.mp4" /* eyes of 1024x1024 */

static struct vrs_settings defaults(enum vrs_output_mode mode, int side)
{
	struct vrs_settings settings;
	assert_true(small_network_settings(&settings));
	snprintf(settings.output.file, sizeof settings.output.file, "null:");
	settings.output.mode = (int)mode;
	settings.engine.input_size[0] = settings.engine.input_size[1] = side;
	return settings;
}

static void test_sizes(void **state)
{
	(void)state;
	static const struct {
		const char *input;
		enum vrs_output_mode mode;
		int side, regions;
		bool stay;
		double fov;
		int matte;
	} cases[] = {
		{CLIP, VRS_MODE_GREEN, 256, 1, false, 0, 256}, {CLIP, VRS_MODE_ALPHA, 256, 1, false, 0, 256},
		{CLIP, VRS_MODE_GREEN, 512, 1, false, 0, 512}, {CLIP, VRS_MODE_ALPHA, 512, 1, false, 0, 410},
		{CLIP, VRS_MODE_GREEN, 256, 2, false, 0, 512}, {CLIP, VRS_MODE_ALPHA, 256, 2, false, 0, 410},
		{CLIP, VRS_MODE_ALPHA, 512, 1, true, 0, 205},  {CLIP, VRS_MODE_ALPHA, 512, 1, false, 200, 369},
		{"synth:640x320,sbs,hequirect,frames=2", VRS_MODE_ALPHA, 256, 1, false, 0, 128},
		{"synth:640x320,sbs,hequirect,frames=2", VRS_MODE_CUTOUT, 256, 1, false, 0, 256},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct vrs_settings settings = defaults(cases[i].mode, cases[i].side);
		struct vrs_job *job;
		struct vrs_error err = {0};
		settings.matte.max_regions = cases[i].regions;
		settings.matte.follow = !cases[i].stay;
		settings.output.fov = cases[i].fov;
		if (vrs_job_create(&job, cases[i].input, &settings, 1, NULL, &err) != VRS_OK)
			fail_msg("%s", err.text);
		assert_int_equal(vrs_job_info(job)->matte_width, cases[i].matte);
		assert_int_equal(vrs_job_info(job)->matte_height, cases[i].matte);
		vrs_job_destroy(job);
	}
}

static void on_matte(void *truth, int64_t index, int eye, const struct vrs_matte *matte, const struct vrs_rect *covers)
{
	vrs_truth_add(truth, index, eye, matte, covers);
}

/* Mean IoU of the left eye in every sample of it; the matte's own size comes out too. */
static double score(enum vrs_output_mode mode, int *ret_size)
{
	struct vrs_settings settings = defaults(mode, 256);
	struct vrs_truth *truth;
	struct vrs_truth_result result;
	struct vrs_job *job;
	struct vrs_error err = {0};
	settings.matte.max_regions = 2;
	settings.matte.refine = true;
	settings.pipeline.max_frames = 12;
	assert_int_equal(vrs_truth_open(&truth, VRS_TEST_DIR "/data/person_vr180_sbs_alpha.mkv", CLIP, &settings, &err), VRS_OK);
	struct vrs_job_callbacks callbacks = {.cookie = truth, .on_matte = on_matte};
	assert_int_equal(vrs_job_create(&job, CLIP, &settings, 1, &callbacks, &err), VRS_OK);
	*ret_size = vrs_job_info(job)->matte_width;
	assert_int_equal(vrs_truth_attach(truth, vrs_job_info(job), 1, &err), VRS_OK);
	assert_int_equal(vrs_job_run(job, &err), VRS_OK);
	assert_int_equal(vrs_truth_result(truth, &result, &err), VRS_OK);
	vrs_job_destroy(job);
	vrs_truth_close(truth);
	return result.frame_size[0].iou.mean;
}

static void test_quality(void **state)
{
	(void)state;
	int large, small;
	double full = score(VRS_MODE_GREEN, &large), packed = score(VRS_MODE_ALPHA, &small);
	print_message("IoU %.4f of mattes of %d, %.4f of %d\n", full, large, packed, small);
	assert_true(small < large);
	assert_true(packed >= full - 0.001);
}

static void test_shrink(void **state)
{
	(void)state;
	static const float four[] = {0, 1, 0.5f, 0.5f, 1, 1, 0, 0};
	float two[2], same[8], big[64 * 50], little[23 * 17];
	struct vrs_matte_shrink shrink;
	assert_int_equal(vrs_matte_shrink_init(&shrink, &arena, 2, 1, 4, 2), VRS_OK);
	vrs_matte_shrink_run(&shrink, two, four);
	assert_true(fabsf(two[0] - 0.75f) < 1e-4f && fabsf(two[1] - 0.25f) < 1e-4f);
	assert_int_equal(vrs_matte_shrink_init(&shrink, &arena, 4, 2, 4, 2), VRS_OK);
	vrs_matte_shrink_run(&shrink, same, four);
	for (int i = 0; i < 8; i++)
		assert_true(same[i] == four[i]);
	struct vrs_rng rng;
	vrs_rng_init(&rng, 3);
	double mean = 0, shrunk = 0;
	for (int i = 0; i < 64 * 50; i++)
		mean += (double)(big[i] = (float)vrs_rng_unit(&rng)) / (64 * 50);
	assert_int_equal(vrs_matte_shrink_init(&shrink, &arena, 23, 17, 64, 50), VRS_OK);
	vrs_matte_shrink_run(&shrink, little, big);
	for (int i = 0; i < 23 * 17; i++)
		shrunk += (double)little[i] / (23 * 17);
	assert_true(fabs(mean - shrunk) < 1e-4);
	assert_int_equal(vrs_matte_shrink_init(&shrink, &arena, 65, 17, 64, 50), VRS_EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_quality),
		cmocka_unit_test(test_shrink),
	};
	vrs_log_set_level(VRS_LOG_ERROR);
	return cmocka_run_group_tests(tests, NULL, free_arena);
}
