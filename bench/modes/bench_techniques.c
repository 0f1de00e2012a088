/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --techniques */
#include <stdio.h>

#include "analyzer/technique_tables.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/verdict_line.h"
#include "bench/modes/bench_program.h"
#include "bench/modes/techniques_mode.h"
#include "reports/report.h"

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
			status = vrs_report_file(writer, findings, NULL, path, err);
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
		vrs_techniques_print_plan(techniques, runner, rounds, program->args.budget, program->out);
	if (program->args.list || program->args.dry_run)
		return VRS_OK;
	enum vrs_status status = vrs_techniques_measure(runner, rounds, program->args.budget, options->resume, &complete, err);
	if (status != VRS_OK && status != VRS_ESTOPPED)
		return status;
	struct vrs_error why = {.status = VRS_OK};
	enum vrs_status written = vrs_bench_write_record(program, runner, options->folder, complete, &why);
	if (written == VRS_OK)
		written = write_techniques(program, techniques, runner, options->folder, &why);
	program->exit_code = vrs_bench_sweep_exit(&program->args, vrs_runner_result(runner));
	if (written != VRS_OK)
		return vrs_fail(err, written, "%s", why.text);
	return status == VRS_ESTOPPED ? vrs_bench_stopped(options->folder, err) : status;
}

enum vrs_status vrs_bench_run_techniques(struct vrs_bench_program *program, struct vrs_runner *runner, const struct vrs_runner_options *options,
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
	status = vrs_runner_warn_sizes(runner, err);
	if (status == VRS_OK)
		status = measure_techniques(program, &techniques, runner, options, err);
	vrs_techniques_fini(&techniques);
	return status;
}
