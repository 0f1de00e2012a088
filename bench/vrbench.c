/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vrbench: parse, measure, write the result, exit code. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <vrseg/config.h>
#include <vrseg/log.h>
#include <vrseg/machine.h>

#include "analyzer/run_graphs.h"
#include "analyzer/summary.h"
#include "analyzer/technique_tables.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/messages.h"
#include "base/stop.h"
#include "bench/bench_args.h"
#include "bench/bench_progress.h"
#include "bench/calibrate_mode.h"
#include "bench/journal.h"
#include "bench/net_only.h"
#include "bench/profile_run.h"
#include "bench/profile_sweep.h"
#include "bench/recommend.h"
#include "bench/result_table.h"
#include "bench/sweep_plan.h"
#include "bench/techniques_mode.h"
#include "bench/system_mode.h"
#include "bench/versus.h"
#include "bench/versus_mode.h"
#include "reports/report.h"

struct program {
	struct vrs_bench_args args;
	struct vrs_config *config;
	struct vrs_bench_progress progress;
	char command[1024];
	int exit_code;          /* of a verdict or of --fail-on; 0: none */
};

static enum vrs_status on_action(void *cookie, const char *flag, const char *value, struct vrs_error *err)
{
	struct program *program = cookie;
	if (strcmp(flag, "help") == 0)
		vrs_cli_help(&vrs_bench_cli_spec, stdout);
	else if (strcmp(flag, "version") == 0)
		vrs_cli_version(&vrs_bench_cli_spec, stdout);
	else if (strcmp(flag, "list-options") == 0)
		vrs_cli_list_options(stdout);
	else
		return vrs_bench_set(&program->args, flag, value, err);
	return VRS_END;
}

/* Before a message is written: the live line goes away. */
static void clear_line(void *cookie)
{
	struct program *program = cookie;
	if (program->progress.out)
		vrs_bench_progress_clear(&program->progress);
}

static enum vrs_status write_net_json(const struct vrs_net_only_result *result, const struct vrs_net_profile *profile, const char *path,
				      struct vrs_error *err)
{
	FILE *out = strcmp(path, "-") == 0 ? stdout : fopen(path, "we");
	if (!out)
		return vrs_fail(err, VRS_EIO, "cannot write %s: %s", path, strerror(errno));
	enum vrs_status status = vrs_net_only_json(result, profile, out);
	if (out != stdout && fclose(out) != 0)
		status = VRS_EIO;
	return status == VRS_OK ? VRS_OK : vrs_fail(err, status, "cannot write %s: %s", path, vrs_status_str(status));
}

static enum vrs_status net_only(const struct vrs_bench_args *args, const struct vrs_settings *settings, struct vrs_error *err)
{
	struct vrs_net_only_options options = vrs_net_only_options_from(settings);
	struct vrs_net_only_result result;
	struct vrs_net_profile profile;
	options.duration_seconds = args->duration > 0 ? args->duration : 5;
	options.session.profile = args->profile_ops;
	enum vrs_status status = vrs_net_only_run(&options, &result, &profile, err);
	if (status == VRS_OK && args->profile_ops)
		status = vrs_net_profile_print(&profile, 0, stdout);
	if (status == VRS_OK && args->json)
		status = write_net_json(&result, args->profile_ops ? &profile : NULL, args->json, err);
	else if (status == VRS_OK)
		vrs_net_only_print(&result, stdout);
	vrs_net_profile_fini(&profile);
	return status;
}

static enum vrs_status write_graphs(const struct vrs_result *result, const char *folder, struct vrs_error *err)
{
	char plots[VRS_PATH_MAX];
	struct vrs_findings *findings = vrs_findings_create();
	enum vrs_status status = findings ? vrs_summarize(result, findings, err) : VRS_ENOMEM;
	if (status == VRS_OK)
		status = vrs_run_graphs(result, folder, findings);
	if (status == VRS_OK)
		status = vrs_path_join(plots, sizeof plots, folder, "plots");
	if (status == VRS_OK)
		status = vrs_mkdirs(plots, err);
	if (status == VRS_OK)
		status = vrs_report_graphs(findings, plots, err);
	vrs_findings_destroy(findings);
	return status;
}

