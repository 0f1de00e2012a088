/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards what the tuner takes for an equally good matte: every figure with truth may lose as many of its margins as IoU of its own, and no more;
 * of other frames those that both have count, and settings that make the default's mattes are as good as it.  Every other limit, and what a search
 * for another goal gains.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tuner/objective.h"
#include "tuner/search_result.h"
#include "unit/analyzer/made_result.h"

static void test_every_figure_counts(void **state)
{
	(void)state;
	const struct vrs_objective objective = vrs_objective_default();
	struct vrs_result *result;
	char why[200];
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	add_case(result, 640, 480, 1, "fp32", 1, 20, 0.950, 8);
	add_case(result, 640, 480, 2, "fp32", 1, 30, 0.949, 8);
	const struct vrs_case_result *base = &result->cases[0], *c = &result->cases[1];
	assert_true(vrs_objective_accepts(&objective, c, base, why, sizeof why)); /* other figures are not known */
	for (int i = 0; i < VRS_QUALITY_FIGURES; i++) {
		const struct vrs_quality_figure_info *info = vrs_quality_figure_info((enum vrs_quality_figure)i);
		double reach = info->margin * objective.max_iou_loss / vrs_quality_figure_info(VRS_FIGURE_IOU)->margin;
		double *a = vrs_run_quality(&base->runs[0], (enum vrs_quality_figure)i), *b = vrs_run_quality(&c->runs[0], (enum vrs_quality_figure)i);
		double loss = info->more_is_better ? -1 : 1;
		if (i == VRS_FIGURE_IOU)
			continue;
		*a = 0.5;
		*b = 0.5 + loss * 0.9 * reach;
		assert_true(vrs_objective_accepts(&objective, c, base, why, sizeof why));
		*b = 0.5 + loss * (1.1 * reach + (info->margin > 0 ? 0 : 0.3));
		assert_true(vrs_objective_accepts(&objective, c, base, why, sizeof why) == !(info->margin > 0)); /* without a margin it is not judged */
		assert_true(info->margin > 0 ? strstr(why, info->head) != NULL : why[0] == 0);
		*b = 0.5 - loss * 0.2; /* better by far */
		assert_true(vrs_objective_accepts(&objective, c, base, why, sizeof why));
	}
	vrs_result_destroy(result);
}

/* A slow run may end before as many mattes are compared as in the default's: then neither a loss nor a gain is known. */
static void test_other_frames(void **state)
{
	(void)state;
	struct vrs_objective objective = vrs_objective_default();
	struct vrs_result *result;
	struct vrs_limits limits;
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	add_case(result, 640, 480, 1, "fp32", 1, 20, 0.950, 4);
	add_case(result, 640, 480, 1, "bf16", 1, 30, 0.960, 4);
	const struct vrs_case_result *base = &result->cases[0], *c = &result->cases[1];
	base->runs[0].quality_frames = c->runs[0].quality_frames = 24;
	objective.goal = VRS_GOAL_QUALITY;
	vrs_objective_check(&objective, c, base, &limits);
	assert_int_equal(limits.missed, 0);
	assert_float_equal(vrs_objective_gain(&objective, c, base, 30, 20), 0.1, 1e-6);
	for (int better = 0; better < 2; better++) {
		for (int r = 0; r < 4; r++)
			c->runs[r].iou = better ? 0.960 : 0.900;
		c->runs[0].quality_frames = 12;
		vrs_objective_check(&objective, c, base, &limits);
		assert_int_equal(limits.missed, 1u << VRS_LIMIT_MATTE);
		assert_string_equal(limits.why, "12 of its mattes and 24 of the default's were compared with truth; longer runs make them equal");
		assert_true(isnan(vrs_objective_gain(&objective, c, base, 30, 20)));
	}
	objective.goal = VRS_GOAL_THROUGHPUT;
	assert_float_equal(vrs_objective_gain(&objective, c, base, 30, 20), 0.4055, 1e-4);
	c->runs[0].quality_frames = 0; /* files that do not tell */
	vrs_objective_check(&objective, c, base, &limits);
	assert_int_equal(limits.missed, 0);
	vrs_result_destroy(result);
}

