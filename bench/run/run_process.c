/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run in a process of its own: spawn, wait with limits, turn every way to end into a record. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/proc.h"
#include "bench/run/runner_state.h"

enum { OUTPUT_MAX = 1 << 20, SOAK_GRACE_SECONDS = 60 }; /* grace: to finish the frames in flight and to sum up millions */

/* Sanitizers map terabytes, so a limit on that would only say that they are there. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define VRS_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define VRS_SANITIZED
#endif
#ifdef VRS_SANITIZED
static const bool limits_mappings = false;
#else
static const bool limits_mappings = true;
#endif

static void fail_run(struct vrs_run *run, enum vrs_run_status status, const char *words, const char *detail)
{
	run->status = status;
	if (snprintf(run->reason, sizeof run->reason, "%s%s%s", words, detail[0] ? ": " : "", detail) < 0) /* long words are cut */
		run->reason[0] = '\0';
}

/* The process ended by a signal that was not ours. The kernel's out-of-memory killer sends SIGKILL. */
static void signalled(const struct vrs_proc_result *result, const char *detail, struct vrs_run *run)
{
	char words[96];
	if (result->signal == SIGKILL) {
		fail_run(run, VRS_RUN_OOM, "killed by the system (SIGKILL), most likely for lack of memory", detail);
		return;
	}
	const char *name = sigdescr_np(result->signal);
	snprintf(words, sizeof words, "ended by signal %d (%s)", result->signal, name ? name : "unknown");
	fail_run(run, VRS_RUN_CRASH, words, detail);
}

static void classify(const struct vrs_proc_result *result, double timeout_seconds, struct vrs_run_reply *reply)
{
	char detail[160], words[96];
	struct vrs_error why = {.status = VRS_OK};
	struct vrs_run_reply got;
	struct vrs_run *run = &reply->run;
	vrs_buf_last_line(&result->err, detail, sizeof detail);
	reply->status = VRS_EINTERNAL;
	if (result->timed_out) {
		snprintf(words, sizeof words, "no end after %.0f s", timeout_seconds);
		reply->status = VRS_ETIMEOUT;
		fail_run(run, VRS_RUN_TIMEOUT, words, "");
	} else if (result->signal != 0) {
		signalled(result, detail, run);
	} else if (vrs_run_reply_read(vrs_buf_str(&result->out), result->out.len, &got, &why) == VRS_EUNSUPPORTED) {
		reply->status = VRS_EUNSUPPORTED;
		fail_run(run, VRS_RUN_FAILED, why.text, "");
	} else if (why.status != VRS_OK) {
		snprintf(words, sizeof words, "exit code %d without a result", result->exit_code);
		fail_run(run, VRS_RUN_FAILED, words, detail);
	} else if (got.status != VRS_OK || result->exit_code != 0) {
		reply->status = got.status != VRS_OK ? got.status : VRS_EINTERNAL;
		reply->info = got.info;
		fail_run(run, vrs_run_lacks_memory(got.status) ? VRS_RUN_OOM : VRS_RUN_FAILED, got.error[0] ? got.error : "failed without a reason", "");
	} else {
		*reply = got;
	}
}

static void process_figures(const struct vrs_proc_result *result, struct vrs_run *run)
{
	run->process_seconds = result->wall_seconds;
	run->voluntary_switches = result->voluntary_switches;
	run->involuntary_switches = result->involuntary_switches;
	run->major_faults = result->major_faults;
	run->minor_faults = result->minor_faults;
	if (result->max_rss_bytes && (int64_t)result->max_rss_bytes > run->peak_rss_bytes)
		run->peak_rss_bytes = (int64_t)result->max_rss_bytes;
}

enum vrs_status vrs_run_process(struct vrs_runner *runner, const struct vrs_run_request *request, const struct vrs_config *config,
				struct vrs_run_reply *ret_reply, struct vrs_error *err)
{
	const char *const argv[] = {request->program ? request->program : runner->program, VRS_RUN_CASE_FLAG, NULL};
	struct vrs_run_reply reply = {.status = VRS_OK};
	struct vrs_proc_result result;
	struct vrs_buf text;
	double timeout_seconds = request->timeout_seconds > 0 ? request->timeout_seconds : runner->plan.timeout_seconds;
	vrs_run_init(&reply.run);
	enum vrs_status status = vrs_run_request_write(request, config, &text, err);
	if (status == VRS_OK) {
		const struct vrs_proc_options options = {
			.argv = argv, .stdin_text = vrs_buf_str(&text), .timeout_seconds = timeout_seconds, .output_max = OUTPUT_MAX,
			.memory_limit_bytes = limits_mappings ? (uint64_t)runner->mapped_bytes : 0,
			.grace_seconds = request->soak_file[0] ? SOAK_GRACE_SECONDS : 0, .on_tick = vrs_runner_tick, .cookie = runner};
		status = vrs_proc_run(&options, &result, err);
	}
	vrs_buf_fini(&text);
	if (status != VRS_OK)
		return status;
	if (result.stopped && result.signal) { /* a part of a run says nothing; a soak answers */
		vrs_proc_result_fini(&result);
		return vrs_fail(err, VRS_ESTOPPED, "stopped on request");
	}
	classify(&result, timeout_seconds, &reply);
	process_figures(&result, &reply.run);
	vrs_proc_result_fini(&result);
	if (reply.status == VRS_ENOSPC) /* says nothing of the case: it counts as no run */
		return vrs_fail(err, reply.status, "%s", reply.run.reason);
	*ret_reply = reply;
	return VRS_OK;
}
