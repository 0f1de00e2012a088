/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards which cases count as worth having: only what is beaten beyond noise and margins, in figures that both have, leaves the front; the knee is
 * the case between the fastest and the best; no number of cases is too many.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/figures/front.h"
#include "analyzer/summary.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "unit/analyzer/made_result.h"

#define SPEED_AND_QUALITY (1u << VRS_FRONT_SPEED | 1u << VRS_FRONT_QUALITY)

static void test_values(void **state)
{
	(void)state;
	struct vrs_result *result;
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	struct vrs_case_result *c = add_case(result, 640, 480, 1, "fp32", 1, 100, 0.95, 4);
	c->runs[0].output_bytes_per_frame = 5000;
	struct vrs_front_value speed = vrs_front_value(c, VRS_FRONT_SPEED), output = vrs_front_value(c, VRS_FRONT_OUTPUT);
	assert_float_equal(speed.median, 100, 1e-9);
	assert_float_equal(speed.low, 99, 1e-9); /* four runs have a range */
	assert_float_equal(speed.high, 101, 1e-9);
	assert_float_equal(output.median, 5, 1e-9);
	assert_float_equal(vrs_front_value(c, VRS_FRONT_MEMORY).median, 200, 1e-9);
	assert_true(isnan(vrs_front_value(c, VRS_FRONT_ENERGY).median));
	for (int r = 0; r < 4; r++)
		c->runs[r].iou = NAN;
	c->runs[0].agreement = 0.99;
	assert_float_equal(vrs_front_value(c, VRS_FRONT_QUALITY).median, 0.99, 1e-9);
	vrs_strcpy(c->runs[0].excluded, sizeof c->runs[0].excluded, "others: noise"); /* it alone compared mattes, which are none the worse for that */
	assert_float_equal(vrs_front_value(c, VRS_FRONT_QUALITY).median, 0.99, 1e-9);
	assert_true(isnan(vrs_front_value(c, VRS_FRONT_OUTPUT).median));
	vrs_result_destroy(result);
}

/* A case with fewer mattes, of easier frames, is no better: the first mattes of both decide, and without those nothing does. */
static void test_other_mattes(void **state)
{
	(void)state;
	struct vrs_result *result;
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	add_case(result, 640, 480, 1, "fp32", 1, 110, 0.93, 4);
	add_case(result, 640, 480, 2, "fp32", 1, 100, 0.95, 4);
	struct vrs_case_result *fast = &result->cases[0], *slow = &result->cases[1];
	for (int i = 0; i < 4; i++)
		slow->runs[i].quality_frames = 8;
	assert_false(vrs_front_dominates(fast, slow, SPEED_AND_QUALITY)); /* nothing is known */
	assert_false(vrs_front_dominates(slow, fast, 1u << VRS_FRONT_QUALITY));
	for (int i = 0; i < 2; i++) {
		struct vrs_matte_prefixes *p = &result->cases[i].runs[0].first_mattes;
		p->count = 1;
		p->mattes[0] = 8;
		p->figures[0][VRS_FIGURE_IOU] = 0.95F;
	}
	assert_true(vrs_front_dominates(fast, slow, SPEED_AND_QUALITY));
	assert_false(vrs_front_dominates(slow, fast, 1u << VRS_FRONT_QUALITY));
	vrs_result_destroy(result);
}

static void test_dominance(void **state)
{
	static const struct {
		double fps, iou;
		bool beats, beaten;    /* against 100 FPS and .950 */
	} cases[] = {
		{110, 0.950, true, false},
		{110, 0.949, true, false},   /* the loss is within the margin */
		{110, 0.940, false, false},  /* better and worse */
		{101, 0.950, false, false},  /* noise */
		{100, 0.960, true, false},
		{90, 0.950, false, true},
		{90, 0.930, false, true},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct vrs_result *result;
		assert_int_equal(vrs_result_create(&result), VRS_OK);
		add_case(result, 640, 480, 1, "fp32", 1, 100, 0.950, 8);
		add_case(result, 640, 480, 2, "fp32", 1, cases[i].fps, cases[i].iou, 8);
		const struct vrs_case_result *base = &result->cases[0], *c = &result->cases[1];
		assert_int_equal(vrs_front_dominates(c, base, SPEED_AND_QUALITY), cases[i].beats);
		assert_int_equal(vrs_front_dominates(base, c, SPEED_AND_QUALITY), cases[i].beaten);
		/* Less memory is a reason to be kept; a figure that only one has decides nothing. */
		for (int r = 0; r < 8; r++)
			result->cases[1].runs[r].peak_rss_bytes = (int64_t)100 << 20;
		assert_false(vrs_front_dominates(base, c, SPEED_AND_QUALITY | 1u << VRS_FRONT_MEMORY));
		result->cases[1].runs[0].joules_per_frame = 3;
		assert_false(vrs_front_dominates(c, base, SPEED_AND_QUALITY | 1u << VRS_FRONT_ENERGY));
		vrs_result_destroy(result);
	}
}

static void test_knee(void **state)
{
	static const double fps[] = {100, 95, 40, 20, 97}, iou[] = {0.90, 0.95, 0.97, 0.971, NAN};
	const struct vrs_case_result *cases[5];
	(void)state;
	struct vrs_result *result;
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	for (int i = 0; i < 5; i++)
		add_case(result, 640, 480, 1 + i, "fp32", 1, fps[i], iou[i], 4);
	for (int i = 0; i < 5; i++)
		cases[i] = &result->cases[i];
	assert_int_equal(vrs_front_knee(cases, 4), 1);
	assert_int_equal(vrs_front_knee(cases + 4, 1), -1); /* its matte is not known */
	assert_int_equal(vrs_front_knee(cases, 1), 0);
	vrs_result_destroy(result);
}

/*
 * 3000 cases on one line of speed against quality: all of them are shown.  Of 30 batches: each batch is compared with all cases, which is another
 * table's work and took nine tenths of the time when each case had its own.
 */
static void test_no_case_is_too_many(void **state)
{
	enum { MANY = 3000 };
	(void)state;
	struct vrs_result *result;
	const struct vrs_table *front = NULL;
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	for (int i = 0; i < MANY; i++) {
		struct vrs_case_result *c = add_case(result, 640, 480, 1 + i % 30, "fp32", 1, 100 * pow(1.05, i % 100), 0.99 - 0.003 * (i % 100), 1);
		(void)snprintf(c->id, sizeof c->id, "r=640x480/b=%d/p=fp32/t=1", 1 + i);
	}
	(void)vrs_strcpy(result->default_case, sizeof result->default_case, result->cases[0].id);
	struct vrs_findings *f = vrs_findings_create();
	assert_non_null(f);
	assert_int_equal(vrs_summarize(result, f, NULL), VRS_OK);
	for (int i = 0; i < f->table_count; i++)
		if (strcmp(f->tables[i].id, "front") == 0)
			front = &f->tables[i];
	assert_non_null(front);
	assert_int_equal(front->rows, MANY);
	vrs_findings_destroy(f);
	vrs_result_destroy(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values), cmocka_unit_test(test_other_mattes), cmocka_unit_test(test_dominance),
		cmocka_unit_test(test_knee), cmocka_unit_test(test_no_case_is_too_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
