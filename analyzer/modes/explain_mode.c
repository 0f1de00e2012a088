/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vranalyze RESULTS: explain one result. */
#include <string.h>

#include <vrseg/exit_codes.h>

#include "analyzer/dataset.h"
#include "analyzer/modes/analyze_program.h"
#include "analyzer/run_graphs.h"
#include "analyzer/summary.h"
#include "analyzer/targets.h"
#include "base/file.h"

struct arguments {
	const char *format, *html, *targets;
	unsigned fail_on;        /* 1: target */
	bool no_html;
};

static const struct arguments defaults = {.format = "text"};

static const struct vrs_cli_action actions[] = {
	VRS_FORMAT_FLAG(struct arguments),
	{.flag = "html", VRS_TEXT_FIELD(struct arguments, html), .file = VRS_FILE_WRITTEN,
	 .brief = "where to write the HTML report", .value_name = "FILE", .group = "Output",
	 .help = "Write the HTML report to FILE (default: report.html beside the result)"},
	{.flag = "no-html", VRS_SWITCH_FIELD(struct arguments, no_html), .brief = "print only", .group = "Output", .help = "Write no HTML report"},
	{.flag = "targets", VRS_TEXT_FIELD(struct arguments, targets), .file = VRS_FILE_READ,
	 .brief = "targets to compare with", .value_name = "FILE", .group = "Judgement",
	 .help = "Compare with the targets in FILE (default: targets/default.yaml of the installation)"},
	{.flag = "fail-on", VRS_CHOICES_FIELD(struct arguments, fail_on), .choices = "target",
	 .brief = "target: fail when a target is missed", .value_name = "WHAT", .group = "Judgement",
	 .help = "target: fail when a target is missed or, on a disturbed machine, cannot be judged (see the exit codes)"},
	{.flag = NULL},
};

static const struct vrs_rule rules[] = {
	{"--html", VRS_EXCLUDES, "--no-html", "one writes the page, the other does not"},
	{.others = NULL},
};

static const struct vrs_cli_spec spec = {
	.program = "vranalyze",
	.summary = "explain measurements of vrbench",
	.program_bit = VRS_PROGRAM_VRANALYZE,
	.usage = "vranalyze RESULTS\nvranalyze compare A B",
	.intro = "Explain a result of vrbench: print tables, and write one self-contained HTML page with graphs beside the result. RESULTS "
		 "is a results.json, or the folder that holds one. vranalyze COMMAND --help explains a command.",
	.actions = actions,
	.rules = rules,
	.examples = "  vranalyze results/results.json\n"
		    "  vranalyze results --format markdown > summary.md\n"
		    "  vranalyze compare monday tuesday\n",
	.min_operands = 1,
	.max_operands = 2,
};

static enum vrs_status explain(const struct vrs_analyze_call *call, int *ret_exit, struct vrs_error *err)
{
	const struct arguments *args = call->args;
	char folder[VRS_PATH_MAX];
	int missed = 0, invalid = 0;
	struct vrs_soak soak;
	struct vrs_result *result = NULL;
	if (call->count != 1)
		return vrs_fail(err, VRS_ECONFIG, "one result at a time: vranalyze RESULTS (two side by side: vranalyze compare A B)");
	struct vrs_findings *findings = vrs_findings_create();
	enum vrs_status status = findings ? VRS_OK : vrs_fail_nomem(err);
	if (status == VRS_OK && args->html)
		status = vrs_analyze_check_page(args->html, err);
	if (status == VRS_OK)
		status = vrs_dataset_load(&result, call->operands[0], folder, sizeof folder, err);
	if (status == VRS_OK)
		status = vrs_summarize(result, findings, err);
	if (status == VRS_OK)
		(void)vrs_soak_values(result, folder, &soak, findings); /* vrs_target_table tells what failed */
	if (status == VRS_OK)
		status = vrs_target_table(result, args->targets, findings, &missed, &invalid, err);
	bool json = strcmp(args->format, "json") == 0; /* takes all points of graphs along, and a run has one for every frame */
	if (status == VRS_OK && !json && !args->no_html)
		status = vrs_run_graphs(result, folder, findings);
	if (status == VRS_OK)
		status = vrs_analyze_print(findings, args->format, args->no_html ? NULL : "plots", call->out, err);
	if (status == VRS_OK && strcmp(args->format, "text") == 0)
		vrs_analyze_print_verdicts(result, call->out);
	if (status == VRS_OK && json && !args->no_html)
		status = vrs_run_graphs(result, folder, findings);
	if (status == VRS_OK && !args->no_html)
		status = vrs_analyze_write_page(findings, folder, args->html, call->notes, err);
	if (status == VRS_OK && args->fail_on)
		*ret_exit = missed ? VRS_EXIT_REGRESSION : invalid ? VRS_EXIT_INVALID : VRS_EXIT_OK;
	vrs_findings_destroy(findings);
	vrs_result_destroy(result);
	return status;
}

const struct vrs_analyze_mode vrs_explain_mode = {
	.spec = &spec, .defaults = &defaults, .args_size = sizeof defaults, .run = explain,
};
