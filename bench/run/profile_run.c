/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/run/profile_run.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/stop.h"
#include "base/str_parse.h"
#include "bench/run/run_request.h"
#include "bench/run/runner_state.h"

enum { MAX_PAIRS = 16 };
static const double longest_seconds = 5, longest_warmup = 3; /* of one run: a trace of more frames shows nothing else */

int vrs_profile_overhead(const double *plain_fps, const double *profiled_fps, int pairs, double *ret_median, double *ret_low, double *ret_high)
{
	double percent[MAX_PAIRS];
	int n = 0;
	for (int i = 0; i < pairs && n < MAX_PAIRS; i++)
		if (plain_fps[i] > 0 && profiled_fps[i] > 0)
			percent[n++] = 100 * (plain_fps[i] / profiled_fps[i] - 1);
	*ret_median = *ret_low = *ret_high = NAN;
	for (int i = 0; i < n; i++) {
		*ret_low = fmin(*ret_low, percent[i]); /* fmin and fmax leave a NaN out */
		*ret_high = fmax(*ret_high, percent[i]);
	}
	if (n > 0 && vrs_stats_median(percent, n, ret_median) != VRS_OK)
		*ret_median = NAN;
	return n;
}

/* One run of the pair; fps 0: it failed, and reason says why. */
static enum vrs_status run_one(struct vrs_runner *runner, int index, bool profiled, struct vrs_profile_run *to, double *ret_fps,
			       double *ret_cpu, struct vrs_error *err)
{
	const char *what = profiled ? "profiling the job" : "the same job without a profile";
	struct vrs_unrecorded_run unrecorded = {.rules = runner->plan.rules,
					 .frames_name = profiled ? VRS_PROFILE_FOLDER "/job.bin" : VRS_PROFILE_FOLDER "/plain.bin",
					 .trace_name = profiled ? VRS_PROFILE_FOLDER "/trace.json" : NULL};
	struct vrs_run_reply reply;
	if (unrecorded.rules.duration_seconds > longest_seconds)
		unrecorded.rules.duration_seconds = longest_seconds;
	if (unrecorded.rules.warmup_max_seconds > longest_warmup)
		unrecorded.rules.warmup_max_seconds = longest_warmup;
	unrecorded.rules.warmup_min_seconds = fmin(unrecorded.rules.warmup_min_seconds, unrecorded.rules.warmup_max_seconds);
	vrs_runner_tell(runner, VRS_RUNNER_PREPARE, what, &runner->result->cases[index], NULL, 0);
	enum vrs_status status = vrs_runner_run_unrecorded(runner, index, &unrecorded, &reply, err);
	*ret_fps = *ret_cpu = 0;
	if (status != VRS_OK)
		return status;
	if (reply.run.status == VRS_RUN_OK) {
		*ret_fps = reply.run.fps;
		*ret_cpu = reply.run.cpu_seconds / (double)reply.run.frames;
		if (profiled)
			to->sampling_percent = reply.run.sampling_percent;
	} else {
		snprintf(to->reason, sizeof to->reason, "%s: %.180s", vrs_name_of(&vrs_run_status_names, reply.run.status), reply.run.reason);
	}
	return VRS_OK;
}

/* The default case, else the first that ran; -1: none. */
static int profiled_case(const struct vrs_result *result)
{
	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < result->case_count; i++) {
			const struct vrs_case_result *c = &result->cases[i];
			if (vrs_case_result_ok_runs(c) > 0 && c->scope != VRS_SCOPE_NET_ONLY && (pass || strcmp(c->id, result->default_case) == 0))
				return i;
		}
	return -1;
}

enum vrs_status vrs_profile_run(struct vrs_runner *runner, int pairs, struct vrs_error *err)
{
	struct vrs_result *result = runner->result;
	struct vrs_profile_run *to = &result->profile_run;
	double plain[MAX_PAIRS] = {0}, profiled[MAX_PAIRS] = {0}, cpu[2][MAX_PAIRS] = {{0}}, low, high;
	char folder[VRS_PATH_MAX];
	int index = profiled_case(result);
	if (index < 0)
		return VRS_OK;
	vrs_profile_run_init(to);
	vrs_strcpy(to->case_id, sizeof to->case_id, result->cases[index].id);
	enum vrs_status status = vrs_path_join(folder, sizeof folder, runner->folder, VRS_PROFILE_FOLDER);
	if (status == VRS_OK)
		status = vrs_mkdirs(folder, err);
	for (int i = 0; i < pairs && i < MAX_PAIRS && status == VRS_OK; i++)
		for (int k = 0; k < 2 && status == VRS_OK; k++) {
			bool with = (i + k) % 2 == 1; /* the order alternates */
			if (vrs_stop_requested())
				return vrs_fail(err, VRS_ESTOPPED, "stopped on request; every finished run is saved");
			status = run_one(runner, index, with, to, with ? &profiled[i] : &plain[i], &cpu[with][i], err);
		}
	if (status != VRS_OK)
		return status;
	to->pairs = vrs_profile_overhead(plain, profiled, pairs, &to->overhead_percent, &to->overhead_low, &to->overhead_high);
	if (to->pairs == 0)
		return VRS_OK;
	(void)vrs_profile_overhead(cpu[1], cpu[0], pairs, &to->cpu_overhead_percent, &low, &high); /* more CPU time is worse, so the sides change */
	to->reason[0] = 0;
	(void)vrs_stats_median(plain, pairs, &to->plain_fps);
	(void)vrs_stats_median(profiled, pairs, &to->profiled_fps);
	vrs_strcpy(to->trace_file, sizeof to->trace_file, VRS_PROFILE_FOLDER "/trace.json");
	vrs_strcpy(to->frames_file, sizeof to->frames_file, VRS_PROFILE_FOLDER "/job.bin");
	return VRS_OK;
}
