/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every case against the default, from runs that shared rounds: change, interval, verdict. */
#include "analyzer/dataset.h"
#include "analyzer/summary_parts.h"
#include "bench/judge/verdict.h"

#include <math.h>
#include <stdio.h>

static void add_row(struct vrs_table *t, const struct vrs_case_result *c, const struct vrs_comparison *v)
{
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "%s", c->id);
	vrs_table_set(t, 1, "%d", v->pairs);
	/* A change in time; as speed it is the inverse. */
	vrs_table_set_number(t, 2, "%.3fx", 1 / (1 + v->change));
	if (isfinite(v->low) && isfinite(v->high))
		vrs_table_set(t, 3, "[%.3f, %.3f]", 1 / (1 + v->high), 1 / (1 + v->low));
	vrs_table_set(t, 4, "%s", vrs_name_of(&vrs_verdict_names, v->verdict));
	if (v->verdict == VRS_VERDICT_INCONCLUSIVE && isfinite(v->mde))
		vrs_table_set(t, 5, "finds %.0f %% at %d rounds", 100 * v->mde, v->pairs);
}

void vrs_default_table(const struct vrs_result *result, struct vrs_findings *findings)
{
	static const char *const heads[] = {"case", "rounds", "speed", "interval", "verdict", "power"};
	const struct vrs_case_result *base = vrs_default_case(result);
	if (!base || vrs_case_result_ok_runs(base) == 0 || result->comparison_count > 0) /* an A/B was judged when it was measured */
		return;
	struct vrs_table *t = vrs_findings_start_table(findings, "default", "Against the default", heads, sizeof heads / sizeof *heads, 1u << 0 | 1u << 4);
	for (int i = 0; i < result->case_count; i++) {
		const struct vrs_case_result *c = &result->cases[i];
		struct vrs_comparison v;
		/* Another resolution is another task: nobody chooses between them for speed. So is another scope or mode. */
		if (c == base || c->width != base->width || c->height != base->height || !vrs_case_result_same_kind(c, base))
			continue;
		if (vrs_verdict_cases(base, c, VRS_HEADLINE_FPS, 0, &v) == VRS_OK)
			add_row(t, c, &v);
	}
	snprintf(t->caption, sizeof t->caption,
		 "Speed of the case divided by speed of %s, paired by round (Hodges-Lehmann). Verdicts need %d rounds or more.", base->id, VRS_VERDICT_MIN_PAIRS);
}
