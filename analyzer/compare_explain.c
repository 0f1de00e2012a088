/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the verdicts on two results came about, step by step, and the outcome in words. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <vrseg/exit_codes.h>

#include "analyzer/compare.h"
#include "analyzer/summary_parts.h"
#include "base/verdict_line.h"

void vrs_compare_explain_start(const struct vrs_compare_side *a, const struct vrs_compare_side *b, struct vrs_findings *findings)
{
	static const char *const heads[] = {"case", "step"};
	char id[48], title[96];
	snprintf(id, sizeof id, "explain-%c", b->letter | 0x20);
	snprintf(title, sizeof title, "How the verdict on %c against %c came about", b->letter, a->letter);
	struct vrs_table *t = vrs_findings_start_table(findings, id, title, heads, 2, ~0u);
	snprintf(t->caption, sizeof t->caption, "d is the logarithm of B's cost over A's: above 0, B is slower. s: standard deviation between "
			 "invocations, as calibrated (vrbench --calibration).");
}

static void VRS_PRINTF(3, 4) step(struct vrs_table *t, const char *id, const char *fmt, ...)
{
	char text[250];
	va_list args;
	va_start(args, fmt);
	(void)vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "%s", id);
	vrs_table_set(t, 1, "%s", text);
}

static void explain_interval(struct vrs_table *t, const char *id, const struct vrs_comparison *c, const struct vrs_between *s)
{
	double low = log1p(-c->margin), high = log1p(c->margin);
	bool inside = s->low > low && s->high < high, moved = s->low > 0 || s->high < 0, large = s->d >= high || s->d <= low;
	step(t, id, "s = %.4f from %d calibrations with %d degrees of freedom; errors of the medians %.4f (A) and %.4f (B)", s->sd, s->invocations,
	     s->freedom, s->se_a, s->se_b);
	step(t, id, "error of d = sqrt(2 s^2 + A^2 + B^2) = %.4f; 95 %% interval of Student with %d degrees: [%+.4f, %+.4f], p %.4f", s->se, s->freedom,
	     s->low, s->high, c->p);
	step(t, id, "margin %.1f %% = the larger of 2 %% and 1.5 s: inside (%+.4f, %+.4f), EQUIVALENT? %s; excludes 0? %s; d beyond the margin? %s",
	     100 * c->margin, low, high, inside ? "yes" : "no", moved ? "yes" : "no", large ? "yes" : "no");
}

void vrs_compare_explain_case(struct vrs_table *t, const struct vrs_case_result *a, const struct vrs_case_result *b,
			      const struct vrs_comparison *c, const struct vrs_between *s, const char *class_name)
{
	char x[32], y[32];
	step(t, a->id, "%s: A %s (%d runs), B %s (%d runs); d = ln(%s) = %+.4f, B costs %+.1f %%", c->metric, vrs_short_number(c->a, x, sizeof x),
	     s->runs_a, vrs_short_number(c->b, y, sizeof y), s->runs_b, b->live_hz > 0 ? "B / A" : "A / B", s->d, 100 * c->change);
	step(t, a->id, "no round is shared: d holds the change and the drift of the machine between the two invocations");
	if (s->why[0]) {
		step(t, a->id, "stored noise: %.220s", s->why);
	} else {
		step(t, a->id, "stored noise of \"%.100s\": levels of calibrations say how invocations differ", class_name);
		explain_interval(t, a->id, c, s);
	}
	step(t, a->id, "so: %s%s%.180s", vrs_name_of(&vrs_verdict_names, c->verdict), !s->why[0] && c->reason[0] ? ", " : "",
	     s->why[0] ? "" : c->reason);
	for (int i = 0; i < VRS_QUALITY_FIGURES; i++) {
		const struct vrs_quality_figure_info *info = vrs_quality_figure_info((enum vrs_quality_figure)i);
		const struct vrs_quality_change q = vrs_quality_change((enum vrs_quality_figure)i, a, b);
		char text[96];
		if (info->margin <= 0 || !isfinite(q.a) || !isfinite(q.b))
			continue;
		step(t, a->id, "%s: %.4f and %.4f, the same in every run; change %+.4f, margin %g: %s", info->head, info->factor * q.a, info->factor * q.b,
		     info->factor * (q.b - q.a), info->factor * info->margin, vrs_quality_change_text(&q, vrs_compare_quality_words, a, b, text, sizeof text));
	}
}

void vrs_compare_explain_outcome(struct vrs_table *t, const struct vrs_compare_outcome *o)
{
	char line[VRS_VERDICT_LINE_MAX];
	vrs_compare_line(o, line, sizeof line);
	if (o->same)
		step(t, "", "both files hold the same measurement, value by value: nothing is left to compare");
	else if (o->hindrance == VRS_NO_SHARED_ROUNDS && o->decides)
		step(t, "", "the worst verdict decides: SLOWER by the margin or a worse matte, then INVALID, INCONCLUSIVE, FASTER, EQUIVALENT; here case %.100s",
		     o->decides->id);
	step(t, "", "exit code %d: %.200s", o->exit_code, line);
}

