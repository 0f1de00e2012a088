/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards trying advice: every proposal of the rules becomes one case, and the table says what it gave, whether that is proven, and what it costs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tuner/advice_trial.h"
#include "unit/analyzer/made_result.h"

static struct vrs_result *make(double encode_ms)
{
	struct vrs_result *result;
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	struct vrs_case_result *c = add_case(result, 640, 480, 1, "fp32", 1, 20, 0.95, 8);
	for (int r = 0; r < 8; r++)
		c->runs[r].stage_busy_ms[VRS_STAGE_ENCODE] = encode_ms;
	assert_int_equal(vrs_case_result_summarize(c, NULL), VRS_OK);
	return result;
}

static void proposals_are_cases(void **state)
{
	struct vrs_case cases[VRS_ADVICE_TRIAL_MAX];
	(void)state;
	struct vrs_result *result = make(48); /* of 50 ms a frame */
	assert_int_equal(vrs_advice_trial_cases(result, &result->cases[0], 8, cases), 1);
	assert_string_equal(vrs_case_get(&cases[0], "output.preset"), "ultrafast");
	vrs_result_destroy(result);
	result = make(5); /* nothing is busy: frames wait for each other, and CPUs for work */
	assert_int_equal(vrs_advice_trial_cases(result, &result->cases[0], 8, cases), 3);
	assert_string_equal(vrs_case_get(&cases[0], "pipeline.queue_size"), "8");
	assert_string_equal(vrs_case_get(&cases[1], "engine.streams"), "2");
	assert_string_equal(vrs_case_get(&cases[2], "engine.batch_size"), "2");
	assert_int_equal(cases[0].value_count + cases[1].value_count + cases[2].value_count, 3);
	vrs_result_destroy(result);
	/* Both rules over busy CPUs and a busy encoder propose the same preset. */
	result = make(48);
	for (int r = 0; r < 8; r++)
		result->cases[0].runs[r].cpu_seconds = 2 * result->cases[0].runs[r].wall_seconds;
	assert_int_equal(vrs_case_result_summarize(&result->cases[0], NULL), VRS_OK);
	int count = vrs_advice_trial_cases(result, &result->cases[0], 2, cases), presets = 0;
	for (int i = 0; i < count; i++)
		presets += vrs_case_get(&cases[i], "output.preset") != NULL;
	assert_int_equal(presets, 1);
	assert_true(count > 1); /* a 16-bit format, too */
	vrs_result_destroy(result);
}

static void outcomes_have_their_price(void **state)
{
	(void)state;
	const struct vrs_objective objective = vrs_objective_default();
	struct vrs_result *result = make(48);
	add_case(result, 640, 480, 2, "fp32", 1, 30, 0.95, 8);
	add_case(result, 640, 480, 4, "fp32", 1, 20, 0.95, 8);
	for (int i = 0; i < 3; i++)
		for (int r = 0; r < 8; r++)
			result->cases[i].runs[r].output_bytes_per_frame = i == 1 ? 4000 : 1000;
	struct vrs_findings *f = vrs_findings_create();
	assert_non_null(f);
	vrs_advice_trial_table(result, &objective, f);
	assert_int_equal(vrs_findings_finish(f), VRS_OK);
	assert_int_equal(f->tables[0].rows, 3);
	assert_non_null(strstr(f->tables[0].cells[0], "(now)"));
	assert_non_null(strstr(f->tables[0].cells[5 + 4], "proven: +50.0 %"));
	assert_non_null(strstr(f->tables[0].cells[5 + 4], "; but the output is 4.00 times as large"));
	assert_non_null(strstr(f->tables[0].cells[10 + 4], "not proven"));
	assert_null(strstr(f->tables[0].cells[10 + 4], "but"));
	vrs_findings_destroy(f);
	vrs_result_destroy(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(proposals_are_cases), cmocka_unit_test(outcomes_have_their_price),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
