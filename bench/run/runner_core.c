/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runner as an object, and its record. What it finds out first is in runner_setup.c, the loop in runner_rounds.c. */
#include "bench/run/runner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/figures/case_summary.h"
#include "analyzer/figures/figures.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "bench/record/unavailable.h"
#include "bench/run/runner_state.h"

struct vrs_runner_options vrs_runner_options_default(void)
{
	return (struct vrs_runner_options){
		.plan = {.seed = 1, .rounds = 1, .quality_frames = 24,
			 .rules = {.warmup_min_seconds = 3, .warmup_max_seconds = 60, .warmup_min_frames = 30, .duration_seconds = 10, .min_frames = 60}}};
}

enum vrs_status vrs_runner_create(struct vrs_runner **ret_runner, const struct vrs_runner_options *options, const struct vrs_config *base,
				  struct vrs_error *err)
{
	struct vrs_runner *runner = vrs_calloc(1, sizeof *runner);
	if (!runner)
		return vrs_fail(err, VRS_ENOMEM, "there is not enough memory to measure");
	runner->folder_fd = -1;
	runner->best_mhz = NAN;
	runner->on_event = options->on_event;
	runner->cookie = options->cookie;
	enum vrs_status status = vrs_runner_set_up(runner, options, base, err);
	if (status == VRS_OK)
		*ret_runner = runner;
	else
		vrs_runner_destroy(runner);
	return status;
}

void vrs_runner_destroy(struct vrs_runner *runner)
{
	if (!runner)
		return;
	vrs_runner_folder_close(runner);
	vrs_result_destroy(runner->result);
	vrs_config_destroy(runner->base);
	vrs_config_destroy(runner->side_a);
	vrs_free(runner->machine);
	vrs_free(runner->cases);
	vrs_free(runner);
}

const struct vrs_bench_input *vrs_runner_input(const struct vrs_runner *runner)
{
	return &runner->input;
}

const struct vrs_config *vrs_runner_base(const struct vrs_runner *runner)
{
	return runner->base;
}

const struct vrs_run_plan *vrs_runner_plan(const struct vrs_runner *runner)
{
	return &runner->plan;
}

struct vrs_result *vrs_runner_result(const struct vrs_runner *runner)
{
	return runner->result;
}

enum vrs_status vrs_runner_write_plan(struct vrs_runner *runner, struct vrs_error *err)
{
	if (runner->plan_written)
		return VRS_OK;
	if (!runner->folder[0])
		return vrs_fail(err, VRS_EINVAL, "a measurement needs a result folder");
	enum vrs_status status = vrs_journal_write_plan(runner->journal, &runner->plan, runner->base, runner->result->cases,
							runner->result->case_count, err);
	runner->plan_written = status == VRS_OK;
	return status;
}

enum vrs_status vrs_runner_write_environment(const struct vrs_runner *runner, struct vrs_error *err)
{
	char path[VRS_PATH_MAX], *text = vrs_result_environment(runner->result);
	if (!text)
		return runner->result->machine_json[0] ? vrs_fail(err, VRS_ENOMEM, "there is not enough memory to describe this machine") : VRS_OK;
	enum vrs_status status = vrs_path_join(path, sizeof path, runner->folder, "env.json");
	if (status == VRS_OK)
		status = vrs_file_replace(path, text, strlen(text), err);
	vrs_json_free_text(text);
	return status;
}

enum vrs_status vrs_runner_finish(struct vrs_runner *runner, bool complete, struct vrs_error *err)
{
	struct vrs_result *result = runner->result;
	char path[VRS_PATH_MAX];
	vrs_utc_text(result->finished_utc, sizeof result->finished_utc);
	result->complete = complete;
	vrs_runner_judge_noise(runner);
	for (int i = 0; i < result->case_count; i++) {
		enum vrs_status status = vrs_case_result_summarize(&result->cases[i], runner->folder);
		if (status != VRS_OK)
			return vrs_fail(err, status, "cannot summarize %s: %s", result->cases[i].id, vrs_status_str(status));
	}
	vrs_figures_fill_shares(result);
	vrs_unavailable_find(result, runner->machine);
	enum vrs_status status = vrs_runner_write_environment(runner, err);
	if (status == VRS_OK)
		status = vrs_path_join(path, sizeof path, runner->folder, "results.json");
	return status == VRS_OK ? vrs_result_write(result, path, err) : status;
}
