/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vranalyze nightly: the verdict of the last night again, or of a result against the history. Nothing is measured, and nothing is appended. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <vrseg/exit_codes.h>

#include "analyzer/dataset.h"
#include "analyzer/modes/analyze_program.h"
#include "analyzer/night_tables.h"
#include "base/file.h"
#include "base/str_parse.h"
#include "base/verdict_line.h"
#include "bench/judge/night_figures.h"
#include "bench/judge/night_settle.h"
#include "reports/night_files.h"
#include "reports/report.h"

struct arguments {
	const char *history, *format, *html;
	struct vrs_night_files files;
	bool require_baseline;
};

static const struct arguments defaults = {.format = "text"};

static const struct vrs_cli_action actions[] = {
	VRS_HISTORY_FLAG(struct arguments),
	{.flag = "require-baseline", VRS_SWITCH_FIELD(struct arguments, require_baseline), .group = "Judgement",
	 .help = "Fail with 13 where no baseline was accepted, or the night was not measured against one"},
	VRS_FORMAT_FLAG(struct arguments),
	{.flag = "html", VRS_TEXT_FIELD(struct arguments, html), .file = VRS_FILE_WRITTEN, .value_name = "FILE", .group = "Output",
	 .help = "Write the report as an HTML page to FILE"},
	VRS_NIGHT_FILES_FLAGS(struct arguments),
	{.flag = NULL},
};

static const struct vrs_rule rules[] = {
	{NULL, VRS_NEEDS, "--history", "vranalyze nightly wants the history: --history DIR"},
	{.others = NULL},
};

static const struct vrs_cli_spec spec = {
	.program = "vranalyze nightly",
	.summary = "judge a night, or a result against the history of nights",
	.program_bit = VRS_PROGRAM_VRANALYZE,
	.usage = "vranalyze nightly --history DIR [RESULTS]",
	.intro = "Judge the last night of a history of vrbench nightly again, with what was accepted or noted since. With RESULTS, a results.json or its "
		 "folder, judge that instead, as if it were the next night: both sides of a vrbench --versus, or the mattes of any other result. Nothing is "
		 "appended.",
	.actions = actions,
	.rules = rules,
	.examples = "  vranalyze nightly --history nights\n"
		    "  vranalyze nightly --history nights --junit verdicts.xml --summary night.md\n"
		    "  vranalyze nightly --history nights comparison/results.json\n",
	.min_operands = 0,
	.max_operands = 1,
};

/* "0.1.0 (abc1234)" */
static void split_version(const char *text, struct vrs_night_record *night)
{
	const char *open = strchr(text, '(');
	int head = open && open > text ? (int)(open - text) - 1 : (int)strlen(text);
	(void)snprintf(night->version, sizeof night->version, "%.*s", head, text);
	(void)snprintf(night->commit, sizeof night->commit, "%.*s", open ? (int)strcspn(open + 1, ")") : 0, open ? open + 1 : "");
}

static bool is_same_video(const struct vrs_night_figures *a, const struct vrs_night_figures *b)
{
	return strcmp(a->input, b->input) == 0 && (a->input_hash == 0 || b->input_hash == 0 || a->input_hash == b->input_hash);
}

static bool is_same_device(const struct vrs_night_figures *a, const struct vrs_night_figures *b)
{
	return vrs_device_is_same(a->device, a->driver, b->device, b->driver); /* nights of older versions do not say it */
}

/* The last figure of that series in the history: the baseline's where it has one, and of how many mattes. NaN: there is none. */
static double last_value(const struct vrs_night_history *history, const struct vrs_night_record *night, const struct vrs_night_figures *c,
			 const char *metric, bool *ret_seen, int64_t *ret_mattes)
{
	for (int i = history->night_count - 1; i >= 0; i--) {
		const struct vrs_night_record *n = &history->nights[i];
		for (int k = 0; k < n->case_count && n->fingerprint == night->fingerprint; k++) {
			const struct vrs_night_figures *other = &n->cases[k];
			const struct vrs_comparison *m = vrs_night_figures_find(other, metric);
			if (!m || strcmp(other->id, c->id) != 0 || !is_same_video(other, c) || !is_same_device(other, c))
				continue;
			*ret_seen = true;
			*ret_mattes = other->mattes;
			return isfinite(m->a) ? m->a : m->b;
		}
	}
	return NAN;
}

