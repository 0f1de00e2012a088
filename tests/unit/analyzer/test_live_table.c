/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the table of cases in real time: counts add up over good and undisturbed runs alone, the longest stall is one of a run, and offline cases
 * are not in it.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyzer/summary_parts.h"
#include "unit/analyzer/found.h"
#include "unit/analyzer/made_result.h"

static void add_counts(struct vrs_run *run, int64_t dropped, int64_t longest)
{
	run->live_due = 500;
	run->live_dropped = dropped;
	run->live_late = 2;
	run->live_episodes = 1;
	run->live_longest = longest;
	run->latency_median_ms = 10;
	run->latency_p95_ms = 20;
}

static void counts_of_good_runs(void **state)
{
	(void)state;
	struct vrs_result *result;
	struct vrs_findings *f = vrs_findings_create();
	assert_non_null(f);
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	add_case(result, 640, 480, 1, "fp32", 1, 30, 0.95, 3); /* offline */
	struct vrs_case_result *c = add_case(result, 640, 480, 2, "fp32", 1, 30, 0.95, 5);
	add_counts(&c->runs[0], 3, 4);
	add_counts(&c->runs[1], 0, 9);
	add_counts(&c->runs[2], 100, 50);
	c->runs[2].status = VRS_RUN_FAILED;
	add_counts(&c->runs[3], -1, -1); /* not counted */
	add_counts(&c->runs[4], 200, 80);
	(void)vrs_strcpy(c->runs[4].excluded, sizeof c->runs[4].excluded, "others: noise"); /* in no figure */
	c->live_verdict = VRS_OUTCOME_FAIL;
	(void)vrs_strcpy(c->live_note, sizeof c->live_note, "9 of 1500 missed");
	c = add_case(result, 640, 480, 4, "fp32", 1, 30, 0.95, 1);
	c->live_verdict = VRS_OUTCOME_PASS;
	c->runs[0].status = VRS_RUN_FAILED; /* no run to speak of */
	vrs_live_table(result, f);
	assert_int_equal(vrs_findings_finish(f), VRS_OK);
	const struct vrs_table *t = found_table(f, "live");
	assert_int_equal(t->rows, 1);
	assert_string_equal(found_cell(t, 0, "case"), "r=640x480/b=2/p=fp32/t=1");
	assert_string_equal(found_cell(t, 0, "due"), "1500");
	assert_string_equal(found_cell(t, 0, "dropped"), "3");
	assert_string_equal(found_cell(t, 0, "late"), "6");
	assert_string_equal(found_cell(t, 0, "stalls"), "3");
	assert_string_equal(found_cell(t, 0, "in a row"), "9");
	assert_string_equal(found_cell(t, 0, "P50 (ms)"), "10.0");
	assert_string_equal(found_cell(t, 0, "P95 (ms)"), "20.0");
	assert_string_equal(found_cell(t, 0, "P99 (ms)"), "-"); /* no run has it */
	assert_string_equal(found_cell(t, 0, "verdict"), "fail: 9 of 1500 missed");
	vrs_findings_destroy(f);
	vrs_result_destroy(result);
}

static void offline_results_have_none(void **state)
{
	(void)state;
	struct vrs_result *result = make_result(3);
	struct vrs_findings *f = vrs_findings_create();
	assert_non_null(f);
	vrs_live_table(result, f);
	assert_int_equal(vrs_findings_finish(f), VRS_OK);
	assert_int_equal(f->table_count, 0);
	vrs_findings_destroy(f);
	vrs_result_destroy(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_of_good_runs),
		cmocka_unit_test(offline_results_have_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
