/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards what an A/B decides by: size and IoU have verdicts of their own, with words of their own, whatever the speed; speed stays a metric beside
 * them; where a side has fewer mattes, those that both have decide, and without any nothing does; a side that finds nobody is judged as any other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bench/judge/comparison.h"
#include "unit/analyzer/made_result.h"

/* B is 10 % faster. */
static struct vrs_result *make_sides(double bytes, double iou)
{
	struct vrs_result *result;
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	add_case(result, 640, 480, 1, "fp32", 1, 20, 0.950, 8);
	add_case(result, 640, 480, 2, "fp32", 1, 22, iou, 8);
	for (int r = 0; r < 8; r++) {
		result->cases[0].runs[r].output_bytes_per_frame = 5000 + r;
		result->cases[1].runs[r].output_bytes_per_frame = bytes + r;
	}
	return result;
}

static void judge(struct vrs_result *result, enum vrs_compare_by by, char line[256])
{
	struct vrs_compare_details details;
	struct vrs_comparison c;
	const struct vrs_compare_options options = {.by = by};
	assert_int_equal(vrs_compare(result, &result->cases[0], &result->cases[1], &options, &c, &details), VRS_OK);
	assert_true(c.final);
	assert_string_equal(details.metric, c.metric);
	vrs_verdict_line(&c, line, 256);
}

static void what_decides_is_the_users_choice(void **state)
{
	static const struct {
		enum vrs_compare_by by;
		double bytes, iou;
		const char *line;
	} cases[] = {
		{VRS_COMPARE_BY_SPEED, 4000, 0.960, "VERDICT FASTER metric=fps"},    {VRS_COMPARE_BY_SIZE, 4000, 0.960, "VERDICT SMALLER metric=size"},
		{VRS_COMPARE_BY_SIZE, 6000, 0.960, "VERDICT LARGER metric=size"},    {VRS_COMPARE_BY_SIZE, 5010, 0.960, "VERDICT EQUIVALENT metric=size"},
		{VRS_COMPARE_BY_IOU, 4000, 0.953, "VERDICT BETTER metric=iou"},      {VRS_COMPARE_BY_IOU, 4000, 0.947, "VERDICT WORSE metric=iou"},
		{VRS_COMPARE_BY_IOU, 4000, 0.951, "VERDICT EQUIVALENT metric=iou"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct vrs_result *result = make_sides(cases[i].bytes, cases[i].iou);
		char line[256];
		bool speed = false;
		judge(result, cases[i].by, line);
		if (strncmp(line, cases[i].line, strlen(cases[i].line)) != 0)
			fail_msg("\"%s\" instead of \"%s\"", line, cases[i].line);
		for (int m = 0; m < result->comparison_count; m++)
			speed = speed || strcmp(result->comparisons[m].metric, "fps") == 0;
		assert_true(speed);
		vrs_result_destroy(result);
	}
}

static void other_mattes_decide_nothing(void **state)
{
	struct vrs_result *result = make_sides(4000, 0.960);
	char line[256];
	(void)state;
	for (int r = 0; r < 8; r++)
		result->cases[1].runs[r].quality_frames = 13;
	judge(result, VRS_COMPARE_BY_IOU, line);
	assert_int_equal(strncmp(line, "VERDICT INCONCLUSIVE metric=iou", 31), 0);
	assert_non_null(strstr(result->comparisons[0].reason, "24 mattes of A and 13 of B"));
	vrs_result_destroy(result);
}

/* Where one side has fewer mattes, the first ones decide, as many as both have; and a file that says so is read back. */
static void the_first_mattes_of_both_decide(void **state)
{
	static const struct {
		float first;
		const char *line;
	} cases[] = {{0.95F, "VERDICT EQUIVALENT metric=iou"}, {0.9F, "VERDICT WORSE metric=iou"}, {0.97F, "VERDICT BETTER metric=iou"}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct vrs_result *result = make_sides(4000, 0.960);
		char line[256];
		for (int s = 0; s < 2; s++) {
			struct vrs_matte_prefixes *p = &result->cases[s].runs[0].first_mattes;
			for (int r = 0; r < 8; r++)
				result->cases[s].runs[r].quality_frames = s ? 13 : 24;
			p->count = 2;
			for (int k = 0; k < 2; k++) {
				p->mattes[k] = k ? (s ? 13 : 24) : 8;
				p->figures[k][VRS_FIGURE_IOU] = s && k == 0 ? cases[i].first : 0.95F;
			}
			snprintf(result->cases[s].id, sizeof result->cases[s].id, "r=640x480/side=%c", 'A' + s);
		}
		judge(result, VRS_COMPARE_BY_IOU, line);
		if (strncmp(line, cases[i].line, strlen(cases[i].line)) != 0)
			fail_msg("\"%s\" instead of \"%s\"", line, cases[i].line);
		assert_string_equal(result->comparisons[0].reason, "over the first 8 mattes, which both have");
		assert_int_equal(vrs_compare_check(result, "results.json", NULL), VRS_OK);
		vrs_result_destroy(result);
	}
}

/* A side that finds nobody is judged as any other. */
static void nobody_found_is_an_iou(void **state)
{
	static const struct {
		double a, b;
		const char *line;
		int exit;
	} cases[] = {
		{0.95, 0, "VERDICT WORSE metric=iou n=8", VRS_EXIT_REGRESSION}, {0, 0.95, "VERDICT BETTER metric=iou delta=-100.0%", VRS_EXIT_OK},
		{0, 0, "VERDICT EQUIVALENT metric=iou delta=+0.0%", VRS_EXIT_OK}, {0.001, 0, "VERDICT EQUIVALENT metric=iou", VRS_EXIT_OK},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct vrs_result *result = make_sides(4000, cases[i].b);
		char line[256];
		for (int r = 0; r < 8; r++)
			result->cases[0].runs[r].iou = cases[i].a;
		for (int s = 0; s < 2; s++)
			snprintf(result->cases[s].id, sizeof result->cases[s].id, "r=640x480/side=%c", 'A' + s);
		judge(result, VRS_COMPARE_BY_IOU, line);
		if (strncmp(line, cases[i].line, strlen(cases[i].line)) != 0)
			fail_msg("\"%s\" instead of \"%s\"", line, cases[i].line);
		assert_int_equal(vrs_verdict_exit_code(&result->comparisons[0]), cases[i].exit);
		assert_int_equal(vrs_compare_check(result, "results.json", NULL), VRS_OK);
		double a = result->comparisons[0].a;
		result->comparisons[0].verdict = a > 0.5 ? VRS_VERDICT_FASTER : VRS_VERDICT_SLOWER; /* says the contrary of its figures */
		assert_int_equal(vrs_compare_check(result, "results.json", NULL), a > 0 && a < 0.5 ? VRS_OK : VRS_EFORMAT);
		vrs_result_destroy(result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(what_decides_is_the_users_choice), cmocka_unit_test(other_mattes_decide_nothing),
					   cmocka_unit_test(the_first_mattes_of_both_decide), cmocka_unit_test(nobody_found_is_an_iou)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
