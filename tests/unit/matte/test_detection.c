/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards mattes from prototypes: boxes of grids and lists, the choice of the strongest of overlapping boxes, masks cut to their boxes, and that
 * numbers out of all bounds do no harm.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "matte/detection.h"

static struct vrs_arena arena; /* of all tests */

static int free_arena(void **state)
{
	(void)state;
	vrs_arena_free(&arena);
	return 0;
}

#define SIDE 16      /* prototype maps of 16x16 for an input of 64x64 */
#define PROTOTYPES 2
#define CLASSES 3

static const struct vrs_detector_options usual = {.input_width = 64, .input_height = 64, .classes = CLASSES, .person = 1, .prototypes = PROTOTYPES,
	.threshold = 0.25f, .overlap = 0.5f};

/* Prototype 0 is +8 in the left half and -8 in the right one, prototype 1 is the opposite. */
static void fill_prototypes(float *p)
{
	for (int y = 0; y < SIDE; y++)
		for (int x = 0; x < SIDE; x++)
			for (int k = 0; k < PROTOTYPES; k++)
				p[(y * SIDE + x) * PROTOTYPES + k] = (x < SIDE / 2) == (k == 0) ? 8.0f : -8.0f;
}

/* One anchor of a list. */
static void put(float *list, int anchors, int i, float x, float y, float w, float h, float score, float first, float second)
{
	const float rows[4 + CLASSES + PROTOTYPES] = {x, y, w, h, 0.9f, score, 0.9f, first, second};
	for (int k = 0; k < 4 + CLASSES + PROTOTYPES; k++)
		list[k * anchors + i] = rows[k];
}

static void test_list(void **state)
{
	(void)state;
	struct vrs_detector *d;
	float p[SIDE * SIDE * PROTOTYPES], alpha[SIDE * SIDE], list[(4 + CLASSES + PROTOTYPES) * 4];
	fill_prototypes(p);
	assert_int_equal(vrs_detector_create(&d, &arena, &usual), VRS_OK);
	put(list, 4, 0, 16, 32, 32, 32, 0.9f, 1, 0);  /* left half, rows 4..11 */
	put(list, 4, 1, 17, 32, 32, 32, 0.8f, 0, 1);  /* nearly the same box: dropped */
	put(list, 4, 2, 48, 32, 16, 16, 0.5f, 0, 1);  /* right half, columns 10..13, rows 6..9 */
	put(list, 4, 3, 32, 32, 64, 64, 0.2f, 1, 1);  /* below the threshold */
	vrs_detector_begin(d);
	vrs_detector_add_list(d, list, 4);
	assert_int_equal(vrs_detector_matte(d, p, SIDE, SIDE, alpha), 2);
	for (int y = 0; y < SIDE; y++)
		for (int x = 0; x < SIDE; x++) {
			bool left = x < 8 && y >= 4 && y < 12, right = x >= 10 && x < 14 && y >= 6 && y < 10;
			if (left || right)
				assert_true(alpha[y * SIDE + x] > 0.999f && alpha[y * SIDE + x] <= 1);
			else
				assert_true(alpha[y * SIDE + x] == 0);
		}
	vrs_detector_begin(d);
	assert_int_equal(vrs_detector_matte(d, p, SIDE, SIDE, alpha), 0);
	assert_true(alpha[SIDE * 8 + 2] == 0);
}

