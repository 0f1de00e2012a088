/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the program does with a runner: a mode measures with it, and files, tables and an exit code come of that. */
#include <stdio.h>
#include <time.h>

#include <vrseg/log.h>
#include <vrseg/machine.h>

#include "analyzer/technique_tables.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/stop.h"
#include "base/str_parse.h"
#include "base/verdict_line.h"
#include "bench/judge/noise_record.h"
#include "bench/modes/bench_program.h"
#include "bench/modes/sweep_plan.h"
#include "bench/modes/techniques_mode.h"
#include "bench/modes/versus_mode.h"
#include "bench/plan/versus.h"
#include "reports/report.h"

/* Callback of the runner; the cookie is the program. */
static void tell(void *cookie, const struct vrs_runner_event *event)
{
	struct vrs_bench_program *program = cookie;
	vrs_bench_progress_event(&program->progress, event);
	vrs_bench_metrics_event(program->metrics, event);
}

struct vrs_runner_options vrs_bench_program_options(struct vrs_bench_program *program)
{
	struct vrs_runner_options options = vrs_bench_runner_options(&program->args, vrs_config_settings(program->config));
	vrs_strcpy(options.plan.command, sizeof options.plan.command, program->command);
	options.add_devices = vrs_machine_add_opencl;
	options.check_device = vrs_machine_check_opencl;
	options.on_event = tell;
	options.cookie = program;
	return options;
}

enum vrs_status vrs_bench_unfinished(enum vrs_status status, const char *folder, struct vrs_error *err)
{
	if (status != VRS_ESTOPPED && !vrs_status_may_pass(status))
		return status;
	return vrs_fail(err, status, "%s; every finished run is saved; continue with vrbench --resume %s",
			status == VRS_ESTOPPED ? "stopped on request" : err->text, folder);
}

static enum vrs_status add_cases(const struct vrs_bench_program *program, struct vrs_runner *runner, struct vrs_error *err)
{
	struct vrs_case *cases = NULL;
	int count = 0;
	enum vrs_status status = vrs_bench_sweep(&program->args, runner, &cases, &count, err);
	for (int i = 0, index; i < count && status == VRS_OK; i++)
		status = vrs_runner_add(runner, &cases[i], &index, err);
	vrs_free(cases);
	return status == VRS_OK ? vrs_runner_warn_sizes(runner, err) : status;
}

static enum vrs_status print_plan(const struct vrs_bench_program *program, struct vrs_runner *runner, const struct vrs_runner_options *options,
				  struct vrs_error *err)
{
	const struct vrs_result *result = vrs_runner_result(runner);
	for (int i = 0; program->args.list && i < result->case_count; i++)
		fprintf(program->out, "%s\n", result->cases[i].id);
	if (program->args.list)
		return VRS_OK;
	enum vrs_status status = vrs_sweep_plan_print(runner, options->plan.rounds, program->args.budget, program->out, err);
	if (status == VRS_OK && result->case_count > 0)
		vrs_noise_record_expect(result->fingerprint, time(NULL), &result->cases[0], options->plan.rounds, options->plan.goal, program->out);
	return status;
}

/* Of all that was planned, or of what was measured until a stop or a full disk. */
static bool has_results(enum vrs_status status)
{
	return status == VRS_OK || status == VRS_ESTOPPED || status == VRS_ENOSPC;
}

