/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/summary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/dataset.h"
#include "analyzer/figures/figures.h"
#include "analyzer/summary_parts.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str_parse.h"

static int good_cases(const struct vrs_result *result)
{
	int n = 0;
	for (int i = 0; i < result->case_count; i++)
		n += vrs_case_result_ok_runs(&result->cases[i]) > 0;
	return n;
}

/* The environment, indented for reading; as it was when it does not fit or does not parse. */
static void write_environment(const struct vrs_result *result, struct vrs_findings *f)
{
	cJSON *machine = NULL;
	(void)vrs_strcpy(f->environment, sizeof f->environment, result->machine_json);
	if (vrs_json_parse(result->machine_json, strlen(result->machine_json), sizeof result->machine_json, "environment", &machine, NULL) == VRS_OK) {
		char *text = vrs_json_print(machine, true);
		if (text)
			(void)vrs_strcpy(f->environment, sizeof f->environment, text);
		vrs_json_free_text(text);
	}
	cJSON_Delete(machine);
}

static void write_title(const struct vrs_result *result, struct vrs_findings *f)
{
	char mode[24];
	const struct vrs_case_result *c = result->case_count ? &result->cases[0] : NULL;
	char cpu[96];
	int allowed;
	vrs_dataset_cpu(result, cpu, sizeof cpu, &allowed);
	snprintf(f->title, sizeof f->title, "vrseg on this machine: %d cases measured", good_cases(result));
	snprintf(f->subtitle, sizeof f->subtitle, "%s%s%s; input %s (%s), scope %s, %s%s; %s.", cpu, cpu[0] ? ", " : "", c ? c->isa : "",
		 vrs_path_base(result->input), c ? vrs_name_of(&vrs_input_kind_names, c->input_kind) : "?", c ? vrs_name_of(&vrs_scope_names, c->scope) : "?",
		 c ? vrs_mode_text(c->live_hz, mode, sizeof mode) : "?", result->quick ? ", quick sweep" : "",
		 result->started_utc);
	write_environment(result, f);
	(void)vrs_strcpy(f->reproduce, sizeof f->reproduce, result->command);
}

/* Why nothing is said of the default settings; base: their case, NULL: there is none. */
static const char *why_no_default(const struct vrs_result *result, const struct vrs_case_result *base)
{
	if (!base)
		return "The default settings were not part of this sweep.";
	if (!result->complete && base->run_count == 0 && !vrs_case_result_is_skipped(base))
		return "The sweep was interrupted before the default settings were measured.";
	return "The default settings could not be measured: see what did not run or count.";
}

static void write_verdict(const struct vrs_result *result, struct vrs_findings *f)
{
	const struct vrs_case_result *base = result->default_case[0] ? vrs_result_find_case(result, result->default_case) : NULL;
	char fps[96];
	if (!good_cases(result))
		snprintf(f->verdict, sizeof f->verdict, "Nothing could be measured: see what did not run or count.");
	else if (result->comparison_count > 0)
		vrs_comparison_sentence(result, f->verdict, sizeof f->verdict);
	else if (base && vrs_case_result_ok_runs(base) > 0 && vrs_case_result_is_invalid(base))
		snprintf(f->verdict, sizeof f->verdict, "The machine was disturbed: %s frames per second at %dx%d with default settings is no basis for "
							 "decisions. Measure again on a quiet machine.",
			 vrs_estimate_text(&base->fps, 1, fps, sizeof fps), base->width, base->height);
	else if (base && vrs_case_result_ok_runs(base) > 0)
		snprintf(f->verdict, sizeof f->verdict, "With default settings this machine makes %s frames per second at %dx%d.",
			 vrs_estimate_text(&base->fps, 1, fps, sizeof fps), base->width, base->height);
	else
		snprintf(f->verdict, sizeof f->verdict, "%s", why_no_default(result, base));
}

/* The sweep's own recommendation. */
static void add_recommendation(const struct vrs_result *result, struct vrs_findings *f)
{
	if (result->recommendation[0])
		snprintf(f->recommendation, sizeof f->recommendation, "Recommended (recommended.yaml): %.767s.", result->recommendation);
}

/* What noise gates and the goal of the interval said while it was measured. */
static void add_noise_notes(const struct vrs_result *result, struct vrs_findings *f)
{
	static const struct {
		const char *id, *text;
		size_t offset;
	} kinds[] = {
		{"invalid", "%d of %d cases are INVALID: the machine was disturbed, and their figures are no basis for decisions.",
		  offsetof(struct vrs_case_result, invalid)},
		{"noise", "%d of %d cases were measured on a noisy machine.", offsetof(struct vrs_case_result, warning)},
		{"precision", "%d of %d cases have a wider interval than was asked for.", offsetof(struct vrs_case_result, goal_note)},
	};
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		const struct vrs_case_result *first = NULL;
		int count = 0;
		for (int i = 0; i < result->case_count; i++) {
			const struct vrs_case_result *c = &result->cases[i];
			bool told = ((const char *)c)[kinds[k].offset] != 0 && c->run_count > 0;
			first = told && !first ? c : first;
			count += told;
		}
		if (!first)
			continue;
		struct vrs_note *n = vrs_findings_add_note(f, VRS_NOTE_WARNING, kinds[k].id, kinds[k].text, count, result->case_count);
		snprintf(n->evidence, sizeof n->evidence, "%.90s: %.160s", first->id, (const char *)first + kinds[k].offset);
	}
}