/* Of the same content and of what cannot be compared. */
static const char *fixed_sentence(const struct vrs_compare_outcome *o)
{
	if (o->same)
		return "EQUIVALENT: both are the same measurement.";
	if (o->hindrance != VRS_NO_SHARED_ROUNDS)
		return "INCOMPARABLE: the two results do not measure the same; see the warnings.";
	return NULL;
}

/* "costs +2.6 %", "is 150.0 % faster": as much as the rates in the table differ. */
static void difference_words(const struct vrs_comparison *c, char *buf, size_t size)
{
	if (c->change < -0.0005 && isfinite(c->b / c->a) && strcmp(c->metric, vrs_headline_name(VRS_HEADLINE_FPS)) == 0)
		snprintf(buf, size, "is %.1f %% faster", 100 * (c->b / c->a - 1));
	else
		snprintf(buf, size, "costs %+.1f %%", 100 * c->change);
}

void vrs_compare_sentence(const struct vrs_compare_outcome *o, char *buf, size_t size)
{
	const struct vrs_comparison *c = &o->headline;
	const char *fixed = fixed_sentence(o);
	char mattes[96] = "", interval[48] = "", difference[48];
	difference_words(c, difference, sizeof difference);
	if (o->worse > 0)
		snprintf(mattes, sizeof mattes, "WORSE: the mattes lose in %d figure%s with exact truth. ", o->worse, o->worse == 1 ? "" : "s");
	if (isfinite(c->low) && isfinite(c->high))
		snprintf(interval, sizeof interval, " [%+.1f, %+.1f]", 100 * c->low, 100 * c->high);
	if (fixed)
		snprintf(buf, size, "%s", fixed);
	else if (c->cause == VRS_CAUSE_FAILED)
		snprintf(buf, size, "%sINVALID: %d case%s of A did not run in B; %.100s: %.180s.", mattes, o->failed, o->failed == 1 ? "" : "s", o->decides->id,
			 c->reason);
	else if (o->invocations > 0 && isfinite(c->low))
		snprintf(buf, size, "%s%s in %s: B costs %+.1f %%%s, where %d calibrations say how invocations differ on this machine.", mattes,
			 vrs_name_of(&vrs_verdict_names, c->verdict), c->metric, 100 * c->change, interval, o->invocations);
	else
		snprintf(buf, size, "%sINCONCLUSIVE in %s: B %s where they differ most, but runs of two invocations share no rounds, so drift of the machine "
			 "cannot be told from a change.", mattes, c->metric, difference);
}

void vrs_compare_words(const struct vrs_compare_outcome *o, char *buf, size_t size)
{
	const struct vrs_comparison *c = &o->headline;
	char difference[48];
	difference_words(c, difference, sizeof difference);
	if (o->same)
		snprintf(buf, size, "EQUIVALENT, the same measurement");
	else if (o->hindrance != VRS_NO_SHARED_ROUNDS)
		snprintf(buf, size, "INCOMPARABLE");
	else if (o->worse > 0)
		snprintf(buf, size, "WORSE mattes");
	else if (c->cause == VRS_CAUSE_FAILED)
		snprintf(buf, size, "INVALID, %d case%s did not run", o->failed, o->failed == 1 ? "" : "s");
	else
		snprintf(buf, size, "%s, %s in %s", vrs_name_of(&vrs_verdict_names, c->verdict), difference, c->metric);
}

void vrs_compare_line(const struct vrs_compare_outcome *o, char *buf, size_t size)
{
	const struct vrs_comparison *c = &o->headline;
	if (o->same || o->hindrance != VRS_NO_SHARED_ROUNDS) {
		vrs_verdict_line_begin(buf, size, o->same ? "equivalent" : "incomparable");
		vrs_verdict_line_put(buf, size, "reason", "%s", o->same ? "same_content" : vrs_name_of(&vrs_hindrance_names, o->hindrance));
		return;
	}
	bool judged = isfinite(c->low);
	vrs_verdict_line_begin(buf, size, o->worse > 0 ? "worse" : vrs_name_of(&vrs_verdict_names, c->verdict));
	vrs_verdict_line_put(buf, size, "metric", "%s", o->worse > 0 ? "quality" : c->metric);
	if (o->worse > 0)
		vrs_verdict_line_put(buf, size, "figures", "%d", o->worse);
	else if (isfinite(c->change))
		vrs_verdict_line_put(buf, size, "delta", "%+.1f%%", 100 * c->change);
	if (o->worse == 0 && judged) {
		vrs_verdict_line_put(buf, size, "ci", "[%+.1f,%+.1f]", 100 * c->low, 100 * c->high);
		vrs_verdict_line_put(buf, size, "invocations", "%d", o->invocations);
		vrs_verdict_line_put(buf, size, "margin", "%.1f%%", 100 * c->margin);
	}
	if (o->worse == 0 && c->cause != VRS_CAUSE_NONE)
		vrs_verdict_line_put(buf, size, "reason", "%s", judged || c->cause == VRS_CAUSE_FAILED ? vrs_name_of(&vrs_cause_names, c->cause)
												      : "no_shared_rounds");
	if (o->failed > 0)
		vrs_verdict_line_put(buf, size, "failed", "%d", o->failed);
}