/*
 * Slow runs, as of --quick below 1.6 FPS, end before all mattes are compared: those that both have are, by every figure, and the message says how
 * many.  What comes after them counts for neither side.
 */
static void test_first_mattes(void **state)
{
	(void)state;
	for (int longer = 0; longer < 2; longer++) { /* the default's run, or the other's */
		struct vrs_objective objective = vrs_objective_default();
		struct vrs_result *result;
		struct vrs_limits limits;
		assert_int_equal(vrs_result_create(&result), VRS_OK);
		add_case(result, 640, 480, 1, "fp32", 1, 1, 0.950, 1);
		add_case(result, 640, 480, 1, "bf16", 1, 2, 0.950, 1);
		const struct vrs_case_result *base = &result->cases[0], *c = &result->cases[1];
		for (int i = 0; i < 2; i++) {
			struct vrs_run *run = &result->cases[i].runs[0];
			run->quality_frames = i == longer ? 3 : 2;
			run->iou = i == longer ? 0.5 : 0.95; /* the third frame is a hard one */
			run->first_mattes.count = run->quality_frames;
			for (int k = 0; k < run->quality_frames; k++) {
				run->first_mattes.mattes[k] = k + 1;
				for (int f = 0; f < VRS_QUALITY_FIGURES; f++)
					run->first_mattes.figures[k][f] = NAN;
				run->first_mattes.figures[k][VRS_FIGURE_IOU] = k < 2 ? 0.95F : 0.5F;
				run->first_mattes.figures[k][VRS_FIGURE_CONTOUR_F] = 0.9F;
			}
		}
		vrs_objective_check(&objective, c, base, &limits);
		assert_int_equal(limits.missed, 0);
		objective.goal = VRS_GOAL_QUALITY;
		assert_float_equal(vrs_objective_value(&objective, c, base), vrs_objective_value(&objective, base, base), 1e-6);
		assert_float_equal(vrs_objective_gain(&objective, c, base, 2, 1), 0, 1e-5);
		c->runs[0].first_mattes.figures[1][VRS_FIGURE_IOU] = 0.94F;
		vrs_objective_check(&objective, c, base, &limits);
		assert_int_equal(limits.missed, 1u << VRS_LIMIT_MATTE);
		assert_string_equal(limits.why, "IoU 0.9400 is below 0.9450 over the first 2 mattes");
		assert_float_equal(vrs_objective_gain(&objective, c, base, 2, 1), -0.1, 1e-5);
		struct vrs_tuned_figures figures = vrs_case_figures(c, base);
		assert_int_equal(figures.first_mattes, 2);
		assert_float_equal(figures.quality, 0.94, 1e-6);
		assert_float_equal(figures.reference, 0.95, 1e-6);
		c->runs[0].first_mattes.figures[1][VRS_FIGURE_IOU] = 0.95F;
		c->runs[0].first_mattes.figures[1][VRS_FIGURE_CONTOUR_F] = 0.8F;
		vrs_objective_check(&objective, c, base, &limits);
		assert_int_equal(limits.missed, 1u << VRS_LIMIT_MATTE);
		assert_non_null(strstr(limits.why, "0.8000 is worse than 0.9000"));
		c->runs[0].first_mattes.mattes[0] = 2; /* of both eyes: no prefix is of the same mattes */
		c->runs[0].first_mattes.mattes[1] = 4;
		vrs_objective_check(&objective, c, base, &limits);
		assert_int_equal(limits.missed, 1u << VRS_LIMIT_MATTE);
		assert_true(isnan(vrs_objective_value(&objective, c, base)));
		vrs_result_destroy(result);
	}
}

/*
 * Settings that make the default's mattes, as fast ones of a slow default, are as good as it over whatever frames: faster runs compare more.  Another
 * option of the matte, another network, and what the run does not know, are held as ever.
 */
