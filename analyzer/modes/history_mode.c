/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vranalyze history DIR: what nights have seen, which changes there were, and what people said of them. */
#include <stdio.h>

#include "analyzer/modes/analyze_program.h"
#include "analyzer/night_tables.h"
#include "bench/judge/night_watch.h"

struct arguments {
	const char *format, *html;
	bool no_html;
	int64_t nights;
};

static const struct arguments defaults = {.format = "text", .nights = VRS_HISTORY_NIGHTS};

static const struct vrs_cli_action actions[] = {
	VRS_FORMAT_FLAG(struct arguments),
	{.flag = "nights", VRS_INT_FIELD(struct arguments, nights), .min = 1, .max = VRS_HISTORY_MAX_NIGHTS, .value_name = "N", .group = "History",
	 .help = "Look back on the last N nights (365)"},
	{.flag = "html", VRS_TEXT_FIELD(struct arguments, html), .file = VRS_FILE_WRITTEN, .brief = "where to write the page", .value_name = "FILE",
	 .group = "Output", .help = "Write the page with graphs to FILE (default: report.html in the history, with graphs in its folder plots)"},
	{.flag = "no-html", VRS_SWITCH_FIELD(struct arguments, no_html), .brief = "print only", .group = "Output", .help = "Write no page and no graphs"},
	{.flag = NULL},
};

static const struct vrs_rule rules[] = {
	{"--html", VRS_EXCLUDES, "--no-html", "one writes the page, the other does not"},
	{.others = NULL},
};

static const struct vrs_cli_spec spec = {
	.program = "vranalyze history",
	.summary = "the history of nights: changes, what they gave, and notes",
	.program_bit = VRS_PROGRAM_VRANALYZE,
	.usage = "vranalyze history DIR",
	.intro = "Show what the nights of vrbench nightly have seen: each change with date, build, figures before and after and its trade-off, accepted "
		 "baselines, notes, and graphs with the steps in them.",
	.actions = actions,
	.rules = rules,
	.examples = "  vranalyze history nights\n"
		    "  vranalyze history nights --no-html --format markdown > history.md\n",
	.min_operands = 1,
	.max_operands = 1,
};

static enum vrs_status show(const struct vrs_analyze_call *call, const struct vrs_night_history *history, struct vrs_error *err)
{
	const struct arguments *args = call->args;
	struct vrs_night_watch watch;
	struct vrs_findings *findings = vrs_findings_create();
	enum vrs_status status = findings ? vrs_night_watch_judge(&watch, history, NULL, err) : vrs_fail_nomem(err);
	if (!findings)
		return status;
	if (status == VRS_OK) {
		vrs_night_history_findings(history, &watch, findings);
		status = vrs_findings_finish(findings);
		if (status != VRS_OK)
			(void)vrs_fail(err, status, "cannot make the report: %s", vrs_status_str(status));
	}
	if (status == VRS_OK)
		status = vrs_analyze_print(findings, args->format, args->no_html ? NULL : "plots", call->out, err);
	if (status == VRS_OK && !args->no_html)
		status = vrs_analyze_write_page(findings, call->operands[0], args->html, call->notes, err);
	vrs_night_watch_fini(&watch);
	vrs_findings_destroy(findings);
	return status;
}

static enum vrs_status history(const struct vrs_analyze_call *call, int *ret_exit, struct vrs_error *err)
{
	const struct arguments *args = call->args;
	struct vrs_night_history *nights = NULL;
	(void)ret_exit;
	enum vrs_status status = args->html ? vrs_analyze_check_page(args->html, err) : VRS_OK;
	if (status == VRS_OK)
		status = vrs_night_history_read(&nights, call->operands[0], (int)args->nights, err);
	if (status == VRS_OK && nights->night_count == 0) /* of a folder that is no history, not even the page may be replaced */
		status = vrs_analyze_no_night(nights, err);
	if (status == VRS_OK)
		status = show(call, nights, err);
	vrs_night_history_close(nights);
	return status;
}

const struct vrs_analyze_mode vrs_history_mode = {
	.name = "history", .spec = &spec, .defaults = &defaults, .args_size = sizeof defaults, .run = history,
};
