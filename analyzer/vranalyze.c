/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vranalyze: explain a result, compare two. Parse, analyse, write, exit code. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <vrseg/config.h>
#include <vrseg/exit_codes.h>
#include <vrseg/log.h>

#include "analyzer/compare.h"
#include "analyzer/dataset.h"
#include "analyzer/run_graphs.h"
#include "analyzer/summary.h"
#include "analyzer/targets.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/messages.h"
#include "base/stacks.h"
#include "base/stop.h"
#include "base/verdict_line.h"
#include "bench/judge/verdict.h"
#include "reports/report.h"

struct arguments {
	const char *format, *html, *targets;
	unsigned fail_on;        /* 1: target */
	bool no_html;
};

static const struct vrs_cli_action actions[] = {
	{.flag = "format", VRS_TEXT_FIELD(struct arguments, format), .choices = "text markdown json csv", .brief = "text, markdown, json or csv",
	 .value_name = "FORMAT", .group = "Output", .help = "Choose the format of standard output: text, markdown, json, csv"},
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
		 "is a results.json, or the folder that holds one.",
	.actions = actions,
	.rules = rules,
	.examples = "  vranalyze results/results.json\n"
		    "  vranalyze results --format markdown > summary.md\n"
		    "  vranalyze compare monday tuesday\n",
	.min_operands = 1,
	.max_operands = 3,
};

static enum vrs_status print_findings(const struct vrs_findings *findings, const char *format, const char *graphs, struct vrs_error *err)
{
	struct vrs_buf out;
	vrs_buf_init(&out, 64u << 20);
	enum vrs_status status = vrs_report_find(format)->write(findings, graphs, &out, err);
	if (status == VRS_OK && (fwrite(vrs_buf_str(&out), 1, out.len, stdout) != out.len || fflush(stdout) != 0))
		status = vrs_fail(err, VRS_EIO, "cannot write to standard output: %m");
	vrs_buf_fini(&out);
	return status;
}

/* Can the page be written there? Asked before anything is printed. */
static enum vrs_status check_page(const char *path, struct vrs_error *err)
{
	struct vrs_temp_file probe;
	char real[PATH_MAX];
	struct stat info;
	bool exists = stat(path, &info) == 0;
	if (exists && S_ISDIR(info.st_mode))
		return vrs_fail(err, VRS_EIO, "cannot write %s: it is a folder; give the name of a file in it", path);
	if (exists && !S_ISREG(info.st_mode)) /* such as /dev/stdout */
		return VRS_OK;
	enum vrs_status status = vrs_file_resolve(path, real, err);
	if (status != VRS_OK)
		return status;
	status = vrs_temp_file_create(&probe, real, err);
	vrs_temp_file_discard(&probe);
	return status;
}

/* Graphs beside the page, then the page. A missing gnuplot costs the pictures, not the report; another failure is that of the page. */
static enum vrs_status write_page(const struct vrs_findings *findings, const struct arguments *args, const char *folder, struct vrs_error *err)
{
	char page[VRS_PATH_MAX], graphs[VRS_PATH_MAX];
	if (vrs_path_join(page, sizeof page, folder, "report.html") || vrs_path_join(graphs, sizeof graphs, folder, "plots"))
		return vrs_fail(err, VRS_ELIMIT, "the path %s is too long", folder);
	enum vrs_status drawn = vrs_report_graphs(findings, graphs, err);
	if (drawn == VRS_ENOTFOUND)
		vrs_log(VRS_LOG_WARNING, "the report has no graphs: %s", err->text);
	else if (drawn != VRS_OK)
		return drawn;
	const char *target = args->html ? args->html : page;
	enum vrs_status status = vrs_report_file(vrs_report_find("html"), findings, drawn ? NULL : graphs, target,
						 args->html ? vrs_file_write : vrs_file_replace, err);
	if (status == VRS_OK)
		fprintf(stderr, "report: %s\n", target);
	return status;
}

/* The lines for scripts of an A/B: every metric, the deciding one first. */
static void print_lines(const struct vrs_result *result)
{
	char line[VRS_VERDICT_LINE_MAX];
	for (int i = 0; i < result->comparison_count; i++) {
		vrs_verdict_line(&result->comparisons[i], line, sizeof line);
		if (result->injected_slowdown > 0)
			vrs_verdict_line_put(line, sizeof line, "injected_slowdown", "%.0f%%", 100 * result->injected_slowdown);
		printf("%s%s\n", i ? "" : "\n", line);
	}
}

