/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards what a report says of a long run: slopes and ends of windows made by formula, since when frames were slower, what was not observable, the
 * unit of the time axis, and that windows outside the result's folder are not read.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "analyzer/run_graphs.h"
#include "analyzer/summary_parts.h"
#include "base/str_parse.h"
#include "unit/analyzer/found.h"

#include "scratch_folder.h"

#define WINDOWS "soak.jsonl"
#define MIB 1048576.0

/*
 * Windows of `seconds` each.  Observed: 100 MiB and 12 more an hour, 10 ms a frame, 11 ms in the second half, P95 in that half only, 40 degrees and
 * 30 more an hour, 3000 MHz, and a throttle event in the last window.
 */
static void write_windows(int count, double seconds, bool observed)
{
	FILE *out = fopen(WINDOWS, "w");
	assert_non_null(out);
	for (int i = 0; i < count; i++) {
		double end = (i + 1) * seconds;
		bool late = i >= count / 2;
		fprintf(out, "{\"end_seconds\":%.3f,\"frames\":%.0f,\"median_ms\":%d,\"max_ms\":%d", end, seconds * 90, late ? 11 : 10, late ? 90 : 30);
		if (late)
			fprintf(out, ",\"p95_ms\":15");
		if (observed)
			fprintf(out, ",\"rss_bytes\":%.0f,\"frequency_mhz\":3000,\"temperature_c\":%.2f,\"throttle_events\":%d", (100 + 12 * end / 3600) * MIB,
				40 + 30 * end / 3600, 7 + (i == count - 1));
		fprintf(out, "}\n");
	}
	assert_int_equal(fclose(out), 0);
}

static struct vrs_result *soak_result(const char *file)
{
	struct vrs_result *result;
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	struct vrs_case_result *c = vrs_result_add_case(result);
	assert_non_null(c);
	c->soak_verdict = VRS_OUTCOME_PASS;
	c->soak_seconds = 5400;
	(void)vrs_strcpy(c->id, sizeof c->id, "a case");
	(void)vrs_strcpy(c->soak_note, sizeof c->soak_note, "nothing grew");
	(void)vrs_strcpy(c->soak_file, sizeof c->soak_file, file);
	return result;
}

/* Values and graphs of the windows that were written. */
static struct vrs_findings *find(const char *file, struct vrs_soak *ret_soak, bool expected)
{
	struct vrs_result *result = soak_result(file);
	struct vrs_findings *f = vrs_findings_create();
	assert_non_null(f);
	assert_int_equal(vrs_soak_values(result, ".", ret_soak, f), expected);
	vrs_soak_graphs(result, ".", f);
	assert_int_equal(vrs_findings_finish(f), VRS_OK);
	vrs_result_destroy(result);
	return f;
}

static void an_hour_of_values(void **state)
{
	(void)state;
	struct vrs_soak soak;
	write_windows(60, 60, true);
	struct vrs_findings *f = find(WINDOWS, &soak, true);
	const struct vrs_table *t = found_table(f, "soak-values");
	assert_int_equal(t->rows, 5);
	assert_string_equal(found_cell(t, 0, "value"), "memory (MiB)");
	assert_string_equal(found_cell(t, 0, "trend"), "+12.00 MiB an hour, 95 % interval +12.00 to +12.00");
	assert_string_equal(found_cell(t, 1, "at first"), "10.00");
	assert_string_equal(found_cell(t, 1, "at last"), "11.00");
	assert_non_null(strstr(found_cell(t, 1, "trend"), "; at least 5 % slower from 30 min on"));
	assert_string_equal(found_cell(t, 2, "trend"), "still rising: heat is not settled");
	assert_string_equal(found_cell(t, 3, "at first"), "3000");
	assert_string_equal(found_cell(t, 3, "trend"), "");
	assert_string_equal(found_cell(t, 4, "at first"), "0");
	assert_string_equal(found_cell(t, 4, "at last"), "1");
	assert_string_equal(t->caption, "324000 frames in 60 min: 60 windows of 60 s. Frame times are medians; the longest took 90.0 ms.");
	vrs_findings_destroy(f);
}

static void an_hour_of_graphs(void **state)
{
	(void)state;
	struct vrs_soak soak;
	write_windows(60, 60, true);
	struct vrs_findings *f = find(WINDOWS, &soak, true);
	const struct vrs_graph_data *g = found_graph(f, "soak-memory");
	assert_non_null(g);
	assert_string_equal(g->x_label, "minutes since warm-up");
	assert_int_equal(g->series_count, 2);
	assert_int_equal(g->series[0].points, 60);
	assert_float_equal(g->series[0].x[0], 0.5, 1e-9); /* the middle of the first window */
	assert_float_equal(g->series[0].x[59], 59.5, 1e-9);
	assert_float_equal(g->series[0].y[59], 112, 0.001);
	assert_string_equal(g->series[1].name, "trend");
	assert_float_equal(g->series[1].x[0], 7, 1e-9); /* without the first tenth */
	assert_float_equal(g->series[1].y[0], 101.4, 0.2);
	assert_float_equal(g->series[1].x[1], 60, 1e-9);
	assert_float_equal(g->series[1].y[1], 112, 0.2);
	g = found_graph(f, "soak-frame-time");
	assert_non_null(g);
	assert_string_equal(g->title, "Soak: frame time over time, and the clock");
	assert_int_equal(g->series_count, 4);
	assert_string_equal(g->series[1].name, "P95");
	assert_int_equal(g->series[1].points, 30); /* windows that have one */
	assert_float_equal(g->series[1].x[0], 30.5, 1e-9);
	assert_int_equal(g->series[3].style, VRS_SERIES_RIGHT);
	g = found_graph(f, "soak-temperature");
	assert_non_null(g);
	assert_float_equal(g->series[1].y[59], 70, 1e-9);
	vrs_findings_destroy(f);
}

