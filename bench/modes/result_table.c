/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/modes/result_table.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "bench/judge/soak.h"
#include "bench/run/ceilings.h"

static int id_width(const struct vrs_result *result)
{
	int width = 4;
	for (int i = 0; i < result->case_count; i++) {
		int length = (int)strlen(result->cases[i].id);
		width = length > width ? length : width;
	}
	return width;
}

/* Median with its interval, or the range where six runs are not reached. */
static void estimate_text(const struct vrs_estimate *e, double scale, char *buf, size_t size)
{
	if (e->n == 0)
		snprintf(buf, size, "-");
	else if (e->has_interval)
		snprintf(buf, size, "%.1f [%.1f, %.1f]", e->median * scale, e->low * scale, e->high * scale);
	else
		snprintf(buf, size, "%.1f (%.1f .. %.1f)", e->median * scale, e->min * scale, e->max * scale);
}

static void number_text(double value, int digits, char *buf, size_t size)
{
	if (isnan(value))
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "%.*f", digits, value);
}

static bool is_measured(const struct vrs_case_result *c)
{
	return !c->skipped[0] && c->fps.n > 0;
}

/* Figures of one scope, mode and kind of input, under the line that says so: they are never mixed. */
static bool same_label(const struct vrs_case_result *a, const struct vrs_case_result *b)
{
	return vrs_case_result_same_kind(a, b) && strcmp(a->input_kind, b->input_kind) == 0;
}

static void print_kind(const struct vrs_result *result, const struct vrs_case_result *kind, int width, FILE *out)
{
	char mode[24];
	const char *kind_word = strcmp(result->input, kind->input_kind) == 0 ? "built-in clip" : kind->input_kind;
	fprintf(out, "scope=%s mode=%s input=%s (%s)%s%s\n\n", vrs_name_of(&vrs_scope_names, kind->scope),
		vrs_mode_text(kind->live_hz, mode, sizeof mode), result->input, kind_word, result->quick ? ", quick" : "",
		vrs_case_result_uses_null_backend(kind) ? ", backend null: no network runs" : "");
	fprintf(out, "%-*s %5s  %-26s %8s %8s %8s %8s %9s %8s %7s\n", width, "cell", "runs", "FPS", "frame ms", "P50 ms", "P95 ms", "P99 ms",
		"peak MiB", "fp32 IoU", "IoU");
	for (int i = 0; i < result->case_count; i++) {
		const struct vrs_case_result *c = &result->cases[i];
		char runs[32], fps[64], frame[16], p50[16], p95[16], p99[16], rss[16], agree[16], iou[16];
		if (!is_measured(c) || !same_label(c, kind))
			continue;
		snprintf(runs, sizeof runs, "%d/%d", vrs_case_result_counted_runs(c), c->run_count);
		estimate_text(&c->fps, 1, fps, sizeof fps);
		number_text(c->frame_ms.n ? c->frame_ms.median : NAN, 1, frame, sizeof frame);
		number_text(c->p50_ms, 1, p50, sizeof p50);
		number_text(c->p95_ms, 1, p95, sizeof p95);
		number_text(c->p99_ms, 1, p99, sizeof p99);
		number_text(c->peak_rss.n ? c->peak_rss.median / 1048576 : NAN, 0, rss, sizeof rss);
		number_text(vrs_case_result_median(c, offsetof(struct vrs_run, agreement)), 4, agree, sizeof agree);
		number_text(vrs_case_result_median(c, offsetof(struct vrs_run, iou)), 3, iou, sizeof iou);
		fprintf(out, "%-*s %5s  %-26s %8s %8s %8s %8s %9s %8s %7s\n", width, c->id, runs, fps, frame, p50, p95, p99, rss, agree, iou);
	}
}

static void print_rates(const struct vrs_result *result, int width, FILE *out)
{
	int kinds = 0;
	for (int i = 0; i < result->case_count; i++) {
		bool seen = !is_measured(&result->cases[i]);
		for (int k = 0; k < i && !seen; k++)
			seen = is_measured(&result->cases[k]) && same_label(&result->cases[k], &result->cases[i]);
		if (seen)
			continue;
		if (kinds++ > 0)
			fputc('\n', out);
		print_kind(result, &result->cases[i], width, out);
	}
}

