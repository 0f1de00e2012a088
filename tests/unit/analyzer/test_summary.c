/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards what an analysis says: the axes hold the right cases in order, verdicts need rounds, beaten cases are beaten, failures are shown. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/dataset.h"
#include "analyzer/figures/case_summary.h"
#include "analyzer/figures/figures.h"
#include "analyzer/summary.h"
#include "base/mem.h"
#include "bench/judge/recommend.h"
#include "unit/analyzer/made_result.h"

static const struct vrs_table *find_table(const struct vrs_findings *f, const char *id)
{
	for (int i = 0; i < f->table_count; i++)
		if (strcmp(f->tables[i].id, id) == 0)
			return &f->tables[i];
	return NULL;
}

static const struct vrs_graph_data *find_graph(const struct vrs_findings *f, const char *id)
{
	for (int i = 0; i < f->graph_count; i++)
		if (strcmp(f->graphs[i].id, id) == 0)
			return &f->graphs[i];
	return NULL;
}

static const struct vrs_note *find_note(const struct vrs_findings *f, const char *id)
{
	for (int i = 0; i < f->note_count; i++)
		if (strcmp(f->notes[i].id, id) == 0)
			return &f->notes[i];
	return NULL;
}

static const char *cell(const struct vrs_table *t, int row, int column)
{
	return t->cells[row * t->columns + column];
}

static void axes_hold_their_cases_in_order(void **state)
{
	(void)state;
	struct vrs_result *r = make_result(3);
	const struct vrs_case_result *cases[8];
	assert_int_equal(vrs_axis_cases(r, VRS_AXIS_RESOLUTION, cases, 8), 3);
	assert_int_equal(cases[0]->width, 1920);
	assert_int_equal(cases[1]->width, 3840);
	assert_int_equal(cases[2]->width, 7680);
	assert_int_equal(vrs_axis_cases(r, VRS_AXIS_PRECISION, cases, 8), 2);
	assert_int_equal(cases[1]->precision, VRS_PRECISION_FP16);
	assert_int_equal(vrs_axis_cases(r, VRS_AXIS_THREADS, cases, 8), 2);
	r->cases[5].runs[0].status = r->cases[5].runs[1].status = r->cases[5].runs[2].status = VRS_RUN_CRASH;
	assert_int_equal(vrs_axis_cases(r, VRS_AXIS_THREADS, cases, 8), 1);
	vrs_result_destroy(r);
}

static void verdicts_need_eight_rounds(void **state)
{
	(void)state;
	for (int rounds = 3; rounds <= 8; rounds += 5) {
		struct vrs_result *r = make_result(rounds);
		struct vrs_findings *f = vrs_findings_create();
		assert_int_equal(vrs_summarize(r, f, NULL), VRS_OK);
		const struct vrs_table *t = find_table(f, "default");
		assert_non_null(t);
		assert_int_equal(t->rows, 3); /* other resolutions are other tasks */
		assert_string_equal(cell(t, 1, 0), "r=3840x1920/b=2/p=fp16/t=1");
		assert_string_equal(cell(t, 1, 2), "0.750x");
		assert_string_equal(cell(t, 1, 4), rounds == 8 ? "SLOWER" : "INCONCLUSIVE");
		assert_string_equal(cell(t, 2, 4), rounds == 8 ? "FASTER" : "INCONCLUSIVE");
		assert_string_equal(cell(t, 0, 4), rounds == 8 ? "EQUIVALENT" : "INCONCLUSIVE");
		assert_true((find_note(f, "few-runs") != NULL) == (rounds < 6));
		vrs_findings_destroy(f);
		vrs_result_destroy(r);
	}
}

/*
 * One answer about the same runs: the best case and the table against the default are judged as one family, and where its rounds can prove nothing
 * among so many cases, both say how many can.
 */
