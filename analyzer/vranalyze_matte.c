/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vranalyze-matte: what vranalyze matte runs. It has FFmpeg, which vranalyze itself does without. */
#include <stdio.h>
#include <string.h>

#include <vrseg/matte_measure.h>

#include "analyzer/findings.h"
#include "analyzer/matte_tables.h"
#include "analyzer/modes/analyze_program.h"
#include "analyzer/modes/matte_args.h"
#include "base/file.h"
#include "base/stacks.h"

static enum vrs_status make_request(struct vrs_matte_request *ret, const struct vrs_analyze_call *call, struct vrs_error *err)
{
	const struct vrs_matte_args *args = call->args;
	*ret = (struct vrs_matte_request){.file = call->operands[0], .source = args->source, .truth = args->truth,
		.kind = (enum vrs_matte_kind)args->kind, .most_frames = args->max_frames};
	ret->layout.layout = (enum vrs_layout_choice)args->layout;
	return vrs_projection_ask(&ret->layout, args->projection ? args->projection : "auto", err);
}

/* The contact sheet where a user named it, and the one of the output folder. */
static enum vrs_status draw_sheets(const struct vrs_matte_request *request, const struct vrs_matte_report *report,
				   const struct vrs_analyze_call *call, struct vrs_findings *findings, struct vrs_error *err)
{
	const struct vrs_matte_args *args = call->args;
	struct vrs_matte_sheet_row rows[VRS_MATTE_SHEET_ROWS];
	const char *reasons[VRS_MATTE_SHEET_ROWS], *names[2] = {args->sheet, NULL};
	char own[VRS_PATH_MAX];
	enum vrs_status status = VRS_OK;
	int count = vrs_matte_worst_frames(report, rows, reasons);
	if (args->output_dir) {
		if (vrs_path_join(own, sizeof own, args->output_dir, "worst_frames.png") != VRS_OK)
			return vrs_fail(err, VRS_ELIMIT, "the path %s is too long", args->output_dir);
		names[1] = own;
	}
	for (int i = 0; i < 2 && status == VRS_OK; i++) {
		if (!names[i])
			continue;
		if (count == 0)
			return vrs_fail(err, VRS_EFORMAT, "there is no worst frame to draw: no matte of %s has a value", request->file);
		status = vrs_matte_sheet(request, rows, count, names[i], true, err);
		if (status == VRS_OK)
			fprintf(call->notes, "contact sheet: %s\n", names[i]);
	}
	if (status == VRS_OK && (names[0] || names[1]))
		vrs_matte_sheet_table(report, rows, reasons, count, names[0] ? names[0] : names[1], findings);
	return status;
}

static enum vrs_status report(const struct vrs_matte_request *request, const struct vrs_matte_report *measured, const struct vrs_analyze_call *call,
			      struct vrs_findings *findings, struct vrs_error *err)
{
	const struct vrs_matte_args *args = call->args;
	bool for_programs = strcmp(args->format, "json") == 0 || strcmp(args->format, "csv") == 0;
	vrs_matte_findings(measured, request, for_programs, findings);
	enum vrs_status status = draw_sheets(request, measured, call, findings, err);
	if (status == VRS_OK)
		status = vrs_findings_finish(findings);
	if (status == VRS_OK)
		status = vrs_analyze_print(findings, args->format, NULL, call->out, err);
	if (status == VRS_OK && args->output_dir)
		status = vrs_analyze_write_page(findings, args->output_dir, NULL, call->notes, err);
	return status;
}

static enum vrs_status measure(const struct vrs_analyze_call *call, int *ret_exit, struct vrs_error *err)
{
	const struct vrs_matte_args *args = call->args;
	struct vrs_matte_request request;
	struct vrs_matte_report *measured = NULL;
	(void)ret_exit;
	enum vrs_status status = make_request(&request, call, err);
	if (status == VRS_OK && args->output_dir)
		status = vrs_mkdirs(args->output_dir, err);
	if (status == VRS_OK && args->sheet)
		status = vrs_matte_sheet_check(args->sheet, err);
	if (status == VRS_OK)
		status = vrs_matte_measure(&measured, &request, err);
	if (status != VRS_OK)
		return status;
	struct vrs_findings *findings = vrs_findings_create();
	status = findings ? report(&request, measured, call, findings, err) : vrs_fail_nomem(err);
	vrs_findings_destroy(findings);
	vrs_matte_report_destroy(measured);
	return status;
}

static int run(int argc, char **argv)
{
	struct vrs_analyze_mode mode = vrs_matte_mode; /* its flags, and what it does */
	mode.run = measure;
	return vrs_analyze_run(&mode, argc, argv, stdout, stderr);
}

int main(int argc, char **argv)
{
	return vrs_run_program(run, argc, argv);
}
