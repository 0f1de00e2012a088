/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the exit code of a sweep: failures are results and end with 0, but where no case gave a figure it is 3; --fail-on chooses otherwise, and
 * what was stopped before its first run is no failure.  A comparison that could not run has failed and is invalid: either word of --fail-on asks for
 * it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <vrseg/status.h>

#include "base/str_parse.h"
#include "bench/modes/bench_args.h"

enum fate { GOOD, CRASHED, SKIPPED, NOT_TRIED };

static int exit_of(const enum fate *fates, int count, unsigned fail_on)
{
	struct vrs_bench_args args = {.fail_on = fail_on};
	struct vrs_result *result;
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	for (int i = 0; i < count; i++) {
		struct vrs_case_result *c = vrs_result_add_case(result);
		if (fates[i] == SKIPPED)
			assert_true(vrs_strcpy(c->skipped, sizeof c->skipped, "it needs a device"));
		struct vrs_run *run = fates[i] == GOOD || fates[i] == CRASHED ? vrs_case_result_add_run(c) : NULL;
		if (run)
			run->status = fates[i] == GOOD ? VRS_RUN_OK : VRS_RUN_CRASH;
	}
	int code = vrs_bench_sweep_exit(&args, result);
	vrs_result_destroy(result);
	return code;
}

static void failures_are_results(void **state)
{
	(void)state;
	const enum fate fates[] = {CRASHED, GOOD, SKIPPED};
	assert_int_equal(exit_of(fates, 3, VRS_FAIL_ON_DEFAULT), 0);
	assert_int_equal(exit_of(fates, 3, VRS_FAIL_ON_FAILED), 3);
	assert_int_equal(exit_of(fates, 3, VRS_FAIL_ON_INVALID), 0);
}

static void nothing_measured(void **state)
{
	(void)state;
	const enum fate fates[] = {CRASHED, SKIPPED};
	for (int first = 0; first < 2; first++) {
		assert_int_equal(exit_of(fates + first, 2 - first, VRS_FAIL_ON_DEFAULT), 3);
		assert_int_equal(exit_of(fates + first, 2 - first, 0), 0); /* --fail-on none */
		assert_int_equal(exit_of(fates + first, 2 - first, VRS_FAIL_ON_REGRESSION), 0);
	}
}

static void stopped_early(void **state)
{
	(void)state;
	const enum fate fates[] = {CRASHED, NOT_TRIED};
	assert_int_equal(exit_of(fates, 2, VRS_FAIL_ON_DEFAULT), 0);
	assert_int_equal(exit_of(fates + 1, 1, VRS_FAIL_ON_DEFAULT), 0);
	assert_int_equal(exit_of(fates, 0, VRS_FAIL_ON_DEFAULT), 0);
}

static int versus_exit_of(enum vrs_verdict verdict, enum vrs_cause cause, unsigned fail_on)
{
	const struct vrs_bench_args args = {.fail_on = fail_on};
	struct vrs_comparison headline;
	vrs_comparison_init(&headline);
	headline.verdict = verdict;
	headline.cause = cause;
	headline.gate = true;
	return vrs_bench_versus_exit(&args, &headline);
}

static void comparisons(void **state)
{
	(void)state;
	assert_int_equal(versus_exit_of(VRS_VERDICT_INVALID, VRS_CAUSE_FAILED, VRS_FAIL_ON_DEFAULT), VRS_EXIT_INVALID);
	assert_int_equal(versus_exit_of(VRS_VERDICT_INVALID, VRS_CAUSE_FAILED, VRS_FAIL_ON_FAILED), VRS_EXIT_INVALID);
	assert_int_equal(versus_exit_of(VRS_VERDICT_INVALID, VRS_CAUSE_FAILED, VRS_FAIL_ON_INVALID), VRS_EXIT_INVALID);
	assert_int_equal(versus_exit_of(VRS_VERDICT_INVALID, VRS_CAUSE_FAILED, VRS_FAIL_ON_REGRESSION), 0);
	assert_int_equal(versus_exit_of(VRS_VERDICT_INVALID, VRS_CAUSE_DISTURBED, VRS_FAIL_ON_FAILED), 0);
	assert_int_equal(versus_exit_of(VRS_VERDICT_SLOWER, VRS_CAUSE_NONE, VRS_FAIL_ON_FAILED), 0);
	assert_int_equal(versus_exit_of(VRS_VERDICT_SLOWER, VRS_CAUSE_NONE, VRS_FAIL_ON_REGRESSION), VRS_EXIT_REGRESSION);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(failures_are_results),
		cmocka_unit_test(nothing_measured),
		cmocka_unit_test(stopped_early),
		cmocka_unit_test(comparisons),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