static void one_verdict_of_the_same_runs(void **state)
{
	(void)state;
	for (int rounds = 8; rounds <= 10; rounds += 2) {
		struct vrs_result *r;
		struct vrs_findings *f = vrs_findings_create();
		assert_int_equal(vrs_result_create(&r), VRS_OK);
		for (int batch = 1; batch <= 20; batch++)
			add_case(r, 3840, 1920, batch, "fp32", 1, batch == 7 ? 30 : 20, 0.95, rounds);
		(void)vrs_strcpy(r->default_case, sizeof r->default_case, r->cases[0].id);
		assert_int_equal(vrs_summarize(r, f, NULL), VRS_OK);
		const struct vrs_table *best = find_table(f, "best"), *t = find_table(f, "default");
		assert_string_equal(cell(t, 5, 0), "r=3840x1920/b=7/p=fp32/t=1");
		assert_string_equal(cell(t, 5, 4), rounds == 8 ? "INCONCLUSIVE" : "FASTER");
		assert_string_equal(cell(t, 5, 5), rounds == 8 ? "needs 10 rounds" : "");
		assert_string_equal(cell(t, 0, 4), "EQUIVALENT");
		assert_non_null(strstr(t->caption, "19 cases together (Holm), which need 10 rounds"));
		assert_non_null(strstr(cell(best, 0, 6), rounds == 8 ? "not proven: +50.0 %" : "proven: +50.0 %"));
		assert_true((strstr(cell(best, 0, 6), "over 8 shared rounds, 10 are needed among 19 cases") != NULL) == (rounds == 8));
		assert_int_equal(vrs_recommend(r), VRS_OK);
		if (rounds == 8)
			assert_non_null(strstr(r->recommendation, "fewer than 10 shared rounds prove nothing among 19 cases (--runs 10 or more)"));
		vrs_findings_destroy(f);
		vrs_result_destroy(r);
	}
}

/* Runs without a rate show what their stages took, and no share of nothing. */
static void no_share_without_a_rate(void **state)
{
	(void)state;
	struct vrs_result *r = make_result(3);
	struct vrs_findings *f = vrs_findings_create();
	for (int i = 0; i < 3; i++)
		r->cases[0].runs[i].fps = 0;
	assert_int_equal(vrs_summarize(r, f, NULL), VRS_OK);
	const struct vrs_table *t = find_table(f, "stages");
	assert_string_equal(cell(t, 0, 1), "1.00");
	assert_non_null(strstr(cell(t, 1, 1), "%"));
	vrs_findings_destroy(f);
	vrs_result_destroy(r);
}

/* An interrupted sweep calls no case valid that another note calls invalid, and says of default settings that it did not reach just that. */
static void what_an_interruption_leaves(void **state)
{
	static const struct {
		bool complete, has_default;
		enum vrs_run_status status; /* of the default's run; VRS_RUN_OK: it has none */
		const char *skipped, *verdict;
	} cases[] = {
		{false, true, VRS_RUN_OK, "", "The sweep was interrupted before the default settings were measured."},
		{false, true, VRS_RUN_OK, "no memory", "The default settings could not be measured: see what did not run or count."},
		{true, true, VRS_RUN_CRASH, "", "The default settings could not be measured: see what did not run or count."},
		{true, false, VRS_RUN_OK, "", "The default settings were not part of this sweep."},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct vrs_result *r = make_result(3);
		struct vrs_findings *f = vrs_findings_create();
		struct vrs_case_result *base = &r->cases[0];
		r->complete = cases[i].complete;
		(void)vrs_strcpy(r->cases[1].invalid, sizeof r->cases[1].invalid, "others used 30 %");
		(void)vrs_strcpy(base->skipped, sizeof base->skipped, cases[i].skipped);
		if (!cases[i].has_default)
			r->default_case[0] = '\0';
		for (int k = 0; k < base->run_count; k++)
			base->runs[k].status = cases[i].status;
		if (cases[i].status == VRS_RUN_OK)
			base->run_count = 0;
		assert_int_equal(vrs_case_result_summarize(base, NULL), VRS_OK);
		assert_int_equal(vrs_summarize(r, f, NULL), VRS_OK);
		assert_string_equal(f->verdict, cases[i].verdict);
		assert_non_null(find_note(f, "invalid"));
		const struct vrs_note *incomplete = find_note(f, "incomplete");
		assert_true((incomplete != NULL) == !cases[i].complete);
		if (incomplete)
			assert_null(strstr(incomplete->text, "valid"));
		vrs_findings_destroy(f);
		vrs_result_destroy(r);
	}
}

