/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was measured, case by case: speed, stages, quality, and what did not run or count. */
#include "analyzer/summary_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/figures/figures.h"

const char *vrs_short_number(double value, char *buf, size_t size)
{
	double a = fabs(value);
	if (!isfinite(value))
		snprintf(buf, size, "%s", "");
	else
		snprintf(buf, size, "%.*f", a >= 100 ? 0 : a >= 10 ? 1 : a >= 1 ? 2 : a >= 0.0005 || a == 0 ? 3 : 6, value);
	return buf;
}

const char *vrs_estimate_text(const struct vrs_estimate *e, double factor, char *buf, size_t size)
{
	char m[24], lo[24], hi[24];
	if (e->n < 1 || !isfinite(e->median))
		snprintf(buf, size, "%s", "");
	else if (e->has_interval)
		snprintf(buf, size, "%s [%s, %s]", vrs_short_number(e->median * factor, m, sizeof m), vrs_short_number(e->low * factor, lo, sizeof lo),
			 vrs_short_number(e->high * factor, hi, sizeof hi));
	else if (e->n > 1)
		snprintf(buf, size, "%s (%s .. %s)", vrs_short_number(e->median * factor, m, sizeof m), vrs_short_number(e->min * factor, lo, sizeof lo),
			 vrs_short_number(e->max * factor, hi, sizeof hi));
	else
		snprintf(buf, size, "%s", vrs_short_number(e->median * factor, m, sizeof m));
	return buf;
}

/* "end_to_end, offline, clip": figures of different kinds are never mixed up. */
static const char *kind_words(const struct vrs_case_result *c, char *buf, size_t size)
{
	char mode[24];
	snprintf(buf, size, "%s, %s, %s%s", vrs_name_of(&vrs_scope_names, c->scope), vrs_mode_text(c->live_hz, mode, sizeof mode),
		 c->input_kind != VRS_INPUT_NOT_KNOWN ? vrs_name_of(&vrs_input_kind_names, c->input_kind) : "?",
		 vrs_case_result_uses_null_backend(c) ? ", backend null: no network runs" : "");
	return buf;
}

/* What every good case is; "": they differ. */
static void common_kind(const struct vrs_result *result, char *buf, size_t size)
{
	char own[160];
	bool first = true;
	buf[0] = 0;
	for (int i = 0; i < result->case_count; i++) {
		if (vrs_case_result_ok_runs(&result->cases[i]) == 0)
			continue;
		if (!first && strcmp(kind_words(&result->cases[i], own, sizeof own), buf) != 0) {
			buf[0] = 0;
			return;
		}
		kind_words(&result->cases[i], buf, size);
		first = false;
	}
}

static void case_row(struct vrs_table *t, const struct vrs_case_result *c, bool with_kind)
{
	const double values[] = {c->p50_ms, c->p95_ms, c->p99_ms, c->latency_ms.n ? c->latency_ms.median : NAN,
				 c->cpu_ms_per_frame.n ? c->cpu_ms_per_frame.median : NAN, c->peak_rss.n ? c->peak_rss.median / (1 << 20) : NAN};
	char text[160];
	int column = 1;
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "%s", c->id);
	if (with_kind)
		vrs_table_set(t, column++, "%s", kind_words(c, text, sizeof text));
	vrs_table_set(t, column++, "%d/%d", vrs_case_result_counted_runs(c), c->run_count);
	vrs_table_set(t, column++, "%s", vrs_estimate_text(&c->fps, 1, text, sizeof text));
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		vrs_table_set(t, column++, "%s", vrs_short_number(values[i], text, sizeof text));
}

