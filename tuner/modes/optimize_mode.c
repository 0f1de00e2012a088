/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --auto-optimize: a search, or one for each clip size; prints and saves what was chosen. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <vrseg/log.h>
#include <vrseg/machine.h>

#include "analyzer/summary_parts.h"
#include "base/mem.h"
#include "base/verdict_line.h"
#include "reports/report.h"
#include "tuner/hardware_template.h"
#include "tuner/measure.h"
#include "tuner/modes/tune_program.h"
#include "tuner/size_table.h"
#include "tuner/space_reject.h"
#include "tuner/tune_findings.h"
#include "tuner/tune_yaml.h"

#define QUICK_VALUES 2 /* of each knob */
#define CALIBRATION_PART 4
#define CALIBRATION_SECONDS 600

static enum vrs_status save_choice(const struct vrs_tune_program *program, const struct vrs_search_result *result,
				   const struct vrs_objective *objective, const char *file, struct vrs_error *err)
{
	enum vrs_status status = vrs_tune_yaml_write(result, objective, vrs_runner_base(program->runner), vrs_runner_machine(program->runner),
						     program->input, file, err);
	if (status == VRS_OK)
		fprintf(program->results, "saved: %s (use it with vrseg -c %s)\n", file, file);
	return status;
}

static enum vrs_status print_choice(const struct vrs_tune_program *program, const struct vrs_search_result *result, const struct vrs_space *space,
				    const struct vrs_objective *objective, struct vrs_error *err)
{
	char line[VRS_VERDICT_LINE_MAX];
	FILE *out = program->results;
	struct vrs_findings *findings = vrs_findings_create();
	if (findings) {
		vrs_tune_findings(result, space, findings);
		vrs_tune_limits(result, objective, findings);
		if (program->calibration[0])
			vrs_findings_add_note(findings, VRS_NOTE_INFO, "calibration", "%s", program->calibration);
		if (!result->feasible)
			vrs_tune_infeasible(result, findings);
	}
	enum vrs_status status = vrs_report_show(findings, out, err);
	if (status != VRS_OK)
		return status;
	vrs_tune_line(result, line, sizeof line);
	if (result->feasible)
		fprintf(out, "\n%s\n", line);
	if (objective->min_fps > 0 || !result->feasible) {
		vrs_tune_target_line(result, objective->min_fps, line, sizeof line);
		fprintf(out, "%s%s\n", result->feasible ? "" : "\n", line);
	}
	return VRS_OK;
}

/* A value at a size of the clip. */
struct sized_case {
	const struct vrs_runner *runner;
	int width, height;
};

static enum vrs_rejection runner_rejects(const void *cookie, const struct vrs_case *c, char *why, size_t size)
{
	const struct sized_case *at = cookie;
	struct vrs_case sized = *c;
	sized.width = at->width;
	sized.height = at->height;
	return vrs_runner_rejects(at->runner, &sized, why, size);
}

/* What to try first: the user's candidate, else the hardware profile for this machine; without any the search begins with the default alone. */
static enum vrs_status begin_with_template(const struct vrs_tune_program *program, struct vrs_space *space, struct vrs_error *err)
{
	char name[VRS_NAME_MAX], why[160];
	if (program->args.candidate)
		return vrs_template_apply_file(space, program->args.candidate, "--candidate", err);
	enum vrs_status status = vrs_template_choose(vrs_runner_machine(program->runner), name, sizeof name, why, sizeof why, NULL);
	if (status == VRS_ENOTFOUND)
		return VRS_OK;
	if (status != VRS_OK)
		return vrs_fail(err, status, "cannot read the hardware profiles: %s", vrs_status_str(status));
	return vrs_template_apply(space, name, why, err);
}

enum vrs_status vrs_tune_space(const struct vrs_tune_program *program, int i, struct vrs_space *ret_space, struct vrs_error *err)
{
	struct sized_case at = {.runner = program->runner, .width = program->sizes[i][0], .height = program->sizes[i][1]};
	enum vrs_status status = vrs_space_build(ret_space, program->config, vrs_runner_input(program->runner), program->args.only, err);
	if (status == VRS_OK)
		status = begin_with_template(program, ret_space, err);
	if (status != VRS_OK)
		return status;
	if (program->args.goal != VRS_GOAL_QUALITY)
		vrs_space_reject_costs(ret_space);
	vrs_space_reject(ret_space, runner_rejects, &at);
	if (program->args.quick)
		vrs_space_thin(ret_space, QUICK_VALUES);
	return VRS_OK;
}

struct vrs_search_options vrs_tune_options_of_size(const struct vrs_tune_program *program, int i)
{
	struct vrs_search_options options = vrs_tune_search_options(&program->args);
	options.objective.memory_limit_bytes = vrs_runner_plan(program->runner)->memory_limit_bytes;
	options.live_hz = vrs_tune_live_hz(program);
	options.objective.min_fps = options.live_hz > 0 ? 0 : program->min_fps;
	options.width = program->sizes[i][0];
	options.height = program->sizes[i][1];
	options.budget_seconds /= program->size_count ? program->size_count : 1;
	return options;
}

