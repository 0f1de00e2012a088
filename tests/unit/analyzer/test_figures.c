/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: a figure has one value wherever it is shown: switches a second and shares of stages in notes and in tables; peaks that are none, and peaks
 * of devices.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/figures/figures.h"
#include "analyzer/summary.h"
#include "unit/analyzer/made_result.h"

/* Text of the default case's row under the head; NULL: there is no such column. */
static const char *default_case(const struct vrs_findings *f, const char *table, const char *head)
{
	for (int i = 0; i < f->table_count; i++)
		for (int c = 0; strcmp(f->tables[i].id, table) == 0 && c < f->tables[i].columns; c++)
			if (strcmp(f->tables[i].heads[c], head) == 0)
				return f->tables[i].cells[c];
	return NULL;
}

static const char *evidence(const struct vrs_findings *f, const char *id)
{
	for (int i = 0; i < f->note_count; i++)
		if (strcmp(f->notes[i].id, id) == 0)
			return f->notes[i].evidence;
	return NULL;
}

static struct vrs_findings *findings_of(const struct vrs_result *result)
{
	struct vrs_findings *f = vrs_findings_create();
	assert_non_null(f);
	assert_int_equal(vrs_summarize(result, f, NULL), VRS_OK);
	return f;
}

/* A process of 10 s whose measured part lasts 5 s: its switches were counted over the 10 s, and the largest of all runs is no figure of the case. */
static void note_and_table_say_the_same_switches(void **state)
{
	(void)state;
	struct vrs_result *r = make_result(3);
	struct vrs_case_result *c = &r->cases[0];
	for (int i = 0; i < 3; i++) {
		c->runs[i].process_seconds = 10;
		c->runs[i].wall_seconds = 5;
		c->runs[i].cpu_seconds = 10;
		c->runs[i].user_seconds = 9;
		c->runs[i].system_seconds = 1;
		c->runs[i].involuntary_switches = 7560 + 1000 * i * i;
	}
	assert_int_equal(vrs_case_result_summarize(c, NULL), VRS_OK);
	struct vrs_findings *f = findings_of(r);
	const char *note = evidence(f, "thread-starved"), *table = default_case(f, "resources", "forced switches/s");
	assert_non_null(note);
	assert_non_null(table);
	assert_string_equal(table, "856");
	assert_int_equal((int)strtod(note, NULL), 856);
	vrs_findings_destroy(f);
	vrs_result_destroy(r);
}

/* Two streams halve what each of their threads is busy; the note and the table mean the same share of the same time. */
static void note_and_table_say_the_same_share(void **state)
{
	(void)state;
	static const int streams[] = {1, 2};
	for (int k = 0; k < 2; k++) {
		struct vrs_result *r = make_result(3);
		struct vrs_case_result *c = &r->cases[0];
		char expected[32];
		c->streams = streams[k];
		for (int i = 0; i < 3; i++)
			c->runs[i].stage_busy_ms[VRS_STAGE_INFERENCE] = 40 * streams[k];
		double share = 100 * 40 / vrs_figure_frame_ms(c);
		struct vrs_findings *f = findings_of(r);
		const char *note = evidence(f, "inference-bound"), *table = default_case(f, "stages", "inference");
		assert_non_null(note);
		assert_non_null(table);
		snprintf(expected, sizeof expected, "(%.0f %%)", share);
		assert_non_null(strstr(note, expected));
		snprintf(expected, sizeof expected, " %.0f%%", share);
		assert_non_null(strstr(table, expected));
		vrs_findings_destroy(f);
		vrs_result_destroy(r);
	}
}

/* Where noise has excluded every run, tables of speed show all of them: so do the others. */
static void invalid_cases_have_figures_too(void **state)
{
	(void)state;
	struct vrs_result *r = make_result(3);
	struct vrs_case_result *c = &r->cases[0];
	for (int i = 0; i < 3; i++) {
		c->runs[i].user_seconds = 0.5;
		(void)vrs_strcpy(c->runs[i].excluded, sizeof c->runs[i].excluded, "clock: slow");
	}
	assert_true(fabs(vrs_figure_median(c, vrs_figure_user_ms) - 5) < 1e-9);
	c->runs[1].excluded[0] = 0;
	c->runs[1].user_seconds = 0.7;
	assert_true(fabs(vrs_figure_median(c, vrs_figure_user_ms) - 7) < 1e-9);
	vrs_result_destroy(r);
}

static void what_is_missing_is_no_number(void **state)
{
	(void)state;
	struct vrs_run run;
	vrs_run_init(&run);
	assert_true(isnan(vrs_figure_cpu_ms(&run)) && isnan(vrs_figure_involuntary_switches(&run)) && isnan(vrs_figure_clock_mhz(&run)));
	run.involuntary_switches = 5; /* without the length of its life */
	assert_true(isnan(vrs_figure_involuntary_switches(&run)));
	struct vrs_case_result c;
	vrs_case_result_init(&c);
	assert_true(isnan(vrs_figure_stage_share(&c, VRS_STAGE_DECODE)) && isnan(vrs_figure_cpu_share(&c, 2)) && isnan(vrs_figure_frame_ms(&c)));
}

