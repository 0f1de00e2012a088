/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/tune_findings.h"

#include <math.h>
#include <stdio.h>

#include "base/latency.h"
#include "base/verdict_line.h"
#include "bench/judge/verdict.h"

static void tried_row(struct vrs_table *t, const struct vrs_tried *tried)
{
	bool first = t->rows == 0; /* every phase measures the default first */
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "%s%s", tried->id, first ? " (default)" : "");
	vrs_table_set_number(t, 1, "%.2f", tried->fps.n ? tried->fps.median : NAN);
	vrs_table_set_number(t, 2, "%.3fx", tried->ratio);
	vrs_table_set_number(t, 3, "%.4f", tried->quality);
	if (!tried->accepted)
		vrs_table_set(t, 4, "%s", tried->why);
}

void vrs_tune_findings(const struct vrs_search_result *result, const struct vrs_space *space, struct vrs_findings *findings)
{
	static const char *const heads[] = {"settings", "FPS", "speed", "IoU", "refused"};
	struct vrs_table *t = NULL;
	snprintf(findings->title, sizeof findings->title, "Search for the best settings");
	snprintf(findings->subtitle, sizeof findings->subtitle, "Chosen: %s%s", result->best_id, result->keeps_default ? " (the default)" : "");
	snprintf(findings->verdict, sizeof findings->verdict, "%.255s", result->sentence);
	for (int i = 0; i < result->tried_count; i++) {
		const struct vrs_tried *tried = &result->tried[i];
		const char *phase = vrs_phase_name(tried->phase);
		if (i == 0 || tried->phase != result->tried[i - 1].phase)
			t = vrs_findings_start_table(findings, phase, phase, heads, 5, 1u << 0 | 1u << 4);
		tried_row(t, tried);
	}
	if (space->fixed[0])
		vrs_findings_add_note(findings, VRS_NOTE_INFO, "fixed", "Left alone, since you set them: %s.", space->fixed);
	if (result->tie[0])
		vrs_findings_add_note(findings, VRS_NOTE_INFO, "tie", "Cannot be told from the chosen settings: %s.", result->tie);
}

static double low_fps(const struct vrs_search_result *result)
{
	return result->best_fps.has_interval ? result->best_fps.low : result->best_fps.min;
}

static void target_row(struct vrs_table *t, const char *name, const char *status)
{
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "%s", name);
	vrs_table_set(t, 3, "%s", status);
}

bool vrs_tune_targets(const struct vrs_search_result *result, double fps, double max_latency_ms, struct vrs_findings *findings)
{
	static const char *const heads[] = {"target", "goal", "value", "status"};
	bool feasible = !(fps > 0) || low_fps(result) >= fps;
	struct vrs_table *t = vrs_findings_start_table(findings, "targets", "Targets", heads, 4, ~(1u << 1 | 1u << 2));
	if (fps > 0) {
		target_row(t, "target.fps", feasible ? "pass" : "fail");
		vrs_table_set(t, 1, "at least %g FPS", fps);
		vrs_table_set(t, 2, "%.2f FPS", low_fps(result));
	}
	if (max_latency_ms > 0) {
		target_row(t, "target.max_latency_ms", "not judged");
		vrs_table_set(t, 1, "at most %g ms", max_latency_ms);
	}
	snprintf(t->caption, sizeof t->caption, "FPS of the chosen settings by the lower end of its interval.%s",
		 max_latency_ms > 0 ? " Latency: " VRS_LATENCY_NOT_LIVE "." : "");
	return feasible;
}

void vrs_tune_line(const struct vrs_search_result *result, char *buf, size_t size)
{
	vrs_verdict_line_begin(buf, size, !result->verified ? "inconclusive" : result->keeps_default ? "equivalent" : "faster");
	if (result->keeps_default)
		vrs_verdict_line_put(buf, size, "metric", "fps");
	else
		vrs_verdict_line_keys(&result->gain, buf, size);
	vrs_verdict_line_put(buf, size, "case", "%s", result->best_id);
}

void vrs_tune_target_line(const struct vrs_search_result *result, double fps, bool feasible, char *buf, size_t size)
{
	vrs_verdict_line_begin(buf, size, feasible ? "feasible" : "infeasible");
	vrs_verdict_line_put(buf, size, "target_fps", "%g", fps);
	vrs_verdict_line_put(buf, size, "fps", "%.2f", result->best_fps.median);
	vrs_verdict_line_put(buf, size, "low", "%.2f", low_fps(result));
}