/* What is left until --finish-by when the search has ended may be less than was thought: a choice that is too slow for that is none. */
static void hold_deadline(const struct vrs_tune_program *program, struct vrs_search_result *r)
{
	double needed = vrs_tune_needed_fps(program);
	if (!r->feasible || !(needed > r->best_figures.low_fps))
		return;
	r->feasible = false;
	r->best_limits.missed |= 1u << VRS_LIMIT_SPEED;
	r->best_limits.excess[VRS_LIMIT_SPEED] = 1 - r->best_figures.low_fps / needed;
	snprintf(r->sentence, sizeof r->sentence, "The search ended too late: until %s it takes %.2f FPS, and %s keeps %.2f.", program->args.finish_by,
		 needed, r->best_id, r->best_figures.low_fps);
}

/* The search of one size. */
struct size_search {
	struct vrs_search_options options;
	struct vrs_space space;
};

static enum vrs_status search_size(struct vrs_tune_program *program, struct vrs_tune_measure *measure, int i, struct size_search *search,
				   struct vrs_size_choice *ret, struct vrs_error *err)
{
	struct vrs_search_options *options = &search->options;
	*options = vrs_tune_options_of_size(program, i);
	enum vrs_status status = vrs_tune_space(program, i, &search->space, err);
	if (status != VRS_OK)
		return status;
	if (program->size_count && options->width)
		vrs_log(VRS_LOG_INFO, "clips of %dx%d, %d of %d", options->width, options->height, i + 1, program->size_count);
	status = vrs_search(&search->space, options, vrs_tune_measure, measure, &ret->result, err);
	vrs_tune_progress_end(&program->progress);
	if (status != VRS_OK)
		return status;
	ret->searched = true;
	ret->target_fps = options->live_hz > 0 ? options->live_hz : options->objective.min_fps;
	return VRS_OK;
}

/* Judge by the time that is left, print and save; the program counts what is. */
static enum vrs_status close_size(struct vrs_tune_program *program, int i, const struct size_search *search, struct vrs_size_choice *choice,
				  struct vrs_error *err)
{
	const struct vrs_objective *objective = &search->options.objective;
	hold_deadline(program, &choice->result);
	enum vrs_status status = print_choice(program, &choice->result, &search->space, objective, err);
	program->printed += status == VRS_OK;
	if (status != VRS_OK || !program->args.save || !choice->result.feasible)
		return status;
	status = vrs_tune_save_name(program, i, choice->file, sizeof choice->file, err);
	if (status == VRS_OK)
		status = save_choice(program, &choice->result, objective, choice->file, err);
	program->saved += status == VRS_OK;
	return status;
}

/* Close every search that has ended, also where the next one was stopped or failed; status and err are that one's, and stay. */
static enum vrs_status close_searched(struct vrs_tune_program *program, const struct size_search *searches, struct vrs_size_choice *choices,
				      int count, enum vrs_status status, struct vrs_error *err)
{
	for (int i = 0; i < count; i++) {
		struct vrs_error later = {.status = VRS_OK};
		if (!choices[i].searched)
			continue;
		enum vrs_status closed = close_size(program, i, &searches[i], &choices[i], status == VRS_OK ? err : &later);
		status = status == VRS_OK ? closed : status;
	}
	return status;
}

/* One size after another; those that have to be done by a time of the day are chosen when all searches have taken theirs. */
static enum vrs_status optimize_sizes(struct vrs_tune_program *program, struct vrs_tune_measure *measure, struct vrs_size_choice *choices, int count,
				      struct vrs_error *err)
{
	bool at_end = program->finish_at > 0;
	struct size_search *searches = vrs_calloc((size_t)count, sizeof *searches);
	enum vrs_status status = searches ? VRS_OK : vrs_fail_nomem(err);
	for (int i = 0; status == VRS_OK && i < count; i++) {
		status = search_size(program, measure, i, &searches[i], &choices[i], err);
		if (status == VRS_OK && !at_end)
			status = close_size(program, i, &searches[i], &choices[i], err);
	}
	if (at_end && searches)
		status = close_searched(program, searches, choices, count, status, err);
	vrs_free(searches);
	return status;
}

/*
 * Where int8 and mixed are to be tried and the network is not calibrated, that comes first: within a quarter of the budget, and besides it, so that a
 * search which goes on after a kill has the same budget.  It comes once, since vrseg keeps calibrations.  A failure costs those two values, not the
 * search.
 */