static void what_was_not_observable(void **state)
{
	(void)state;
	struct vrs_soak soak;
	write_windows(60, 60, false);
	struct vrs_findings *f = find(WINDOWS, &soak, true);
	const struct vrs_table *t = found_table(f, "soak-values");
	for (int row = 0; row < 5; row++) {
		bool is_time = row == 1;
		assert_true(is_time != (strcmp(found_cell(t, row, "trend"), "unavailable here") == 0));
		assert_true(is_time == (found_cell(t, row, "at first")[0] != '\0'));
	}
	assert_null(found_graph(f, "soak-memory"));
	assert_null(found_graph(f, "soak-temperature"));
	const struct vrs_graph_data *g = found_graph(f, "soak-frame-time");
	assert_non_null(g);
	assert_string_equal(g->title, "Soak: frame time over time (the clock is not observable here)");
	assert_int_equal(g->series_count, 3);
	vrs_findings_destroy(f);
}

static void units_of_time(void **state)
{
	(void)state;
	static const struct {
		int count;
		double seconds;
		const char *label;
		double middle; /* of the first window */
	} cases[] = {{8, 10, "seconds since warm-up", 5}, {40, 10, "minutes since warm-up", 1.0 / 12}, {40, 360, "hours since warm-up", 0.05}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct vrs_soak soak;
		write_windows(cases[i].count, cases[i].seconds, true);
		struct vrs_findings *f = find(WINDOWS, &soak, true);
		const struct vrs_graph_data *g = found_graph(f, "soak-memory");
		assert_non_null(g);
		assert_string_equal(g->x_label, cases[i].label);
		assert_float_equal(g->series[0].x[0], cases[i].middle, 1e-9);
		vrs_findings_destroy(f);
	}
}

/* One window has no slope; a file that is missing, damaged or elsewhere is no soak. */
static void nothing_to_say(void **state)
{
	(void)state;
	static const char *const files[] = {"absent.jsonl", ("../" WINDOWS), "/etc/passwd", ""};
	struct vrs_soak soak;
	write_windows(1, 60, true);
	struct vrs_findings *f = find(WINDOWS, &soak, true);
	assert_string_equal(found_cell(found_table(f, "soak-values"), 1, "trend"), "unavailable here");
	assert_int_equal(f->graph_count, 0);
	vrs_findings_destroy(f);
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		f = find(files[i], &soak, false);
		assert_int_equal(f->table_count + f->graph_count, 0);
		vrs_findings_destroy(f);
	}
}

static void one_row_a_case(void **state)
{
	(void)state;
	struct vrs_result *result = soak_result(WINDOWS);
	struct vrs_findings *f = vrs_findings_create();
	struct vrs_case_result *c = &result->cases[0];
	assert_non_null(f);
	c->soak_rss_slope = 1.5 * MIB;
	c->soak_rss_slope_low = -0.25 * MIB;
	c->soak_rss_slope_high = 2 * MIB;
	c->soak_drift_percent = -0.5;
	assert_non_null(vrs_result_add_case(result)); /* no soak */
	vrs_soak_table(result, f);
	const struct vrs_table *t = found_table(f, "soak");
	assert_int_equal(t->rows, 1);
	assert_string_equal(found_cell(t, 0, "hours"), "1.50");
	assert_string_equal(found_cell(t, 0, "memory (MiB an hour)"), "+1.50 [-0.25, +2.00]");
	assert_string_equal(found_cell(t, 0, "slower (%)"), "-0.50");
	assert_string_equal(found_cell(t, 0, "verdict"), "pass: nothing grew");
	vrs_findings_destroy(f);
	vrs_result_destroy(result);
}

static int set_up(void **state)
{
	(void)state;
	return scratch_folder_enter("soak_parts");
}

static int clean_up(void **state)
{
	(void)state;
	return unlink(WINDOWS) | scratch_folder_leave("soak_parts");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_hour_of_values),
		cmocka_unit_test(an_hour_of_graphs),
		cmocka_unit_test(what_was_not_observable),
		cmocka_unit_test(units_of_time),
		cmocka_unit_test(nothing_to_say),
		cmocka_unit_test(one_row_a_case),
	};
	return cmocka_run_group_tests(tests, set_up, clean_up);
}