static void add_trust_notes(const struct vrs_result *result, struct vrs_findings *f)
{
	int few = 0, unsettled = 0, runs = 0;
	double steal = 0;
	for (int i = 0; i < result->case_count; i++) {
		const struct vrs_case_result *c = &result->cases[i];
		few += vrs_case_result_ok_runs(c) > 0 && !c->fps.has_interval;
		for (int r = 0; r < c->run_count; r++) {
			if (c->runs[r].status != VRS_RUN_OK)
				continue;
			runs++;
			unsettled += !c->runs[r].warmup_settled;
			steal = fmax(steal, c->runs[r].steal_percent); /* of a number and NaN the number */
		}
	}
	if (!result->complete)
		vrs_findings_add_note(f, VRS_NOTE_WARNING, "incomplete",
				      "The sweep was interrupted: only runs that were finished count, others are missing. Continue it with --resume.");
	if (few)
		vrs_findings_add_note(f, VRS_NOTE_WARNING, "few-runs", "%d cases have fewer than six runs, so there is no 95 %% interval for them, only the range "
				      "seen. Measure with --runs 10 before you rely on a difference.", few);
	for (int i = 0; i < result->case_count; i++)
		if (result->cases[i].pooled_note[0])
			vrs_findings_add_note(f, VRS_NOTE_INFO, "pooled", "P50, P95 and P99 of %s are made of %s.", result->cases[i].id,
					      result->cases[i].pooled_note);
	if (unsettled)
		vrs_findings_add_note(f, VRS_NOTE_WARNING, "warm-up", "In %d of %d runs frame times had not become steady before measuring began.", unsettled,
				      runs);
	if (steal > 1) {
		struct vrs_note *n = vrs_findings_add_note(f, VRS_NOTE_WARNING, "steal", "Other guests of this virtual machine's host took CPU time away during "
							   "the measurement.");
		snprintf(n->evidence, sizeof n->evidence, "up to %.1f %% stolen time in a run", steal);
	}
}

/* What is said of shares of the peak. */
static void add_peak_notes(const struct vrs_result *result, struct vrs_findings *f)
{
	double above = vrs_figures_above_peak(result);
	if (result->ceilings.note[0])
		vrs_findings_add_note(f, VRS_NOTE_WARNING, "peak", "Probes before the runs: %s.", result->ceilings.note);
	if (above > 1)
		vrs_findings_add_note(f, VRS_NOTE_WARNING, "above-peak", "A run computed %.2f times the peak measured for its threads, so that there is no share "
				      "of the peak: the peak was measured too low, or the network's algorithms need fewer multiplications.", above);
}

typedef void add_part(const struct vrs_result *result, struct vrs_findings *findings);

static enum vrs_status summarize(const struct vrs_result *result, add_part *const *parts, size_t count, struct vrs_findings *findings,
				 struct vrs_error *err)
{
	write_title(result, findings);
	write_verdict(result, findings);
	for (size_t i = 0; i < count; i++)
		parts[i](result, findings);
	enum vrs_status status = vrs_findings_finish(findings);
	return status != VRS_OK ? vrs_fail(err, status, "cannot analyse the result: %s", vrs_status_str(status)) : VRS_OK;
}

enum vrs_status vrs_summarize(const struct vrs_result *result, struct vrs_findings *findings, struct vrs_error *err)
{
	static add_part *const parts[] = {
		vrs_comparison_table, vrs_case_table, vrs_best_table, vrs_soak_table, vrs_live_table, vrs_default_table, vrs_stage_table,
		vrs_quality_table, vrs_quality_sides_table,
		vrs_resource_table, vrs_failure_table, vrs_unavailable_table, vrs_operator_tables, vrs_scaling_table, vrs_axis_graphs,
		vrs_stage_graph, vrs_roofline_graph, vrs_precision_graph, vrs_pareto_table, add_noise_notes, add_recommendation,
		vrs_bottleneck_notes, vrs_scaling_notes, add_trust_notes, add_peak_notes,
	};
	return summarize(result, parts, sizeof parts / sizeof *parts, findings, err);
}

enum vrs_status vrs_summarize_comparison(const struct vrs_result *result, struct vrs_findings *findings, struct vrs_error *err)
{
	static add_part *const parts[] = {vrs_comparison_table, vrs_case_table, vrs_quality_table, vrs_quality_sides_table, vrs_failure_table};
	return summarize(result, parts, sizeof parts / sizeof *parts, findings, err);
}
