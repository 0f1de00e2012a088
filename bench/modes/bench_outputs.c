/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files and tables that are made from the runs of cases. */
#include <stdio.h>

#include <vrseg/log.h>

#include "analyzer/run_graphs.h"
#include "analyzer/summary.h"
#include "base/file.h"
#include "base/verdict_line.h"
#include "bench/judge/recommend.h"
#include "bench/modes/bench_program.h"
#include "bench/run/profile_run.h"
#include "reports/report.h"

static enum vrs_status write_graphs(const struct vrs_result *result, struct vrs_findings *findings, const char *folder, struct vrs_error *err)
{
	char plots[VRS_PATH_MAX];
	enum vrs_status status = vrs_run_graphs(result, folder, findings);
	if (status == VRS_OK)
		status = vrs_path_join(plots, sizeof plots, folder, "plots");
	if (status == VRS_OK)
		status = vrs_report_graphs(findings, plots, err);
	if (status != VRS_ENOTFOUND)
		return status;
	vrs_log(VRS_LOG_WARNING, "no graphs: %s", err->text);
	return VRS_OK;
}

enum vrs_status vrs_bench_write_record(struct vrs_bench_program *program, struct vrs_runner *runner, const char *folder, bool complete,
				       struct vrs_error *err)
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
	else if (status == VRS_OK && complete)
		status = vrs_profile_device(result, vrs_runner_base(runner), program->args.quick ? 0.3 : 1);
	if (status == VRS_OK)
		status = vrs_runner_finish(runner, complete, err); /* now with the recommendation */
	if (status == VRS_OK)
		status = vrs_path_join(path, sizeof path, folder, "recommended.yaml");
	if (status == VRS_OK)
		status = vrs_recommend_write(result, vrs_runner_base(runner), vrs_runner_input(runner), path, err);
	vrs_bench_progress_clear(&program->progress);
	return status;
}

/* The same report as that of vranalyze. */
enum vrs_status vrs_bench_write_outputs(struct vrs_bench_program *program, struct vrs_runner *runner, const char *folder, bool complete,
					struct vrs_error *err)
{
	struct vrs_result *result = vrs_runner_result(runner);
	enum vrs_status status = vrs_bench_write_record(program, runner, folder, complete, err);
	if (status != VRS_OK)
		return status;
	struct vrs_findings *findings = vrs_findings_create();
	struct vrs_soak soak;
	enum vrs_status drawn = VRS_OK;
	bool soaked = false;
	status = findings ? vrs_summarize(result, findings, err) : VRS_ENOMEM;
	if (status == VRS_OK) {
		soaked = vrs_soak_values(result, folder, &soak, findings);
		status = vrs_findings_finish(findings);
	}
	if (status == VRS_OK)
		status = vrs_report_print(findings, program->out);
	if (status == VRS_OK && !program->args.no_graphs)
		drawn = write_graphs(result, findings, folder, err);
	vrs_findings_destroy(findings);
	if (status != VRS_OK || (drawn != VRS_OK && drawn != VRS_ESTOPPED))
		return status != VRS_OK ? status : drawn;
	fprintf(program->out, "\n%s/results.json, recommended.yaml, journal.jsonl, env.json, frames/%s\n", folder,
		program->args.no_graphs ? "" : ", plots/");
	if (soaked) {
		char line[VRS_VERDICT_LINE_MAX];
		vrs_soak_line(&soak, line, sizeof line);
		fprintf(program->out, "%s\n", line);
	}
	return ferror(program->out) ? VRS_EIO : drawn;
}