static void beaten_cases_leave_the_front(void **state)
{
	(void)state;
	struct vrs_result *r = make_result(8);
	struct vrs_findings *f = vrs_findings_create();
	assert_int_equal(vrs_summarize(r, f, NULL), VRS_OK);
	const struct vrs_graph_data *g = find_graph(f, "pareto");
	assert_non_null(g);
	assert_int_equal(g->series[0].points, 4); /* cases of the default's size */
	assert_int_equal(g->series[1].points, 1); /* two threads: fastest, and as good as any */
	assert_true(fabs(g->series[1].x[0] - 30) < 0.5);
	const struct vrs_graph_data *threads = find_graph(f, "fps-by-threads");
	assert_non_null(threads);
	assert_true(fabs(threads->series[1].y[1] / threads->series[1].y[0] - 2) < 1e-9); /* the ideal line */
	const struct vrs_note *note = find_note(f, "thread-scaling");
	assert_non_null(note);
	assert_non_null(strstr(note->text, "1.50 times as fast"));
	assert_non_null(strstr(f->subtitle, "Test CPU"));
	vrs_findings_destroy(f);
	vrs_result_destroy(r);
}

static void fits_and_roofs(void **state)
{
	(void)state;
	struct vrs_result *r = make_result(8);
	/* t / X = (1 + 0.1 (t - 1) + 0.02 t (t - 1)) / 20 exactly */
	for (int t = 3; t <= 4; t++)
		add_case(r, 3840, 1920, 2, "fp32", t, 20 * t / (1 + 0.1 * (t - 1) + 0.02 * t * (t - 1)), 0.95, 8);
	struct vrs_case_result *two = &r->cases[5];
	for (int i = 0; i < two->run_count; i++)
		two->runs[i].fps = 20 * 2 / (1 + 0.1 + 0.04) * (i % 2 ? 0.99 : 1.01);
	assert_int_equal(vrs_case_result_summarize(two, NULL), VRS_OK);
	struct vrs_net_profile *p = vrs_result_add_profile(r);
	assert_non_null(p);
	p->ops = vrs_calloc(2, sizeof *p->ops);
	assert_non_null(p->ops);
	p->op_count = 2;
	p->threads = 1;
	p->peak_gflops = 50;
	p->triad_gbps = 10;
	p->ops[0] = (struct vrs_op_row){.ms = 1, .macs = 20000000, .bytes = 1000000, .gflops = 40};
	p->ops[1] = (struct vrs_op_row){.ms = 1, .macs = 0, .bytes = 1000000, .gflops = NAN};
	struct vrs_findings *f = vrs_findings_create();
	assert_int_equal(vrs_summarize(r, f, NULL), VRS_OK);
	const struct vrs_graph_data *g = find_graph(f, "fps-by-threads");
	assert_non_null(g);
	assert_int_equal(g->series_count, 4);
	assert_string_equal(g->series[2].name, "Amdahl fit");
	assert_string_equal(g->series[3].name, "USL fit");
	const struct vrs_series *usl = &g->series[3];
	assert_true(fabs(usl->y[0] - 20) < 0.3 && fabs(usl->y[usl->points - 1] - 20 * 4 / 1.54) < 0.7);
	g = find_graph(f, "roofline");
	assert_non_null(g);
	assert_int_equal(g->series_count, 2); /* the roof, and one operator with a place below it */
	assert_int_equal(g->series[1].points, 1);
	assert_true(fabs(g->series[1].x[0] - 40) < 1e-9);
	const struct vrs_series *roof = &g->series[0];
	assert_true(fabs(roof->y[0] - 10 * roof->x[0]) < 1e-9);
	assert_true(fabs(roof->y[roof->points - 1] - 50) < 1e-9);
	g = find_graph(f, "precision-speed");
	assert_non_null(g);
	assert_int_equal(g->series_count, 2);
	assert_true(g->series[0].x_low[0] <= g->series[0].x[0] && g->series[0].x_high[0] >= g->series[0].x[0]);
	vrs_findings_destroy(f);
	vrs_result_destroy(r);
}

