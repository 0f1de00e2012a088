/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runner as an object, and its record. What it finds out first is in runner_setup.c, the loop in runner_rounds.c. */
#include "bench/run/runner.h"

#include <math.h>
#include <string.h>

#include "analyzer/figures/case_summary.h"
#include "analyzer/figures/figures.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/stop.h"
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
	runner->best_mhz = NAN;
	runner->stretch = 1;
	runner->on_event = options->on_event;
	runner->cookie = options->cookie;
	enum vrs_status status = vrs_runner_set_up(runner, options, base, err);
	if (status == VRS_OK) {
		*ret_runner = runner;
		runner->holds = true;
		vrs_stop_hold(); /* what was measured becomes a result */
	} else {
		vrs_runner_destroy(runner);
	}
	return status;
}

void vrs_runner_destroy(struct vrs_runner *runner)
{
	if (!runner)
		return;
	if (runner->holds)
		vrs_stop_release();
	vrs_runner_folder_close(runner);
	vrs_result_destroy(runner->result);
	vrs_config_destroy(runner->base);
	vrs_config_destroy(runner->side_a);
	vrs_free(runner->machine);
	vrs_free(runner->cases);
	vrs_free(runner);
}

void vrs_runner_stretch(struct vrs_runner *runner, double factor)
{
	runner->stretch = factor > 1 ? factor : 1;
}

bool vrs_runner_has_truth(const struct vrs_runner *runner)
{
	return runner->truth.frames > 0;
}

const struct vrs_bench_input *vrs_runner_input(const struct vrs_runner *runner)
{
	return &runner->input;
}

const struct vrs_machine *vrs_runner_machine(const struct vrs_runner *runner)
{
	return runner->machine;
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
	enum vrs_status status = vrs_runner_folder_check(runner, err);
	if (status == VRS_OK)
		status = vrs_path_join(path, sizeof path, runner->folder, "env.json");
	if (status == VRS_OK)
		status = vrs_result_write_environment(result, path, err);
	if (status == VRS_OK)
		status = vrs_path_join(path, sizeof path, runner->folder, "results.json");
	return status == VRS_OK ? vrs_result_write(result, path, err) : status;
}

static enum vrs_status copy_case(struct vrs_result *to, const struct vrs_case_result *from, int first_round, int rounds, const char *folder)
{
	struct vrs_case_result *c = vrs_result_add_case(to);
	if (!c)
		return VRS_ENOMEM;
	vrs_case_result_copy_without_runs(c, from);
	for (int i = 0; i < from->run_count; i++) {
		const struct vrs_run *run = &from->runs[i];
		if (run->round < first_round || run->round - first_round >= rounds)
			continue;
		if (vrs_case_result_copy_run(c, run) != VRS_OK)
			return VRS_ENOMEM;
	}
	vrs_case_result_keep_quality(c, from);
	return vrs_case_result_summarize(c, folder);
}

enum vrs_status vrs_runner_extract(struct vrs_runner *runner, const int *indices, int count, int first_round, int rounds,
				   struct vrs_result **ret_result)
{
	struct vrs_result *to;
	enum vrs_status status = vrs_result_create(&to);
	if (status != VRS_OK)
		return status;
	vrs_runner_judge_noise(runner);
	vrs_figures_fill_shares(runner->result);
	*to = *runner->result;
	to->cases = NULL;
	to->case_count = 0;
	to->case_capacity = 0;
	to->profiles = NULL;
	to->profile_count = 0;
	to->profile_capacity = 0;
	for (int i = 0; i < count && status == VRS_OK; i++)
		status = indices[i] >= 0 && indices[i] < runner->result->case_count
				 ? copy_case(to, &runner->result->cases[indices[i]], first_round, rounds, runner->folder)
				 : VRS_EINVAL;
	if (status == VRS_OK)
		*ret_result = to;
	else
		vrs_result_destroy(to);
	return status;
}
