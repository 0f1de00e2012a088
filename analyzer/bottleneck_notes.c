/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What limits the default case (or the first good one), as notes with evidence and what to change. */
#include "analyzer/dataset.h"
#include "analyzer/summary_parts.h"
#include "bench/judge/bottleneck.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

void vrs_case_limits(const struct vrs_result *result, const struct vrs_case_result *c, int cpus, struct vrs_findings *findings)
{
	struct vrs_bottleneck_input input;
	struct vrs_bottleneck rules[VRS_BOTTLENECK_MAX];
	int n = vrs_bottleneck_input_of_case(result, c, cpus, &input) ? vrs_bottleneck_find(&input, rules, VRS_BOTTLENECK_MAX) : 0;
	if (findings->verdict[0] == 0)
		snprintf(findings->verdict, sizeof findings->verdict, "%.90s makes %.2f FPS; %.130s.", c->id, c->fps.n ? c->fps.median : NAN,
			 n ? rules[0].sentence : "the counters of the stages name no limit");
	for (int i = 0; i < n; i++) {
		struct vrs_note *note = vrs_findings_add_note(findings, rules[i].yaml[0] ? VRS_NOTE_RECOMMENDATION : VRS_NOTE_INFO, rules[i].id,
							      "%c%s (case %s).", toupper((unsigned char)rules[i].sentence[0]), rules[i].sentence + 1, c->id);
		snprintf(note->evidence, sizeof note->evidence, "%.*s", (int)sizeof note->evidence - 1, rules[i].evidence);
		snprintf(note->yaml, sizeof note->yaml, "%s", rules[i].yaml);
	}
}

void vrs_bottleneck_notes(const struct vrs_result *result, struct vrs_findings *findings)
{
	const struct vrs_case_result *c = vrs_default_case(result);
	char cpu[96];
	int cpus;
	for (int i = 0; i < result->case_count && (!c || vrs_case_result_ok_runs(c) == 0); i++)
		c = &result->cases[i];
	vrs_dataset_cpu(result, cpu, sizeof cpu, &cpus);
	if (c)
		vrs_case_limits(result, c, cpus, findings);
}