static void failures_and_empty_results_are_said(void **state)
{
	(void)state;
	struct vrs_result *r = make_result(2);
	struct vrs_findings *f = vrs_findings_create();
	strcpy(r->cases[2].skipped, "memory: needs 9 GiB of 8");
	r->cases[1].runs[0].status = VRS_RUN_TIMEOUT;
	strcpy(r->cases[1].runs[0].reason, "no end after 60 s");
	strcpy(r->cases[1].runs[1].excluded, "steal: 9 % of the time");
	assert_int_equal(vrs_summarize(r, f, NULL), VRS_OK);
	const struct vrs_table *t = find_table(f, "failures");
	assert_non_null(t);
	assert_int_equal(t->rows, 3);
	assert_string_equal(cell(t, 0, 1), "timeout, round 1");
	assert_string_equal(cell(t, 1, 1), "excluded, 1 of 2 runs");
	assert_string_equal(cell(t, 1, 2), "steal: 9 % of the time");
	assert_string_equal(cell(t, 2, 2), "memory: needs 9 GiB of 8");
	vrs_findings_destroy(f);
	vrs_result_destroy(r);
	assert_int_equal(vrs_result_create(&r), VRS_OK);
	f = vrs_findings_create();
	assert_int_equal(vrs_summarize(r, f, NULL), VRS_OK);
	assert_non_null(strstr(f->verdict, "Nothing could be measured"));
	vrs_findings_destroy(f);
	vrs_result_destroy(r);
}

static void resources_are_shown_or_explained(void **state)
{
	(void)state;
	struct vrs_result *r = make_result(4);
	struct vrs_findings *f = vrs_findings_create();
	assert_int_equal(vrs_summarize(r, f, NULL), VRS_OK);
	assert_null(find_table(f, "resources")); /* a result of an older version says nothing about it */
	assert_null(find_table(f, "unavailable"));
	vrs_findings_destroy(f);
	for (int i = 0; i < 4; i++) {
		struct vrs_run *run = &r->cases[0].runs[i];
		run->user_seconds = i == 3 ? 1000 : 0.9;
		run->system_seconds = 0.1;
		run->cycles = 4000;
		run->instructions = 6000;
		run->eye_agreement = 0.98;
		run->net_gflops = 12.5;
		run->moved_gbps = 2;
	}
	r->ceilings = (struct vrs_result_ceilings){.threads = 2, .isa = "avx2", .fma_gflops_1 = 50, .triad_gbps = 8, .leaves_cache = true};
	r->cases[0].threads = 2;
	vrs_figures_fill_shares(r);
	strcpy(r->cases[0].runs[3].excluded, "clock: slow"); /* what noise excluded is in no figure */
	strcpy(r->unavailable[0].key, "power_watts");
	strcpy(r->unavailable[0].reason, "no energy counter");
	r->unavailable_count = 1;
	f = vrs_findings_create();
	assert_int_equal(vrs_summarize(r, f, NULL), VRS_OK);
	const struct vrs_table *t = find_table(f, "resources");
	assert_non_null(t);
	assert_int_equal(t->rows, 1);
	assert_int_equal(t->columns, 8); /* no column without a value */
	assert_string_equal(cell(t, 0, 1), "9.00");
	assert_string_equal(cell(t, 0, 2), "1.00");
	assert_string_equal(cell(t, 0, 3), "1.50");
	assert_string_equal(cell(t, 0, 4), "12.5");
	assert_string_equal(cell(t, 0, 5), "12.5"); /* of two threads with 50 GFLOP/s each */
	assert_string_equal(cell(t, 0, 6), "2.00");
	assert_string_equal(cell(t, 0, 7), "25.0");
	assert_non_null(strstr(t->caption, "50.0 GFLOP/s each"));
	t = find_table(f, "unavailable");
	assert_non_null(t);
	assert_string_equal(cell(t, 0, 0), "power_watts");
	assert_string_equal(cell(t, 0, 1), "no energy counter");
	vrs_findings_destroy(f);
	vrs_result_destroy(r);
}

