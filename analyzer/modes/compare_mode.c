/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vranalyze compare A B: two results side by side. */
#include <stdio.h>
#include <string.h>

#include <vrseg/exit_codes.h>

#include "analyzer/compare.h"
#include "analyzer/dataset.h"
#include "analyzer/modes/analyze_program.h"
#include "base/file.h"
#include "base/verdict_line.h"
#include "bench/judge/verdict.h"

struct arguments {
	const char *format;
};

static const struct arguments defaults = {.format = "text"};

static const struct vrs_cli_action actions[] = {
	VRS_FORMAT_FLAG(struct arguments),
	{.flag = NULL},
};

static const struct vrs_cli_spec spec = {
	.program = "vranalyze compare",
	.summary = "two results of vrbench side by side",
	.program_bit = VRS_PROGRAM_VRANALYZE,
	.usage = "vranalyze compare A B",
	.intro = "Show the cases that two results have in common, and what differs between the machines and settings they were measured with. Two results "
		 "share no rounds, so there is no verdict: vrbench --versus measures both sides together.",
	.actions = actions,
	.examples = "  vranalyze compare monday tuesday\n"
		    "  vranalyze compare monday/results.json tuesday --format markdown\n",
	.max_operands = 2,
};

static enum vrs_status compare(const struct vrs_analyze_call *call, int *ret_exit, struct vrs_error *err)
{
	const struct arguments *args = call->args;
	const char *const *operands = call->operands;
	char folder[VRS_PATH_MAX];
	struct vrs_result *a = NULL, *b = NULL;
	enum vrs_hindrance hindrance = VRS_NO_SHARED_ROUNDS;
	if (call->count != 2)
		return vrs_fail(err, VRS_ECONFIG, "compare wants two results: vranalyze compare A B");
	struct vrs_findings *findings = vrs_findings_create();
	enum vrs_status status = findings ? VRS_OK : vrs_fail_nomem(err);
	if (status == VRS_OK)
		status = vrs_dataset_load(&a, operands[0], folder, sizeof folder, err);
	if (status == VRS_OK)
		status = vrs_dataset_load(&b, operands[1], folder, sizeof folder, err);
	if (status == VRS_OK)
		status = vrs_compare_results(a, operands[0], b, operands[1], findings, &hindrance, err);
	if (status == VRS_OK)
		status = vrs_analyze_print(findings, args->format, NULL, call->out, err);
	bool comparable = hindrance == VRS_NO_SHARED_ROUNDS;
	if (status == VRS_OK && strcmp(args->format, "text") == 0) {
		char line[VRS_VERDICT_LINE_MAX];
		vrs_verdict_line_begin(line, sizeof line, comparable ? "inconclusive" : "incomparable");
		vrs_verdict_line_put(line, sizeof line, "reason", "%s", vrs_name_of(&vrs_hindrance_names, hindrance));
		fprintf(call->out, "\n%s\n", line);
	}
	if (status == VRS_OK)
		*ret_exit = comparable ? VRS_EXIT_INCONCLUSIVE : VRS_EXIT_INCOMPARABLE;
	vrs_findings_destroy(findings);
	vrs_result_destroy(a);
	vrs_result_destroy(b);
	return status;
}

const struct vrs_analyze_mode vrs_compare_mode = {
	.name = "compare", .spec = &spec, .defaults = &defaults, .args_size = sizeof defaults, .run = compare,
};
