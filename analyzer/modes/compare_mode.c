/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vranalyze compare A B ...: results of several invocations side by side, each against the first. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <vrseg/exit_codes.h>

#include "analyzer/compare.h"
#include "analyzer/dataset.h"
#include "analyzer/modes/analyze_program.h"
#include "base/file.h"
#include "base/verdict_line.h"

enum { RESULTS_MAX = 26 }; /* one letter each */

struct arguments {
	const char *format, *output_dir;
	bool explain;
};

static const struct arguments defaults = {.format = "text"};

static const struct vrs_cli_action actions[] = {
	VRS_FORMAT_FLAG(struct arguments),
	VRS_OUTPUT_DIR_FLAG(struct arguments),
	{.flag = "explain", VRS_SWITCH_FIELD(struct arguments, explain), .brief = "every step of each verdict", .group = "Judgement",
	 .help = "Derive every verdict step by step"},
	{.flag = NULL},
};

static const struct vrs_cli_spec spec = {
	.program = "vranalyze compare",
	.summary = "results of vrbench side by side",
	.program_bit = VRS_PROGRAM_VRANALYZE,
	.usage = "vranalyze compare A B ...",
	.intro = "Compare results with the first one, A: every figure of the cases that they share, and what differs between machines, builds and settings. "
		 "Two invocations share no rounds, so speed is INCONCLUSIVE, with the vrbench --versus that settles it, unless calibrations of several days "
		 "(vrbench --calibrate) have shown how invocations differ on this machine. Cases are judged as one family (Holm).",
	.actions = actions,
	.examples = "  vranalyze compare monday tuesday\n"
		    "  vranalyze compare monday/results.json tuesday wednesday --format markdown\n"
		    "  vranalyze compare monday tuesday --explain\n",
	.max_operands = RESULTS_MAX,
};

/* The worst of the codes: a regression, invalid, incomparable, inconclusive. */
static int worse_code(int a, int b)
{
	static const int order[] = {VRS_EXIT_REGRESSION, VRS_EXIT_INVALID, VRS_EXIT_INCOMPARABLE, VRS_EXIT_INCONCLUSIVE};
	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return VRS_EXIT_OK;
}

static void write_title(const struct vrs_compare_side *sides, int count, struct vrs_findings *f)
{
	size_t used = 0;
	snprintf(f->title, sizeof f->title, "A against B%s%s", count > 3 ? " to " : count > 2 ? ", " : "",
			 count > 2 ? (char[]){sides[count - 1].letter, 0} : "");
	for (int i = 0; i < count && used < sizeof f->subtitle; i++)
		used += (size_t)snprintf(f->subtitle + used, sizeof f->subtitle - used, "%s%c: %s (%s).", i ? " " : "", sides[i].letter, sides[i].path,
					 sides[i].result->started_utc);
}

/* Of two results a sentence; of several a few words for each. */
static void add_sentence(const struct vrs_compare_outcome *outcome, char letter, bool several, struct vrs_findings *f)
{
	char words[96];
	size_t used = strlen(f->verdict);
	vrs_compare_words(outcome, words, sizeof words);
	if (several)
		snprintf(f->verdict + used, sizeof f->verdict - used, "%s%c: %s.", used ? " " : "", letter, words);
	else
		vrs_compare_sentence(outcome, f->verdict, sizeof f->verdict);
}

static enum vrs_status compare_all(const struct vrs_analyze_call *call, const struct vrs_compare_side *sides,
				struct vrs_findings *findings, int *ret_exit, struct vrs_error *err)
{
	const struct arguments *args = call->args;
	const struct vrs_compare_options options = {.now = time(NULL), .explain = args->explain};
	bool several = call->count > 2;
	char lines[RESULTS_MAX][VRS_VERDICT_LINE_MAX];
	enum vrs_status status = VRS_OK;
	for (int i = 1; i < call->count && status == VRS_OK; i++) {
		struct vrs_compare_outcome outcome;
		status = vrs_compare_results(&sides[0], &sides[i], &options, findings, &outcome, err);
		if (status != VRS_OK)
			return status;
		add_sentence(&outcome, sides[i].letter, several, findings);
		vrs_compare_line(&outcome, lines[i], sizeof lines[i]);
		if (several)
			vrs_verdict_line_put(lines[i], sizeof lines[i], "result", "%c", sides[i].letter);
		*ret_exit = worse_code(*ret_exit, outcome.exit_code);
	}
	status = vrs_findings_finish(findings);
	if (status != VRS_OK)
		return vrs_fail(err, status, "cannot compare: %s", vrs_status_str(status));
	status = vrs_analyze_output(call, findings, args->format, args->output_dir, err);
	for (int i = 1; i < call->count && status == VRS_OK && strcmp(args->format, "text") == 0; i++)
		fprintf(call->out, "%s%s\n", i == 1 ? "\n" : "", lines[i]);
	return status;
}

static enum vrs_status compare(const struct vrs_analyze_call *call, int *ret_exit, struct vrs_error *err)
{
	char folder[VRS_PATH_MAX];
	struct vrs_compare_side sides[RESULTS_MAX];
	struct vrs_result *results[RESULTS_MAX] = {NULL};
	if (call->count < 2)
		return vrs_fail(err, VRS_ECONFIG, "compare wants two results or more: vranalyze compare A B");
	struct vrs_findings *findings = vrs_findings_create();
	enum vrs_status status = findings ? VRS_OK : vrs_fail_nomem(err);
	for (int i = 0; i < call->count && status == VRS_OK; i++) {
		status = vrs_dataset_load(&results[i], call->operands[i], folder, sizeof folder, err);
		sides[i] = (struct vrs_compare_side){results[i], call->operands[i], (char)('A' + i)};
	}
	if (status == VRS_OK)
		write_title(sides, call->count, findings);
	int code = VRS_EXIT_OK;
	if (status == VRS_OK)
		status = compare_all(call, sides, findings, &code, err);
	if (status == VRS_OK)
		*ret_exit = code;
	vrs_findings_destroy(findings);
	for (int i = 0; i < call->count; i++)
		vrs_result_destroy(results[i]);
	return status;
}

const struct vrs_analyze_mode vrs_compare_mode = {
	.name = "compare", .spec = &spec, .defaults = &defaults, .args_size = sizeof defaults, .run = compare,
};
