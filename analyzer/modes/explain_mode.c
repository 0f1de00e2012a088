/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vranalyze RESULTS ...: explain a result, or list several. */
#include <stdio.h>
#include <string.h>

#include <vrseg/exit_codes.h>
#include <vrseg/log.h>

#include "analyzer/dataset.h"
#include "analyzer/modes/analyze_program.h"
#include "analyzer/overview.h"
#include "analyzer/result_list.h"
#include "analyzer/run_graphs.h"
#include "analyzer/summary.h"
#include "analyzer/summary_parts.h"
#include "analyzer/targets.h"
#include "base/file.h"
#include "reports/report.h"

struct arguments {
	const char *format, *html, *targets, *output_dir;
	unsigned fail_on;        /* 1: target */
	bool no_html;
};

static const struct arguments defaults = {.format = "text"};

static const struct vrs_cli_action actions[] = {
	VRS_FORMAT_FLAG(struct arguments),
	VRS_OUTPUT_DIR_FLAG(struct arguments),
	{.flag = "html", VRS_TEXT_FIELD(struct arguments, html), .file = VRS_FILE_WRITTEN,
	 .brief = "where to write the HTML report", .value_name = "FILE", .group = "Output",
	 .help = "Write the HTML report to FILE (default: report.html beside the result, or in --output-dir)"},
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
	.usage = "vranalyze RESULTS ...\nvranalyze COMMAND ...",
	.intro = "Explain a result of vrbench: print tables, and write one self-contained HTML page with graphs beside the result. RESULTS "
		 "is a results.json, the folder that holds one, or a folder of results: several are listed, and --output-dir writes the report of each. "
		 "Text is as wide as the terminal, or COLUMNS. vranalyze COMMAND --help explains a command.",
	.actions = actions,
	.rules = rules,
	.examples = "  vranalyze results/results.json\n"
		    "  vranalyze results --format markdown > summary.md\n"
		    "  vranalyze results --output-dir report\n"
		    "  vranalyze monday tuesday nights/ --output-dir report\n"
		    "  vranalyze compare monday tuesday\n",
	.min_operands = 1,
	.max_operands = -1,
	.command = vrs_analyze_command,
};

static enum vrs_status judge_targets(const struct arguments *args, const struct vrs_result *result, struct vrs_findings *findings, int counts[2],
				     struct vrs_error *err)
{
	int missed = 0, invalid = 0;
	enum vrs_status status = vrs_target_table(result, args->targets, findings, &missed, &invalid, err);
	counts[0] += missed;
	counts[1] += invalid;
	return status;
}

/* All tables of a result. */
static enum vrs_status find_tables(const struct arguments *args, const struct vrs_result *result, const char *folder, struct vrs_findings *findings,
				   int counts[2], struct vrs_error *err)
{
	struct vrs_soak soak;
	enum vrs_status status = vrs_summarize(result, findings, err);
	if (status == VRS_OK) {
		(void)vrs_soak_values(result, folder, &soak, findings); /* the end tells what failed */
		vrs_slow_table(result, folder, findings);
		status = judge_targets(args, result, findings, counts, err);
	}
	if (status == VRS_OK) {
		vrs_environment_table(result, findings);
		status = vrs_findings_finish(findings);
	}
	return status == VRS_ENOMEM ? vrs_fail_nomem(err) : status;
}

/* Print, then write what the flags ask for.  JSON takes all points of graphs along, and a run has one for every frame: there they come later. */
static enum vrs_status put_out(const struct vrs_analyze_call *call, const struct vrs_result *result, const char *folder,
				struct vrs_findings *findings, struct vrs_error *err)
{
	const struct arguments *args = call->args;
	bool json = strcmp(args->format, "json") == 0, html = strcmp(args->format, "html") == 0, text = strcmp(args->format, "text") == 0;
	bool writes = !args->no_html || args->output_dir;
	enum vrs_status status = (writes || html) && !json ? vrs_run_graphs(result, folder, findings) : VRS_OK;
	if (status == VRS_OK)
		status = html ? vrs_analyze_print_page(findings, call->out, err)
			      : vrs_analyze_print(findings, args->format, writes ? "plots" : NULL, call->out, err);
	if (status == VRS_OK && text)
		vrs_analyze_print_verdicts(result, call->out);
	if (status == VRS_OK && json && writes)
		status = vrs_run_graphs(result, folder, findings);
	if (status == VRS_OK && args->output_dir)
		status = vrs_analyze_write_folder(findings, args->output_dir, call->notes, err);
	if (status == VRS_OK && !args->no_html && (args->html || !args->output_dir))
		status = vrs_analyze_write_page(findings, args->output_dir ? args->output_dir : folder, args->html, call->notes, err);
	return status;
}

static enum vrs_status explain_one(const struct vrs_analyze_call *call, const char *path, int counts[2], struct vrs_error *err)
{
	const struct arguments *args = call->args;
	char folder[VRS_PATH_MAX];
	struct vrs_result *result = NULL;
	struct vrs_findings *findings = vrs_findings_create();
	enum vrs_status status = findings ? vrs_dataset_load(&result, path, folder, sizeof folder, err) : vrs_fail_nomem(err);
	if (status == VRS_OK)
		status = find_tables(args, result, folder, findings, counts, err);
	if (status == VRS_OK)
		status = put_out(call, result, folder, findings, err);
	vrs_findings_destroy(findings);
	vrs_result_destroy(result);
	return status;
}