static void test_same_mattes_of_other_frames(void **state)
{
	static const struct {
		const char *id;
		int net_width;
		bool same;
	} cases[] = {
		{"r=640x480/b=1/p=fp32/t=1/output.preset=ultrafast", 256, true}, {"r=640x480/b=4/p=fp32/t=2", 256, true},
		{"r=640x480/b=1/p=fp32/t=1/pipeline.every_nth=2", 256, false},   {"r=640x480/b=1/p=fp32/t=1", 128, false},
		{"nonsense", 256, false},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct vrs_objective objective = vrs_objective_default();
		struct vrs_result *result;
		struct vrs_limits limits;
		assert_int_equal(vrs_result_create(&result), VRS_OK);
		add_case(result, 640, 480, 1, "fp32", 1, 2, 0.950, 4);
		add_case(result, 640, 480, 1, "fp32", 1, 3, 0.900, 4);
		const struct vrs_case_result *base = &result->cases[0];
		struct vrs_case_result *c = &result->cases[1];
		(void)vrs_strcpy(c->id, sizeof c->id, cases[i].id);
		c->net_width = cases[i].net_width;
		for (int r = 0; r < 4; r++) {
			base->runs[r].quality_frames = 14;
			c->runs[r].quality_frames = 16;
			base->runs[r].boundary_f = 0.9;
			c->runs[r].boundary_f = 0.5;
		}
		objective.min_iou = 0.94; /* the default has it */
		vrs_objective_check(&objective, c, base, &limits);
		assert_int_equal(limits.missed, cases[i].same ? 0 : 1u << VRS_LIMIT_MATTE | 1u << VRS_LIMIT_IOU);
		objective.goal = VRS_GOAL_QUALITY; /* nothing is gained or lost in it */
		double gain = vrs_objective_gain(&objective, c, base, 3, 2), value = vrs_objective_value(&objective, c, base);
		assert_true(cases[i].same ? gain == 0 && value == 0.950 : isnan(gain) && isnan(value));
		c->runs[0].status = VRS_RUN_FAILED;
		for (int r = 0; r < 4; r++)
			c->runs[r].iou = NAN;
		vrs_objective_check(&objective, c, base, &limits); /* of no matte nothing is known */
		assert_true(limits.missed & 1u << VRS_LIMIT_MATTE);
		vrs_result_destroy(result);
	}
}

