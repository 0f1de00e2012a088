/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards what --pick chooses among settings that were measured: the extreme of the rule within the limits, the fastest where that is a tie, never
 * another size, none whose mattes are of other frames, and nothing where no case keeps the limits.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tuner/pick.h"
#include "tuner/search.h"
#include "unit/analyzer/made_result.h"

/* Batch, speed, IoU, MiB, kB a frame; the first is the default. */
static const struct {
	int batch;
	double fps, iou, memory, output;
} made[] = {
	{1, 100, 0.950, 200, 10}, {2, 120, 0.948, 200, 10}, {4, 140, 0.900, 250, 12}, {8, 60, 0.970, 300, 6}, {16, 62, 0.969, 150, 9},
};

static struct vrs_result *make(void)
{
	struct vrs_result *result;
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
		struct vrs_case_result *c = add_case(result, 640, 480, made[i].batch, "fp32", 1, made[i].fps, made[i].iou, 8);
		for (int r = 0; r < 8; r++) {
			c->runs[r].peak_rss_bytes = (int64_t)made[i].memory << 20;
			c->runs[r].output_bytes_per_frame = 1000 * made[i].output;
		}
		assert_int_equal(vrs_case_result_summarize(c, NULL), VRS_OK);
	}
	add_case(result, 320, 240, 1, "fp32", 1, 400, 0.99, 8); /* another task */
	(void)vrs_strcpy(result->default_case, sizeof result->default_case, result->cases[0].id);
	return result;
}

static void test_rules(void **state)
{
	static const struct {
		enum vrs_pick_rule rule;
		double max_iou_loss, min_fps;
		int batch;             /* that is picked; 0: nothing keeps the limits */
	} cases[] = {
		{VRS_PICK_FASTEST, 0.005, 0, 2},   /* 4 has lost too much of the matte */
		{VRS_PICK_FASTEST, 1, 0, 4},
		{VRS_PICK_BEST, 0.005, 0, 16},     /* as good as 8, and faster */
		{VRS_PICK_BEST, 0.005, 61.5, 2},   /* at its slowest 16 has less; 2 is as good as the default */
		{VRS_PICK_SMALLEST, 0.005, 0, 8},
		{VRS_PICK_LIGHTEST, 0.005, 0, 16},
		{VRS_PICK_KNEE, 1, 0, 2},
		{VRS_PICK_FASTEST, 0.005, 500, 0},
	};
	(void)state;
	struct vrs_result *result = make();
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct vrs_objective objective = vrs_objective_default();
		struct vrs_search_result picked;
		struct vrs_error err = {.status = VRS_OK};
		char id[64];
		objective.max_iou_loss = cases[i].max_iou_loss;
		objective.min_fps = cases[i].min_fps;
		assert_int_equal(vrs_pick(result, cases[i].rule, &objective, &picked, &err), VRS_OK);
		assert_int_equal(picked.feasible, cases[i].batch != 0);
		snprintf(id, sizeof id, "r=640x480/b=%d/p=fp32/t=1", cases[i].batch ? cases[i].batch : 1);
		assert_string_equal(picked.best_id, id);
		assert_int_equal(picked.keeps_default, cases[i].batch <= 1);
		assert_int_equal(picked.best.value_count, cases[i].batch > 1);
		if (cases[i].batch > 1)
			assert_int_equal(atoi(vrs_case_get(&picked.best, "engine.batch_size")), cases[i].batch);
		vrs_search_result_fini(&picked);
	}
	vrs_result_destroy(result);
}

/* 16 is as good as 8 and faster, but over half of the frames: it makes the default's mattes, whose quality over others ranks nothing. */
static void test_other_frames(void **state)
{
	(void)state;
	const struct vrs_objective objective = vrs_objective_default();
	struct vrs_search_result picked;
	struct vrs_result *result = make();
	for (int i = 0; i < result->case_count; i++)
		for (int r = 0; r < result->cases[i].run_count; r++)
			result->cases[i].runs[r].quality_frames = i == 4 ? 12 : 24;
	assert_int_equal(vrs_pick(result, VRS_PICK_BEST, &objective, &picked, NULL), VRS_OK);
	assert_string_equal(picked.best_id, "r=640x480/b=8/p=fp32/t=1");
	vrs_search_result_fini(&picked);
	/* Its memory is its own, but not where it may make other mattes. */
	for (int other = 0; other < 2; other++) {
		result->cases[4].precision = other ? VRS_PRECISION_BF16 : VRS_PRECISION_FP32;
		assert_int_equal(vrs_pick(result, VRS_PICK_LIGHTEST, &objective, &picked, NULL), VRS_OK);
		assert_string_equal(picked.best_id, other ? "r=640x480/b=2/p=fp32/t=1" : "r=640x480/b=16/p=fp32/t=1");
		vrs_search_result_fini(&picked);
	}
	vrs_result_destroy(result);
}