/* What a viewer would have seen, and whether that will do. */
static void print_live(const struct vrs_result *result, int width, FILE *out)
{
	bool any = false;
	for (int i = 0; i < result->case_count; i++) {
		const struct vrs_case_result *c = &result->cases[i];
		char p50[16], p95[16], p99[16], stalls[24];
		if (c->live_verdict == VRS_OUTCOME_NONE)
			continue;
		if (!any)
			fprintf(out, "\nIn real time: latency from the moment when a frame was meant to begin\n%-*s %8s %8s %8s %8s  %s\n", width, "cell", "P50 ms",
				"P95 ms", "P99 ms", "stalls", "deadline");
		any = true;
		number_text(vrs_case_result_median(c, offsetof(struct vrs_run, latency_median_ms)), 1, p50, sizeof p50);
		number_text(vrs_case_result_median(c, offsetof(struct vrs_run, latency_p95_ms)), 1, p95, sizeof p95);
		number_text(vrs_case_result_median(c, offsetof(struct vrs_run, latency_p99_ms)), 1, p99, sizeof p99);
		int64_t episodes = 0;
		for (int k = 0; k < c->run_count; k++)
			episodes += c->runs[k].live_episodes > 0 ? c->runs[k].live_episodes : 0;
		snprintf(stalls, sizeof stalls, "%lld", (long long)episodes);
		fprintf(out, "%-*s %8s %8s %8s %8s  %s: %s\n", width, c->id, p50, p95, p99, stalls,
			vrs_name_of(&vrs_outcome_names, c->live_verdict), c->live_note);
	}
}

static void print_stages(const struct vrs_result *result, int width, FILE *out)
{
	fprintf(out, "\nBusy time of each stage, ms per frame and share of its wall time (stages overlap: shares may add up to more than 100 %%)\n");
	fprintf(out, "%-*s", width, "cell");
	for (int s = 0; s < VRS_STAGE_COUNT; s++)
		fprintf(out, " %16s", vrs_stage_name((enum vrs_stage)s));
	fputc('\n', out);
	for (int i = 0; i < result->case_count; i++) {
		const struct vrs_case_result *c = &result->cases[i];
		if (!is_measured(c) || c->scope == VRS_SCOPE_NET_ONLY) /* that has no stages */
			continue;
		fprintf(out, "%-*s", width, c->id);
		for (int s = 0; s < VRS_STAGE_COUNT; s++) {
			double ms = vrs_case_result_median(c, offsetof(struct vrs_run, stage_busy_ms) + (size_t)s * sizeof(double));
			char text[32];
			if (isnan(ms))
				snprintf(text, sizeof text, "-");
			else
				snprintf(text, sizeof text, "%.2f %5.1f %%", ms, 100 * ms * c->fps.median / 1000);
			fprintf(out, " %16s", text);
		}
		fputc('\n', out);
	}
}

static void print_failures(const struct vrs_result *result, int width, FILE *out)
{
	bool any = false;
	for (int i = 0; i < result->case_count; i++) {
		const struct vrs_case_result *c = &result->cases[i];
		const struct vrs_run *bad = NULL;
		int count = 0;
		for (int k = 0; k < c->run_count; k++)
			if (c->runs[k].status != VRS_RUN_OK) {
				bad = &c->runs[k];
				count++;
			}
		if (!c->skipped[0] && !bad)
			continue;
		if (!any)
			fprintf(out, "\nNot measured\n");
		any = true;
		if (c->skipped[0])
			fprintf(out, "%-*s skipped: %s\n", width, c->id, c->skipped);
		else
			fprintf(out, "%-*s %d of %d runs %s: %s\n", width, c->id, count, c->run_count, vrs_name_of(&vrs_run_status_names, bad->status), bad->reason);
	}
}