/* Every limit is missed by what lies beyond it and by nothing else; what no other option makes up for is final. */
static void test_limits(void **state)
{
	static const struct {
		enum vrs_limit limit;
		bool final;
		const char *why;
	} cases[] = {
		{VRS_LIMIT_IOU, true, "IoU 0.9490 is below 0.9495"},      {VRS_LIMIT_MEMORY, true, "200 MiB is above the limit of 199 MiB"},
		{VRS_LIMIT_ENCODE, true, "SSIM 0.9700 of what is encoded"}, {VRS_LIMIT_RATE, false, "1.60 times as large"},
		{VRS_LIMIT_RATE, false, "1600 kbit/s are above 1500"},    {VRS_LIMIT_SPEED, false, "29.70 FPS are below 29.8"},
	};
	(void)state;
	for (size_t i = 0; i <= sizeof cases / sizeof *cases; i++) {
		struct vrs_objective objective = vrs_objective_default();
		struct vrs_result *result;
		struct vrs_limits limits;
		assert_int_equal(vrs_result_create(&result), VRS_OK);
		add_case(result, 640, 480, 1, "fp32", 1, 20, 0.950, 4);
		add_case(result, 640, 480, 2, "fp32", 1, 30, 0.949, 4);
		struct vrs_run *a = result->cases[0].runs, *b = result->cases[1].runs;
		for (int r = 0; r < 4; r++) {
			a[r].output_bytes_per_frame = 5000;
			a[r].output_kbps = 1000;
			b[r].output_bytes_per_frame = i == 3 ? 8000 : 7000;
			b[r].output_kbps = i == 4 ? 1600 : 1400;
		}
		a[0].encode_ssim = 0.99;
		b[0].encode_ssim = i == 2 ? 0.97 : 0.989;
		objective.min_iou = i == 0 ? 0.9495 : 0.94;
		objective.memory_limit_bytes = (int64_t)(i == 1 ? 199 : 211) << 20;
		objective.max_kbps = i == 4 ? 1500 : 0;
		objective.min_fps = i == 5 ? 29.8 : 29.5; /* 29.7 is the slowest run */
		vrs_objective_check(&objective, &result->cases[1], &result->cases[0], &limits);
		if (i < sizeof cases / sizeof *cases) {
			assert_int_equal(limits.missed, 1u << cases[i].limit);
			assert_non_null(strstr(limits.why, cases[i].why));
			assert_true(limits.excess[cases[i].limit] > 0 && limits.excess[cases[i].limit] < 0.1);
			assert_int_equal(vrs_limits_are_final(&limits), cases[i].final);
			assert_int_equal(vrs_limits_accept(&limits), cases[i].limit == VRS_LIMIT_SPEED);
		} else {
			assert_int_equal(limits.missed, 0);
			assert_string_equal(limits.why, "");
			/* Without a matte, as with the null backend, the default keeps its limits, but for one of IoU. */
			for (int r = 0; r < 4; r++)
				a[r].iou = b[r].iou = NAN;
			objective.min_iou = 0;
			vrs_objective_check(&objective, &result->cases[1], &result->cases[0], &limits);
			assert_int_equal(limits.missed, 1u << VRS_LIMIT_MATTE);
			assert_string_equal(limits.why, "the quality of its matte is not known: there are no mattes to compare with");
			/* Where the matte may lose all, nobody need know it. */
			for (int all = 0; all < 3; all++) {
				struct vrs_objective loose = objective;
				loose.max_iou_loss = all ? 1 : 0.99;
				loose.min_agreement = all == 1 ? 0.01 : 0;
				vrs_objective_check(&loose, &result->cases[1], &result->cases[0], &limits);
				assert_int_equal(limits.missed, all == 2 ? 0 : 1u << VRS_LIMIT_MATTE);
			}
			objective.min_fps = 0;
			vrs_objective_check(&objective, &result->cases[0], &result->cases[0], &limits);
			assert_int_equal(limits.missed, 0);
			objective.min_iou = 0.5;
			vrs_objective_check(&objective, &result->cases[0], &result->cases[0], &limits);
			assert_int_equal(limits.missed, 1u << VRS_LIMIT_IOU);
			a[0].iou = 0.95;
			b[0].status = VRS_RUN_OOM;
			vrs_objective_check(&objective, &result->cases[1], &result->cases[0], &limits);
			assert_string_equal(limits.why, "the quality of its matte is not known: the run that compares it ran out of memory");
			for (int r = 1; r < 4; r++)
				b[r].status = VRS_RUN_OOM;
			vrs_objective_check(&objective, &result->cases[1], &result->cases[0], &limits);
			assert_string_equal(limits.why, "out of memory");
		}
		vrs_result_destroy(result);
	}
}

/* A search for size goes after bytes, and first of all after the speed that is missing; one for quality wants truth. */
static void test_gains(void **state)
{
	(void)state;
	struct vrs_objective objective = vrs_objective_default();
	struct vrs_result *result;
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	add_case(result, 640, 480, 1, "fp32", 1, 20, 0.950, 4);
	add_case(result, 640, 480, 2, "fp32", 1, 10, 0.952, 4);
	struct vrs_case_result *base = &result->cases[0], *c = &result->cases[1];
	base->runs[0].output_bytes_per_frame = 5000;
	c->runs[0].output_bytes_per_frame = 4000;
	assert_float_equal(vrs_objective_gain(&objective, c, base, 10, 20), -0.6931, 1e-4);
	objective.goal = VRS_GOAL_SIZE;
	assert_float_equal(vrs_objective_gain(&objective, c, base, 10, 20), 0.2231, 1e-4);
	objective.min_fps = 15;
	assert_true(vrs_objective_gain(&objective, c, base, 10, 20) < -1);
	assert_true(vrs_objective_gain(&objective, c, base, 12, 10) > 1);
	assert_true(vrs_objective_is_better(&objective, -4000, -5000) && !vrs_objective_is_better(&objective, -4950, -5000));
	objective.goal = VRS_GOAL_QUALITY;
	objective.min_fps = 0;
	assert_float_equal(vrs_objective_gain(&objective, c, base, 10, 20), 0.02, 1e-6);
	for (int r = 0; r < 4; r++)
		c->runs[r].iou = NAN;
	c->runs[0].agreement = 0.99;
	assert_true(isnan(vrs_objective_gain(&objective, c, base, 10, 20)));
	vrs_result_destroy(result);
}