/* results.json and recommended.yaml. */
static enum vrs_status write_record(struct program *program, struct vrs_runner *runner, const char *folder, bool complete, struct vrs_error *err)
{
	struct vrs_result *result = vrs_runner_result(runner);
	char path[VRS_PATH_MAX];
	enum vrs_status status = vrs_runner_finish(runner, complete, err);
	if (status == VRS_OK)
		status = vrs_recommend(result);
	if (status == VRS_OK && complete && program->args.profile_run)
		status = vrs_profile_run(runner, program->args.quick ? 3 : 5, err);
	if (status == VRS_OK && complete && (program->args.profile_ops || program->args.profile_run))
		status = vrs_profile_sweep(result, vrs_runner_base(runner), program->args.quick ? 0.3 : 1, err);
	if (status == VRS_OK)
		status = vrs_runner_finish(runner, complete, err); /* now with the recommendation */
	if (status == VRS_OK)
		status = vrs_path_join(path, sizeof path, folder, "recommended.yaml");
	if (status == VRS_OK)
		status = vrs_recommend_write(result, vrs_runner_base(runner), path, err);
	vrs_bench_progress_clear(&program->progress);
	return status;
}

/* Everything that is made from the runs. Graphs are the only part that may fail without harm. */
static enum vrs_status write_outputs(struct program *program, struct vrs_runner *runner, const char *folder, bool complete, struct vrs_error *err)
{
	struct vrs_result *result = vrs_runner_result(runner);
	struct vrs_error why = {.status = VRS_OK};
	enum vrs_status status = write_record(program, runner, folder, complete, err);
	if (status != VRS_OK)
		return status;
	status = vrs_result_print(result, stdout);
	if (status == VRS_OK && !program->args.no_graphs && write_graphs(result, folder, &why) != VRS_OK)
		vrs_log(VRS_LOG_WARNING, "no graphs: %s", why.text);
	if (status == VRS_OK && vrs_result_print_soak(result, folder, stdout)) /* one cell: nothing to choose from */
		return status;
	printf("\nBest measured cell of each resolution\n");
	if (status == VRS_OK)
		status = vrs_recommend_table(result, "", stdout);
	printf("\nrecommended: %s\n", result->recommendation);
	if (status == VRS_OK)
		status = vrs_profile_sweep_print(result, stdout);
	if (status == VRS_OK)
		status = vrs_profile_run_print(result, folder, stdout);
	printf("\n%s/results.json, recommended.yaml, journal.jsonl, env.json, frames/%s\n", folder, program->args.no_graphs ? "" : ", plots/");
	return status;
}

static enum vrs_status add_cells(const struct program *program, struct vrs_runner *runner, struct vrs_error *err)
{
	struct vrs_sweep sweep;
	struct vrs_case *cases = NULL;
	int count = 0;
	enum vrs_status status = vrs_bench_sweep(&program->args, vrs_runner_input(runner), &sweep, err);
	if (status == VRS_OK)
		status = vrs_sweep_cells(&sweep, vrs_runner_base(runner), vrs_runner_input(runner), &cases, &count, err);
	for (int i = 0, index; i < count && status == VRS_OK; i++)
		status = vrs_runner_add(runner, &cases[i], &index, err);
	vrs_free(cases);
	return status;
}

/* The first cell is the default, unless a filter has taken it away. */
static void name_default(struct vrs_result *result)
{
	for (int i = 0; i < result->case_count; i++)
		if (strcmp(result->cases[i].axis, "default") == 0) {
			snprintf(result->default_case, sizeof result->default_case, "%s", result->cases[i].id);
			return;
		}
}

static enum vrs_status run_sweep(struct program *program, struct vrs_runner *runner, const struct vrs_runner_options *options, struct vrs_error *err)
{
	bool complete = false;
	enum vrs_status status = options->resume ? VRS_OK : add_cells(program, runner, err);
	if (status != VRS_OK)
		return status;
	name_default(vrs_runner_result(runner));
	if (options->soak && vrs_runner_count(runner) != 1)
		return vrs_fail(err, VRS_ECONFIG, "a soak is one long run of one cell, not of %d: give one value instead of a list", vrs_runner_count(runner));
	if (program->args.list || program->args.dry_run) {
		const struct vrs_result *result = vrs_runner_result(runner);
		if (program->args.list)
			vrs_sweep_plan_list(runner, stdout);
		else
			vrs_sweep_plan_print(runner, options->rounds, program->args.budget, stdout);
		if (!program->args.list && result->case_count > 0)
			vrs_noise_record_expect(result->fingerprint, time(NULL), &result->cases[0], options->rounds, options->goal, stdout);
		return VRS_OK;
	}
	if (!options->resume && program->args.budget <= 0 && !options->soak)
		status = vrs_sweep_plan_check(runner, options->rounds, err);
	if (status != VRS_OK)
		return status;
	status = vrs_sweep_plan_measure(runner, vrs_runner_result(runner)->rounds, program->args.budget, &complete, err);
	if (status != VRS_OK && status != VRS_ESTOPPED)
		return status;
	if (status == VRS_OK && options->soak && vrs_stop_requested()) { /* its one run ended early, with what it has */
		complete = false;
		status = vrs_fail(err, VRS_ESTOPPED, "the soak was stopped on request; what it has seen is saved in %s", options->folder);
	}
	struct vrs_error why = {.status = VRS_OK};
	enum vrs_status written = write_outputs(program, runner, options->folder, complete, &why);
	program->exit_code = vrs_bench_sweep_exit(&program->args, vrs_runner_result(runner));
	if (written != VRS_OK)
		return vrs_fail(err, written, "%s", why.text);
	if (status == VRS_ESTOPPED && !options->soak)
		(void)vrs_fail(err, status, "stopped on request; every finished run is saved: vrbench --resume %s goes on", options->folder);
	return status;
}

