/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the figures of a comparison with truth, as vrseg, vrbench, vrtune and vranalyze share them: means over eyes, the worst frame of either, what
 * is missing is missing, every one has its key, its words and a direction; and vrs_truth_meter, which measures mattes that the caller brings: frames
 * that only begin a change do not count, and gaps are no change.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <vrseg/quality.h>

#define SIDE 64

static uint8_t samples[4][SIDE * SIDE];

/* A person of the given width in a matte of its own. */
static struct vrs_matte person(int slot, int left, int width)
{
	memset(samples[slot], 0, sizeof samples[slot]);
	for (int y = 16; y < 48; y++)
		memset(samples[slot] + y * SIDE + left, 255, (size_t)width);
	return (struct vrs_matte){SIDE, SIDE, SIDE, samples[slot]};
}

static double figure(const struct vrs_truth_meter *meter, enum vrs_quality_figure which)
{
	struct vrs_truth_sums sums;
	vrs_truth_meter_sums(meter, &sums);
	return vrs_quality_figure(&sums, which);
}

static struct vrs_truth_meter *meter_of(int eyes)
{
	struct vrs_truth_meter *meter;
	assert_int_equal(vrs_truth_meter_create(&meter, eyes, SIDE, SIDE, false), VRS_OK);
	return meter;
}

static void test_two_eyes(void **state)
{
	(void)state;
	struct vrs_truth_meter *meter = meter_of(2);
	struct vrs_matte truth = person(0, 16, 32), half = person(1, 16, 16), nobody = person(2, 0, 0);
	assert_true(isnan(figure(meter, VRS_FIGURE_IOU)) && isnan(figure(meter, VRS_FIGURE_IOU_WORST)));
	assert_int_equal(vrs_truth_meter_add(meter, 0, 0, &truth, &truth, true), VRS_OK);
	assert_int_equal(vrs_truth_meter_add(meter, 0, 1, &half, &truth, true), VRS_OK);
	assert_float_equal(figure(meter, VRS_FIGURE_IOU), 0.75, 1e-9);
	assert_float_equal(figure(meter, VRS_FIGURE_IOU_WORST), 0.5, 1e-9);
	assert_float_equal(figure(meter, VRS_FIGURE_MAD), 512.0 / (SIDE * SIDE) / 2, 1e-9);
	/* the box is the person of 32 x 32 and a quarter more on each side: 48 x 48 */
	assert_float_equal(figure(meter, VRS_FIGURE_BOX_MAD), 512.0 / (48 * 48) / 2, 1e-9);
	assert_float_equal(figure(meter, VRS_FIGURE_BOX_MSE), 512.0 / (48 * 48) / 2, 1e-9);
	assert_float_equal(figure(meter, VRS_FIGURE_EYES_TRUTH), 1, 1e-9);
	assert_float_equal(figure(meter, VRS_FIGURE_EYES), 0.5, 0.05);
	assert_true(isnan(figure(meter, VRS_FIGURE_DTSSD)) && isnan(figure(meter, VRS_FIGURE_BOX_DTSSD)));
	assert_int_equal(vrs_truth_meter_add(meter, 1, 0, &nobody, &truth, true), VRS_OK);
	assert_int_equal(vrs_truth_meter_add(meter, 1, 1, &half, &truth, true), VRS_OK);
	assert_float_equal(figure(meter, VRS_FIGURE_DTSSD), 0.5 * 32 / SIDE, 1e-9); /* one eye loses 32 x 32 of 64 x 64 samples */
	assert_float_equal(figure(meter, VRS_FIGURE_IOU_WORST), 0, 0);
	vrs_truth_meter_destroy(meter);
}

