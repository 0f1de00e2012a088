/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards how pictures are fitted into parts of others: the middle is kept when shapes differ, nothing outside the parts is written, depths, matrices
 * and samplings are converted, and pictures that fit already are recognised.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "video/frame_fit.h"
#include "unit/random_frame.h"

static const struct vrs_picture_format hd = {.width = 300, .height = 100, .planes = 3, .chroma_shift_x = 1, .chroma_shift_y = 1, .bit_depth = 8,
	.matrix = VRS_MATRIX_BT709};

/* A wide picture with a white middle third goes into two square parts of an odd-sized 10-bit picture: each shows the middle third alone. */
static void test_crop(void **state)
{
	(void)state;
	struct vrs_frame_fit_options o = {.source = hd, .target = hd, .count = 2, .from = {{0, 0, 300, 100}, {0, 0, 300, 100}},
		.to = {{0, 0, 40, 40}, {42, 6, 41, 41}}};
	o.target.width = 83;
	o.target.height = 55;
	o.target.bit_depth = 10;
	struct vrs_frame src, dst;
	struct vrs_frame_fit *fit;
	assert_int_equal(vrs_frame_alloc(&src, &o.source), VRS_OK);
	assert_int_equal(vrs_frame_alloc(&dst, &o.target), VRS_OK);
	samples_fill(&src, 128);
	for (int y = 0; y < 100; y++)
		for (int x = 0; x < 300; x++)
			sample_put(&src, 0, x, y, x >= 100 && x < 200 ? 235 : 16);
	samples_fill(&dst, 333);
	assert_int_equal(vrs_frame_fit_create(&fit, &o), VRS_OK);
	assert_false(vrs_frame_fit_is_identity(&o));
	for (int round = 0; round < 2; round++)
		assert_int_equal(vrs_frame_fit_run(fit, &src, &dst, NULL), VRS_OK);
	for (int y = 0; y < 55; y++)
		for (int x = 0; x < 83; x++) {
			bool in = (x < 40 && y < 40) || (x >= 42 && y >= 6 && y < 47);
			bool edge = x < 2 || (x > 37 && x < 44) || x > 80; /* the filter looks beyond the third there */
			if (!in)
				assert_int_equal(sample_get(&dst, 0, x, y), 333);
			else if (!edge)
				assert_true(abs(sample_get(&dst, 0, x, y) - 940) <= 3);
		}
	assert_true(abs(sample_get(&dst, 1, 5, 5) - 512) <= 2);
	assert_int_equal(sample_get(&dst, 1, 5, 25), 333);
	vrs_frame_fit_destroy(fit);
	vrs_frame_unref(&src);
	vrs_frame_unref(&dst);
}

/* Samples of the target that are shown twice as wide, or of the source: twice as much is cut, or nothing. */
static void test_aspect(void **state)
{
	(void)state;
	static const struct {
		double source, target;
		int from, to;             /* columns of the source that are shown */
	} cases[] = {{0, 0, 100, 200}, {1, 1, 100, 200}, {4.0 / 3, 4.0 / 3, 100, 200}, {0, 2, 50, 250}, {2, 4, 50, 250}, {2, 0, 125, 175}, {0, 3, 0, 300}};
	struct vrs_frame src, dst;
	assert_int_equal(vrs_frame_alloc(&src, &hd), VRS_OK);
	for (int x = 0; x < 300; x++)
		for (int y = 0; y < 100; y++)
			sample_put(&src, 0, x, y, 16 + x * 2 / 3);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct vrs_frame_fit_options o = {.source = hd, .target = hd, .source_aspect = cases[i].source, .target_aspect = cases[i].target, .count = 1,
			.from = {{0, 0, 300, 100}}, .to = {{0, 0, 100, 100}}};
		struct vrs_frame_fit *fit;
		o.target.width = 100;
		assert_int_equal(vrs_frame_alloc(&dst, &o.target), VRS_OK);
		assert_int_equal(vrs_frame_fit_create(&fit, &o), VRS_OK);
		assert_int_equal(vrs_frame_fit_run(fit, &src, &dst, NULL), VRS_OK);
		assert_true(abs(sample_get(&dst, 0, 0, 50) - (16 + cases[i].from * 2 / 3)) <= 3);
		assert_true(abs(sample_get(&dst, 0, 99, 50) - (16 + cases[i].to * 2 / 3)) <= 3);
		vrs_frame_fit_destroy(fit);
		vrs_frame_unref(&dst);
	}
	struct vrs_frame_fit_options same = {.source = hd, .target = hd, .count = 1, .from = {{0, 0, 300, 100}}, .to = {{0, 0, 300, 100}}};
	same.source_aspect = same.target_aspect = 1.5;
	assert_true(vrs_frame_fit_is_identity(&same));
	same.source_aspect = 1;
	assert_false(vrs_frame_fit_is_identity(&same));
	vrs_frame_unref(&src);
}

/* Pure red keeps its colour through another matrix, range and sampling. */
static void test_colour(void **state)
{
	(void)state;
	struct vrs_frame_fit_options o = {.source = hd, .target = hd, .count = 1, .from = {{0, 0, 300, 100}}, .to = {{0, 0, 300, 100}}};
	assert_true(vrs_frame_fit_is_identity(&o));
	o.target.matrix = VRS_MATRIX_BT601;
	o.target.range = VRS_RANGE_FULL;
	o.target.chroma_shift_y = 0;
	assert_false(vrs_frame_fit_is_identity(&o));
	static const int red709[3] = {63, 102, 240}, red601_full[3] = {76, 85, 255};
	struct vrs_frame src, dst;
	struct vrs_frame_fit *fit;
	assert_int_equal(vrs_frame_alloc(&src, &o.source), VRS_OK);
	assert_int_equal(vrs_frame_alloc(&dst, &o.target), VRS_OK);
	for (int p = 0; p < 3; p++)
		for (int y = 0; y < vrs_plane_height(&o.source, p); y++)
			for (int x = 0; x < vrs_plane_width(&o.source, p); x++)
				sample_put(&src, p, x, y, red709[p]);
	assert_int_equal(vrs_frame_fit_create(&fit, &o), VRS_OK);
	assert_int_equal(vrs_frame_fit_run(fit, &src, &dst, NULL), VRS_OK);
	for (int p = 0; p < 3; p++)
		assert_true(abs(sample_get(&dst, p, 40, 40) - red601_full[p]) <= 2);
	vrs_frame_fit_destroy(fit);
	vrs_frame_unref(&src);
	vrs_frame_unref(&dst);
}

static void test_refused(void **state)
{
	(void)state;
	struct vrs_frame_fit_options o = {.source = hd, .target = hd, .count = 1, .from = {{0, 0, 301, 100}}, .to = {{0, 0, 300, 100}}};
	struct vrs_frame_fit *fit = NULL;
	assert_int_equal(vrs_frame_fit_create(&fit, &o), VRS_EINVAL);
	o.from[0].width = 300;
	o.to[0].y = 1;
	assert_int_equal(vrs_frame_fit_create(&fit, &o), VRS_EINVAL);
	o.count = 3;
	assert_int_equal(vrs_frame_fit_create(&fit, &o), VRS_EINVAL);
	assert_null(fit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_crop),
		cmocka_unit_test(test_aspect),
		cmocka_unit_test(test_colour),
		cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