/* The report of one of several results in a folder of its own below --output-dir: "01-NAME". */
static enum vrs_status write_details(const struct vrs_analyze_call *call, const struct vrs_result *result, const char *folder,
				const char *path, int number, struct vrs_findings *findings, struct vrs_error *err)
{
	const struct arguments *args = call->args;
	char name[96], own[VRS_PATH_MAX];
	const char *base = vrs_path_base(path);
	snprintf(name, sizeof name, "%02d-%.80s", number, base[0] ? base : "result");
	if (vrs_path_join(own, sizeof own, args->output_dir, name) != VRS_OK)
		return vrs_fail(err, VRS_ELIMIT, "the path %s is too long", args->output_dir);
	enum vrs_status status = vrs_mkdirs_below(args->output_dir, own, err);
	if (status == VRS_OK)
		status = vrs_run_graphs(result, folder, findings);
	return status == VRS_OK ? vrs_analyze_write_folder(findings, own, call->notes, err) : status;
}

/* Into the overview, and out of memory. */
static enum vrs_status add_result(const struct vrs_analyze_call *call, const char *path, int number, struct vrs_overview *overview, int counts[2],
				  struct vrs_error *err)
{
	const struct arguments *args = call->args;
	char folder[VRS_PATH_MAX];
	int own[2] = {0, 0};
	struct vrs_result *result = NULL;
	struct vrs_findings *findings = vrs_findings_create();
	enum vrs_status status = findings ? vrs_dataset_load(&result, path, folder, sizeof folder, err) : vrs_fail_nomem(err);
	if (status == VRS_OK)
		status = args->output_dir ? find_tables(args, result, folder, findings, own, err) : judge_targets(args, result, findings, own, err);
	if (status == VRS_OK && args->output_dir)
		status = write_details(call, result, folder, path, number, findings, err);
	if (status == VRS_OK && vrs_overview_add(overview, result, path, own[0]) != VRS_OK)
		status = vrs_fail_nomem(err);
	counts[0] += own[0];
	counts[1] += own[1];
	vrs_findings_destroy(findings);
	vrs_result_destroy(result);
	return status;
}

/* One that cannot be read is told and left out, and the others go on. */
static enum vrs_status explain_several(const struct vrs_analyze_call *call, const struct vrs_result_list *list, int counts[2], int *ret_unread,
				       struct vrs_error *err)
{
	const struct arguments *args = call->args;
	struct vrs_findings *findings = vrs_findings_create();
	struct vrs_overview *overview = vrs_overview_create();
	enum vrs_status status = findings && overview ? VRS_OK : vrs_fail_nomem(err);
	for (int i = 0; i < list->count && status == VRS_OK; i++) {
		struct vrs_error why = {.status = VRS_OK};
		enum vrs_status read = add_result(call, list->paths[i], i + 1, overview, counts, &why);
		if (read == VRS_ENOMEM || read == VRS_ECONFIG) {
			*err = why;
			status = read;
		} else if (read != VRS_OK && i + 1 == list->count && *ret_unread == i) { /* none could be read */
			*err = why;
			status = read;
		} else if (read != VRS_OK) {
			char text[400];
			vrs_log(VRS_LOG_WARNING, "left out: %s", vrs_error_str(&why, text, sizeof text));
			vrs_findings_add_note(findings, VRS_NOTE_WARNING, "unreadable", "Left out: %s.", text);
			++*ret_unread;
		}
	}
	if (status == VRS_OK)
		status = vrs_overview_report(overview, findings, err);
	if (status == VRS_OK)
		status = vrs_analyze_output(call, findings, args->format, args->output_dir, err);
	if (status == VRS_OK && args->html)
		status = vrs_report_file(vrs_report_find("html"), findings, NULL, args->html, vrs_file_write, err);
	vrs_overview_destroy(overview);
	vrs_findings_destroy(findings);
	return status;
}

static enum vrs_status explain(const struct vrs_analyze_call *call, int *ret_exit, struct vrs_error *err)
{
	const struct arguments *args = call->args;
	struct vrs_result_list list = {.count = 0};
	int counts[2] = {0, 0}, unread = 0; /* targets missed, and not judged */
	enum vrs_status status = args->html ? vrs_analyze_check_page(args->html, err) : VRS_OK;
	for (int i = 0; i < call->count && status == VRS_OK; i++)
		status = vrs_result_list_add(&list, call->operands[i], err);
	if (status == VRS_OK)
		status = list.count == 1 ? explain_one(call, list.paths[0], counts, err) : explain_several(call, &list, counts, &unread, err);
	if (status == VRS_OK && unread > 0)
		*ret_exit = VRS_EXIT_FAILURE;
	else if (status == VRS_OK && args->fail_on)
		*ret_exit = counts[0] ? VRS_EXIT_REGRESSION : counts[1] ? VRS_EXIT_INVALID : VRS_EXIT_OK;
	vrs_result_list_fini(&list);
	return status;
}

const struct vrs_analyze_mode vrs_explain_mode = {
	.spec = &spec, .defaults = &defaults, .args_size = sizeof defaults, .run = explain,
};
