/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/modes/night_mode.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <vrseg/log.h>

#include "analyzer/night_tables.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "base/verdict_line.h"
#include "bench/judge/night_settle.h"
#include "bench/plan/versus.h"
#include "reports/report.h"
#include "vrs_version.h"

static const double first_share = 2.0 / 3; /* of the budget; the rest is for the second invocation */
static const double run_seconds = 5;

/* A night on its way. */
struct night_run {
	struct vrs_bench_program *program;
	const struct vrs_nightly_args *args;
	struct vrs_night_history *history;
	struct vrs_nightly_invocation invocation;
	struct vrs_night_record night;
	struct vrs_night_watch watch;
	char baseline[VRS_PATH_MAX];        /* path of the program; "": none */
	char folder[VRS_PATH_MAX];
	double begin_seconds;
};

/* What this build is: version, commit, and the content of the running program. */
static enum vrs_status describe_build(struct vrs_night_record *night, struct vrs_error *err)
{
	vrs_strcpy(night->version, sizeof night->version, VRS_VERSION);
	vrs_strcpy(night->commit, sizeof night->commit, VRS_COMMIT);
	return vrs_file_sha256("/proc/self/exe", night->sha256, err);
}

/* No baseline where one is asked for, or one that does not exist: 13. */
static enum vrs_status no_baseline(struct night_run *run, struct vrs_error *err, const char *name, const char *text)
{
	run->program->failure_code = VRS_EXIT_NO_BASELINE;
	return vrs_fail(err, VRS_ENOTFOUND, "%s%s", name, text);
}

/* The program that --baseline names. It comes from the command line only, and has to be the one that was accepted. */
static enum vrs_status find_baseline(struct night_run *run, struct vrs_error *err)
{
	struct vrs_versus_side side;
	struct vrs_night_record *night = &run->night;
	const struct vrs_decision *accepted = vrs_night_history_baseline(run->history);
	const char *given = run->args->bench.versus;
	if (!vrs_path_exists(given))
		return no_baseline(run, err, given, " does not exist: name the vrbench of the accepted build with --baseline");
	enum vrs_status status = vrs_versus_resolve(given, NULL, run->program->config, &side, err);
	if (status == VRS_ENOTFOUND)
		run->program->failure_code = VRS_EXIT_NO_BASELINE;
	if (status != VRS_OK)
		return status;
	vrs_strcpy(run->baseline, sizeof run->baseline, side.program);
	vrs_versus_side_fini(&side);
	if (!run->baseline[0])
		return vrs_fail(err, VRS_ECONFIG, "--baseline %s is no program: give the vrbench of the accepted build, or its build folder",
				given);
	status = vrs_file_sha256(run->baseline, night->baseline_sha256, err);
	if (status == VRS_OK && accepted && strcmp(accepted->sha256, night->baseline_sha256) != 0) {
		run->program->failure_code = VRS_EXIT_INCOMPARABLE;
		return vrs_fail(err, VRS_ECONFIG, "%s has SHA-256 %.16s..., and the accepted baseline of %s (night %lld) has %.16s...: give that program, or make "
				"another build the baseline with vranalyze accept", run->baseline, night->baseline_sha256, run->history->folder,
				(long long)accepted->night, accepted->sha256);
	}
	return status;
}

static enum vrs_status prepare(struct night_run *run, struct vrs_error *err)
{
	struct vrs_night_record *night = &run->night;
	const struct vrs_nightly_args *args = run->args;
	vrs_night_record_init(night);
	run->begin_seconds = 1e-9 * (double)vrs_now_ns();
	night->time = (int64_t)vrs_seconds_since_1970();
	vrs_utc_text(night->date_utc, sizeof night->date_utc);
	vrs_strcpy(night->command, sizeof night->command, run->program->command);
	night->injected_slowdown = args->bench.slowdown > 0 ? args->bench.slowdown : NAN;
	enum vrs_status status = describe_build(night, err);
	if (status == VRS_OK && args->bench.versus)
		status = find_baseline(run, err);
	if (status == VRS_OK && args->require_baseline && !vrs_night_history_baseline(run->history))
		status = no_baseline(run, err, "", "no baseline is accepted yet: measure a first night without --require-baseline");
	if (status == VRS_OK && args->require_baseline && !args->bench.versus)
		status = no_baseline(run, err, "", "no baseline is given: name the vrbench of the accepted build with --baseline");
	return status;
}