static enum vrs_status calibrate(struct vrs_tune_program *program, struct vrs_error *err)
{
	struct vrs_space space;
	struct vrs_error why = {.status = VRS_OK};
	struct vrs_case base = {.value_count = 0};
	size_t used;
	double budget = program->args.budget_seconds, seconds = 0;
	enum vrs_status status = vrs_tune_space(program, 0, &space, err);
	if (status != VRS_OK || !space.lacks_calibration)
		return status;
	status = vrs_runner_calibrate(program->runner, budget > 0 ? budget / CALIBRATION_PART : CALIBRATION_SECONDS, &seconds, &why);
	if (status == VRS_ESTOPPED) {
		*err = why;
		return status;
	}
	if (status != VRS_OK)
		snprintf(program->calibration, sizeof program->calibration, "The network could not be calibrated for int8 and mixed: %.160s.", why.text);
	else
		snprintf(program->calibration, sizeof program->calibration, "The network was calibrated for int8 and mixed, in %.0f s.", seconds);
	/* What the default is may have changed by that, for vrseg as well. */
	used = strlen(program->calibration);
	if (status == VRS_OK && vrs_case_settle(&base, program->config, vrs_runner_input(program->runner)->net_size, NULL) == VRS_OK &&
	    vrs_case_get(&base, "engine.precision"))
		snprintf(program->calibration + used, sizeof program->calibration - used, " Precision auto is %s.", vrs_case_get(&base, "engine.precision"));
	return VRS_OK;
}

/* A limit of memory that the default cannot keep, by what it is sure to need, leaves nothing to compare with. */
static bool default_is_too_large(const struct vrs_tune_program *program)
{
	char why[224];
	for (int i = 0; i == 0 || i < program->size_count; i++) {
		struct vrs_case base = {.width = program->sizes[i][0], .height = program->sizes[i][1]};
		if (vrs_runner_rejects(program->runner, &base, why, sizeof why) != VRS_REJECTION_MEMORY)
			continue;
		fprintf(program->results, "Nothing was chosen: the settings that the search starts from are too large (%s).\nRaise --memory-limit, or "
			"set what takes less: smaller --batch-size, --queue-size and --streams.\n\nVERDICT INFEASIBLE limit=memory\n", why);
		return true;
	}
	return false;
}

/* The best of every batch that was measured, in all rounds of the search. */
static enum vrs_status add_batches(const struct vrs_tune_program *program, const struct vrs_tune_measure *measure, struct vrs_findings *findings)
{
	struct vrs_result *all = NULL;
	int count = vrs_runner_result(program->runner)->case_count;
	int *indices = vrs_calloc((size_t)count + 1, sizeof *indices);
	if (!indices)
		return VRS_ENOMEM;
	for (int i = 0; i < count; i++)
		indices[i] = i;
	enum vrs_status status = vrs_runner_extract(program->runner, indices, count, 1, measure->next_round, &all);
	if (status == VRS_OK)
		vrs_best_batch_table(all, findings);
	vrs_result_destroy(all);
	vrs_free(indices);
	return status;
}

/* What was chosen for each size, and what each batch came to. */
static enum vrs_status print_sizes(const struct vrs_tune_program *program, const struct vrs_tune_measure *measure,
				   const struct vrs_size_choice *choices, int count, struct vrs_error *err)
{
	struct vrs_findings *findings = vrs_findings_create();
	if (findings) {
		vrs_size_table(choices, count, findings);
		vrs_findings_fail(findings, add_batches(program, measure, findings));
	}
	fputc('\n', program->results);
	return vrs_report_show(findings, program->results, err);
}

enum vrs_status vrs_tune_optimize(struct vrs_tune_program *program, bool *ret_feasible, struct vrs_error *err)
{
	if (program->args.goal == VRS_GOAL_QUALITY && !vrs_runner_has_truth(program->runner))
		return vrs_fail(err, VRS_ECONFIG, "--objective quality compares mattes with exact truth, and %s has none beside it (NAME_alpha.mkv)",
				program->input);
	if (default_is_too_large(program)) {
		*ret_feasible = false;
		return VRS_OK;
	}

	struct vrs_tune_measure measure = {.runner = program->runner, .next_round = 1, .on_step = vrs_tune_progress_step, .cookie = &program->progress};
	int count = program->size_count ? program->size_count : 1;
	struct vrs_size_choice *choices = vrs_calloc((size_t)count, sizeof *choices);
	enum vrs_status status = choices ? calibrate(program, err) : vrs_fail_nomem(err);
	if (status == VRS_OK)
		status = optimize_sizes(program, &measure, choices, count, err);
	*ret_feasible = true;
	for (int i = 0; status == VRS_OK && i < count; i++)
		*ret_feasible = *ret_feasible && choices[i].result.feasible;
	if (status == VRS_OK && count > 1)
		status = print_sizes(program, &measure, choices, count, err);
	for (int i = 0; choices && i < count; i++)
		if (choices[i].searched)
			vrs_search_result_fini(&choices[i].result);
	vrs_free(choices);
	return status;
}
