/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards matte/hdr_curve: reference white, grey and black of PQ and HLG land where an SDR film has them, brightness never falls, colours of BT.2020
 * keep their hue, other formats have no curve, and mean, scale and channel order of the network do not matter.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "matte/hdr_transfer.h"

static struct vrs_arena arena; /* of all tests */

static int free_arena(void **state)
{
	(void)state;
	vrs_arena_free(&arena);
	return 0;
}

static struct vrs_hdr_curve *curve_of(int transfer, int primaries)
{
	const struct vrs_picture_format format = {.width = 4, .height = 4, .planes = 3, .bit_depth = 10, .transfer = transfer, .primaries = primaries};
	struct vrs_hdr_curve *curve;
	assert_int_equal(vrs_hdr_curve_create(&curve, &arena, &format), VRS_OK);
	return curve;
}

static double grey(const struct vrs_hdr_curve *curve, double code)
{
	float rgb[3] = {(float)code, (float)code, (float)code};
	vrs_hdr_curve_color(curve, rgb);
	assert_true(fabsf(rgb[0] - rgb[1]) < 0.003f && fabsf(rgb[2] - rgb[1]) < 0.003f);
	return rgb[1];
}

static void test_levels(void **state)
{
	(void)state;
	/* BT.2408: 203 nits are 0.58 of PQ and 0.75 of HLG, 18 % grey (26 nits) 0.38 and 0.38 */
	static const struct {
		int transfer;
		double white, mid;
	} kinds[] = {{16, 0.58, 0.38}, {18, 0.75, 0.38}};
	for (int k = 0; k < 2; k++) {
		struct vrs_hdr_curve *curve = curve_of(kinds[k].transfer, 9);
		double last = -1;
		assert_true(grey(curve, 0) < 0.01);
		assert_true(fabs(grey(curve, kinds[k].white) - 0.95) < 0.03);
		assert_true(fabs(grey(curve, kinds[k].mid) - pow(26 / 203.0, 1 / 2.4)) < 0.03);
		assert_true(grey(curve, 1) > 0.97 && grey(curve, 1) <= 1);
		for (double code = 0; code <= 1; code += 0.01) {
			assert_true(grey(curve, code) >= last - 1e-6);
			last = grey(curve, code);
		}
	}
}

static void test_only_hdr_has_one(void **state)
{
	(void)state;
	for (int transfer = 0; transfer < 20; transfer++) {
		struct vrs_hdr_curve *curve = curve_of(transfer, 1);
		assert_true((curve != NULL) == (transfer == 16 || transfer == 18));
	}
}

/* A skin tone of BT.709 written as BT.2020 PQ comes back as itself. */
static void test_primaries(void **state)
{
	(void)state;
	const double skin[3] = {0.5, 0.25, 0.17}; /* linear light, 1 = white */
	const double to2020[3][3] = {{0.6274, 0.3293, 0.0433}, {0.0691, 0.9195, 0.0114}, {0.0164, 0.0880, 0.8956}};
	struct vrs_hdr_curve *curve = curve_of(16, 9);
	float rgb[3];
	for (int c = 0; c < 3; c++) {
		double y = (to2020[c][0] * skin[0] + to2020[c][1] * skin[1] + to2020[c][2] * skin[2]) * 203 / 10000, p = pow(y, 0.1593017578125);
		rgb[c] = (float)pow((0.8359375 + 18.8515625 * p) / (1 + 18.6875 * p), 78.84375);
	}
	vrs_hdr_curve_color(curve, rgb);
	for (int c = 0; c < 3; c++)
		assert_true(fabs(rgb[c] - pow(skin[c], 1 / 2.4)) < 0.01);
}

static void test_network_order(void **state)
{
	(void)state;
	const float mean[3] = {0.485f, 0.456f, 0.406f}, scale[3] = {4.4f, 4.5f, 4.6f};
	struct vrs_hdr_curve *curve = curve_of(18, 9);
	for (int bgr = 0; bgr < 2; bgr++) {
		float color[3] = {0.7f, 0.5f, 0.3f}, pixels[2][3];
		for (int i = 0; i < 2; i++)
			for (int c = 0; c < 3; c++)
				pixels[i][bgr ? 2 - c : c] = (color[c] - mean[c]) * scale[c];
		vrs_hdr_curve_run(curve, pixels[0], 2, bgr, mean, scale);
		vrs_hdr_curve_color(curve, color);
		for (int i = 0; i < 2; i++)
			for (int c = 0; c < 3; c++)
				assert_true(fabsf(pixels[i][bgr ? 2 - c : c] - (color[c] - mean[c]) * scale[c]) < 1e-4f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_levels), cmocka_unit_test(test_only_hdr_has_one), cmocka_unit_test(test_primaries),
		cmocka_unit_test(test_network_order)};
	return cmocka_run_group_tests(tests, NULL, free_arena);
}
