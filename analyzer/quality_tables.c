/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How good the mattes are, and what has changed: the figures of vrs_quality_figure_info, which also says what counts as a change. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/summary_parts.h"

static double value_of(const struct vrs_case_result *c, enum vrs_quality_figure figure)
{
	return vrs_case_result_median(c, vrs_run_quality_offset(figure));
}

static void set_figure(struct vrs_table *t, int column, enum vrs_quality_figure figure, double value)
{
	const struct vrs_quality_figure_info *info = vrs_quality_figure_info(figure);
	vrs_table_set_number(t, column, info->decimals == 2 ? "%.2f" : "%.4f", info->factor * value);
}

/* A table of some figures and further values of runs behind them, for the cases that have one; NULL: none has. */
struct columns {
	const char *id, *title;
	const enum vrs_quality_figure *figures;
	int figure_count;
	const size_t *others;
	const char *const *other_heads;
	int other_count;
};

static bool has_any(const struct vrs_result *result, const struct columns *c)
{
	bool any = false;
	for (int i = 0; i < result->case_count; i++) {
		for (int k = 0; k < c->figure_count; k++)
			any |= isfinite(value_of(&result->cases[i], c->figures[k])) != 0;
		for (int k = 0; k < c->other_count; k++)
			any |= isfinite(vrs_case_result_median(&result->cases[i], c->others[k])) != 0;
	}
	return any;
}

static struct vrs_table *add_table(const struct vrs_result *result, const struct columns *c, struct vrs_findings *findings)
{
	const char *heads[VRS_FINDINGS_MAX_COLUMNS] = {"case"};
	int count = 1;
	if (!has_any(result, c))
		return NULL;
	for (int k = 0; k < c->figure_count; k++)
		heads[count++] = vrs_quality_figure_info(c->figures[k])->head;
	for (int k = 0; k < c->other_count; k++)
		heads[count++] = c->other_heads[k];
	heads[count++] = "frames";
	struct vrs_table *t = vrs_findings_start_table(findings, c->id, c->title, heads, count, 1);
	for (int i = 0; i < result->case_count; i++) {
		const struct vrs_case_result *it = &result->cases[i];
		if (vrs_case_result_ok_runs(it) == 0)
			continue;
		vrs_table_add_row(t);
		vrs_table_set(t, 0, "%s", it->id);
		for (int k = 0; k < c->figure_count; k++)
			set_figure(t, k + 1, c->figures[k], value_of(it, c->figures[k]));
		for (int k = 0; k < c->other_count; k++)
			vrs_table_set_number(t, c->figure_count + k + 1, "%.4f", vrs_case_result_median(it, c->others[k]));
		if (vrs_case_result_mattes(it) > 0)
			vrs_table_set(t, count - 1, "%d", vrs_case_result_mattes(it));
	}
	return t;
}

void vrs_quality_table(const struct vrs_result *result, struct vrs_findings *findings)
{
	static const enum vrs_quality_figure whole[] = {VRS_FIGURE_IOU, VRS_FIGURE_MAD, VRS_FIGURE_BOUNDARY_F, VRS_FIGURE_DTSSD};
	static const size_t others[] = {offsetof(struct vrs_run, agreement), offsetof(struct vrs_run, eye_agreement)};
	static const char *const other_heads[] = {"IoU with fp32", "left/right"};
	static const enum vrs_quality_figure close[] = {VRS_FIGURE_IOU_WORST, VRS_FIGURE_CONTOUR_F, VRS_FIGURE_BOX_MAD, VRS_FIGURE_BOX_MSE,
							VRS_FIGURE_BOX_DTSSD, VRS_FIGURE_EYES, VRS_FIGURE_EYES_TRUTH};
	const struct columns first = {"quality", "Quality of the matte", whole, sizeof whole / sizeof *whole, others, other_heads, 2};
	const struct columns second = {"quality-people", "Quality around people", close, sizeof close / sizeof *close, NULL, NULL, 0};
	struct vrs_table *t = add_table(result, &first, findings);
	if (t)
		snprintf(t->caption, sizeof t->caption, "IoU at alpha 0.5, mean over frames and eyes. Truth exists only for clips with an alpha file beside them; "
							 "agreement is with this program's own fp32 mattes of the same frames, in an A/B with those of A.");
	t = add_table(result, &second, findings);
	if (t)
		snprintf(t->caption, sizeof t->caption, "With exact truth. Errors over the box of the people and a quarter more on each side; contours "
							 "within 2 samples match. Eyes agree: where the truth sees the same in both; eyes of truth: what can be reached at best.");
}

