/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the metrics file of a program: it is there at once and whole, keeps how the last run ended from run to run, counts what is damaged as
 * absent, and a folder that goes away costs no run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "monitor/last_run.h"
#include "scratch_folder.h"

#include <vrseg/metrics.h>

static int enter(void **state)
{
	(void)state;
	return scratch_folder_enter("test_metrics");
}

static int leave(void **state)
{
	(void)state;
	return scratch_folder_leave("test_metrics");
}

static void write_one(void *cookie, struct vrs_metric_writer *writer)
{
	vrs_metric_value(writer, &(const struct vrs_metric){"x_number", VRS_METRIC_GAUGE, "", "A number."}, *(double *)cookie);
}

static struct vrs_metrics *open_metrics(double *number)
{
	struct vrs_metrics_source source = {.program = "x", .cookie = number, .write = write_one};
	struct vrs_metrics *metrics = NULL;

	assert_int_equal(vrs_metrics_open(&metrics, "x.prom", "", &source, NULL), VRS_OK);
	return metrics;
}

static struct vrs_last_run read_file(bool running)
{
	struct vrs_last_run run;
	struct vrs_buf text;

	vrs_buf_init(&text, 100000);
	assert_int_equal(vrs_file_read("x.prom", 100000, &text, NULL), VRS_OK);
	assert_true(vrs_last_run_read(&run, vrs_buf_str(&text), "x"));
	assert_non_null(strstr(vrs_buf_str(&text), running ? "\nx_running 1\n" : "\nx_running 0\n"));
	vrs_buf_fini(&text);
	return run;
}

static void runs(void **state)
{
	(void)state;
	double number = 3;
	struct vrs_metrics *metrics = open_metrics(&number);
	struct vrs_last_run run = read_file(true);
	assert_true(run.end_time <= 0 && run.success_time <= 0);
	vrs_metrics_exit(metrics, 0);
	vrs_metrics_close(metrics);
	run = read_file(false);
	double success = run.success_time;
	assert_true(success > 1.7e9 && run.end_time >= success && run.exit_code <= 0);

	metrics = open_metrics(&number);
	run = read_file(true); /* of the run before */
	assert_true(run.end_time >= success && run.success_time >= success);
	vrs_metrics_exit(metrics, 10);
	vrs_metrics_close(metrics);
	run = read_file(false);
	assert_int_equal((int)run.exit_code, 10);
	assert_true(run.success_time >= success && run.success_time <= success);

	vrs_metrics_close(open_metrics(&number)); /* killed, but for the release of memory: it never ended */
	run = read_file(true);
	assert_int_equal((int)run.exit_code, 10);
	assert_int_equal(unlink("x.prom"), 0);
}

static void damaged(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool ours;
		double end, success;
	} cases[] = {
		{"", true, 0, 0},
		{"# HELP y_z\n", false, 0, 0},
		{"notes", false, 0, 0},
		{"# HELP x_", true, 0, 0},
		{"# HELP x_a\nx_last_run_end_time_seconds 5", true, 5, 0},
		{"# HELP x_a\nx_last_run_end_time_seconds nan\nx_last_success_time_seconds 1e300\n", true, 0, 0},
		{"# HELP x_a\nx_last_run_end_time_seconds -1\nx_last_success_time_seconds{a=\"b\"} 4\n", true, 0, 0},
		{"# HELP x_a\nxx_last_run_end_time_seconds 7\n x_last_run_end_time_seconds 8\nx_last_success_time_seconds 9\n", true, 0, 9},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct vrs_last_run run;
		if (vrs_last_run_read(&run, cases[i].text, "x") != cases[i].ours || run.end_time < cases[i].end || run.end_time > cases[i].end ||
		    run.success_time < cases[i].success || run.success_time > cases[i].success)
			fail_msg("case %zu", i);
	}
}

static void folder_gone(void **state)
{
	(void)state;
	double number = 1;
	struct vrs_metrics *metrics = NULL;
	struct vrs_metrics_source source = {.program = "x", .cookie = &number, .write = write_one};

	assert_int_equal(mkdir("folder", 0700), 0);
	assert_int_equal(vrs_metrics_open(&metrics, "folder/x.prom", "", &source, NULL), VRS_OK);
	assert_int_equal(remove_tree("folder"), 0);
	vrs_metrics_exit(metrics, 0);
	vrs_metrics_close(metrics);
	assert_int_equal(access("folder", F_OK), -1);
	assert_int_equal(vrs_metrics_open(&metrics, "folder/x.prom", "", &source, NULL), VRS_EIO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(runs), cmocka_unit_test(damaged), cmocka_unit_test(folder_gone)};
	return cmocka_run_group_tests(tests, enter, leave);
}