/* Figures of other frames: the gate is to say that it does not know. */
static void other_mattes(struct vrs_comparison *m, double a, int64_t before, int64_t now)
{
	m->a = a;
	m->pairs = 1;
	m->verdict = VRS_VERDICT_INCONCLUSIVE;
	(void)snprintf(m->reason, sizeof m->reason, "it is of %lld mattes, the history's of %lld; longer runs make them equal (--min-frames)",
		       (long long)now, (long long)before);
}

/* A result without sides: mattes are the same in every run, so those are judged against the history; its speeds share no rounds with anything. */
static bool judge_alone(const struct vrs_night_history *history, struct vrs_night_record *night)
{
	bool seen = false;
	for (int i = 0; i < night->case_count; i++)
		for (int k = 0; k < night->cases[i].metric_count; k++) {
			struct vrs_comparison *m = &night->cases[i].metrics[k];
			int64_t before = -1, now = night->cases[i].mattes;
			double a = last_value(history, night, &night->cases[i], m->metric, &seen, &before);
			if (isfinite(a) && vrs_night_metric_is_quality(m->metric) && before > 0 && now > 0 && before != now)
				other_mattes(m, a, before, now);
			else if (isfinite(a) && vrs_night_metric_is_quality(m->metric))
				vrs_night_quality_judge(m, a, m->b);
			else if (isfinite(a) && isfinite(m->b))
				(void)snprintf(m->reason, sizeof m->reason, "it shares no rounds with the baseline; vrbench nightly measures both together");
		}
	return seen;
}

static bool has_sides(const struct vrs_result *result)
{
	for (int i = 0; i < result->case_count; i++)
		if (strstr(result->cases[i].id, "/side="))
			return true;
	return false;
}

/* Where a night of that machine is: else its figures compare with nothing. */
static bool knows_machine(const struct vrs_night_history *history, uint64_t fingerprint)
{
	for (int i = 0; i < history->night_count; i++)
		if (history->nights[i].fingerprint == fingerprint)
			return true;
	return false;
}

/* The result as the night that comes next. *ret_exit: 14 where it cannot be compared, with the reason in night->reason. */
static enum vrs_status take_result(const char *path, struct vrs_night_history *history, struct vrs_night_record *night, int *ret_exit,
				   struct vrs_error *err)
{
	struct vrs_result *result = NULL;
	char folder[VRS_PATH_MAX];
	bool confirm;
	enum vrs_status status = vrs_dataset_load(&result, path, folder, sizeof folder, err);
	if (status != VRS_OK)
		return status;
	const struct vrs_decision *baseline = vrs_night_history_baseline(history);
	const struct vrs_night_record *last = vrs_night_history_last(history);
	bool sides = has_sides(result), seen = true;
	vrs_night_record_init(night);
	night->time = last ? last->time : 0;
	vrs_strcpy(night->date_utc, sizeof night->date_utc, result->started_utc);
	vrs_strcpy(night->command, sizeof night->command, result->command);
	split_version(result->tool_version, night);
	night->fingerprint = result->fingerprint;
	night->injected_slowdown = result->injected_slowdown;
	night->complete = result->complete;
	night->rounds = result->rounds;
	if (sides && baseline)
		vrs_strcpy(night->baseline_sha256, sizeof night->baseline_sha256, baseline->sha256);
	const struct vrs_night_input input = {.name = vrs_path_base(result->input), .hash = result->input_hash};
	status = vrs_night_figures_take(night, &history->arena, result, &input, 0, err);
	if (status == VRS_OK && !sides)
		seen = judge_alone(history, night);
	if (status == VRS_OK)
		status = vrs_night_settle_gate(night, NULL, &confirm, NULL, err);
	if (status == VRS_OK && !sides && night->gate == VRS_NIGHT_PASSED)
		night->gate = VRS_NIGHT_INCONCLUSIVE; /* speeds are open */
	bool machine = knows_machine(history, result->fingerprint);
	if (status == VRS_OK && (!machine || !seen)) {
		*ret_exit = VRS_EXIT_INCOMPARABLE;
		(void)snprintf(night->gate_reason, sizeof night->gate_reason, "%s",
			       machine ? "The history has none of these cases on a video of that name and on that device."
				       : "The history has no night of this machine.");
		night->gate = VRS_NIGHT_INCONCLUSIVE;
	}
	vrs_result_destroy(result);
	return status;
}