/* Mattes that find nobody where the truth sees people agree with each other: that frame has no such figure.  Where nobody is, it is 1. */
static void test_eyes_that_find_nobody(void **state)
{
	(void)state;
	struct vrs_truth_meter *meter = meter_of(2);
	struct vrs_matte truth = person(0, 16, 32), half = person(1, 16, 16), nobody = person(2, 0, 0);
	for (int eye = 0; eye < 2; eye++)
		assert_int_equal(vrs_truth_meter_add(meter, 0, eye, &nobody, &truth, true), VRS_OK);
	assert_float_equal(figure(meter, VRS_FIGURE_IOU), 0, 0);
	assert_true(isnan(figure(meter, VRS_FIGURE_EYES)) && isnan(figure(meter, VRS_FIGURE_EYES_TRUTH)));
	assert_int_equal(vrs_truth_meter_add(meter, 1, 0, &truth, &truth, true), VRS_OK);
	assert_int_equal(vrs_truth_meter_add(meter, 1, 1, &half, &truth, true), VRS_OK);
	assert_float_equal(figure(meter, VRS_FIGURE_EYES), 0.5, 0.05); /* of that frame alone */
	vrs_truth_meter_destroy(meter);
	meter = meter_of(2);
	for (int eye = 0; eye < 2; eye++)
		assert_int_equal(vrs_truth_meter_add(meter, 0, eye, &nobody, &nobody, true), VRS_OK);
	assert_float_equal(figure(meter, VRS_FIGURE_EYES), 1, 0);
	vrs_truth_meter_destroy(meter);
}

static void test_what_is_missing(void **state)
{
	(void)state;
	struct vrs_truth_meter *meter = meter_of(1);
	struct vrs_matte truth = person(0, 16, 32), half = person(1, 16, 16), nobody = person(2, 0, 0);
	assert_int_equal(vrs_truth_meter_add(meter, 0, 0, &nobody, &nobody, true), VRS_OK);
	assert_float_equal(figure(meter, VRS_FIGURE_IOU), 1, 0);
	assert_true(isnan(figure(meter, VRS_FIGURE_BOX_MAD)) && isnan(figure(meter, VRS_FIGURE_EYES))); /* nobody is there, and one eye */
	assert_int_equal(vrs_truth_meter_add(meter, 2, 0, &half, &truth, false), VRS_OK);
	assert_float_equal(figure(meter, VRS_FIGURE_IOU), 1, 0); /* did not count */
	assert_int_equal(vrs_truth_meter_add(meter, 3, 0, &truth, &truth, true), VRS_OK);
	assert_float_equal(figure(meter, VRS_FIGURE_IOU), 1, 0);
	double change = figure(meter, VRS_FIGURE_DTSSD);
	assert_float_equal(change, sqrt(512.0 / (SIDE * SIDE)), 1e-9);
	assert_int_equal(vrs_truth_meter_add(meter, 5, 0, &nobody, &truth, true), VRS_OK); /* behind a gap */
	assert_float_equal(figure(meter, VRS_FIGURE_DTSSD), change, 0);
	vrs_truth_meter_destroy(meter);
}

static void test_refusals(void **state)
{
	(void)state;
	struct vrs_truth_meter *meter;
	struct vrs_matte truth = person(0, 16, 32), smaller = {SIDE / 2, SIDE, SIDE, samples[1]};
	assert_int_equal(vrs_truth_meter_create(&meter, 3, SIDE, SIDE, false), VRS_EINVAL);
	assert_int_equal(vrs_truth_meter_create(&meter, 1, 0, SIDE, false), VRS_EINVAL);
	meter = meter_of(1);
	assert_int_equal(vrs_truth_meter_add(meter, 0, 1, &truth, &truth, true), VRS_EINVAL);
	assert_int_equal(vrs_truth_meter_add(meter, 0, 0, &smaller, &truth, true), VRS_EINVAL);
	assert_int_equal(vrs_truth_meter_add(meter, 0, 0, &truth, &smaller, true), VRS_EINVAL);
	vrs_truth_meter_destroy(meter);
	vrs_truth_meter_destroy(NULL);
}

/* Keys are unique, shares of overlap are better when there is more of them, errors when there is less. */
static void test_definitions(void **state)
{
	(void)state;
	for (int i = 0; i < VRS_QUALITY_FIGURES; i++) {
		const struct vrs_quality_figure_info *info = vrs_quality_figure_info((enum vrs_quality_figure)i);
		bool error = strstr(info->key, "mad") || strstr(info->key, "mse") || strstr(info->key, "dtssd");
		assert_true(info->key[0] && info->head[0] && info->missing[0] && info->factor > 0 && info->margin >= 0);
		assert_true(info->more_is_better == !error);
		for (int k = 0; k < i; k++)
			assert_string_not_equal(info->key, vrs_quality_figure_info((enum vrs_quality_figure)k)->key);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_eyes),
		cmocka_unit_test(test_eyes_that_find_nobody),
		cmocka_unit_test(test_what_is_missing),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_definitions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
