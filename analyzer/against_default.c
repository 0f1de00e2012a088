/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every case against the default, from runs that shared rounds: change, interval, verdict. */
#include "analyzer/dataset.h"
#include "analyzer/summary_parts.h"
#include "bench/judge/holm_family.h"

#include <math.h>
#include <stdio.h>

/* Another resolution is another task: nobody chooses between them for speed. So is another scope or mode. */
static bool is_shown(const struct vrs_case_result *c, const struct vrs_case_result *base)
{
	return c->width == base->width && c->height == base->height && vrs_case_result_same_kind(c, base);
}

/* Shown, though not one that could take the default's place: it is slower or faster all the same. */
static bool is_other(const struct vrs_case_result *c, const struct vrs_case_result *base, const void *cookie)
{
	const struct vrs_holm_family *able = cookie;
	return is_shown(c, base) && vrs_holm_family_find(able, c) < 0;
}

static void add_row(struct vrs_table *t, const struct vrs_holm_family *family, int member)
{
	const struct vrs_comparison *v = &family->comparisons[member];
	int rounds = vrs_verdict_family_rounds(family->count);
	if (v->pairs == 0)
		return;
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "%s", family->cases[member]->id);
	vrs_table_set(t, 1, "%d", v->pairs);
	/* A change in time; as speed it is the inverse. */
	vrs_table_set_number(t, 2, "%.3fx", 1 / (1 + v->change));
	if (isfinite(v->low) && isfinite(v->high))
		vrs_table_set(t, 3, "[%.3f, %.3f]", 1 / (1 + v->high), 1 / (1 + v->low));
	vrs_table_set(t, 4, "%s", vrs_name_of(&vrs_verdict_names, v->verdict));
	if (v->verdict == VRS_VERDICT_INCONCLUSIVE && v->pairs < rounds)
		vrs_table_set(t, 5, "needs %d rounds", rounds);
	else if (v->verdict == VRS_VERDICT_INCONCLUSIVE && isfinite(v->mde))
		vrs_table_set(t, 5, "finds %.0f %% at %d rounds", 100 * v->mde, v->pairs);
}

static void add_caption(struct vrs_table *t, const struct vrs_case_result *base, const struct vrs_holm_family *able,
			const struct vrs_holm_family *others)
{
	const struct vrs_holm_family *first = able->count > 0 ? able : others;
	int used = snprintf(t->caption, sizeof t->caption, "Speed of the case divided by speed of %s, paired by round (Hodges-Lehmann).", base->id);
	if (used > 0 && used < (int)sizeof t->caption && first->count > 0)
		used += snprintf(t->caption + used, sizeof t->caption - (size_t)used, " Verdicts are of %d case%s together (Holm), which need %d rounds or more.",
				 first->count, first->count == 1 ? "" : "s", vrs_verdict_family_rounds(first->count));
	if (used > 0 && used < (int)sizeof t->caption && able->count > 0 && others->count > 0)
		(void)snprintf(t->caption + used, sizeof t->caption - (size_t)used,
			       " Cases whose mattes are not known to be as good are judged apart, %d together.", others->count);
}

void vrs_default_table(const struct vrs_result *result, struct vrs_findings *findings)
{
	static const char *const heads[] = {"case", "rounds", "speed", "interval", "verdict", "power"};
	const struct vrs_case_result *base = vrs_default_case(result);
	if (!base || vrs_case_result_ok_runs(base) == 0 || result->comparison_count > 0) /* an A/B was judged when it was measured */
		return;
	struct vrs_holm_family able, others = {.base = NULL}; /* the first one is that of the recommendation: one verdict of the same runs */
	const struct vrs_holm_rules rules = {.headline = VRS_HEADLINE_FPS, .accept = is_other, .cookie = &able};
	enum vrs_status status = vrs_holm_family_judge(&able, result, base, NULL);
	if (status == VRS_OK)
		status = vrs_holm_family_judge(&others, result, base, &rules);
	struct vrs_table *t = vrs_findings_start_table(findings, "default", "Against the default", heads, sizeof heads / sizeof *heads, 1u << 0 | 1u << 4);
	for (int i = 0; i < result->case_count && status == VRS_OK; i++) {
		int member = vrs_holm_family_find(&able, &result->cases[i]), other = vrs_holm_family_find(&others, &result->cases[i]);
		if (member >= 0)
			add_row(t, &able, member);
		else if (other >= 0)
			add_row(t, &others, other);
	}
	if (status == VRS_OK)
		add_caption(t, base, &able, &others);
	else
		vrs_findings_fail(findings, status);
	vrs_holm_family_fini(&able);
	vrs_holm_family_fini(&others);
}
