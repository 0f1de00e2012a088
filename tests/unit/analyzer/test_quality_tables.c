/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the tables of how good mattes are: heads and decimals of the shared definition, cases without truth, what has become better, worse or
 * neither between two cases and two sides, by the direction and the margin of each figure, and the front of speed against the quality of edges.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/compare.h"
#include "analyzer/summary.h"
#include "analyzer/summary_parts.h"
#include "unit/analyzer/made_result.h"

static const struct vrs_table *find(const struct vrs_findings *f, const char *id)
{
	for (int i = 0; i < f->table_count; i++)
		if (strcmp(f->tables[i].id, id) == 0)
			return &f->tables[i];
	return NULL;
}

static bool has_note(const struct vrs_findings *f, const char *id)
{
	for (int i = 0; i < f->note_count; i++)
		if (strcmp(f->notes[i].id, id) == 0)
			return true;
	return false;
}

static const char *cell(const struct vrs_table *t, int row, int column)
{
	return t->cells[row * t->columns + column];
}

static void set(struct vrs_case_result *c, enum vrs_quality_figure figure, double value)
{
	for (int i = 0; i < c->run_count; i++)
		*vrs_run_quality(&c->runs[i], figure) = value;
}

static struct vrs_case_result *add(struct vrs_result *result, int batch, double fps, double contour_f, double mse, double eyes)
{
	struct vrs_case_result *c = add_case(result, 640, 480, batch, "fp32", 1, fps, 0.95, 8);
	set(c, VRS_FIGURE_CONTOUR_F, contour_f);
	set(c, VRS_FIGURE_BOX_MSE, mse);
	set(c, VRS_FIGURE_EYES, eyes);
	return c;
}

static const char *word_of(const struct vrs_table *t, const char *head)
{
	for (int i = 0; i < t->rows; i++)
		if (strcmp(cell(t, i, 1), head) == 0)
			return cell(t, i, 5);
	return "";
}

static void test_tables_of_cases(void **state)
{
	(void)state;
	struct vrs_result *result;
	struct vrs_findings *f = vrs_findings_create();
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	add(result, 1, 20, 0.98, 0.00234, 0.97);
	add(result, 2, 30, 0.95, 0.003, 0.96);
	(void)vrs_strcpy(result->default_case, sizeof result->default_case, result->cases[0].id);
	vrs_quality_table(result, f);
	vrs_pareto_table(result, f);
	const struct vrs_table *t = find(f, "quality-people");
	assert_non_null(t);
	assert_string_equal(t->heads[2], "F within 2 px");
	assert_string_equal(cell(t, 0, 2), "0.9800");
	assert_string_equal(t->heads[4], "MSE x1000 over box");
	assert_string_equal(cell(t, 0, 4), "2.34");
	assert_string_equal(cell(t, 0, 3), ""); /* not measured: no 0 in its place */
	assert_string_equal(cell(t, 1, 8), "24");
	assert_non_null(find(f, "quality"));
	bool seen = false;
	for (int i = 0; i < f->graph_count; i++)
		seen = seen || strcmp(f->graphs[i].id, "pareto-edges") == 0;
	assert_true(seen);
	vrs_findings_destroy(f);
	vrs_result_destroy(result);
}

static void test_better_and_worse(void **state)
{
	(void)state;
	struct vrs_result *a, *b;
	struct vrs_compare_outcome outcome;
	const struct vrs_compare_options options = {.now = 1};
	assert_int_equal(vrs_result_create(&a), VRS_OK);
	assert_int_equal(vrs_result_create(&b), VRS_OK);
	add(a, 1, 20, 0.95, 0.0030, 0.970);
	add(b, 1, 20, 0.96, 0.0035, 0.971);
	const struct vrs_compare_side x = {a, "a", 'A'}, y = {b, "b", 'B'};
	struct vrs_findings *f = vrs_findings_create();
	assert_int_equal(vrs_compare_results(&x, &y, &options, f, &outcome, NULL), VRS_OK);
	const struct vrs_table *t = find(f, "compare-b");
	assert_non_null(t);
	assert_string_equal(word_of(t, "F within 2 px"), "BETTER");
	assert_string_equal(word_of(t, "MSE x1000 over box"), "WORSE"); /* there is more of it */
	assert_string_equal(word_of(t, "eyes agree"), "EQUIVALENT");    /* 0.001 is within the margin */
	assert_string_equal(word_of(t, "IoU with truth"), "EQUIVALENT");
	assert_string_equal(word_of(t, "dtSSD x100 over box"), "");     /* neither has it */
	assert_true(has_note(f, "worse-mattes"));
	vrs_findings_destroy(f);
	vrs_result_destroy(a);
	vrs_result_destroy(b);
}