static void a_share_above_the_peak_is_none(void **state)
{
	(void)state;
	struct vrs_result *r = make_result(3);
	r->ceilings = (struct vrs_result_ceilings){.threads = 2, .isa = "avx2", .fma_gflops_1 = 50, .fma_gflops_all = 100, .triad_gbps = 8};
	r->cases[0].runs[0].net_gflops = 40;
	r->cases[0].runs[1].net_gflops = 60; /* one thread */
	vrs_figures_fill_shares(r);
	assert_true(fabs(r->cases[0].runs[0].net_peak_share - 0.8) < 1e-9);
	assert_true(isnan(r->cases[0].runs[1].net_peak_share));
	assert_true(fabs(vrs_figures_above_peak(r) - 1.2) < 1e-9);
	r->cases[0].runs[1].net_gflops = 50;
	assert_true(isnan(vrs_figures_above_peak(r)));
	vrs_result_destroy(r);
}

/* A run on a device is held against the device, which a profile has measured; without one there is no share, whatever the CPU can do. */
static void a_device_has_its_own_peak(void **state)
{
	(void)state;
	struct vrs_result *r = make_result(3);
	struct vrs_case_result *c = &r->cases[0];
	r->ceilings = (struct vrs_result_ceilings){.threads = 2, .isa = "avx2", .fma_gflops_1 = 50, .fma_gflops_all = 100, .triad_gbps = 8};
	(void)vrs_strcpy(c->device, sizeof c->device, "Test GPU");
	c->runs[0].net_gflops = 4000;
	c->runs[0].moved_gbps = 4;
	vrs_figures_fill_shares(r);
	assert_true(isnan(c->runs[0].net_peak_share) && isnan(vrs_figures_above_peak(r)));
	assert_true(fabs(c->runs[0].memory_share - 0.5) < 1e-9); /* pictures stay on the host */
	struct vrs_net_profile *p = vrs_result_add_profile(r);
	(void)vrs_strcpy(p->device, sizeof p->device, "Test GPU");
	p->peak_gflops = 10000;
	vrs_figures_fill_shares(r);
	assert_true(fabs(c->runs[0].net_peak_share - 0.4) < 1e-9);
	assert_null(vrs_figure_profile(r, c)); /* of another network */
	(void)vrs_strcpy(p->model, sizeof p->model, c->model);
	(void)vrs_strcpy(c->backend, sizeof c->backend, "opencl");
	(void)vrs_strcpy(p->backend, sizeof p->backend, "opencl");
	p->precision = c->precision;
	p->batch = c->batch;
	p->width = c->net_width;
	p->height = c->net_height;
	p->threads = c->threads + 1; /* which a device does not have */
	assert_ptr_equal(vrs_figure_profile(r, c), p);
	p->batch++;
	assert_null(vrs_figure_profile(r, c));
	vrs_result_destroy(r);
}

static const char *note_text(const struct vrs_findings *f, const char *id)
{
	for (int i = 0; i < f->note_count; i++)
		if (strcmp(f->notes[i].id, id) == 0)
			return f->notes[i].text;
	return NULL;
}

/* Shares of a peak come with a warning where the peak is doubtful, and without where it is not. */
static void doubtful_peaks_are_told(void **state)
{
	(void)state;
	struct vrs_result *r = make_result(3);
	r->ceilings = (struct vrs_result_ceilings){.threads = 2, .isa = "avx2", .fma_gflops_1 = 50, .fma_gflops_all = 100, .triad_gbps = 8};
	r->cases[0].runs[0].net_gflops = 40;
	struct vrs_findings *f = findings_of(r);
	assert_null(note_text(f, "peak"));
	assert_null(note_text(f, "above-peak"));
	vrs_findings_destroy(f);
	(void)vrs_strcpy(r->ceilings.note, sizeof r->ceilings.note, "this time only 15.0 GFLOP/s a thread were measured");
	r->cases[0].runs[0].net_gflops = 80;
	f = findings_of(r);
	assert_non_null(strstr(note_text(f, "peak"), "only 15.0"));
	assert_non_null(strstr(note_text(f, "above-peak"), "1.60 times"));
	vrs_findings_destroy(f);
	r->cases[0].precision = VRS_PRECISION_INT8; /* its multiplications are others than those of the peak */
	f = findings_of(r);
	assert_null(note_text(f, "above-peak"));
	vrs_findings_destroy(f);
	vrs_result_destroy(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(note_and_table_say_the_same_switches), cmocka_unit_test(note_and_table_say_the_same_share),
		cmocka_unit_test(invalid_cases_have_figures_too),       cmocka_unit_test(what_is_missing_is_no_number),
		cmocka_unit_test(a_share_above_the_peak_is_none),       cmocka_unit_test(doubtful_peaks_are_told),
		cmocka_unit_test(a_device_has_its_own_peak),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