/* What noise gates and the goal of the interval say about cells. */
static void print_trust(const struct vrs_result *result, int width, FILE *out)
{
	bool any = false;
	for (int i = 0; i < result->case_count; i++) {
		const struct vrs_case_result *c = &result->cases[i];
		const char *const words[] = {c->invalid, c->warning, c->goal_note}, *const names[] = {"INVALID", "noise", "precision"};
		for (int k = 0; k < 3; k++)
			if (words[k][0] && c->run_count > 0) {
				fprintf(out, "%s%-*s %s: %s\n", any ? "" : "\nHow far the figures can be trusted (INVALID: no basis for a decision)\n", width,
					c->id, names[k], words[k]);
				any = true;
			}
	}
}

/* What the columns of the first table mean. */
static void print_legend(const struct vrs_result *result, FILE *out)
{
	bool few = false, any = false, compared = false, truth = false;
	for (int i = 0; i < result->case_count; i++) {
		const struct vrs_case_result *c = &result->cases[i];
		any |= is_measured(c);
		few |= is_measured(c) && !c->fps.has_interval;
		compared |= isfinite(vrs_case_result_median(c, offsetof(struct vrs_run, agreement)));
		truth |= isfinite(vrs_case_result_median(c, offsetof(struct vrs_run, iou)));
	}
	if (!any)
		return;
	fprintf(out, "\nruns: undisturbed/all. FPS: median over runs [95 %% interval]%s. frame ms, P50 to P99: time between finished frames, which come in\n"
		"bursts where a stage works ahead.%s%s\n", few ? ", or (smallest .. largest) of fewer than six runs" : "",
		compared ? " fp32 IoU: overlap of the mattes with those of fp32." : "", truth ? " IoU: overlap with exact truth." : "");
}

static void print_notes(const struct vrs_result *result, FILE *out)
{
	int unsettled = 0, runs = 0, without_p99 = 0, cells = 0, uncalibrated = 0;
	for (int i = 0; i < result->case_count; i++) {
		const struct vrs_case_result *c = &result->cases[i];
		cells += c->fps.n > 0;
		without_p99 += c->fps.n > 0 && isnan(c->p99_ms);
		uncalibrated += strcmp(c->p95_note, "uncalibrated") == 0 || strcmp(c->p99_note, "uncalibrated") == 0;
		for (int k = 0; k < c->run_count; k++)
			if (c->runs[k].status == VRS_RUN_OK) {
				runs++;
				unsettled += !c->runs[k].warmup_settled;
			}
	}
	fputc('\n', out);
	for (int i = 0; i < result->case_count; i++)
		if (result->cases[i].pooled_note[0])
			fprintf(out, "note: P50, P95 and P99 of %s are made of %s\n", result->cases[i].id, result->cases[i].pooled_note);
	if (without_p99 > 0)
		fprintf(out, "note: %d of %d cells have too few frames for P99; results.json says how many are missing\n", without_p99, cells);
	if (uncalibrated > 0)
		fprintf(out, "note: P95 and P99 are uncalibrated: they hold for these runs, not as limits (vrbench --calibrate)\n");
	if (unsettled > 0)
		fprintf(out, "note: in %d of %d runs frame times had not settled when the warm-up time was over\n", unsettled, runs);
}

enum vrs_status vrs_result_print(const struct vrs_result *result, FILE *out)
{
	int width = id_width(result);
	print_rates(result, width, out);
	print_legend(result, out);
	print_live(result, width, out);
	print_stages(result, width, out);
	vrs_ceilings_print(result, width, out);
	print_failures(result, width, out);
	print_trust(result, width, out);
	print_notes(result, out);
	return ferror(out) ? VRS_EIO : VRS_OK;
}

bool vrs_result_print_soak(const struct vrs_result *result, const char *folder, FILE *out)
{
	struct vrs_soak_window *windows;
	struct vrs_soak soak;
	int count;
	if (!vrs_soak_windows_of(result, folder, &windows, &count))
		return false;
	if (vrs_soak_judge(windows, count, &soak) == VRS_OK)
		vrs_soak_print(&soak, out);
	vrs_free(windows);
	return true;
}