static struct vrs_runner_options runner_options(struct program *program)
{
	struct vrs_runner_options options = vrs_bench_runner_options(&program->args, vrs_config_settings(program->config));
	options.command = program->command;
	options.add_devices = vrs_machine_add_opencl;
	options.on_event = vrs_bench_progress_event;
	options.cookie = &program->progress;
	return options;
}

/* Clip size of both sides: one that was asked for, else that of the cell which A comes from. */
static enum vrs_status versus_size(const struct program *program, const struct vrs_runner *runner, const struct vrs_versus_side *side, int *ret_width,
				   int *ret_height, struct vrs_error *err)
{
	struct vrs_sweep sweep;
	struct vrs_case *cases = NULL;
	int count = 0;
	*ret_width = side->width;
	*ret_height = side->height;
	if (!program->args.resolution)
		return VRS_OK;
	enum vrs_status status = vrs_bench_sweep(&program->args, vrs_runner_input(runner), &sweep, err);
	if (status == VRS_OK)
		status = vrs_sweep_cells(&sweep, vrs_runner_base(runner), vrs_runner_input(runner), &cases, &count, err);
	if (status == VRS_OK) {
		*ret_width = cases[0].width;
		*ret_height = cases[0].height;
	}
	vrs_free(cases);
	return status;
}

static enum vrs_status run_versus(struct program *program, struct vrs_runner *runner, int width, int height, const char *folder,
				  struct vrs_error *err)
{
	struct vrs_versus_request request = {.max_pairs = vrs_runner_result(runner)->rounds, .explain = program->args.explain};
	struct vrs_compare_details *details = vrs_calloc(1, sizeof *details);
	struct vrs_comparison headline;
	if (!details)
		return vrs_fail(err, VRS_ENOMEM, "there is not enough memory to compare");
	enum vrs_status status = vrs_versus_measure(runner, width, height, &request, &headline, details, err), written;
	if (status == VRS_OK || status == VRS_ESTOPPED) {
		struct vrs_error why = {.status = VRS_OK};
		vrs_bench_progress_clear(&program->progress);
		written = vrs_runner_finish(runner, status == VRS_OK, &why);
		if (written != VRS_OK)
			status = vrs_fail(err, written, "%s", why.text);
	}
	if (status == VRS_OK) {
		status = vrs_versus_report(runner, &headline, details, &request, stdout);
		program->exit_code = vrs_bench_versus_exit(&program->args, &headline);
	} else if (status == VRS_ESTOPPED) {
		(void)vrs_fail(err, status, "stopped on request; every finished run is saved: vrbench --resume %s goes on", folder);
	}
	vrs_free(details);
	return status;
}

static enum vrs_status run_calibrate(struct program *program, struct vrs_runner *runner, const struct vrs_runner_options *options,
				     struct vrs_error *err)
{
	struct vrs_comparison headline;
	enum vrs_status status = vrs_calibrate(runner, options, stdout, &headline, err);
	if (status == VRS_OK)
		program->exit_code = headline.verdict == VRS_VERDICT_INVALID ? vrs_bench_versus_exit(&program->args, &headline) : 0;
	if (status == VRS_ESTOPPED)
		(void)vrs_fail(err, status, "stopped on request; every finished run is saved: vrbench --resume %s goes on", options->folder);
	return status;
}

static enum vrs_status calibrate(struct program *program, struct vrs_error *err)
{
	const struct vrs_runner_side a = {.label = VRS_CALIBRATE_LABEL, .config = program->config};
	struct vrs_runner_options options = runner_options(program);
	struct vrs_runner *runner = NULL;
	options.versus = &a;
	enum vrs_status status = vrs_runner_create(&runner, &options, program->config, err);
	if (status == VRS_OK)
		status = run_calibrate(program, runner, &options, err);
	vrs_bench_progress_clear(&program->progress);
	vrs_runner_destroy(runner);
	return status;
}

