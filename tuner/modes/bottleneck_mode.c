/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "analyzer/summary_parts.h"
#include "bench/run/profile_run.h"
#include "reports/report.h"
#include "tuner/advice_trial.h"
#include "tuner/measure.h"
#include "tuner/modes/tune_program.h"

#define BOTTLENECK_ROUNDS 3
#define DEVICE_SECONDS 1 /* of what a device does in calls of the network alone */
#define TRIAL_ROUNDS 8 /* the fewest that a verdict takes */

/*
 * Measure what the rules propose beside the current settings: *ret_result becomes the result of both, or stays where nothing is proposed.
 */
static enum vrs_status try_advice(struct vrs_tune_measure *measure, double live_hz, struct vrs_result **ret_result, bool *ret_tried,
				  struct vrs_error *err)
{
	struct vrs_case cases[1 + VRS_ADVICE_TRIAL_MAX];
	struct vrs_result *tried = NULL;
	memset(&cases[0], 0, sizeof cases[0]);
	cases[0].live_hz = live_hz;
	int count = vrs_advice_trial_cases(*ret_result, &(*ret_result)->cases[0], vrs_runner_input(measure->runner)->cpus, &cases[1]);
	for (int i = 1; i <= count; i++)
		cases[i].live_hz = live_hz;
	*ret_tried = count > 0;
	if (count == 0)
		return VRS_OK;
	const struct vrs_step step = {.phase = "trying", .why = "what the rules advise", .stretch = 1};
	enum vrs_status status = vrs_tune_measure(measure, &step, cases, 1 + count, TRIAL_ROUNDS, &tried, err);
	if (status == VRS_OK) {
		vrs_result_destroy(*ret_result);
		*ret_result = tried;
	}
	return status;
}

static enum vrs_status show_limits(const struct vrs_result *result, int cpus, bool tried, FILE *out, struct vrs_error *err)
{
	struct vrs_objective objective = vrs_objective_default();
	struct vrs_findings *findings = vrs_findings_create();
	if (findings) {
		snprintf(findings->title, sizeof findings->title, "What limits the current settings");
		vrs_case_limits(result, &result->cases[0], cpus, findings); /* advice that was measured says what it gave, or goes */
		if (tried)
			vrs_advice_trial_table(result, &objective, findings);
	}
	return vrs_report_show(findings, out, err);
}

enum vrs_status vrs_tune_bottlenecks(struct vrs_tune_program *program, struct vrs_error *err)
{
	struct vrs_tune_measure measure = {.runner = program->runner, .next_round = 1, .on_step = vrs_tune_progress_step, .cookie = &program->progress};
	struct vrs_case base;
	struct vrs_result *result = NULL;
	bool tried = false;
	memset(&base, 0, sizeof base);
	base.live_hz = vrs_tune_live_hz(program);
	const struct vrs_step step = {.phase = "measuring", .why = "", .stretch = 1};
	enum vrs_status status = vrs_tune_measure(&measure, &step, &base, 1, BOTTLENECK_ROUNDS, &result, err);
	const struct vrs_case_result *c = status == VRS_OK ? &result->cases[0] : NULL;
	if (c && vrs_case_result_ok_runs(c) == 0)
		status = vrs_fail(err, VRS_EINTERNAL, "nothing could be measured: %s",
				  vrs_case_result_is_skipped(c) ? c->skipped : c->run_count ? c->runs[0].reason : "no run was made");
	if (c && status == VRS_OK)
		status = vrs_profile_device(result, vrs_runner_base(program->runner), DEVICE_SECONDS);
	if (status == VRS_OK && program->args.tries)
		status = try_advice(&measure, base.live_hz, &result, &tried, err);
	if (status == VRS_OK && tried)
		status = vrs_profile_device(result, vrs_runner_base(program->runner), DEVICE_SECONDS);
	vrs_tune_progress_end(&program->progress);
	if (status == VRS_OK)
		status = show_limits(result, vrs_runner_input(program->runner)->cpus, tried, program->results, err);
	vrs_result_destroy(result);
	return status;
}