static enum vrs_status measure_cases(struct vrs_bench_program *program, struct vrs_runner *runner, const struct vrs_runner_options *options,
				     struct vrs_error *err)
{
	bool complete = false;
	enum vrs_status status = VRS_OK;
	vrs_mem_trim(); /* of the plan, or of a journal that was read again */
	if (!options->resume && program->args.budget <= 0 && !options->plan.soak)
		status = vrs_sweep_plan_check(runner, options->plan.rounds, err);
	if (status == VRS_OK)
		status = vrs_sweep_plan_measure(runner, vrs_runner_result(runner)->rounds, program->args.budget, &complete, err);
	if (status == VRS_ENOSPC && options->plan.soak) /* it cannot go on; its windows are on disk */
		return vrs_fail(err, status, "%s; vrbench --resume %s shows what the soak has seen", err->text, options->folder);
	if (!has_results(status))
		return options->plan.soak ? status : vrs_bench_unfinished(status, options->folder, err);
	if (status == VRS_OK && options->plan.soak && vrs_stop_requested()) { /* its one run ended early, with what it has */
		complete = false;
		status = vrs_fail(err, VRS_ESTOPPED, "the soak was stopped on request; what it has seen is saved in %s", options->folder);
	}
	struct vrs_error why = {.status = VRS_OK};
	enum vrs_status written = vrs_bench_write_outputs(program, runner, options->folder, complete, &why);
	program->exit_code = vrs_bench_sweep_exit(&program->args, vrs_runner_result(runner));
	if (written == VRS_ESTOPPED && status != VRS_ESTOPPED) /* a stop of the runs is told of with what continues them, one of graphs by itself */
		return vrs_fail(err, written, "%s", why.text);
	if (written != VRS_OK && written != VRS_ESTOPPED)
		status = vrs_fail(err, written, "%s", why.text);
	return options->plan.soak ? status : vrs_bench_unfinished(status, options->folder, err);
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

static enum vrs_status run_cases(struct vrs_bench_program *program, struct vrs_runner *runner, const struct vrs_runner_options *options,
				 struct vrs_error *err)
{
	enum vrs_status status = options->resume ? VRS_OK : add_cases(program, runner, err);
	if (status != VRS_OK)
		return status;
	struct vrs_result *result = vrs_runner_result(runner);
	if (options->resume && vrs_runner_plan(runner)->soak)
		return recover_soak(program, runner, options->folder, err);
	if (options->plan.soak && result->case_count != 1)
		return vrs_fail(err, VRS_ECONFIG, "a soak is one long run of one case, not of %d: give one value instead of a list", result->case_count);
	if (program->args.list || program->args.dry_run)
		return print_plan(program, runner, options, err);
	return measure_cases(program, runner, options, err);
}

/* techniques.md, .html and .json, and the same on the terminal. */
static enum vrs_status write_techniques(const struct vrs_bench_program *program, const struct vrs_techniques *techniques, struct vrs_runner *runner,
					const char *folder, struct vrs_error *err)
{
	static const char *const formats[] = {"markdown", "html", "json"};
	struct vrs_result *result = vrs_runner_result(runner);
	struct vrs_technique_outcomes *outcomes = NULL;
	struct vrs_findings *findings = vrs_findings_create();
	enum vrs_status status = findings ? vrs_technique_judge(techniques->list, techniques->cases, result, vrs_runner_plan(runner)->margin, &outcomes)
					  : VRS_ENOMEM;
	if (status == VRS_OK)
		status = vrs_technique_findings(outcomes, result, findings);
	if (status != VRS_OK)
		(void)vrs_fail(err, status, "the techniques cannot be judged: %s", vrs_status_str(status));
	for (size_t i = 0; i < sizeof formats / sizeof *formats && status == VRS_OK; i++) {
		const struct vrs_report_writer *writer = vrs_report_find(formats[i]);
		char name[32], path[VRS_PATH_MAX];
		snprintf(name, sizeof name, "techniques.%s", writer->extension);
		status = vrs_path_join(path, sizeof path, folder, name);
		if (status == VRS_OK)
			status = vrs_report_file(writer, findings, NULL, path, vrs_file_replace, err);
	}
	if (status == VRS_OK)
		status = vrs_report_print(findings, program->out);
	if (status == VRS_OK)
		fprintf(program->out, "\n%s/techniques.md, techniques.html, techniques.json, results.json, recommended.yaml, journal.jsonl, env.json, frames/\n",
			folder);
	for (int i = 0; status == VRS_OK && i < outcomes->count; i++) {
		char line[VRS_VERDICT_LINE_MAX];
		vrs_technique_line(&outcomes->items[i], line, sizeof line);
		fprintf(program->out, "%s\n", line);
	}
	vrs_findings_destroy(findings);
	vrs_free(outcomes);
	return status;
}

static enum vrs_status measure_techniques(struct vrs_bench_program *program, struct vrs_techniques *techniques, struct vrs_runner *runner,
					  const struct vrs_runner_options *options, struct vrs_error *err)
{
	bool complete = false;
	int rounds = vrs_runner_result(runner)->rounds;
	if (program->args.list)
		vrs_techniques_print_list(techniques, runner, program->out);
	else if (program->args.dry_run)
		return vrs_techniques_print_plan(techniques, runner, rounds, program->args.budget, program->out, err);
	if (program->args.list)
		return VRS_OK;
	enum vrs_status status = vrs_techniques_measure(runner, rounds, program->args.budget, options->resume, &complete, err);
	if (!has_results(status))
		return vrs_bench_unfinished(status, options->folder, err);
	struct vrs_error why = {.status = VRS_OK};
	enum vrs_status written = vrs_bench_write_record(program, runner, options->folder, complete, &why);
	if (written == VRS_OK)
		written = write_techniques(program, techniques, runner, options->folder, &why);
	program->exit_code = vrs_bench_sweep_exit(&program->args, vrs_runner_result(runner));
	if (written == VRS_ESTOPPED)
		return vrs_fail(err, written, "%s", why.text);
	if (written != VRS_OK)
		status = vrs_fail(err, written, "%s", why.text);
	return vrs_bench_unfinished(status, options->folder, err);
}

static enum vrs_status run_techniques(struct vrs_bench_program *program, struct vrs_runner *runner, const struct vrs_runner_options *options,
				      struct vrs_error *err)
{
	struct vrs_techniques techniques;
	const struct vrs_bench_args *a = &program->args;
	if (a->profile_ops || a->profile_run)
		return vrs_fail(err, VRS_ECONFIG, "%s is a measurement of techniques: --profile-ops and --profile-run do not go with it",
				options->folder);
	enum vrs_status status = vrs_techniques_open(&techniques, runner, program->args.resolution, options->resume, program->args.list, err);
	if (status != VRS_OK)
		return status;
	status = vrs_runner_warn_sizes(runner, err);
	if (status == VRS_OK)
		status = measure_techniques(program, &techniques, runner, options, err);
	vrs_techniques_fini(&techniques);
	return status;
}

/* Findings, derivation when asked for, and the verdict as the last line. */
static enum vrs_status report(struct vrs_runner *runner, const struct vrs_comparison *headline, const struct vrs_compare_details *details,
			      bool explain, FILE *out)
{
	char line[448];
	enum vrs_status status = vrs_versus_report(runner, details, out);
	if (status == VRS_OK && explain)
		status = vrs_compare_explain(headline, details, out);
	vrs_verdict_line(headline, line, sizeof line);
	fprintf(out, "\n%s\n", line);
	return status;
}

/* Clip size of both sides: one that was asked for, else that of the case which A comes from. */
static enum vrs_status versus_size(const struct vrs_bench_program *program, const struct vrs_runner *runner, const struct vrs_versus_side *side,
				   int *ret_width, int *ret_height, struct vrs_error *err)
{
	struct vrs_case *cases = NULL;
	int count = 0;
	*ret_width = side->width;
	*ret_height = side->height;
	if (!program->args.resolution)
		return VRS_OK;
	enum vrs_status status = vrs_bench_sweep(&program->args, runner, &cases, &count, err);
	if (status == VRS_OK) {
		*ret_width = cases[0].width;
		*ret_height = cases[0].height;
	}
	vrs_free(cases);
	return status;
}

/* width, height: size of the clip of both sides; 0: as it is. */
static enum vrs_status run_versus(struct vrs_bench_program *program, struct vrs_runner *runner, int width, int height, const char *folder,
				  struct vrs_error *err)
{
	struct vrs_compare_details *details = vrs_calloc(1, sizeof *details);
	struct vrs_comparison headline;
	if (!details)
		return vrs_fail(err, VRS_ENOMEM, "there is not enough memory to compare");
	enum vrs_status status = vrs_versus_measure(runner, width, height, vrs_runner_result(runner)->rounds, &headline, details, err), written;
	if (has_results(status)) {
		struct vrs_error why = {.status = VRS_OK};
		vrs_bench_progress_clear(&program->progress);
		written = vrs_runner_finish(runner, status == VRS_OK, &why);
		if (written != VRS_OK)
			status = vrs_fail(err, written, "%s", why.text);
	}
	if (status == VRS_OK) {
		status = report(runner, &headline, details, program->args.explain, program->out);
		program->exit_code = vrs_bench_versus_exit(&program->args, &headline);
	} else {
		status = vrs_bench_unfinished(status, folder, err);
	}
	vrs_free(details);
	return status;
}

/*
 * Where a comparison goes when nobody says it: not into "results", which the measurement before it has filled, but into a folder of its own, the
 * first of comparison, comparison-2 ... that is free.  With --overwrite it is the first one.
 */
static void choose_folder(struct vrs_bench_program *program)
{
	struct vrs_bench_args *args = &program->args;
	bool overwrite = vrs_config_settings(program->config)->output.overwrite;
	if (args->output_dir)
		return;
	snprintf(program->folder, sizeof program->folder, "comparison");
	args->output_dir = program->folder;
	for (int i = 2; i < 1000 && !overwrite && vrs_runner_folder_is_used(program->folder); i++)
		snprintf(program->folder, sizeof program->folder, "comparison-%d", i);
	vrs_log(VRS_LOG_INFO, "the result goes to %s", program->folder);
}

enum vrs_status vrs_bench_mode_versus(struct vrs_bench_program *program, struct vrs_error *err)
{
	struct vrs_bench_args *args = &program->args;
	struct vrs_versus_side side;
	struct vrs_runner *runner = NULL;
	enum vrs_status status = vrs_versus_resolve(args->versus, args->case_id, program->config, &side, err);
	if (status == VRS_ENOTFOUND)
		program->failure_code = VRS_EXIT_NO_BASELINE;
	if (status != VRS_OK)
		return status;
	if (!args->input && side.input[0])
		args->input = side.input;
	if (!args->scope)
		args->scope = vrs_name_of(&vrs_scope_names, side.scope);
	const struct vrs_runner_side a = {.label = side.label, .program = side.program[0] ? side.program : NULL, .config = side.config};
	choose_folder(program);
	struct vrs_runner_options options = vrs_bench_program_options(program);
	options.versus = &a;
	int width = 0, height = 0;
	status = vrs_runner_create(&runner, &options, program->config, err);
	if (status == VRS_OK && args->decide_by == VRS_COMPARE_BY_IOU && !vrs_runner_has_truth(runner))
		status = vrs_fail(err, VRS_ECONFIG, "--decide-by iou compares mattes with exact truth, and %s has none beside it (NAME_alpha.mkv)",
				  args->input ? args->input : "the synthetic clip");
	if (status == VRS_OK)
		status = versus_size(program, runner, &side, &width, &height, err);
	if (status == VRS_OK)
		status = run_versus(program, runner, width, height, options.folder, err);
	vrs_bench_progress_clear(&program->progress);
	vrs_runner_destroy(runner);
	vrs_versus_side_fini(&side);
	return status;
}

enum vrs_status vrs_bench_mode_measure(struct vrs_bench_program *program, struct vrs_error *err)
{
	struct vrs_runner *runner = NULL;
	struct vrs_runner_options options = vrs_bench_program_options(program);
	const struct vrs_bench_args *a = &program->args;
	struct vrs_versus_side side = {.config = NULL};
	struct vrs_runner_side again = {.program = NULL};
	enum vrs_status status = a->techniques ? vrs_techniques_request_make(&options.plan.techniques, a->sweep, a->filter, a->skip, err) : VRS_OK;
	if (status == VRS_OK && a->versus) { /* with --resume */
		status = vrs_versus_resolve(a->versus, NULL, program->config, &side, err);
		again.program = side.program[0] ? side.program : NULL;
		options.versus = &again;
	}
	if (status == VRS_OK)
		status = vrs_runner_create(&runner, &options, program->config, err);
	if (status == VRS_OK && a->explain && !vrs_runner_plan(runner)->versus[0]) /* after --resume: only now it is known what goes on */
		status = vrs_fail(err, VRS_ECONFIG, "%s is no comparison: there is nothing to --explain", options.folder);
	else if (status == VRS_OK && vrs_runner_plan(runner)->calibrate)
		status = vrs_bench_run_calibrate(program, runner, &options, err);
	else if (status == VRS_OK && vrs_runner_plan(runner)->versus[0]) /* an A/B goes on */
		status = run_versus(program, runner, 0, 0, options.folder, err);
	else if (status == VRS_OK && vrs_runner_plan(runner)->techniques.file[0])
		status = run_techniques(program, runner, &options, err);
	else if (status == VRS_OK)
		status = run_cases(program, runner, &options, err);
	vrs_bench_progress_clear(&program->progress);
	vrs_runner_destroy(runner);
	vrs_versus_side_fini(&side);
	return status;
}
