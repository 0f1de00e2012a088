/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards that sums over the segments of a video give the means, the worst values and their frames of one go, each metric by its own count. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "job/truth_sums.h"

#define FRAMES 10

/* In frame 4 nobody is there; a pair needs the frame before. The eye has 100x100 samples. */
static void put_frame(struct vrs_truth_sum *sum, int frame, bool with_past)
{
	double value = 0.5 + 0.04 * ((frame * 7) % FRAMES);
	const struct vrs_rect box = {30 + frame, 40, frame == 4 ? 0 : 10, frame == 4 ? 0 : 20};
	vrs_truth_sum_put(sum, VRS_TRUTH_IOU, value, frame);
	vrs_truth_sum_put(sum, VRS_TRUTH_MAD, value, frame);
	vrs_truth_sum_put(sum, VRS_TRUTH_MSE, value * value, frame);
	vrs_truth_sum_put(sum, VRS_TRUTH_BOUNDARY_F, value, frame);
	vrs_truth_sum_put(sum, VRS_TRUTH_CONTOUR_F, value, frame);
	sum->score.frames++;
	if (!with_past)
		return;
	vrs_truth_sum_box(sum, &box, 100, 100, 0);
	vrs_truth_sum_put(sum, VRS_TRUTH_DTSSD, value, frame);
	sum->score.pairs++;
}

static void assert_metric(const struct vrs_truth_metric *metric, double mean, double worst, int frame)
{
	assert_true(fabs(metric->mean - mean) < 1e-12);
	assert_true(fabs(metric->worst - worst) < 1e-12);
	assert_int_equal(metric->worst_frame, frame);
}

/* Values of the frames: .5 .78 .66 .54 .82 .7 .58 .86 .74 .62; segments of one, three, none and six frames. */
static void test_segments(void **state)
{
	(void)state;
	static const int ends[] = {1, 4, 4, FRAMES};
	struct vrs_truth_sums all = {0};
	struct vrs_truth_result result;
	for (int segment = 0, frame = 0; segment < 4; segment++) {
		struct vrs_truth_sums sums = {.eyes = 1};
		if (segment == 1 || segment == 3) /* two frames of both eyes each */
			sums.pair = (struct vrs_truth_eyes){2, {segment == 1 ? 1.8 : 1.7, segment == 1 ? 0.88 : 0.84, segment}, {1.98, 0.98, segment}};
		for (; frame < ends[segment]; frame++) {
			put_frame(&sums.frame_size[0], frame, frame > 0);
			put_frame(&sums.matte_size[0], frame, false);
		}
		vrs_truth_sums_add(&all, &sums);
	}
	vrs_truth_sums_result(&all, &result);
	const struct vrs_truth_score *score = &result.frame_size[0], *small = &result.matte_size[0];
	assert_int_equal(result.eyes, 1);
	assert_int_equal(score->frames, FRAMES);
	assert_int_equal(result.pair.frames, 4);
	assert_metric(&result.pair.mattes, 3.5 / 4, 0.84, 3);
	assert_metric(&result.pair.truths, 3.96 / 4, 0.98, 1);
	assert_metric(&score->iou, 6.8 / 10, 0.5, 0);
	assert_metric(&score->mad, 6.8 / 10, 0.86, 7);
	assert_metric(&score->boundary_f, 6.8 / 10, 0.5, 0);
	assert_metric(&score->dtssd, 6.3 / 9, 0.86, 7);
	const double squares = 0.25 + 0.6084 + 0.4356 + 0.2916 + 0.6724 + 0.49 + 0.3364 + 0.7396 + 0.5476 + 0.3844;
	assert_metric(&score->mse, squares / 10, 0.86 * 0.86, 7);
	assert_metric(&score->contour_f, 6.8 / 10, 0.5, 0);
	/* frames 1 to 9 hold columns 31 to 49 and rows 40 to 60: 18x20, with margins 27x30 */
	double scale = 10000.0 / (27 * 30);
	assert_true(score->has_box && !small->has_box);
	assert_metric(&score->box_mad, 6.8 / 10 * scale, 0.86 * scale, 7);
	assert_metric(&score->box_mse, squares / 10 * scale, 0.86 * 0.86 * scale, 7);
	assert_metric(&score->box_dtssd, 6.3 / 9 * sqrt(scale), 0.86 * sqrt(scale), 7);
	assert_metric(&small->dtssd, 0, 0, 0); /* no pair was seen */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_segments),
	};
	return cmocka_run_group_tests_name("truth_sums", tests, NULL, NULL);
}
