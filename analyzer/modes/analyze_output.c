/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <vrseg/log.h>

#include "analyzer/modes/analyze_program.h"
#include "base/file.h"
#include "base/verdict_line.h"
#include "bench/judge/verdict.h"
#include "reports/report.h"

enum vrs_status vrs_analyze_print(const struct vrs_findings *findings, const char *format, const char *graphs, FILE *out, struct vrs_error *err)
{
	struct vrs_buf text;
	vrs_buf_init(&text, 64u << 20);
	enum vrs_status status = strcmp(format, "text") == 0 ? vrs_report_text_columns(findings, vrs_report_columns(out), &text, err)
							      : vrs_report_find(format)->write(findings, graphs, &text, err);
	if (status == VRS_OK && (fwrite(vrs_buf_str(&text), 1, text.len, out) != text.len || fflush(out) != 0))
		status = vrs_fail(err, VRS_EIO, "cannot write to standard output: %m");
	vrs_buf_fini(&text);
	return status;
}

enum vrs_status vrs_analyze_check_page(const char *path, struct vrs_error *err)
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

enum vrs_status vrs_analyze_write_page(const struct vrs_findings *findings, const char *folder, const char *page, FILE *notes, struct vrs_error *err)
{
	char own[VRS_PATH_MAX], graphs[VRS_PATH_MAX];
	if (vrs_path_join(own, sizeof own, folder, "report.html") || vrs_path_join(graphs, sizeof graphs, folder, "plots"))
		return vrs_fail(err, VRS_ELIMIT, "the path %s is too long", folder);
	enum vrs_status drawn = vrs_report_graphs(findings, graphs, err);
	if (drawn == VRS_ENOTFOUND)
		vrs_log(VRS_LOG_WARNING, "the report has no graphs: %s", err->text);
	else if (drawn != VRS_OK)
		return drawn;
	const char *target = page ? page : own;
	enum vrs_status status = vrs_report_file(vrs_report_find("html"), findings, drawn ? NULL : graphs, target,
						 page ? vrs_file_write : vrs_file_replace, err);
	if (status == VRS_OK)
		fprintf(notes, "report: %s\n", target);
	return status;
}

void vrs_analyze_print_verdicts(const struct vrs_result *result, FILE *out)
{
	char line[VRS_VERDICT_LINE_MAX];
	for (int i = 0; i < result->comparison_count; i++) {
		vrs_verdict_line(&result->comparisons[i], line, sizeof line);
		if (result->injected_slowdown > 0)
			vrs_verdict_line_put(line, sizeof line, "injected_slowdown", "%.0f%%", 100 * result->injected_slowdown);
		fprintf(out, "%s%s\n", i ? "" : "\n", line);
	}
}
