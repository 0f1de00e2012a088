/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/run/profile_run.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include <vrseg/log.h>

#include "analyzer/figures/figures.h"
#include "base/file.h"
#include "base/stop.h"
#include "base/str_parse.h"
#include "bench/run/net_only.h"
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

static enum vrs_status trace_config(const struct vrs_runner *runner, struct vrs_config *config, struct vrs_error *err)
{
	char path[VRS_PATH_MAX];
	enum vrs_status status = vrs_path_join(path, sizeof path, runner->folder, VRS_PROFILE_FOLDER "/trace.json");
	if (status == VRS_OK) {
		(void)unlink(path); /* a link that somebody has put there would be followed */
		status = vrs_config_set(config, "report.trace", path, VRS_SOURCE_FLAG, NULL, err);
	}
	return status == VRS_OK ? vrs_config_set(config, "report.profile", "true", VRS_SOURCE_FLAG, NULL, err) : status;
}

/* A short run of the case with files of its own, which is no part of the result. */
static enum vrs_status run_child(struct vrs_runner *runner, int index, bool profiled, struct vrs_run_reply *ret_reply, struct vrs_error *err)
{
	struct vrs_run_request request;
	struct vrs_config *config = NULL;
	struct vrs_clip clip;
	char unused[128];
	enum vrs_status status = vrs_runner_provide_clip(runner, &runner->result->cases[index], &clip, err);
	if (status == VRS_OK)
		status = vrs_runner_request_fill(runner, index, &clip, 0, &request, unused, err);
	if (status == VRS_OK)
		status = vrs_path_join(request.frames_file, sizeof request.frames_file, runner->folder,
				       profiled ? VRS_PROFILE_FOLDER "/job.bin" : VRS_PROFILE_FOLDER "/plain.bin");
	if (status == VRS_OK)
		status = vrs_runner_request_config(runner, index, &clip, &config, err);
	if (status == VRS_OK && profiled)
		status = trace_config(runner, config, err);
	if (status == VRS_OK) {
		struct vrs_recorder_rules *rules = &request.rules;
		rules->duration_seconds = fmin(rules->duration_seconds, longest_seconds);
		rules->warmup_max_seconds = fmin(rules->warmup_max_seconds, longest_warmup);
		rules->warmup_min_seconds = fmin(rules->warmup_min_seconds, rules->warmup_max_seconds);
		request.quality_frames = 0;
		status = vrs_run_process(runner, &request, config, ret_reply, err);
	}
	vrs_config_destroy(config);
	vrs_runner_folder_clear_work(runner);
	return status;
}

/* One run of the pair; fps 0: it failed, and reason says why. */
static enum vrs_status run_one(struct vrs_runner *runner, int index, bool profiled, struct vrs_profile_run *to, double *ret_fps,
			       double *ret_cpu, struct vrs_error *err)
{
	const char *what = profiled ? "profiling the job" : "the same job without a profile";
	struct vrs_run_reply reply;
	vrs_runner_tell(runner, VRS_RUNNER_PREPARE, what, &runner->result->cases[index], NULL, 0);
	enum vrs_status status = run_child(runner, index, profiled, &reply, err);
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

/* The default case, else the first that ran; -1: none.  jobs: the network alone does not count. */
static int profiled_case(const struct vrs_result *result, bool jobs)
{
	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < result->case_count; i++) {
			const struct vrs_case_result *c = &result->cases[i];
			if (vrs_case_result_ok_runs(c) > 0 && !(jobs && c->scope == VRS_SCOPE_NET_ONLY) && (pass || strcmp(c->id, result->default_case) == 0))
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
	int index = profiled_case(result, true);
	if (index < 0)
		return VRS_OK;
	vrs_profile_run_init(to);
	vrs_strcpy(to->case_id, sizeof to->case_id, result->cases[index].id);
	enum vrs_status status = vrs_path_join(folder, sizeof folder, runner->folder, VRS_PROFILE_FOLDER);
	if (status == VRS_OK)
		status = vrs_mkdir_own(folder, err);
	for (int i = 0; i < pairs && i < MAX_PAIRS && status == VRS_OK; i++)
		for (int k = 0; k < 2 && status == VRS_OK; k++) {
			bool with = (i + k) % 2 == 1; /* the order alternates */
			if (vrs_stop_requested())
				return vrs_fail(err, VRS_ESTOPPED, "stopped on request");
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

/* The network of one case, with the sizes as they came out in its runs. */
static enum vrs_status profile_case(const struct vrs_case_result *c, const struct vrs_config *base, double seconds, struct vrs_net_profile *ret,
				    struct vrs_error *err)
{
	struct vrs_case values;
	struct vrs_config *config = NULL;
	struct vrs_net_only_result timing;
	enum vrs_status status = vrs_case_parse(c->id, &values, err);
	if (status == VRS_OK)
		status = vrs_case_config(&values, base, &config, err);
	if (status != VRS_OK)
		return status;
	struct vrs_net_only_options options = {.model = NULL};
	status = vrs_net_only_options_from(&options, vrs_config_settings(config), err);
	options.session.threads = c->threads;
	options.session.batch = c->batch;
	options.session.input_width = c->net_width;
	options.session.input_height = c->net_height;
	options.session.profile = true;
	options.duration_seconds = seconds;
	if (status == VRS_OK)
		status = vrs_net_only_run(&options, &timing, ret, err);
	vrs_strcpy(ret->model, sizeof ret->model, c->model);
	vrs_config_destroy(config);
	return status;
}

/* Add the profile of a case; on a failure there is none. */
static enum vrs_status add_profile(struct vrs_result *result, const struct vrs_case_result *c, const struct vrs_config *base, double seconds,
				   bool operators, struct vrs_error *err)
{
	struct vrs_net_profile *profile = vrs_result_add_profile(result);
	if (!profile)
		return vrs_fail(err, VRS_ENOMEM, "there is not enough memory for the profile of another network");
	enum vrs_status status = profile_case(c, base, seconds, profile, err);
	if (status != VRS_OK)
		vrs_result_drop_profile(result);
	else if (!operators)
		vrs_net_profile_fini(profile); /* the sums stay */
	return status;
}

enum vrs_status vrs_profile_sweep(struct vrs_result *result, const struct vrs_config *base, double seconds, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	for (int i = 0; i < result->case_count && status == VRS_OK; i++) {
		const struct vrs_case_result *c = &result->cases[i];
		if (vrs_case_result_ok_runs(c) == 0 || vrs_figure_profile(result, c))
			continue;
		if (vrs_stop_requested())
			return VRS_ESTOPPED;
		status = add_profile(result, c, base, seconds, true, err);
	}
	vrs_figures_fill_shares(result);
	return status;
}

enum vrs_status vrs_profile_device(struct vrs_result *result, const struct vrs_config *base, double seconds)
{
	int index = profiled_case(result, false);
	const struct vrs_case_result *c = index >= 0 ? &result->cases[index] : NULL;
	struct vrs_error err = {.status = VRS_OK};
	if (!c || !c->device[0] || vrs_figure_profile(result, c))
		return VRS_OK;
	enum vrs_status status = vrs_stop_requested() ? VRS_ESTOPPED : add_profile(result, c, base, seconds, false, &err);
	if (status != VRS_OK && status != VRS_ESTOPPED)
		vrs_log(VRS_LOG_WARNING, "what limits %s is not known: %s", c->device, err.text[0] ? err.text : vrs_status_str(status));
	vrs_figures_fill_shares(result);
	return status == VRS_ESTOPPED ? status : VRS_OK;
}
