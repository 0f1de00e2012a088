/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --pick: settings from a sweep or search that was measured before. */
#include <stdio.h>
#include <string.h>

#include <vrseg/machine.h>

#include "analyzer/dataset.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "bench/plan/default_values.h"
#include "bench/plan/versus.h"
#include "reports/report.h"
#include "tuner/modes/tune_program.h"
#include "tuner/pick.h"
#include "tuner/tune_findings.h"
#include "tuner/tune_yaml.h"

static const char *const names[] = {"fastest", "best", "smallest", "lightest", "knee"};

static enum vrs_pick_rule rule_of(const char *name)
{
	int rule = 0;
	while (strcmp(names[rule], name) != 0) /* one of VRS_PICK_NAMES: the parser has seen to it */
		rule++;
	return (enum vrs_pick_rule)rule;
}

/* What a job would do comes from the results: an option that is typed besides would do nothing. */
static enum vrs_status check_options(const struct vrs_config *config, struct vrs_error *err)
{
	int rows;
	const struct vrs_option *table = vrs_option_table(&rows);
	for (int i = 0; i < rows; i++) {
		bool is_limit = strcmp(table[i].key, "target.fps") == 0;
		bool is_job = (table[i].affects & ~(unsigned)VRS_AFFECTS_NOTHING) != 0 || table[i].tunable;
		if (is_job && !is_limit && vrs_config_source(config, table[i].key) == VRS_SOURCE_FLAG)
			return vrs_fail(err, VRS_ECONFIG, "--%s does nothing beside --pick: the settings are those of the results", table[i].flag);
	}
	return VRS_OK;
}

/* The limits that were typed; the knee weighs the matte itself. */
static struct vrs_objective limits_of(const struct vrs_tune_program *program, enum vrs_pick_rule rule)
{
	struct vrs_objective objective = vrs_tune_search_options(&program->args).objective;
	objective.min_fps = program->min_fps;
	objective.memory_limit_bytes = (int64_t)program->args.memory_limit;
	if (rule == VRS_PICK_KNEE && program->args.max_iou_loss < 0) {
		objective.max_iou_loss = 1;
		objective.min_agreement = 0;
	}
	return objective;
}

/* What the file starts from: the default case, whose values those of the picked case are counted from; of a side of an A/B, that side itself. */
static enum vrs_status make_base(const struct vrs_tune_program *program, const struct vrs_result *result, const struct vrs_search_result *picked,
				 struct vrs_config **ret_base, struct vrs_error *err)
{
	struct vrs_case own;
	enum vrs_status status = vrs_case_parse(picked->best_id, &own, err);
	if (status != VRS_OK)
		return status;
	const struct vrs_case_result *c = own.side ? vrs_result_find_case(result, picked->best_id) : vrs_default_case(result);
	status = vrs_versus_base(result, c, program->input, ret_base, err);
	if (status != VRS_OK)
		return status;
	return own.side ? vrs_side_values_apply(*ret_base, result, &own, err) : vrs_default_values_apply(*ret_base, result, NULL, err);
}

static enum vrs_status save(const struct vrs_tune_program *program, const struct vrs_result *result, const struct vrs_search_result *picked,
			    const struct vrs_objective *objective, struct vrs_error *err)
{
	struct vrs_config *base = NULL;
	struct vrs_machine *machine = vrs_calloc(1, sizeof *machine);
	enum vrs_status status = machine ? make_base(program, result, picked, &base, err) : vrs_fail_nomem(err);
	if (status == VRS_OK) {
		vrs_dataset_cpu(result, machine->cpu_model, sizeof machine->cpu_model, &machine->allowed_threads);
		machine->fingerprint = result->fingerprint;
		status = vrs_tune_yaml_write(picked, objective, base, machine, result->input, program->args.save, err);
	}
	if (status == VRS_OK)
		fprintf(program->results, "\nsaved: %s (use it with vrseg -c %s)\n", program->args.save, program->args.save);
	vrs_config_destroy(base);
	vrs_free(machine);
	return status;
}

static enum vrs_status show(const struct vrs_tune_program *program, const struct vrs_search_result *picked, const struct vrs_objective *objective,
			    struct vrs_error *err)
{
	char line[256];
	struct vrs_findings *findings = vrs_findings_create();
	if (findings) {
		vrs_tune_pick_findings(picked, findings);
		vrs_tune_limits(picked, objective, findings);
		if (!picked->feasible)
			vrs_tune_infeasible(picked, findings);
	}
	enum vrs_status status = vrs_report_show(findings, program->results, err);
	if (status == VRS_OK) {
		vrs_tune_target_line(picked, objective->min_fps, line, sizeof line);
		fprintf(program->results, "\n%s case=%s\n", line, picked->best_id);
	}
	return status;
}

enum vrs_status vrs_tune_pick(struct vrs_tune_program *program, bool *ret_feasible, struct vrs_error *err)
{
	char folder[VRS_PATH_MAX];
	struct vrs_result *result = NULL;
	struct vrs_search_result picked = {.feasible = false};
	enum vrs_pick_rule rule = rule_of(program->args.pick);
	struct vrs_objective objective;
	enum vrs_status status = check_options(program->config, err);
	if (status == VRS_OK)
		status = vrs_tune_check_pick(program, err);
	if (status == VRS_OK)
		status = vrs_dataset_load(&result, program->input, folder, sizeof folder, err);
	if (status == VRS_OK) {
		objective = limits_of(program, rule);
		status = vrs_pick(result, rule, &objective, &picked, err);
	}
	if (status == VRS_OK)
		status = show(program, &picked, &objective, err);
	if (status == VRS_OK && program->args.save && picked.feasible)
		status = save(program, result, &picked, &objective, err);
	*ret_feasible = picked.feasible;
	vrs_search_result_fini(&picked);
	vrs_result_destroy(result);
	return status;
}
