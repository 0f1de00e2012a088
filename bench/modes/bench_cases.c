/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cases of a sweep or a soak: listed, planned or measured. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <vrseg/log.h>

#include "base/mem.h"
#include "base/stop.h"
#include "bench/judge/noise_record.h"
#include "bench/modes/bench_program.h"
#include "bench/modes/sweep_plan.h"

static enum vrs_status add_cases(const struct vrs_bench_program *program, struct vrs_runner *runner, struct vrs_error *err)
{
	struct vrs_sweep sweep;
	struct vrs_case *cases = NULL;
	int count = 0;
	enum vrs_status status = vrs_bench_sweep(&program->args, vrs_runner_input(runner), &sweep, err);
	if (status == VRS_OK)
		status = vrs_sweep_cases(&sweep, vrs_runner_base(runner), vrs_runner_input(runner), &cases, &count, err);
	for (int i = 0, index; i < count && status == VRS_OK; i++)
		status = vrs_runner_add(runner, &cases[i], &index, err);
	vrs_free(cases);
	return status == VRS_OK ? vrs_runner_warn_sizes(runner, err) : status;
}

/* The first case is the default, unless a filter has taken it away. */
static void name_default(struct vrs_result *result)
{
	for (int i = 0; i < result->case_count; i++)
		if (strcmp(result->cases[i].axis, "default") == 0) {
			snprintf(result->default_case, sizeof result->default_case, "%s", result->cases[i].id);
			return;
		}
}

static void print_plan(const struct vrs_bench_program *program, struct vrs_runner *runner, const struct vrs_runner_options *options)
{
	const struct vrs_result *result = vrs_runner_result(runner);
	if (program->args.list) {
		vrs_sweep_plan_list(runner, program->out);
		return;
	}
	vrs_sweep_plan_print(runner, options->plan.rounds, program->args.budget, program->out);
	if (result->case_count > 0)
		vrs_noise_record_expect(result->fingerprint, time(NULL), &result->cases[0], options->plan.rounds, options->plan.goal, program->out);
}

static enum vrs_status measure_cases(struct vrs_bench_program *program, struct vrs_runner *runner, const struct vrs_runner_options *options,
				     struct vrs_error *err)
{
	bool complete = false;
	enum vrs_status status = VRS_OK;
	if (!options->resume && program->args.budget <= 0 && !options->plan.soak)
		status = vrs_sweep_plan_check(runner, options->plan.rounds, err);
	if (status == VRS_OK)
		status = vrs_sweep_plan_measure(runner, vrs_runner_result(runner)->rounds, program->args.budget, &complete, err);
	if (status != VRS_OK && status != VRS_ESTOPPED)
		return status;
	if (status == VRS_OK && options->plan.soak && vrs_stop_requested()) { /* its one run ended early, with what it has */
		complete = false;
		status = vrs_fail(err, VRS_ESTOPPED, "the soak was stopped on request; what it has seen is saved in %s", options->folder);
	}
	struct vrs_error why = {.status = VRS_OK};
	enum vrs_status written = vrs_bench_write_outputs(program, runner, options->folder, complete, &why);
	program->exit_code = vrs_bench_sweep_exit(&program->args, vrs_runner_result(runner));
	if (written != VRS_OK)
		return vrs_fail(err, written, "%s", why.text);
	return status == VRS_ESTOPPED && !options->plan.soak ? vrs_bench_stopped(options->folder, err) : status;
}

/* A soak that broke off without a word: its windows are on disk. */
static enum vrs_status recover_soak(struct vrs_bench_program *program, struct vrs_runner *runner, const char *folder, struct vrs_error *err)
{
	enum vrs_status status = vrs_runner_soak_recover(runner, err);
	if (status != VRS_OK)
		return status;
	vrs_log(VRS_LOG_WARNING, "the soak in %s was interrupted and cannot continue; its windows so far say", folder);
	status = vrs_bench_write_outputs(program, runner, folder, false, err);
	program->exit_code = vrs_bench_sweep_exit(&program->args, vrs_runner_result(runner));
	return status;
}

enum vrs_status vrs_bench_run_cases(struct vrs_bench_program *program, struct vrs_runner *runner, const struct vrs_runner_options *options,
				    struct vrs_error *err)
{
	enum vrs_status status = options->resume ? VRS_OK : add_cases(program, runner, err);
	if (status != VRS_OK)
		return status;
	struct vrs_result *result = vrs_runner_result(runner);
	name_default(result);
	if (options->resume && vrs_runner_plan(runner)->soak)
		return recover_soak(program, runner, options->folder, err);
	if (options->plan.soak && result->case_count != 1)
		return vrs_fail(err, VRS_ECONFIG, "a soak is one long run of one case, not of %d: give one value instead of a list", result->case_count);
	if (!program->args.list && !program->args.dry_run)
		return measure_cases(program, runner, options, err);
	print_plan(program, runner, options);
	return VRS_OK;
}