static enum vrs_status print_calibration(struct vrs_error *err)
{
	struct vrs_machine *machine = vrs_calloc(1, sizeof *machine);
	enum vrs_status status = machine ? vrs_machine_detect(machine, false) : VRS_ENOMEM;
	if (status == VRS_OK)
		status = vrs_noise_record_list(machine->fingerprint, time(NULL), stdout, err);
	else
		(void)vrs_fail(err, status, "cannot describe this machine: %s", vrs_status_str(status));
	vrs_free(machine);
	return status;
}

static enum vrs_status versus(struct program *program, struct vrs_error *err)
{
	struct vrs_bench_args *args = &program->args;
	struct vrs_versus_side side;
	struct vrs_runner *runner = NULL;
	enum vrs_status status = vrs_versus_resolve(args->versus, args->cell, program->config, &side, err);
	if (status != VRS_OK)
		return status;
	if (!args->input && side.input[0])
		args->input = side.input;
	if (!args->scope && side.scope[0])
		args->scope = side.scope;
	const struct vrs_runner_side a = {.label = side.label, .program = side.program[0] ? side.program : NULL, .config = side.config};
	struct vrs_runner_options options = runner_options(program);
	options.versus = &a;
	int width = 0, height = 0;
	status = vrs_runner_create(&runner, &options, program->config, err);
	if (status == VRS_OK)
		status = versus_size(program, runner, &side, &width, &height, err);
	if (status == VRS_OK)
		status = run_versus(program, runner, width, height, options.folder, err);
	vrs_bench_progress_clear(&program->progress);
	vrs_runner_destroy(runner);
	vrs_versus_side_fini(&side);
	return status;
}

/* techniques.md, .html and .json, and the same on the terminal. */
static enum vrs_status write_techniques(const struct vrs_techniques *techniques, struct vrs_runner *runner, const char *folder, struct vrs_error *err)
{
	static const char *const formats[] = {"markdown", "html", "json"};
	struct vrs_result *result = vrs_runner_result(runner);
	struct vrs_technique_outcomes *outcomes = NULL;
	struct vrs_findings *findings = vrs_findings_create();
	enum vrs_status status = findings ? vrs_technique_judge(techniques->list, techniques->cells, result, vrs_runner_plan(runner)->margin, &outcomes)
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
			status = vrs_report_file(writer, findings, NULL, path, err);
	}
	if (status == VRS_OK)
		status = vrs_report_print(findings, stdout);
	if (status == VRS_OK)
		printf("\n%s/techniques.md, techniques.html, techniques.json, results.json, recommended.yaml, journal.jsonl, env.json, frames/\n", folder);
	vrs_findings_destroy(findings);
	vrs_free(outcomes);
	return status;
}

static enum vrs_status measure_techniques(struct program *program, struct vrs_techniques *techniques, struct vrs_runner *runner,
					  const struct vrs_runner_options *options, struct vrs_error *err)
{
	bool complete = false;
	int rounds = vrs_runner_result(runner)->rounds;
	if (program->args.list)
		vrs_technique_print_list(techniques->list, techniques->cells, runner, stdout);
	else if (program->args.dry_run)
		vrs_techniques_print_plan(techniques, runner, rounds, program->args.budget, stdout);
	if (program->args.list || program->args.dry_run)
		return VRS_OK;
	enum vrs_status status = vrs_techniques_measure(runner, rounds, program->args.budget, options->resume, &complete, err);
	if (status != VRS_OK && status != VRS_ESTOPPED)
		return status;
	struct vrs_error why = {.status = VRS_OK};
	enum vrs_status written = write_record(program, runner, options->folder, complete, &why);
	if (written == VRS_OK)
		written = write_techniques(techniques, runner, options->folder, &why);
	program->exit_code = vrs_bench_sweep_exit(&program->args, vrs_runner_result(runner));
	if (written != VRS_OK)
		return vrs_fail(err, written, "%s", why.text);
	if (status == VRS_ESTOPPED)
		(void)vrs_fail(err, status, "stopped on request; every finished run is saved: vrbench --resume %s goes on", options->folder);
	return status;
}

