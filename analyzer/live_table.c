/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cases that were measured in real time: what a viewer would have seen. */
#include "analyzer/summary_parts.h"

#include <math.h>
#include <stdio.h>

/* Sum of a count over the runs that the figures of the case are made of. */
static int64_t sum_of(const struct vrs_case_result *c, size_t offset)
{
	int64_t sum = 0;
	for (int i = 0; i < c->run_count; i++) {
		const int64_t *value = (const int64_t *)(const void *)((const char *)&c->runs[i] + offset);
		sum += vrs_case_result_uses(c, &c->runs[i]) && *value > 0 ? *value : 0;
	}
	return sum;
}

static int64_t longest_of(const struct vrs_case_result *c)
{
	int64_t longest = 0;
	for (int i = 0; i < c->run_count; i++)
		if (vrs_case_result_uses(c, &c->runs[i]) && c->runs[i].live_longest > longest)
			longest = c->runs[i].live_longest;
	return longest;
}

static void live_row(struct vrs_table *t, const struct vrs_case_result *c)
{
	static const size_t latencies[] = {offsetof(struct vrs_run, latency_median_ms), offsetof(struct vrs_run, latency_p95_ms),
					    offsetof(struct vrs_run, latency_p99_ms), offsetof(struct vrs_run, live_deadline_ms)};
	static const size_t counts[] = {offsetof(struct vrs_run, live_due), offsetof(struct vrs_run, live_dropped), offsetof(struct vrs_run, live_late),
					 offsetof(struct vrs_run, live_episodes)};
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "%s", c->id);
	for (int i = 0; i < 4; i++)
		vrs_table_set(t, 1 + i, "%lld", (long long)sum_of(c, counts[i]));
	vrs_table_set(t, 5, "%lld", (long long)longest_of(c));
	for (int i = 0; i < 4; i++) {
		vrs_table_set(t, 6 + i, "-");
		vrs_table_set_number(t, 6 + i, "%.1f", vrs_case_result_median(c, latencies[i]));
	}
	vrs_table_set(t, 10, "%s: %s", vrs_name_of(&vrs_outcome_names, c->live_verdict), c->live_note);
}

void vrs_live_table(const struct vrs_result *result, struct vrs_findings *findings)
{
	static const char *const heads[] = {"case", "due", "dropped", "late", "stalls", "in a row", "P50 (ms)", "P95 (ms)", "P99 (ms)", "deadline (ms)",
					     "verdict"};
	struct vrs_table *t = vrs_findings_start_table(findings, "live", "In real time", heads, 11, 1u << 0 | 1u << 10);
	for (int i = 0; i < result->case_count; i++)
		if (vrs_case_result_ok_runs(&result->cases[i]) > 0 && result->cases[i].live_verdict != VRS_OUTCOME_NONE)
			live_row(t, &result->cases[i]);
	snprintf(t->caption, sizeof t->caption, "Frames are due at the rate of the case. A frame misses its deadline when it is dropped, or done later "
		 "than that after the moment when it was meant to begin; latencies count from there. Stalls are misses less than ten frames apart.");
}