static void figures_of_a_disturbed_machine_are_told_apart(void **state)
{
	(void)state;
	struct vrs_result *r = make_result(8);
	struct vrs_findings *f = vrs_findings_create();
	for (int i = 0; i < 8; i++)
		strcpy(r->cases[0].runs[i].excluded, "other_processes: others used 60 %; stop them");
	assert_int_equal(vrs_case_result_summarize(&r->cases[0], NULL), VRS_OK);
	strcpy(r->cases[0].invalid, "other_processes: 8 of 8 runs excluded: others used 60 %; stop them");
	strcpy(r->cases[1].warning, "steal (1.4 %)");
	assert_int_equal(vrs_summarize(r, f, NULL), VRS_OK);
	assert_non_null(strstr(f->verdict, "The machine was disturbed: 20.0 [19.8, 20.2] frames per second at 3840x1920"));
	assert_string_equal(cell(find_table(f, "cases"), 0, 1), "0/8");
	assert_string_equal(cell(find_table(f, "cases"), 1, 1), "8/8");
	assert_null(find_table(f, "default")); /* no case shares an undisturbed round with the default: no empty table */
	const struct vrs_note *note = find_note(f, "invalid");
	assert_non_null(note);
	assert_ptr_equal(note, &f->notes[0]);  /* before anything that is drawn from such figures */
	assert_int_equal(strncmp(note->text, "1 of 6 cases are INVALID", 24), 0);
	assert_non_null(strstr(note->evidence, "r=3840x1920/b=2/p=fp32/t=1: other_processes: 8 of 8 runs excluded"));
	note = find_note(f, "noise");
	assert_non_null(note);
	assert_non_null(strstr(note->evidence, "steal (1.4 %)"));
	vrs_findings_destroy(f);
	vrs_result_destroy(r);
}

/* A result that somebody has changed may lack what ours always has: then nothing is said of it, and no NaN. */
static void absent_figures_are_no_numbers(void **state)
{
	(void)state;
	struct vrs_result *r = make_result(8);
	struct vrs_findings *f = vrs_findings_create();
	r->profile_run = (struct vrs_profile_run){.case_id = "a", .pairs = 3, .plain_fps = 20, .profiled_fps = 19, .overhead_percent = 5, .overhead_low = 4,
						  .overhead_high = 6, .cpu_overhead_percent = NAN, .trace_file = "trace.json"};
	r->cases[0].soak_seconds = 3600;
	r->cases[0].soak_verdict = VRS_OUTCOME_PASS;
	r->cases[0].soak_rss_slope = 1048576;
	r->cases[0].soak_rss_slope_low = r->cases[0].soak_rss_slope_high = NAN;
	r->cases[0].threads = 0;
	r->cases[5].fps.median = NAN;
	assert_int_equal(vrs_summarize(r, f, NULL), VRS_OK);
	assert_string_equal(cell(find_table(f, "soak"), 0, 2), "+1.00");
	assert_int_equal(strncmp(find_note(f, "profile")->evidence, "profiling costs 5.0 % of the frame rate (4.0", 44), 0);
	assert_null(find_note(f, "thread-scaling"));
	for (int g = 0; g < f->graph_count; g++)
		for (int i = 0; i < f->graphs[g].series_count; i++)
			for (int k = 0; k < f->graphs[g].series[i].points; k++)
				assert_false(isinf(f->graphs[g].series[i].y[k]));
	vrs_findings_destroy(f);
	vrs_result_destroy(r);
}

/* A figure that was not computed would look like one that the runs do not tell. */
static void without_memory_nothing_is_said(void **state)
{
	(void)state;
	struct vrs_result *r = make_result(3);
	bool fired = true;
	for (uint64_t n = 1; fired; n += n < 50 ? 1 : 97) {
		struct vrs_findings *f = vrs_findings_create();
		vrs_mem_fail_after(n, false);
		enum vrs_status status = vrs_summarize(r, f, NULL);
		fired = vrs_mem_fault_fired();
		vrs_mem_fail_after(0, false);
		assert_int_equal(status, fired ? VRS_ENOMEM : VRS_OK);
		vrs_findings_destroy(f);
	}
	vrs_result_destroy(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(axes_hold_their_cases_in_order), cmocka_unit_test(verdicts_need_eight_rounds),
		cmocka_unit_test(one_verdict_of_the_same_runs), cmocka_unit_test(no_share_without_a_rate),
		cmocka_unit_test(what_an_interruption_leaves),
		cmocka_unit_test(beaten_cases_leave_the_front), cmocka_unit_test(failures_and_empty_results_are_said),
		cmocka_unit_test(resources_are_shown_or_explained), cmocka_unit_test(fits_and_roofs),
		cmocka_unit_test(figures_of_a_disturbed_machine_are_told_apart), cmocka_unit_test(without_memory_nothing_is_said),
		cmocka_unit_test(absent_figures_are_no_numbers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
