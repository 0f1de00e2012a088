/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards what vrbench publishes of the runner's events: runs by outcome, an excluded run that is no figure, the case in progress, progress that a
 * message of preparing does not reset, and what stays out of the text because it is not known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/str_parse.h"
#include "bench/modes/bench_metrics.h"
#include "scratch_folder.h"

static int enter(void **state)
{
	(void)state;
	return scratch_folder_enter("test_bench_metrics");
}

static int leave(void **state)
{
	(void)state;
	return scratch_folder_leave("test_bench_metrics");
}

static void tell(struct vrs_bench_metrics *metrics, enum vrs_runner_event_kind kind, const struct vrs_case_result *c, const struct vrs_run *run,
		 int done)
{
	vrs_bench_metrics_event(metrics, &(const struct vrs_runner_event){.kind = kind, .case_result = c, .run = run, .done = done, .total = 5, .round = 2,
									    .rounds = 3, .run_seconds = 4, .eta_seconds = done ? 60 : NAN, .text = "clip"});
}

/* The text after the program has ended with that code. */
static void closed(struct vrs_bench_metrics *metrics, int code, struct vrs_buf *ret_text)
{
	vrs_bench_metrics_close(metrics, code);
	assert_int_equal(vrs_file_read("b.prom", 1 << 20, ret_text, NULL), VRS_OK);
	assert_int_equal(unlink("b.prom"), 0);
}

static struct vrs_bench_metrics *opened(void)
{
	struct vrs_bench_metrics *metrics = NULL;
	struct vrs_error err = {.status = VRS_OK};
	if (vrs_bench_metrics_open(&metrics, "b.prom", "", &err) != VRS_OK)
		fail_msg("%s", err.text);
	return metrics;
}

static void expect(const struct vrs_buf *text, const char *line)
{
	if (!strstr(vrs_buf_str(text), line))
		fail_msg("there is no \"%s\" in\n%s", line, vrs_buf_str(text));
}

static void runs_by_outcome(void **state)
{
	(void)state;
	struct vrs_case_result c;
	struct vrs_buf text;
	vrs_case_result_init(&c);
	strcpy(c.id, "r=640x480/b=1/p=fp32/t=1");
	struct vrs_bench_metrics *metrics = opened();
	struct vrs_run *run = vrs_case_result_add_run(&c);
	run->status = VRS_RUN_OK;
	run->fps = 20;
	tell(metrics, VRS_RUNNER_RUN_START, &c, NULL, 0);
	tell(metrics, VRS_RUNNER_RUN_END, &c, run, 1);
	run = vrs_case_result_add_run(&c);
	run->status = VRS_RUN_OK;
	run->fps = 40;
	tell(metrics, VRS_RUNNER_RUN_END, &c, run, 2);
	run = vrs_case_result_add_run(&c);
	run->status = VRS_RUN_OK;
	run->fps = 1;
	strcpy(run->excluded, "steal: 9 % stolen");
	tell(metrics, VRS_RUNNER_RUN_END, &c, run, 2);
	run = vrs_case_result_add_run(&c);
	run->status = VRS_RUN_OOM;
	tell(metrics, VRS_RUNNER_RUN_END, &c, run, 3);
	tell(metrics, VRS_RUNNER_SKIPPED, &c, NULL, 3);
	tell(metrics, VRS_RUNNER_PREPARE, NULL, NULL, 0);
	closed(metrics, 10, &text);
	expect(&text, "vrbench_runs_total{result=\"ok\"} 2\n");
	expect(&text, "vrbench_runs_total{result=\"excluded\"} 1\n");
	expect(&text, "vrbench_runs_total{result=\"oom\"} 1\n");
	expect(&text, "vrbench_cases_skipped_total 1\n");
	expect(&text, "vrbench_runs_done 3\n");
	expect(&text, "vrbench_runs_planned 5\n");
	expect(&text, "vrbench_round 2\n");
	expect(&text, "vrbench_remaining_seconds 60\n");
	expect(&text, "vrbench_run_frames_per_second 40\n");
	expect(&text, "vrbench_case_frames_per_second 30\n");
	expect(&text, "vrbench_measuring 0\n");
	expect(&text, "vrbench_last_run_exit_code 10\n");
	vrs_buf_fini(&text);
	vrs_case_result_fini(&c);
}

static void the_run_in_progress(void **state)
{
	(void)state;
	struct vrs_case_result c;
	struct vrs_buf text;
	vrs_case_result_init(&c);
	strcpy(c.id, "r=1x1");
	struct vrs_bench_metrics *metrics = opened();
	tell(metrics, VRS_RUNNER_RUN_START, &c, NULL, 0);
	tell(metrics, VRS_RUNNER_TICK, &c, NULL, 0);
	closed(metrics, 0, &text);
	expect(&text, "vrbench_measuring 1\n");
	expect(&text, "vrbench_run_seconds 4\n");
	expect(&text, "vrbench_case_info{case=\"r=1x1\"} 1\n");
	assert_null(strstr(vrs_buf_str(&text), "frames_per_second"));
	assert_null(strstr(vrs_buf_str(&text), "remaining_seconds"));
	vrs_buf_fini(&text);
	vrs_bench_metrics_event(NULL, &(const struct vrs_runner_event){.kind = VRS_RUNNER_TICK}); /* nobody listens */
	vrs_bench_metrics_close(NULL, 0);
	vrs_case_result_fini(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(runs_by_outcome, enter, leave),
		cmocka_unit_test_setup_teardown(the_run_in_progress, enter, leave),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