static void test_grid(void **state)
{
	(void)state;
	enum { CELLS = 4, BINS = 4, CHANNELS = 4 * BINS + CLASSES + PROTOTYPES };
	struct vrs_detector *d;
	float p[SIDE * SIDE * PROTOTYPES], alpha[SIDE * SIDE], grid[CELLS * CELLS * CHANNELS];
	fill_prototypes(p);
	assert_int_equal(vrs_detector_create(&d, &arena, &usual), VRS_OK);
	assert_int_equal(vrs_detector_grid_channels(&usual, BINS), CHANNELS);
	for (int i = 0; i < CELLS * CELLS * CHANNELS; i++)
		grid[i] = -20;
	/* Cell (x 0, y 1): centre (8, 24) in the input; 0.5 cells to the left, 1.5 up, 1 to the right, 0.5 down: x 0..24, y 0..32. */
	float *cell = grid + (1 * CELLS + 0) * CHANNELS;
	cell[0] = cell[1] = 5;               /* left: bins 0 and 1 alike */
	cell[BINS + 1] = cell[BINS + 2] = 5; /* top: 1 and 2 */
	cell[2 * BINS + 1] = 30;             /* right: 1 */
	cell[3 * BINS] = cell[3 * BINS + 1] = 5;
	cell[4 * BINS + usual.person] = 3;
	cell[4 * BINS + CLASSES] = 1;
	cell[4 * BINS + CLASSES + 1] = 0;
	vrs_detector_begin(d);
	vrs_detector_add_grid(d, grid, CELLS, CELLS, BINS);
	assert_int_equal(vrs_detector_matte(d, p, SIDE, SIDE, alpha), 1);
	for (int y = 0; y < SIDE; y++)
		for (int x = 0; x < SIDE; x++)
			assert_int_equal(alpha[y * SIDE + x] > 0.5f, x < 6 && y < 8);
}

/* More detections than are kept: the strongest stay, whatever their order. */
static void test_strongest_stay(void **state)
{
	(void)state;
	enum { MANY = VRS_DETECTOR_MAX + 50 };
	static float list[(4 + CLASSES + PROTOTYPES) * MANY];
	struct vrs_detector_options options = usual;
	struct vrs_detector *d;
	float p[SIDE * SIDE * PROTOTYPES], alpha[SIDE * SIDE];
	fill_prototypes(p);
	options.overlap = 1;
	for (int i = 0; i < MANY; i++) /* the one that shows comes last and is the strongest */
		put(list, MANY, i, 16, 8, 8, 8, 0.3f + 0.0001f * (float)i, i == MANY - 1 ? 1.0f : -1.0f, 0);
	assert_int_equal(vrs_detector_create(&d, &arena, &options), VRS_OK);
	vrs_detector_begin(d);
	vrs_detector_add_list(d, list, MANY);
	assert_int_equal(vrs_detector_matte(d, p, SIDE, SIDE, alpha), VRS_DETECTOR_MAX);
	assert_true(alpha[2 * SIDE + 4] > 0.999f);
}

static void test_wild_numbers(void **state)
{
	(void)state;
	static const float wild[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 0};
	struct vrs_detector *d;
	float p[SIDE * SIDE * PROTOTYPES], alpha[SIDE * SIDE], list[(4 + CLASSES + PROTOTYPES) * 6];
	fill_prototypes(p);
	assert_int_equal(vrs_detector_create(&d, &arena, &usual), VRS_OK);
	for (int k = 0; k < 4 + CLASSES + PROTOTYPES; k++)
		for (int i = 0; i < 6; i++)
			list[k * 6 + i] = k == 4 + usual.person ? 0.9f : wild[(i + k) % 6];
	vrs_detector_begin(d);
	vrs_detector_add_list(d, list, 6);
	(void)vrs_detector_matte(d, p, SIDE, SIDE, alpha);
	for (int i = 0; i < SIDE * SIDE; i++)
		assert_true(alpha[i] >= 0 && alpha[i] <= 1);
}

static void test_bad_options(void **state)
{
	(void)state;
	struct vrs_detector *d;
	struct vrs_detector_options bad[] = {usual, usual, usual, usual};
	bad[0].person = CLASSES;
	bad[1].prototypes = 0;
	bad[2].threshold = NAN;
	bad[3].input_width = 0;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_int_equal(vrs_detector_create(&d, &arena, &bad[i]), VRS_EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_grid),
		cmocka_unit_test(test_strongest_stay),
		cmocka_unit_test(test_wild_numbers),
		cmocka_unit_test(test_bad_options),
	};
	return cmocka_run_group_tests(tests, NULL, free_arena);
}
