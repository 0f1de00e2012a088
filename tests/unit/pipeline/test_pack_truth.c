/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards packed films end to end: the VR180 truth clip through the network, packed and encoded, decoded and unpacked by the players' table, against
 * the exact alpha seen through the fisheye lens.  Discs have 0.4 of the eye's height, which costs a little of the IoU of the mattes themselves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define vrs_source vrs_value_source /* where a value comes from; a video source has the same tag in video/source.h */
#undef vrs_source
#include <vrseg/pipeline.h>
#include <vrseg/quality.h>

#include "small_network.h"

#include "matte/matte_expand.h"
#include "job/packed_video.h"
#include "video/source.h"
#include "vr/lens.h"

static struct vrs_arena arena; /* of all tests */

static int free_arena(void **state)
{
	(void)state;
	vrs_arena_free(&arena);
	return 0;
}

#define SIDE 400 /* about that of a disc of the clip */
#define NTH 12

static void pack(const char *output)
{
	struct vrs_settings settings;
	struct vrs_job *job;
	struct vrs_error err = {0};
	assert_true(small_network_settings(&settings));
	settings.output.mode = VRS_MODE_ALPHA;
	settings.output.overwrite = true;
	settings.pipeline.every_nth = NTH;
	snprintf(settings.output.file, sizeof settings.output.file, "%s", output);
	if (vrs_job_create(&job, VRS_TEST_DIR "/data/person_vr180_sbs.mp4", &settings, 1, NULL, &err) || vrs_job_run(job, &err))
		fail_msg("%s", err.text);
	vrs_job_destroy(job);
}

/* The eye's exact alpha at the pixels of a fisheye of 180 degrees. */
static void see(struct vrs_matte *matte, const struct vrs_frame *truth, int eye)
{
	struct vrs_lens source, carrier;
	int size = truth->format.height;
	assert_int_equal(vrs_lens_init(&source, VRS_PROJECTION_HEQUIRECT, 180, size, size, NULL), VRS_OK);
	assert_int_equal(vrs_lens_init(&carrier, VRS_PROJECTION_FISHEYE, 180, SIDE, SIDE, NULL), VRS_OK);
	for (int i = 0; i < SIDE * SIDE; i++) {
		double d[3], u = 0, v = 0;
		bool shown = vrs_lens_direction(&carrier, i % SIDE + 0.5, i / SIDE + 0.5, d) && vrs_lens_position(&source, d, &u, &v);
		int x = u < 0 ? 0 : u >= size ? size - 1 : (int)u, y = v < 0 ? 0 : v >= size ? size - 1 : (int)v;
		matte->data[matte->stride * (i / SIDE) + i % SIDE] = shown ? truth->data[0][truth->stride_bytes[0] * y + eye * size + x] : 0;
	}
}

static struct vrs_source *open_film(const char *path)
{
	const struct vrs_source_options options = {.threads = 1};
	struct vrs_source *source;
	struct vrs_error err = {0};
	if (vrs_source_open(&source, path, &options, &err))
		fail_msg("%s", err.text);
	return source;
}

static void unpacked_mattes_are_true(void **state)
{
	(void)state;
	const char *output = "pack_truth_FISHEYE180_alpha.mp4";
	struct vrs_matte unpacked, truth;
	double sum[2] = {0}, worst[2] = {1, 1};
	int frames = 0;
	pack(output);
	struct vrs_source *film = open_film(output), *alpha = open_film(VRS_TEST_DIR "/data/person_vr180_sbs_alpha.mkv");
	assert_int_equal(vrs_matte_init(&unpacked, &arena, SIDE, SIDE), VRS_OK);
	assert_int_equal(vrs_matte_init(&truth, &arena, SIDE, SIDE), VRS_OK);
	for (int i = 0;; i++) {
		struct vrs_frame a, b;
		if (vrs_source_read(alpha, &b, NULL))
			break;
		if (i % NTH == 0) {
			assert_int_equal(vrs_source_read(film, &a, NULL), VRS_OK);
			for (int eye = 0; eye < 2; eye++) {
				struct vrs_quality quality;
				vrs_packed_video_matte(&unpacked, &a, eye, 0, 0);
				see(&truth, &b, eye);
				assert_int_equal(vrs_quality_compare(&quality, &unpacked, &truth), VRS_OK);
				sum[eye] += quality.iou;
				worst[eye] = quality.iou < worst[eye] ? quality.iou : worst[eye];
			}
			frames++;
			vrs_frame_unref(&a);
		}
		vrs_frame_unref(&b);
	}
	assert_int_equal(frames, 60 / NTH);
	for (int eye = 0; eye < 2; eye++) {
		print_message("eye %d: IoU mean %.4f worst %.4f\n", eye, sum[eye] / frames, worst[eye]);
		assert_true(sum[eye] / frames >= 0.93);
		assert_true(worst[eye] >= 0.91);
	}
	vrs_source_close(film);
	vrs_source_close(alpha);
	assert_int_equal(unlink(output), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unpacked_mattes_are_true),
	};
	return cmocka_run_group_tests_name("pack_truth", tests, NULL, free_arena);
}