static enum vrs_status run_techniques(struct program *program, struct vrs_runner *runner, const struct vrs_runner_options *options,
				      struct vrs_error *err)
{
	struct vrs_techniques techniques;
	const struct vrs_bench_args *a = &program->args;
	if (a->profile_ops || a->profile_run || a->explain) /* after --resume: only now it is known what goes on */
		return vrs_fail(err, VRS_ECONFIG, "%s is a measurement of techniques: --profile-ops, --profile-run and --explain do not go with it",
				options->folder);
	enum vrs_status status = vrs_techniques_open(&techniques, runner, program->args.resolution, options->resume, program->args.list, err);
	if (status != VRS_OK)
		return status;
	status = measure_techniques(program, &techniques, runner, options, err);
	vrs_techniques_fini(&techniques);
	return status;
}

static enum vrs_status sweep(struct program *program, struct vrs_error *err)
{
	struct vrs_runner *runner = NULL;
	struct vrs_runner_options options = runner_options(program);
	struct vrs_techniques_request request;
	if (program->args.techniques) {
		const struct vrs_bench_args *a = &program->args;
		enum vrs_status made = vrs_techniques_request_make(&request, a->sweep, a->filter, a->skip, err);
		if (made != VRS_OK)
			return made;
		options.techniques = &request;
	}
	enum vrs_status status = vrs_runner_create(&runner, &options, program->config, err);
	if (status == VRS_OK && vrs_runner_plan(runner)->calibrate)
		status = run_calibrate(program, runner, &options, err);
	else if (status == VRS_OK && vrs_runner_plan(runner)->versus[0]) /* an A/B goes on */
		status = run_versus(program, runner, 0, 0, options.folder, err);
	else if (status == VRS_OK && vrs_runner_plan(runner)->techniques.file[0])
		status = run_techniques(program, runner, &options, err);
	else if (status == VRS_OK)
		status = run_sweep(program, runner, &options, err);
	vrs_bench_progress_clear(&program->progress);
	vrs_runner_destroy(runner);
	return status;
}

static void keep_command(struct program *program, int argc, char **argv)
{
	size_t used = 0;
	for (int i = 0; i < argc && used < sizeof program->command - 1; i++) {
		int n = snprintf(program->command + used, sizeof program->command - used, "%s%s", i ? " " : "", i ? argv[i] : vrs_path_base(argv[0]));
		used += n > 0 ? (size_t)n : 0;
	}
}

static enum vrs_status run(struct program *program, const char *const *operands, int operand_count, struct vrs_error *err)
{
	const struct vrs_settings *settings = vrs_config_settings(program->config);
	program->args.input = operand_count > 0 ? operands[0] : NULL;
	enum vrs_status status = vrs_messages_open((enum vrs_log_level)settings->report.log_level, settings->report.log_file, err);
	if (status != VRS_OK)
		return status;
	vrs_bench_progress_init(&program->progress, (enum vrs_progress)settings->report.progress, stderr);
	status = vrs_bench_args_finish(&program->args, program->config, err);
	if (status != VRS_OK)
		return status;
	if (program->args.pin)
		status = vrs_machine_pin(program->args.pin, err);
	if (status != VRS_OK)
		return status;
	if (program->args.dump_config)
		return vrs_config_write(program->config, stdout, false);
	if (program->args.net_only)
		return net_only(&program->args, settings, err);
	if (program->args.calibration)
		return print_calibration(err);
	if (program->args.calibrate)
		return calibrate(program, err);
	return program->args.versus ? versus(program, err) : sweep(program, err);
}

int main(int argc, char **argv)
{
	static struct program program;
	struct vrs_error err = {.status = VRS_OK};
	const char **operands = NULL;
	int operand_count = 0;
	if (vrs_runner_is_child(argc, argv))
		return vrs_runner_child_main(stdin, stdout);
	vrs_stop_install();
	vrs_messages_begin("vrbench", clear_line, &program);
	keep_command(&program, argc, argv);
	if (vrs_system_mode_requested(argc, argv)) {
		enum vrs_status tuned = vrs_system_mode(argc, argv, stdout, &program.exit_code, &err);
		return tuned == VRS_OK && program.exit_code ? program.exit_code : vrs_messages_end(tuned, &err);
	}
	enum vrs_status status = vrs_config_create(&program.config);
	if (status == VRS_OK)
		status = vrs_cli_parse(program.config, &vrs_bench_cli_spec, argc, argv, on_action, &program, &operands, &operand_count, &err);
	if (status == VRS_OK)
		status = run(&program, operands, operand_count, &err);
	if (status == VRS_OK && (fflush(stdout) != 0 || ferror(stdout)))
		status = vrs_fail(&err, VRS_EIO, "cannot write to standard output: %s", strerror(errno));
	vrs_bench_progress_fini(&program.progress);
	vrs_free(operands);
	vrs_config_destroy(program.config);
	int code = vrs_messages_end(status, &err);
	return code == 0 ? program.exit_code : code;
}