static enum vrs_status explain(const char *path, const struct arguments *args, int *ret_exit, struct vrs_error *err)
{
	char folder[VRS_PATH_MAX];
	int missed = 0, invalid = 0;
	struct vrs_soak soak;
	struct vrs_result *result = NULL;
	struct vrs_findings *findings = vrs_findings_create();
	enum vrs_status status = findings ? VRS_OK : vrs_fail_nomem(err);
	if (status == VRS_OK && args->html)
		status = check_page(args->html, err);
	if (status == VRS_OK)
		status = vrs_dataset_load(&result, path, folder, sizeof folder, err);
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
		status = print_findings(findings, args->format, args->no_html ? NULL : "plots", err);
	if (status == VRS_OK && strcmp(args->format, "text") == 0)
		print_lines(result);
	if (status == VRS_OK && json && !args->no_html)
		status = vrs_run_graphs(result, folder, findings);
	if (status == VRS_OK && !args->no_html)
		status = write_page(findings, args, folder, err);
	if (status == VRS_OK && args->fail_on)
		*ret_exit = missed ? VRS_EXIT_REGRESSION : invalid ? VRS_EXIT_INVALID : VRS_EXIT_OK;
	vrs_findings_destroy(findings);
	vrs_result_destroy(result);
	return status;
}

static enum vrs_status compare(const char *a_path, const char *b_path, const struct arguments *args, int *ret_exit, struct vrs_error *err)
{
	char folder[VRS_PATH_MAX];
	struct vrs_result *a = NULL, *b = NULL;
	enum vrs_hindrance hindrance = VRS_NO_SHARED_ROUNDS;
	struct vrs_findings *findings = vrs_findings_create();
	enum vrs_status status = findings ? VRS_OK : vrs_fail_nomem(err);
	if (status == VRS_OK)
		status = vrs_dataset_load(&a, a_path, folder, sizeof folder, err);
	if (status == VRS_OK)
		status = vrs_dataset_load(&b, b_path, folder, sizeof folder, err);
	if (status == VRS_OK)
		status = vrs_compare_results(a, a_path, b, b_path, findings, &hindrance, err);
	if (status == VRS_OK)
		status = print_findings(findings, args->format, NULL, err);
	bool comparable = hindrance == VRS_NO_SHARED_ROUNDS;
	if (status == VRS_OK && strcmp(args->format, "text") == 0) {
		char line[VRS_VERDICT_LINE_MAX];
		vrs_verdict_line_begin(line, sizeof line, comparable ? "inconclusive" : "incomparable");
		vrs_verdict_line_put(line, sizeof line, "reason", "%s", vrs_name_of(&vrs_hindrance_names, hindrance));
		printf("\n%s\n", line);
	}
	if (status == VRS_OK)
		*ret_exit = comparable ? VRS_EXIT_INCONCLUSIVE : VRS_EXIT_INCOMPARABLE;
	vrs_findings_destroy(findings);
	vrs_result_destroy(a);
	vrs_result_destroy(b);
	return status;
}

static enum vrs_status run(const char *const *operands, int count, const struct arguments *args, int *ret_exit, struct vrs_error *err)
{
	if (count > 0 && strcmp(operands[0], "compare") == 0) {
		if (count != 3)
			return vrs_fail(err, VRS_ECONFIG, "compare wants two results: vranalyze compare A B");
		return compare(operands[1], operands[2], args, ret_exit, err);
	}
	if (count != 1)
		return vrs_fail(err, VRS_ECONFIG, "one result at a time: vranalyze RESULTS (two side by side: vranalyze compare A B)");
	return explain(operands[0], args, ret_exit, err);
}

static int run_vranalyze(int argc, char **argv)
{
	struct vrs_error err = {.status = VRS_OK};
	struct arguments args = {.format = "text"};
	struct vrs_config *config = NULL;
	const char **operands = NULL;
	int count = 0, code = 0;
	vrs_stop_install();
	vrs_messages_begin("vranalyze", NULL, NULL);
	enum vrs_status status = vrs_config_create(&config);
	if (status == VRS_OK)
		status = vrs_cli_parse(config, &spec, argc, argv, &args, stdout, &operands, &count, &err);
	if (status == VRS_OK)
		status = vrs_config_open_messages(config, &err);
	if (status == VRS_OK)
		status = run(operands, count, &args, &code, &err);
	vrs_free(operands);
	vrs_config_destroy(config);
	int failure = vrs_messages_end(status, &err);
	return failure ? failure : code;
}

int main(int argc, char **argv)
{
	return vrs_run_program(run_vranalyze, argc, argv);
}