/* A table of changes between two cases. */
static struct vrs_table *change_start(struct vrs_findings *findings)
{
	static const char *const heads[] = {"case", "figure", "A", "B", "B against A", "is"};
	struct vrs_table *t =
		vrs_findings_start_table(findings, "quality-change", "Mattes of A and B", heads, sizeof heads / sizeof *heads, 1u | 1u << 1 | 1u << 5);
	snprintf(t->caption, sizeof t->caption, "Figures with exact truth, which are the same in every run: a change beyond its margin is "
						 "better or worse, and all else is called the same. Where one side has fewer mattes, the first ones "
						 "are compared, as many as both have.");
	return t;
}

/* What the change of a figure from a to b is, by its margin: 1 better, -1 worse, 0 the same. */
static int direction(enum vrs_quality_figure figure, double a, double b)
{
	const struct vrs_quality_figure_info *info = vrs_quality_figure_info(figure);
	double gain = info->more_is_better ? b - a : a - b;
	return gain >= info->margin ? 1 : gain <= -info->margin ? -1 : 0;
}

struct vrs_quality_change vrs_quality_change(enum vrs_quality_figure figure, const struct vrs_case_result *a, const struct vrs_case_result *b)
{
	struct vrs_quality_change c = {.way = 0};
	c.first = vrs_case_result_common_quality(a, b, figure, &c.a, &c.b);
	if (isfinite(c.a) && isfinite(c.b)) {
		c.way = direction(figure, c.a, c.b);
	} else if (c.first != 0) { /* of other mattes: shown, not judged */
		c.first = -1;
		c.a = value_of(a, figure);
		c.b = value_of(b, figure);
	}
	return c;
}

const char *vrs_quality_change_text(const struct vrs_quality_change *c, const char *const words[3], const struct vrs_case_result *a,
				    const struct vrs_case_result *b, char *buf, size_t size)
{
	if (c->first < 0)
		snprintf(buf, size, "not comparable: %d and %d mattes", vrs_case_result_mattes(a), vrs_case_result_mattes(b));
	else if (c->first > 0)
		snprintf(buf, size, "%s (first %d mattes)", words[c->way + 1], c->first);
	else
		snprintf(buf, size, "%s", words[c->way + 1]);
	return buf;
}

/* Add the figures that both have; returns how many are worse by more than their margin.  name: of the first column. */
static int change_add(struct vrs_table *table, const char *name, const struct vrs_case_result *a, const struct vrs_case_result *b)
{
	static const char *const words[] = {"worse", "the same", "better"};
	int worse = 0;
	char text[96];
	for (int i = 0; i < VRS_QUALITY_FIGURES; i++) {
		enum vrs_quality_figure figure = (enum vrs_quality_figure)i;
		const struct vrs_quality_figure_info *info = vrs_quality_figure_info(figure);
		struct vrs_quality_change c = vrs_quality_change(figure, a, b);
		if (info->margin <= 0 || !isfinite(c.a) || !isfinite(c.b))
			continue;
		vrs_table_add_row(table);
		vrs_table_set(table, 0, "%s", name);
		vrs_table_set(table, 1, "%s", info->head);
		set_figure(table, 2, figure, c.a);
		set_figure(table, 3, figure, c.b);
		vrs_table_set_number(table, 4, info->decimals == 2 ? "%+.2f" : "%+.4f", info->factor * (c.b - c.a));
		vrs_table_set(table, 5, "%s", vrs_quality_change_text(&c, words, a, b, text, sizeof text));
		worse += c.way < 0;
	}
	return worse;
}

static const struct vrs_case_result *side_of(const struct vrs_result *result, const char *side)
{
	for (int i = 0; i < result->case_count; i++) {
		size_t length = strlen(result->cases[i].id), tail = strlen(side);
		if (length >= tail && strcmp(result->cases[i].id + length - tail, side) == 0)
			return &result->cases[i];
	}
	return NULL;
}

void vrs_quality_sides_table(const struct vrs_result *result, struct vrs_findings *findings)
{
	const struct vrs_case_result *a = side_of(result, "side=A"), *b = side_of(result, "side=B");
	if (result->comparison_count == 0 || !a || !b || !isfinite(value_of(a, VRS_FIGURE_IOU)) || !isfinite(value_of(b, VRS_FIGURE_IOU)))
		return;
	int worse = change_add(change_start(findings), "B", a, b);
	if (worse > 0)
		vrs_findings_add_note(findings, VRS_NOTE_WARNING, "worse-mattes", "The mattes of B are worse in %d figure%s with exact truth.", worse,
				      worse == 1 ? "" : "s");
}