/* The command in the saved file measures what was measured: a clip of another size, by its size. */
static void test_the_size_and_scope_are_kept(void **state)
{
	(void)state;
	for (int derived = 0; derived < 2; derived++) {
		struct vrs_result *result = make();
		const struct vrs_objective objective = vrs_objective_default();
		struct vrs_search_result picked;
		struct vrs_error err = {.status = VRS_OK};
		for (int i = 0; i < result->case_count; i++) {
			result->cases[i].input_kind = derived ? VRS_INPUT_DERIVED : VRS_INPUT_CLIP;
			result->cases[i].scope = derived ? VRS_SCOPE_NO_IO : VRS_SCOPE_END_TO_END;
		}
		assert_int_equal(vrs_pick(result, VRS_PICK_FASTEST, &objective, &picked, &err), VRS_OK);
		assert_int_equal(picked.best.width, derived ? 640 : 0);
		assert_int_equal(picked.best.height, derived ? 480 : 0);
		assert_int_equal(picked.best.scope, derived ? VRS_SCOPE_NO_IO : VRS_SCOPE_END_TO_END);
		vrs_search_result_fini(&picked);
		vrs_result_destroy(result);
	}
}

/* What is ahead of the choice is listed with the reason that keeps it from being one, and what is behind it is not. */
static void test_what_is_left_out(void **state)
{
	static const struct {
		enum vrs_pick_rule rule;
		double min_fps;
		int count;             /* of entries that are not accepted */
		const char *why, *words;
	} cases[] = {
		{VRS_PICK_FASTEST, 0, 1, "IoU 0.9000 is below 0.9450", " 1 that comes before it is left out."},
		{VRS_PICK_BEST, 61.5, 2, "", " 2 that come before it are left out."},
		{VRS_PICK_LIGHTEST, 0, 0, "", "keep the limits. That"},
		{VRS_PICK_FASTEST, 500, 4, "", "No measured settings keep all limits."},
	};
	(void)state;
	struct vrs_result *result = make();
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct vrs_objective objective = vrs_objective_default();
		struct vrs_search_result picked;
		int count = 0;
		objective.min_fps = cases[i].min_fps;
		assert_int_equal(vrs_pick(result, cases[i].rule, &objective, &picked, NULL), VRS_OK);
		assert_non_null(strstr(picked.sentence, cases[i].words));
		assert_true(picked.tried[0].accepted);
		for (int k = 0; k < picked.tried_count; k++) {
			const struct vrs_tried *tried = &picked.tried[k];
			count += !tried->accepted;
			assert_true(tried->accepted || tried->limits.why[0]);
			if (cases[i].rule == VRS_PICK_FASTEST && cases[i].count == 1 && !tried->accepted)
				assert_string_equal(tried->limits.why, cases[i].why);
		}
		assert_int_equal(count, cases[i].count);
		vrs_search_result_fini(&picked);
	}
	/* The best matte, but of other frames: no limit is missed. */
	const struct vrs_objective objective = vrs_objective_default();
	struct vrs_search_result picked;
	for (int i = 0; i < result->case_count; i++)
		for (int r = 0; r < result->cases[i].run_count; r++)
			result->cases[i].runs[r].quality_frames = i >= 3 ? 12 : 24;
	assert_int_equal(vrs_pick(result, VRS_PICK_BEST, &objective, &picked, NULL), VRS_OK);
	assert_string_equal(picked.tried[picked.tried_count - 1].limits.why, "its mattes are of other frames than the default's");
	vrs_search_result_fini(&picked);
	vrs_result_destroy(result);
}

/* As light as what is picked, and faster: its speed would decide. */
static void test_a_tie_is_left_out(void **state)
{
	(void)state;
	const struct vrs_objective objective = vrs_objective_default();
	struct vrs_search_result picked;
	struct vrs_result *result = make();
	for (int r = 0; r < 8; r++)
		result->cases[2].runs[r].peak_rss_bytes = 150 << 20;
	assert_int_equal(vrs_case_result_summarize(&result->cases[2], NULL), VRS_OK);
	assert_int_equal(vrs_pick(result, VRS_PICK_LIGHTEST, &objective, &picked, NULL), VRS_OK);
	assert_non_null(strstr(picked.sentence, " 1 that comes before it is left out."));
	const struct vrs_tried *last = &picked.tried[picked.tried_count - 1];
	assert_false(last->accepted);
	assert_string_equal(last->id, result->cases[2].id);
	vrs_search_result_fini(&picked);
	vrs_result_destroy(result);
}

static void test_what_cannot_be_picked(void **state)
{
	(void)state;
	const struct vrs_objective objective = vrs_objective_default();
	struct vrs_search_result picked;
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_result *result = make();
	for (int i = 0; i < result->case_count; i++)
		for (int r = 0; r < result->cases[i].run_count; r++)
			result->cases[i].runs[r].output_bytes_per_frame = NAN;
	assert_int_equal(vrs_pick(result, VRS_PICK_SMALLEST, &objective, &picked, &err), VRS_ECONFIG);
	assert_string_equal(err.text, "the results do not say what decides the one with the smallest output");
	err.status = VRS_OK;
	result->default_case[0] = '\0';
	assert_int_equal(vrs_pick(result, VRS_PICK_FASTEST, &objective, &picked, &err), VRS_ECONFIG);
	vrs_result_destroy(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_rules), cmocka_unit_test(test_other_frames),
					   cmocka_unit_test(test_what_is_left_out), cmocka_unit_test(test_a_tie_is_left_out),
					   cmocka_unit_test(test_the_size_and_scope_are_kept), cmocka_unit_test(test_what_cannot_be_picked)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