static void begin_invocation(struct night_run *run, const char *name, double end_share)
{
	double budget = run->args->bench.budget;
	(void)snprintf(run->folder, sizeof run->folder, "%.*s/measured/%s", VRS_PATH_MAX - 32, run->history->folder, name);
	run->invocation.folder = run->folder;
	run->invocation.folder_root = run->history->folder;
	run->invocation.baseline = run->baseline[0] ? run->baseline : NULL;
	run->invocation.end_seconds = budget > 0 ? run->begin_seconds + end_share * budget : 0;
	/* Every invocation of every night has an order of its own. */
	run->invocation.seed = (uint64_t)run->night.time * 2 + (end_share < 1 ? 0 : 1);
}

/* What the first invocation calls slower is measured again, by a new one. */
static enum vrs_status confirm(struct night_run *run, const bool *wanted, struct vrs_error *err)
{
	struct vrs_night_record second;
	bool still;
	vrs_night_record_init(&second);
	vrs_log(VRS_LOG_INFO, "%s; a second invocation measures it again", run->night.gate_reason);
	begin_invocation(run, "second", 1);
	run->invocation.only = &run->night;
	run->invocation.wanted = wanted;
	enum vrs_status status = vrs_nightly_measure(&run->invocation, &second, &run->history->arena, err);
	if (status == VRS_OK)
		status = vrs_night_settle_gate(&run->night, &second, &still, NULL, err);
	run->night.confirmed = status == VRS_OK;
	run->night.complete &= second.complete;
	return status;
}

static enum vrs_status measure(struct night_run *run, struct vrs_error *err)
{
	bool unconfirmed = false, wanted[VRS_NIGHT_MAX_CASES] = {false};
	begin_invocation(run, "first", first_share);
	enum vrs_status status = vrs_nightly_measure(&run->invocation, &run->night, &run->history->arena, err);
	if (status == VRS_OK)
		status = vrs_night_settle_gate(&run->night, NULL, &unconfirmed, wanted, err);
	return status == VRS_OK && unconfirmed ? confirm(run, wanted, err) : status;
}

/* The first baseline is what the first night was measured with: the program that was given, or this one. */
static enum vrs_status accept_first(struct night_run *run, struct vrs_error *err)
{
	struct vrs_decision d;
	const struct vrs_night_record *night = &run->night;
	if (vrs_night_history_baseline(run->history) || night->injected_slowdown > 0)
		return VRS_OK;
	vrs_decision_init(&d);
	d.kind = VRS_DECISION_ACCEPT;
	d.time = night->time;
	vrs_strcpy(d.date_utc, sizeof d.date_utc, night->date_utc);
	if (run->baseline[0]) {
		vrs_strcpy(d.sha256, sizeof d.sha256, night->baseline_sha256);
		vrs_strcpy(d.reason, sizeof d.reason, "the first night was measured against it");
	} else {
		d.night = night->number;
		vrs_strcpy(d.sha256, sizeof d.sha256, night->sha256);
		vrs_strcpy(d.version, sizeof d.version, night->version);
		vrs_strcpy(d.commit, sizeof d.commit, night->commit);
		vrs_strcpy(d.reason, sizeof d.reason, "the first night");
	}
	return vrs_night_history_decide(run->history, &d, err);
}

