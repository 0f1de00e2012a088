/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An A/B, metric by metric, as it was judged when it was measured. */
#include <math.h>
#include <stdio.h>

#include "analyzer/summary_parts.h"
#include "bench/judge/verdict.h"

static void comparison_row(struct vrs_table *t, const struct vrs_comparison *c)
{
	char a[32], b[32];
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "%s%s%s%s", c->metric, c->unit[0] ? " (" : "", c->unit, c->unit[0] ? ")" : "");
	vrs_table_set(t, 1, "%s", vrs_short_number(c->a, a, sizeof a));
	vrs_table_set(t, 2, "%s", vrs_short_number(c->b, b, sizeof b));
	vrs_table_set_number(t, 3, "%+.1f", 100 * c->change);
	if (isfinite(c->low) && isfinite(c->high))
		vrs_table_set(t, 4, "[%+.1f, %+.1f]", 100 * c->low, 100 * c->high);
	vrs_table_set_number(t, 5, "%.4f", isfinite(c->holm_p) ? c->holm_p : c->p);
	vrs_table_set_number(t, 6, "%.1f", 100 * c->mde);
	vrs_table_set_number(t, 7, "%.1f", 100 * c->margin);
	vrs_table_set(t, 8, "%d", c->pairs);
	vrs_table_set(t, 9, "%s", vrs_verdict_word(c));
}

/* What stands behind a word: the causes that have a sentence, and a slowdown that was injected. */
static void add_notes(const struct vrs_result *result, struct vrs_findings *findings)
{
	if (result->injected_slowdown > 0)
		vrs_findings_add_note(findings, VRS_NOTE_WARNING, "injected-slowdown", "B was slowed by %.0f %% on purpose (--inject-slowdown): this comparison "
				      "proves the gate, and says nothing about B.", 100 * result->injected_slowdown);
	for (int i = 0; i < result->comparison_count; i++) {
		const struct vrs_comparison *c = &result->comparisons[i];
		if (c->reason[0])
			vrs_findings_add_note(findings, VRS_NOTE_INFO, "comparison", "%s is %s: %s.", c->metric, vrs_verdict_word(c), c->reason);
	}
}

void vrs_comparison_table(const struct vrs_result *result, struct vrs_findings *findings)
{
	static const char *const heads[] = {"metric", "A", "B", "cost of B (%)", "interval (%)", "p", "MDE (%)", "margin (%)", "pairs", "verdict"};
	if (result->comparison_count == 0)
		return;
	struct vrs_table *t = vrs_findings_start_table(findings, "comparisons", "A against B", heads, sizeof heads / sizeof *heads, 1u << 0 | 1u << 9);
	for (int i = 0; i < result->comparison_count; i++)
		comparison_row(t, &result->comparisons[i]);
	snprintf(t->caption, sizeof t->caption,
		 "A: %.120s. B: the command. Above 0, B is slower or needs more. The first metric decides, by sequential looks; the others are one family, "
		 "and their p is adjusted (Holm). MDE: the smallest change that these pairs find with 80 %% power.", result->versus);
	add_notes(result, findings);
}

void vrs_comparison_sentence(const struct vrs_result *result, char *buf, size_t size)
{
	const struct vrs_comparison *c = &result->comparisons[0];
	char interval[48] = "";
	if (isfinite(c->low) && isfinite(c->high))
		snprintf(interval, sizeof interval, " [%+.1f, %+.1f]", 100 * c->low, 100 * c->high);
	if (isfinite(c->change))
		snprintf(buf, size, "%s in %s: B costs %+.1f %%%s against A over %d pairs%s.", vrs_verdict_word(c), c->metric, 100 * c->change, interval,
			 c->pairs, result->injected_slowdown > 0 ? "; B was slowed on purpose" : "");
	else
		snprintf(buf, size, "%s in %s: %s.", vrs_verdict_word(c), c->metric, c->reason);
}
