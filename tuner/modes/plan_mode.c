/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --dry-run and --list: what a search would try, and how long it would take. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reports/report.h"
#include "tuner/modes/tune_program.h"
#include "tuner/tune_findings.h"

static void put_knob(struct vrs_table *t, const struct vrs_knob *knob)
{
	char values[VRS_KNOB_MAX_VALUES * VRS_NAME_MAX] = "";
	for (int i = 0; i < knob->count; i++) {
		size_t used = strlen(values);
		snprintf(values + used, sizeof values - used, "%s%s", used ? " " : "", knob->values[i]);
	}
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "%s", knob->row->key);
	vrs_table_set(t, 1, "%s", knob->default_value);
	vrs_table_set(t, 2, "%s", values);
	vrs_table_set(t, 3, "%s", knob->row->stages ? knob->row->stages : "all");
}

static void put_space(const struct vrs_space *space, struct vrs_findings *findings)
{
	static const char *const heads[] = {"option", "default", "also tried", "stages"};
	struct vrs_table *t = vrs_findings_start_table(findings, "options", "Options", heads, 4, ~0u);
	for (int k = 0; k < space->count; k++)
		put_knob(t, &space->knobs[k]);
	if (space->start[0])
		vrs_findings_add_note(findings, VRS_NOTE_INFO, "start", "%s", space->start);
	if (space->fixed[0])
		vrs_findings_add_note(findings, VRS_NOTE_INFO, "fixed", "Left alone, since you set them: %s.", space->fixed);
	vrs_tune_rejected(space, findings);
	if (space->lacks_calibration)
		vrs_findings_add_note(findings, VRS_NOTE_INFO, "calibration", "The search would begin by calibrating the network, and try int8 and mixed, too.");
}

/* One step of the search: runs and minutes; at most, where strategy and results decide. */
static void put_step(struct vrs_table *t, const char *name, bool at_most, int runs, double seconds)
{
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "%s", name);
	vrs_table_set(t, 1, "%s%d", at_most ? "up to " : "", runs);
	vrs_table_set(t, 2, "%s%.1f", at_most ? "up to " : "", seconds / 60);
}

/* Seconds of one run of the default at the size that the options name. */
static enum vrs_status run_seconds(struct vrs_tune_program *program, const struct vrs_search_options *options, double *ret, struct vrs_error *err)
{
	struct vrs_case base;
	int index;
	memset(&base, 0, sizeof base);
	base.width = options->width;
	base.height = options->height;
	enum vrs_status status = vrs_runner_add(program->runner, &base, &index, err);
	if (status == VRS_OK)
		*ret = vrs_runner_cost(program->runner, index).seconds;
	return status;
}

static void put_steps(const struct vrs_space *space, const struct vrs_search_options *o, double each, const char *title,
		      struct vrs_findings *findings)
{
	static const char *const heads[] = {"step", "runs", "minutes"};
	struct vrs_table *t = vrs_findings_start_table(findings, "steps", title, heads, 3, 1u << 0);
	int values = 0, final = (1 + o->finalists) * o->final_rounds;
	for (int k = 0; k < space->count; k++)
		values += space->knobs[k].count;
	int screening = 1 + (1 + values) * o->screen_rounds;
	if (o->budget_seconds > 0) {
		put_step(t, "screening and combinations", true, (int)ceil(o->budget_seconds / each), o->budget_seconds);
	} else {
		put_step(t, "screening", false, screening, screening * each);
		put_step(t, "combinations", true, o->explore_runs, o->explore_runs * each);
	}
	put_step(t, "final", true, final, final * each);
	if (o->long_run > 1)
		put_step(t, "long runs", true, 2 * VRS_SEARCH_LONG_ROUNDS, 2 * VRS_SEARCH_LONG_ROUNDS * o->long_run * each);
	snprintf(t->caption, sizeof t->caption, "A run of the default takes about %.0f s, by a guess from pixels and processors; preparing clips and "
		 "reference mattes comes on top.", each);
}

enum vrs_status vrs_tune_plan(struct vrs_tune_program *program, struct vrs_error *err)
{
	struct vrs_space space;
	enum vrs_status status = vrs_tune_space(program, 0, &space, err);
	struct vrs_findings *findings = status == VRS_OK ? vrs_findings_create() : NULL;
	if (status != VRS_OK)
		return status;
	if (findings) {
		snprintf(findings->title, sizeof findings->title, "What the search would try");
		put_space(&space, findings);
	}
	for (int i = 0; findings && status == VRS_OK && (i == 0 || i < program->size_count); i++) {
		struct vrs_search_options options = vrs_tune_options_of_size(program, i);
		char title[96] = "Steps";
		double each = 0;
		status = vrs_tune_space(program, i, &space, err);
		if (program->size_count && options.width)
			snprintf(title, sizeof title, "Steps for clips of %dx%d", options.width, options.height);
		if (status == VRS_OK)
			status = run_seconds(program, &options, &each, err);
		if (status == VRS_OK && each > 0)
			put_steps(&space, &options, each, title, findings);
	}
	enum vrs_status shown = vrs_report_show(findings, program->results, status == VRS_OK ? err : NULL);
	return status != VRS_OK ? status : shown;
}

/* One value of a knob, or the default (knob NULL), by the id that its runs would have. */
static enum vrs_status print_id(struct vrs_tune_program *program, const struct vrs_search_options *options, const struct vrs_knob *knob,
				const char *value, struct vrs_error *err)
{
	struct vrs_case c = {.width = options->width, .height = options->height, .live_hz = options->live_hz};
	int index;
	enum vrs_status status = knob ? vrs_case_set(&c, knob->row->key, value, err) : VRS_OK;
	if (status == VRS_OK)
		status = vrs_runner_add(program->runner, &c, &index, err);
	if (status == VRS_OK)
		fprintf(program->results, "%s\n", vrs_runner_result(program->runner)->cases[index].id);
	return status;
}

enum vrs_status vrs_tune_list(struct vrs_tune_program *program, struct vrs_error *err)
{
	struct vrs_space space;
	int count = program->size_count ? program->size_count : 1;
	enum vrs_status status = VRS_OK;
	for (int i = 0; status == VRS_OK && i < count; i++) {
		struct vrs_search_options options = vrs_tune_options_of_size(program, i);
		status = vrs_tune_space(program, i, &space, err);
		if (status == VRS_OK)
			status = print_id(program, &options, NULL, NULL, err);
		for (int k = 0; status == VRS_OK && k < space.count; k++)
			for (int v = 0; v < space.knobs[k].count && status == VRS_OK; v++)
				status = print_id(program, &options, &space.knobs[k], space.knobs[k].values[v], err);
	}
	return status;
}