static void test_sides(void **state)
{
	(void)state;
	struct vrs_result *result;
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	add(result, 1, 20, 0.95, 0.0030, 0.970);
	add(result, 2, 20, 0.95, 0.0025, 0.980);
	(void)vrs_strcpy(result->cases[0].id, sizeof result->cases[0].id, "r=640x480/side=A");
	(void)vrs_strcpy(result->cases[1].id, sizeof result->cases[1].id, "r=640x480/side=B");
	struct vrs_findings *f = vrs_findings_create();
	vrs_quality_sides_table(result, f);
	assert_null(find(f, "quality-change")); /* no A/B */
	result->comparison_count = 1;
	vrs_quality_sides_table(result, f);
	const struct vrs_table *t = find(f, "quality-change");
	assert_non_null(t);
	assert_string_equal(word_of(t, "MSE x1000 over box"), "better");
	assert_string_equal(word_of(t, "eyes agree"), "better");
	assert_false(has_note(f, "worse-mattes"));
	vrs_findings_destroy(f);
	vrs_result_destroy(result);
}

/* The first mattes of a case, at 8 and at all of its own: there the figures are those of the whole. */
static void set_first(struct vrs_case_result *c, int mattes, float contour_f, float contour_f_of_all)
{
	struct vrs_matte_prefixes *p = &c->runs[0].first_mattes;
	set(c, VRS_FIGURE_CONTOUR_F, (double)contour_f_of_all);
	p->count = mattes > 8 ? 2 : 1;
	for (int k = 0; k < p->count; k++) {
		for (int i = 0; i < VRS_QUALITY_FIGURES; i++)
			p->figures[k][i] = NAN;
		p->mattes[k] = k ? mattes : 8;
		p->figures[k][VRS_FIGURE_IOU] = 0.95F;
		p->figures[k][VRS_FIGURE_CONTOUR_F] = k ? contour_f_of_all : contour_f;
	}
	for (int i = 0; i < c->run_count; i++)
		c->runs[i].quality_frames = mattes;
}

/* The same mattes, as far as both have them: the A/B and the comparison of two files say so, and over how many. */
static void test_other_numbers_of_mattes(void **state)
{
	(void)state;
	struct vrs_result *result, *other;
	struct vrs_compare_outcome outcome;
	const struct vrs_compare_options options = {.now = 1};
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	assert_int_equal(vrs_result_create(&other), VRS_OK);
	add(result, 1, 20, 0.95, 0.0030, 0.970);
	add(result, 2, 20, 0.95, 0.0035, 0.970);
	set_first(&result->cases[0], 48, 0.90F, 0.95F);
	set_first(&result->cases[1], 8, 0.90F, 0.90F);
	result->cases[0].runs[0].first_mattes.figures[0][VRS_FIGURE_MAD] = 0.01F; /* has no margin, so nothing is said of it */
	result->cases[1].runs[0].first_mattes.figures[0][VRS_FIGURE_MAD] = 0.02F;
	*vrs_case_result_add_run(vrs_result_add_case(other)) = result->cases[1].runs[0];
	(void)vrs_strcpy(other->cases[0].id, sizeof other->cases[0].id, result->cases[0].id);
	const struct vrs_compare_side x = {result, "a", 'A'}, y = {other, "b", 'B'};
	struct vrs_findings *f = vrs_findings_create();
	assert_int_equal(vrs_compare_results(&x, &y, &options, f, &outcome, NULL), VRS_OK);
	assert_string_equal(word_of(find(f, "compare-b"), "F within 2 px"), "EQUIVALENT (first 8 mattes)");
	assert_string_equal(word_of(find(f, "compare-b"), "MSE x1000 over box"), "not comparable: 48 and 8 mattes");
	assert_string_equal(word_of(find(f, "compare-b"), "mean difference"), "");
	assert_int_equal(outcome.worse, 0);
	vrs_findings_destroy(f);
	f = vrs_findings_create();
	(void)vrs_strcpy(result->cases[0].id, sizeof result->cases[0].id, "r=640x480/side=A");
	(void)vrs_strcpy(result->cases[1].id, sizeof result->cases[1].id, "r=640x480/side=B");
	result->comparison_count = 1;
	vrs_quality_sides_table(result, f);
	const struct vrs_table *t = find(f, "quality-change");
	assert_string_equal(word_of(t, "F within 2 px"), "the same (first 8 mattes)");
	assert_string_equal(word_of(t, "MSE x1000 over box"), "not comparable: 48 and 8 mattes");
	assert_string_equal(cell(t, 0, 2), "0.9500");
	assert_false(has_note(f, "worse-mattes"));
	vrs_findings_destroy(f);
	vrs_result_destroy(result);
	vrs_result_destroy(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables_of_cases),
		cmocka_unit_test(test_better_and_worse),
		cmocka_unit_test(test_sides),
		cmocka_unit_test(test_other_numbers_of_mattes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
