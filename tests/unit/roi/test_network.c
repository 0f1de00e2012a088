/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards what the input size "auto" becomes: what the manifest has for VR and for flat pictures, by the layout; sizes that are given stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "roi/roi_plan.h"

#include <vrseg/config.h>

#define OWN "test_network_scratch.yaml"

static enum vrs_status take(struct vrs_settings *settings, const char *model, enum vrs_auto_size size, enum vrs_projection projection,
			    enum vrs_stereo stereo, int width, int height)
{
	const struct vrs_layout layout = {.stereo = stereo, .projection = projection, .pixel_aspect = 1};
	const struct vrs_picture_format format = {.width = width, .height = height, .planes = 3, .chroma_shift_x = 1, .chroma_shift_y = 1, .bit_depth = 8};

	memset(settings, 0, sizeof *settings);
	settings->engine.auto_size = size;
	assert_true(strlen(model) < sizeof settings->engine.model);
	memcpy(settings->engine.model, model, strlen(model) + 1);
	return vrs_roi_settle_size(settings, &layout, &format, NULL);
}

static void the_layout_decides_on_the_size(void **state)
{
	static const struct {
		enum vrs_projection projection;
		enum vrs_stereo stereo;
		int width, height;
		bool vr;
	} cases[] = {
		{VRS_PROJECTION_HEQUIRECT, VRS_STEREO_SBS, 3840, 1920, true}, {VRS_PROJECTION_FISHEYE, VRS_STEREO_SBS, 3840, 1920, true},
		{VRS_PROJECTION_EQUIRECT, VRS_STEREO_MONO, 3840, 1920, true}, {VRS_PROJECTION_EQUIRECT, VRS_STEREO_TB, 3840, 3840, true},
		{VRS_PROJECTION_UNKNOWN, VRS_STEREO_SBS, 3840, 1920, true},   {VRS_PROJECTION_UNKNOWN, VRS_STEREO_SBS, 3840, 1080, false},
		{VRS_PROJECTION_UNKNOWN, VRS_STEREO_MONO, 1000, 1000, false}, {VRS_PROJECTION_FLAT, VRS_STEREO_MONO, 1920, 1080, false},
		{VRS_PROJECTION_FLAT, VRS_STEREO_SBS, 3840, 1920, false},
	};
	static const char text[] = "file: /x/net.onnx\nlicence: MIT\nsource: here\noutput: {kind: probability}\n"
				   "input: {size: [1, 2], vr_size: [[3, 4], [5, 6]], flat_size: [[7, 8], [9, 10]]}\n";
	struct vrs_manifest manifest;
	struct vrs_settings settings;

	(void)state;
	assert_int_equal(vrs_file_replace(OWN, text, sizeof text - 1, NULL), VRS_OK);
	assert_int_equal(vrs_manifest_load(&manifest, OWN, NULL), VRS_OK);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		for (int size = VRS_AUTO_SIZE_NORMAL; size <= VRS_AUTO_SIZE_LARGE; size++) {
			const int *wanted = cases[i].vr ? manifest.vr_size[size] : manifest.flat_size[size];
			enum vrs_status status = take(&settings, OWN, size, cases[i].projection, cases[i].stereo, cases[i].width, cases[i].height);
			if (status != VRS_OK || memcmp(settings.engine.input_size, wanted, sizeof settings.engine.input_size) != 0)
				fail_msg("case %zu: %dx%d", i, settings.engine.input_size[0], settings.engine.input_size[1]);
		}
	}
	assert_int_equal(remove(OWN), 0);
}

static void networks_of_one_size_keep_it(void **state)
{
	struct vrs_settings settings;

	(void)state;
	assert_int_equal(take(&settings, "selfie_segmentation", VRS_AUTO_SIZE_LARGE, VRS_PROJECTION_HEQUIRECT, VRS_STEREO_SBS, 3840, 1920), VRS_OK);
	assert_int_equal(settings.engine.input_size[0], 0);
	enum vrs_status status = take(&settings, "nobody has this network", VRS_AUTO_SIZE_NORMAL, VRS_PROJECTION_FLAT, VRS_STEREO_MONO, 1920, 1080);
	assert_int_equal(status, VRS_ECONFIG);
	assert_int_equal(settings.engine.input_size[0], 0);
}

static void sizes_that_are_given_stay(void **state)
{
	const struct vrs_layout layout = {.stereo = VRS_STEREO_SBS, .projection = VRS_PROJECTION_HEQUIRECT, .pixel_aspect = 1};
	const struct vrs_picture_format format = {.width = 3840, .height = 1920, .planes = 3, .bit_depth = 8};
	struct vrs_settings settings;

	(void)state;
	assert_int_equal(take(&settings, "selfie_segmentation", VRS_AUTO_SIZE_LARGE, VRS_PROJECTION_FLAT, VRS_STEREO_MONO, 1920, 1080), VRS_OK);
	memcpy(settings.engine.model, "rvm_mobilenetv3", sizeof "rvm_mobilenetv3");
	settings.engine.input_size[0] = 256;
	settings.engine.input_size[1] = 128;
	assert_int_equal(vrs_roi_settle_size(&settings, &layout, &format, NULL), VRS_OK);
	assert_int_equal(settings.engine.input_size[0], 256);
	assert_int_equal(settings.engine.input_size[1], 128);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_layout_decides_on_the_size),
		cmocka_unit_test(networks_of_one_size_keep_it),
		cmocka_unit_test(sizes_that_are_given_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
