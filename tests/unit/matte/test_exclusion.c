/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards excluded regions: boxes and pictures take out what lies under them, wherever the matte lies, and nothing else; a finished matte shows
 * nothing inside of them at the size of the picture either, and loses no more than the samples that have a share there.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "matte/exclusion.h"
#include "matte/matte_expand.h"

static struct vrs_arena arena; /* of all tests */

static int free_arena(void **state)
{
	(void)state;
	vrs_arena_free(&arena);
	return 0;
}

#define EYE 128
#define SIDE 32

static void test_boxes(void **state)
{
	(void)state;
	static const struct vrs_rect parts[] = {{0, 0, EYE, EYE}, {32, 64, 64, 32}, {96, 96, 32, 32}, {0, 0, 16, 16}};
	struct vrs_exclusion *exclusion;
	struct vrs_exclusion_view *view;
	struct vrs_matte matte;
	float alpha[SIDE * SIDE];
	assert_int_equal(vrs_exclusion_create(&exclusion, &arena, EYE, EYE, false), VRS_OK);
	vrs_exclusion_add_box(exclusion, (const double[]){0.25, 0.5, 0.5, 0.5});
	vrs_exclusion_add_box(exclusion, (const double[]){0.75, 0.75, 1, 1}); /* beyond the eye */
	assert_int_equal(vrs_exclusion_view_create(&view, &arena, exclusion, SIDE, SIDE), VRS_OK);
	assert_int_equal(vrs_matte_init(&matte, &arena, SIDE, SIDE), VRS_OK);
	for (size_t p = 0; p < 4; p++) {
		for (int i = 0; i < SIDE * SIDE; i++) {
			alpha[i] = 0.75f;
			matte.data[i] = 191;
		}
		vrs_exclusion_view_alpha(view, &parts[p], alpha);
		vrs_exclusion_view_matte(view, &parts[p], &matte);
		for (int i = 0; i < SIDE * SIDE; i++) {
			double x = parts[p].x + (i % SIDE + 0.5) * parts[p].width / SIDE, y = parts[p].y + (i / SIDE + 0.5) * parts[p].height / SIDE;
			double step_x = (double)parts[p].width / SIDE, step_y = (double)parts[p].height / SIDE;
			bool out = (x >= 32 && x < 96 && y >= 64) || (x >= 96 && y >= 96);
			bool near = (x > 32 - step_x && x < 96 + step_x && y > 64 - step_y) || (x > 96 - step_x && y > 96 - step_y);
			assert_true(fabsf(alpha[i] - (out ? 0 : 0.75f)) < 1e-6f);
			assert_int_equal(matte.data[i], near ? 0 : 191);
		}
	}
}

/* What is shown of a matte of people everywhere, larger and smaller than its part, whose samples lie across the box's borders. */
static void test_shown(void **state)
{
	(void)state;
	static const struct vrs_rect parts[] = {{0, 0, EYE, EYE}, {7, 11, 101, 93}, {30, 40, 67, 50}, {59, 61, 9, 9}};
	static const int sizes[] = {5, 8, 31, 64, 150};
	struct vrs_exclusion *exclusion;
	struct vrs_matte shown;
	assert_int_equal(vrs_exclusion_create(&exclusion, &arena, EYE, EYE, false), VRS_OK);
	vrs_exclusion_add_box(exclusion, (const double[]){33.0 / EYE, 43.0 / EYE, 30.0 / EYE, 21.0 / EYE});
	assert_int_equal(vrs_matte_init(&shown, &arena, EYE, EYE), VRS_OK);
	for (int k = 0; k < 4 * 5; k++) {
		const struct vrs_rect *part = &parts[k % 4];
		int side = sizes[k / 4];
		double step_x = (double)part->width / side, step_y = (double)part->height / side;
		struct vrs_exclusion_view *view;
		struct vrs_matte matte;
		assert_int_equal(vrs_exclusion_view_create(&view, &arena, exclusion, side, side), VRS_OK);
		assert_int_equal(vrs_matte_init(&matte, &arena, side, side), VRS_OK);
		memset(matte.data, 255, (size_t)(side * side));
		vrs_exclusion_view_matte(view, part, &matte);
		assert_int_equal(vrs_matte_expand(&shown, &matte, part), VRS_OK);
		for (int y = part->y; y < part->y + part->height; y++)
			for (int x = part->x; x < part->x + part->width; x++) {
				bool out = x >= 33 && x < 63 && y >= 43 && y < 64;
				bool far = x + 0.5 < 33 - 2 * step_x || x + 0.5 > 63 + 2 * step_x || y + 0.5 < 43 - 2 * step_y || y + 0.5 > 64 + 2 * step_y;
				int value = shown.data[y * EYE + x];
				assert_true(out ? value == 0 : !far || value == 255);
			}
	}
}

/* The right half of a picture at half the eye's size, limited range: grey takes out in part. */
static void test_picture(void **state)
{
	(void)state;
	const struct vrs_picture_format format = {.width = EYE, .height = EYE / 2, .planes = 1, .bit_depth = 8, .range = VRS_RANGE_LIMITED};
	const struct vrs_rect half = {EYE / 2, 0, EYE / 2, EYE / 2}, outside = {EYE / 2, 0, EYE, 4}, all = {0, 0, EYE, EYE};
	struct vrs_frame picture;
	struct vrs_exclusion *exclusion;
	struct vrs_exclusion_view *view;
	struct vrs_matte matte;
	float alpha[SIDE * SIDE];
	assert_int_equal(vrs_frame_alloc(&picture, &format), VRS_OK);
	for (int y = 0; y < EYE / 2; y++)
		for (int x = 0; x < EYE; x++)
			picture.data[0][picture.stride_bytes[0] * y + x] = x < EYE / 2 ? 200 : y < 16 ? 235 : y < 32 ? 126 : 16;
	assert_int_equal(vrs_exclusion_create(&exclusion, &arena, EYE, EYE, false), VRS_OK);
	assert_int_equal(vrs_exclusion_set_picture(exclusion, &picture, &outside), VRS_EINVAL);
	assert_int_equal(vrs_exclusion_set_picture(exclusion, &picture, &half), VRS_OK);
	assert_int_equal(vrs_exclusion_view_create(&view, &arena, exclusion, SIDE, SIDE), VRS_OK);
	assert_int_equal(vrs_matte_init(&matte, &arena, SIDE, SIDE), VRS_OK);
	for (int i = 0; i < SIDE * SIDE; i++) {
		alpha[i] = 1;
		matte.data[i] = 255;
	}
	vrs_exclusion_view_alpha(view, &all, alpha);
	vrs_exclusion_view_matte(view, &all, &matte);
	for (int x = 1; x < SIDE; x++) { /* the first column meets the other half */
		assert_true(alpha[2 * SIDE + x] == 0 && matte.data[8 * SIDE + x] == 0);
		assert_true(fabsf(alpha[12 * SIDE + x] - 0.5f) < 0.01f && abs(matte.data[12 * SIDE + x] - 128) < 3);
		assert_true(alpha[28 * SIDE + x] == 1 && matte.data[28 * SIDE + x] == 255);
	}
	vrs_frame_unref(&picture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_boxes),
		cmocka_unit_test(test_shown),
		cmocka_unit_test(test_picture),
	};
	return cmocka_run_group_tests_name("exclusion", tests, NULL, free_arena);
}