static enum vrs_status report(struct night_run *run, struct vrs_error *err)
{
	char line[VRS_VERDICT_LINE_MAX];
	FILE *out = run->program->out;
	struct vrs_findings *findings = vrs_findings_create();
	if (!findings)
		return vrs_fail_nomem(err);
	vrs_night_findings(&run->night, &run->watch, run->args->history, findings);
	enum vrs_status status = vrs_findings_finish(findings);
	if (status == VRS_OK)
		status = vrs_report_print(findings, out);
	if (status != VRS_OK)
		(void)vrs_fail(err, status, "cannot print the report: %s", vrs_status_str(status));
	if (status == VRS_OK)
		status = vrs_night_files_write(&run->args->files, &run->night, &run->watch, findings, err);
	vrs_findings_destroy(findings);
	vrs_night_line(&run->night, &run->watch, line, sizeof line);
	if (status == VRS_OK)
		fprintf(out, "\n%s\n", line);
	return status;
}

/* Judge with the history, append, and say so. */
static enum vrs_status finish(struct night_run *run, struct vrs_nightly_metrics *metrics, struct vrs_error *err)
{
	run->night.number = vrs_night_history_next_number(run->history);
	enum vrs_status status = vrs_night_watch_judge(&run->watch, run->history, &run->night, err);
	if (status != VRS_OK)
		return status;
	vrs_night_settle(&run->night, run->history, &run->watch);
	status = vrs_night_history_add(run->history, &run->night, err);
	if (status == VRS_OK)
		status = accept_first(run, err);
	if (status != VRS_OK)
		return status;
	vrs_nightly_metrics_take(metrics, &run->night, &run->watch);
	run->program->exit_code = vrs_night_exit_code(run->night.outcome);
	return report(run, err);
}

/* Until the night has been judged, its metrics are those of the night before. */
static enum vrs_status tell_last(const struct vrs_night_history *history, struct vrs_nightly_metrics *metrics, struct vrs_error *err)
{
	struct vrs_night_watch watch = {.series_count = 0};
	const struct vrs_night_record *last = vrs_night_history_last(history);
	if (!metrics || !last)
		return VRS_OK;
	enum vrs_status status = vrs_night_watch_judge(&watch, history, NULL, err);
	if (status == VRS_OK)
		vrs_nightly_metrics_take(metrics, last, &watch);
	vrs_night_watch_fini(&watch);
	return status;
}

static enum vrs_status one_night(struct night_run *run, struct vrs_nightly_metrics *metrics, struct vrs_error *err)
{
	enum vrs_status status = tell_last(run->history, metrics, err);
	if (status == VRS_OK)
		status = prepare(run, err);
	if (status == VRS_OK)
		status = measure(run, err);
	if (status == VRS_OK)
		status = finish(run, metrics, err);
	vrs_bench_progress_clear(&run->program->progress);
	vrs_night_watch_fini(&run->watch);
	return status == VRS_ESTOPPED ? vrs_fail(err, status, "stopped on request; nothing was appended to %s", run->args->history) : status;
}

enum vrs_status vrs_bench_mode_nightly(struct vrs_bench_program *program, const struct vrs_nightly_args *args, const char *const *videos, int count,
				       struct vrs_error *err)
{
	struct vrs_nightly_metrics *metrics = NULL;
	struct night_run *run = vrs_calloc(1, sizeof *run);
	if (!run)
		return vrs_fail_nomem(err);
	run->program = program;
	run->args = args;
	run->invocation = (struct vrs_nightly_invocation){.program = program, .videos = videos, .video_count = count};
	program->args = args->bench;
	if (!program->args.sweep)
		program->args.sweep = "nightly";
	if (!(program->args.duration > 0))
		program->args.duration = run_seconds;
	const struct vrs_settings *settings = vrs_config_settings(program->config);
	const char *file = settings->report.metrics_file, *port = settings->report.metrics_port;
	enum vrs_status status = file[0] || port[0] ? vrs_nightly_metrics_open(&metrics, file, port, err) : VRS_OK;
	if (status == VRS_OK)
		status = vrs_night_history_open(&run->history, args->history, VRS_HISTORY_NIGHTS, err);
	if (status == VRS_OK)
		status = one_night(run, metrics, err);
	int code = status == VRS_OK ? program->exit_code : program->failure_code ? program->failure_code : vrs_exit_code(status);
	vrs_nightly_metrics_close(metrics, code);
	vrs_night_history_close(run->history);
	vrs_free(run);
	return status;
}