static enum vrs_status report(const struct vrs_analyze_call *call, const struct vrs_night_record *night, const struct vrs_night_watch *watch,
			      int exit_code, struct vrs_error *err)
{
	const struct arguments *args = call->args;
	char line[VRS_VERDICT_LINE_MAX];
	struct vrs_findings *findings = vrs_findings_create();
	if (!findings)
		return vrs_fail_nomem(err);
	vrs_night_findings(night, watch, args->history, findings);
	enum vrs_status status = vrs_findings_finish(findings);
	if (status != VRS_OK)
		(void)vrs_fail(err, status, "cannot make the report: %s", vrs_status_str(status));
	if (status == VRS_OK)
		status = vrs_analyze_print(findings, args->format, NULL, call->out, err);
	if (status == VRS_OK && args->html)
		status = vrs_report_file(vrs_report_find("html"), findings, NULL, args->html, vrs_file_write, err);
	if (status == VRS_OK)
		status = vrs_night_files_write(&args->files, night, watch, findings, err);
	if (status == VRS_OK && strcmp(args->format, "text") == 0) {
		vrs_night_line(night, watch, line, sizeof line);
		if (exit_code == VRS_EXIT_INCOMPARABLE)
			vrs_verdict_line_begin(line, sizeof line, "incomparable");
		fprintf(call->out, "\n%s\n", line);
	}
	vrs_findings_destroy(findings);
	return status;
}

enum vrs_status vrs_analyze_no_night(const struct vrs_night_history *history, struct vrs_error *err)
{
	return vrs_fail(err, VRS_ENOTFOUND, "the history %s has no night yet: vrbench nightly --history %s VIDEO measures one", history->folder,
			history->folder);
}

static enum vrs_status judge(const struct vrs_analyze_call *call, struct vrs_night_history *history, int *ret_exit, struct vrs_error *err)
{
	const struct arguments *args = call->args;
	struct vrs_night_record night;
	struct vrs_night_watch watch = {.series_count = 0};
	enum vrs_status status = VRS_OK;
	const struct vrs_night_record *last = vrs_night_history_last(history);
	if (!last) {
		*ret_exit = VRS_EXIT_NO_BASELINE;
		return vrs_analyze_no_night(history, err);
	}
	if (call->count > 0)
		status = take_result(call->operands[0], history, &night, ret_exit, err);
	else
		night = *last;
	if (status == VRS_OK)
		status = vrs_night_watch_judge(&watch, history, call->count > 0 ? &night : NULL, err);
	if (status == VRS_OK)
		vrs_night_settle(&night, history, &watch);
	if (status == VRS_OK)
		status = report(call, &night, &watch, *ret_exit, err);
	if (status == VRS_OK && *ret_exit == 0)
		*ret_exit = args->require_baseline && !night.baseline_sha256[0] ? VRS_EXIT_NO_BASELINE : vrs_night_exit_code(night.outcome);
	vrs_night_watch_fini(&watch);
	return status;
}

static enum vrs_status nightly(const struct vrs_analyze_call *call, int *ret_exit, struct vrs_error *err)
{
	const struct arguments *args = call->args;
	struct vrs_night_history *history = NULL;
	enum vrs_status status = vrs_night_history_read(&history, args->history, VRS_HISTORY_NIGHTS, err);
	if (status == VRS_OK)
		status = judge(call, history, ret_exit, err);
	vrs_night_history_close(history);
	return status;
}

const struct vrs_analyze_mode vrs_nightly_mode = {
	.name = "nightly", .spec = &spec, .defaults = &defaults, .args_size = sizeof defaults, .run = nightly,
};