/* Live, latency counts, and first of all the frames that are late; a case that keeps no deadline may still be combined, but not be chosen. */
static void test_live(void **state)
{
	(void)state;
	struct vrs_objective objective = vrs_objective_default();
	struct vrs_result *result;
	struct vrs_limits limits;
	char why[160];
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	add_case(result, 640, 480, 1, "fp32", 1, 30, 0.950, 4);
	add_case(result, 640, 480, 2, "fp32", 1, 30, 0.950, 4);
	struct vrs_case_result *base = &result->cases[0], *c = &result->cases[1];
	for (int r = 0; r < 4; r++) {
		base->runs[r].latency_median_ms = 40;
		c->runs[r].latency_median_ms = 20;
		c->runs[r].live_due = base->runs[r].live_due = 100;
		c->runs[r].live_late = 21;
		c->runs[r].live_miss_percent = 21;
		base->runs[r].live_late = 0;
		base->runs[r].live_miss_percent = 0;
		c->runs[r].live_dropped = base->runs[r].live_dropped = 0;
	}
	assert_int_equal(vrs_case_result_summarize(base, NULL), VRS_OK);
	assert_int_equal(vrs_case_result_summarize(c, NULL), VRS_OK);
	objective.goal = VRS_GOAL_LIVE;
	assert_int_equal(vrs_objective_headline(&objective), VRS_HEADLINE_LATENCY);
	assert_float_equal(vrs_objective_ratio(&objective, c, base), 0.5, 1e-9);
	assert_float_equal(vrs_objective_value(&objective, c, base), -20, 1e-9);
	assert_float_equal(vrs_objective_gain(&objective, c, base, 20, 40), 0.6931 - 5 * 0.20, 1e-4);
	vrs_objective_check(&objective, c, base, &limits);
	assert_int_equal(limits.missed, 1u << VRS_LIMIT_DEADLINE);
	assert_float_equal(limits.excess[VRS_LIMIT_DEADLINE], 20, 1e-9);
	assert_true(vrs_objective_accepts(&objective, c, base, why, sizeof why));
	assert_false(vrs_limits_are_final(&limits));
	vrs_result_destroy(result);
}

/* Of the network alone there is no matte to be held against. */
static void test_network_alone(void **state)
{
	(void)state;
	const struct vrs_objective objective = vrs_objective_default();
	struct vrs_result *result;
	struct vrs_limits limits;
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	add_case(result, 640, 480, 1, "fp32", 1, 30, NAN, 4);
	add_case(result, 640, 480, 2, "fp32", 1, 30, NAN, 4);
	vrs_objective_check(&objective, &result->cases[1], &result->cases[0], &limits);
	assert_int_equal(limits.missed, 1u << VRS_LIMIT_MATTE);
	result->cases[0].scope = result->cases[1].scope = VRS_SCOPE_NET_ONLY;
	vrs_objective_check(&objective, &result->cases[1], &result->cases[0], &limits);
	assert_int_equal(limits.missed, 0);
	vrs_result_destroy(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_figure_counts), cmocka_unit_test(test_other_frames), cmocka_unit_test(test_first_mattes),
		cmocka_unit_test(test_same_mattes_of_other_frames), cmocka_unit_test(test_limits), cmocka_unit_test(test_gains),
		cmocka_unit_test(test_live), cmocka_unit_test(test_network_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