void vrs_case_table(const struct vrs_result *result, struct vrs_findings *findings)
{
	static const char *const heads[] = {"case", "scope, mode, input", "good runs", "FPS", "P50 (ms)", "P95 (ms)", "P99 (ms)", "latency (ms)",
					     "CPU (ms/frame)", "peak memory (MiB)"};
	char kind[160];
	bool few = false;
	common_kind(result, kind, sizeof kind);
	struct vrs_table *t = vrs_findings_add_table(findings, "cases", "Speed");
	for (int i = 0; i < (int)(sizeof heads / sizeof *heads); i++)
		if (i != 1 || !kind[0])
			vrs_table_add_column(t, heads[i], i > 1);
	for (int i = 0; i < result->case_count; i++) {
		const struct vrs_case_result *c = &result->cases[i];
		if (vrs_case_result_ok_runs(c) == 0)
			continue;
		few = few || !c->fps.has_interval;
		case_row(t, c, !kind[0]);
	}
	snprintf(t->caption, sizeof t->caption,
		 "%s%s%sFPS counts stereo frames: median over runs%s. Good runs went well and undisturbed. P50 to P99 are times between finished "
		 "frames of all runs; one that the number of frames does not support is left out. Latency: from the start of decoding a frame "
		 "to its end.",
		 kind[0] ? "All cases: " : "", kind, kind[0] ? ". " : "",
		 few ? ", [95 % interval] from six runs on, (smallest .. largest) below" : " [95 % interval]");
}

void vrs_stage_table(const struct vrs_result *result, struct vrs_findings *findings)
{
	struct vrs_table *t = vrs_findings_add_table(findings, "stages", "Work of each stage (ms a frame, share of the wall time)");
	vrs_table_add_column(t, "case", false);
	for (int s = 0; s < VRS_STAGE_COUNT; s++)
		vrs_table_add_column(t, vrs_stage_name(s), true);
	for (int i = 0; i < result->case_count; i++) {
		const struct vrs_case_result *c = &result->cases[i];
		bool any = false;
		for (int s = 0; s < VRS_STAGE_COUNT; s++)
			any = any || vrs_figure_stage_ms(c, (enum vrs_stage)s) > 0;
		if (!any)
			continue;
		vrs_table_add_row(t);
		vrs_table_set(t, 0, "%s", c->id);
		for (int s = 0; s < VRS_STAGE_COUNT; s++) {
			char text[24];
			double ms = vrs_figure_stage_ms(c, (enum vrs_stage)s), share = vrs_figure_stage_share(c, (enum vrs_stage)s);
			if (isfinite(ms) && isfinite(share))
				vrs_table_set(t, s + 1, "%s  %2.0f%%", vrs_short_number(ms, text, sizeof text), 100 * share);
			else if (isfinite(ms))
				vrs_table_set(t, s + 1, "%s", vrs_short_number(ms, text, sizeof text));
		}
	}
	snprintf(t->caption, sizeof t->caption,
		 "Time inside the stage's own work, of all its threads, and the share of the wall time that each of them is busy; "
		 "medians over runs. Stages run side by side: shares may add up to more than 100 %%, and the frame rate follows the busiest "
		 "stage and the number of cores, not the sum.");
}

/* What it was is set by the caller. */
static void failure_row(struct vrs_table *t, const struct vrs_case_result *c, const char *reason)
{
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "%s", c->id);
	vrs_table_set(t, 2, "%s", reason);
}

/* Runs that noise gates excluded are one row of their case: there may be many, and their reasons are alike. */
void vrs_failure_table(const struct vrs_result *result, struct vrs_findings *findings)
{
	static const char *const heads[] = {"case", "what", "reason"};
	struct vrs_table *t = vrs_findings_start_table(findings, "failures", "What did not run or count", heads, 3, ~0u);
	for (int i = 0; i < result->case_count; i++) {
		const struct vrs_case_result *c = &result->cases[i];
		const char *excluded = NULL;
		if (vrs_case_result_is_skipped(c)) {
			failure_row(t, c, c->skipped);
			vrs_table_set(t, 1, "skipped");
		}
		for (int r = 0; r < c->run_count; r++) {
			const struct vrs_run *run = &c->runs[r];
			if (run->status != VRS_RUN_OK) {
				failure_row(t, c, run->reason);
				vrs_table_set(t, 1, "%s, round %d", vrs_name_of(&vrs_run_status_names, run->status), run->round);
			} else if (run->excluded[0] && !excluded) {
				excluded = run->excluded;
			}
		}
		if (excluded) {
			failure_row(t, c, excluded);
			vrs_table_set(t, 1, "excluded, %d of %d runs", vrs_case_result_ok_runs(c) - vrs_case_result_counted_runs(c), c->run_count);
		}
	}
}
