/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Graphs into a folder; *ret_drawn: pictures are there.  A missing gnuplot costs the pictures, not the report. */
static enum vrs_status draw_graphs(const struct vrs_findings *findings, const char *folder, bool *ret_drawn, struct vrs_error *err)
{
	enum vrs_status drawn = vrs_report_graphs(findings, folder, err);
	*ret_drawn = drawn == VRS_OK;
	if (drawn == VRS_ENOTFOUND)
		vrs_log(VRS_LOG_WARNING, "the report has no graphs: %s", err->text);
	return drawn == VRS_ENOTFOUND ? VRS_OK : drawn;
}

static enum vrs_status write_page(const struct vrs_findings *findings, const char *folder, const char *page, bool *ret_drawn, FILE *notes,
				  struct vrs_error *err)
{
	char own[VRS_PATH_MAX], graphs[VRS_PATH_MAX];
	if (vrs_path_join(own, sizeof own, folder, "report.html") || vrs_path_join(graphs, sizeof graphs, folder, "plots"))
		return vrs_fail(err, VRS_ELIMIT, "the path %s is too long", folder);
	enum vrs_status status = draw_graphs(findings, graphs, ret_drawn, err);
	const char *target = page ? page : own;
	if (status == VRS_OK)
		status = vrs_report_file(vrs_report_find("html"), findings, *ret_drawn ? graphs : NULL, target, page ? vrs_file_write : vrs_file_replace, err);
	if (status == VRS_OK)
		fprintf(notes, "report: %s\n", target);
	return status;
}

enum vrs_status vrs_analyze_write_page(const struct vrs_findings *findings, const char *folder, const char *page, FILE *notes, struct vrs_error *err)
{
	bool drawn;
	return write_page(findings, folder, page, &drawn, notes, err);
}

enum vrs_status vrs_analyze_write_folder(const struct vrs_findings *findings, const char *folder, FILE *notes, struct vrs_error *err)
{
	static const char *const files[][2] = {{"markdown", "report.md"}, {"csv", "tables.csv"}};
	char path[VRS_PATH_MAX];
	bool drawn = false;
	enum vrs_status status = vrs_mkdirs(folder, err);
	if (status == VRS_OK)
		status = write_page(findings, folder, NULL, &drawn, notes, err);
	for (size_t i = 0; i < sizeof files / sizeof *files && status == VRS_OK; i++) {
		if (vrs_path_join(path, sizeof path, folder, files[i][1]) != VRS_OK)
			return vrs_fail(err, VRS_ELIMIT, "the path %s is too long", folder);
		status = vrs_report_file(vrs_report_find(files[i][0]), findings, drawn ? "plots" : NULL, path, vrs_file_replace, err);
	}
	return status;
}

static void remove_graphs(const struct vrs_findings *findings, const char *folder)
{
	static const char *const extensions[] = {"svg", "png", "gp", "tsv"};
	char path[VRS_PATH_MAX];
	for (int i = 0; i < findings->graph_count; i++)
		for (size_t k = 0; k < sizeof extensions / sizeof *extensions; k++)
			if (snprintf(path, sizeof path, "%s/%s.%s", folder, findings->graphs[i].id, extensions[k]) < (int)sizeof path)
				(void)unlink(path);
	(void)rmdir(folder);
}

enum vrs_status vrs_analyze_print_page(const struct vrs_findings *findings, FILE *out, struct vrs_error *err)
{
	char folder[VRS_PATH_MAX];
	const char *parent = getenv("TMPDIR");
	bool drawn = false;
	if (snprintf(folder, sizeof folder, "%s/vranalyze-XXXXXX", parent && parent[0] ? parent : "/tmp") >= (int)sizeof folder || !mkdtemp(folder))
		return vrs_fail(err, VRS_EIO, "cannot make a folder for graphs in %s: %m", parent && parent[0] ? parent : "/tmp");
	enum vrs_status status = draw_graphs(findings, folder, &drawn, err);
	if (status == VRS_OK)
		status = vrs_analyze_print(findings, "html", drawn ? folder : NULL, out, err);
	remove_graphs(findings, folder);
	return status;
}

enum vrs_status vrs_analyze_output(const struct vrs_analyze_call *call, const struct vrs_findings *findings, const char *format,
				const char *output_dir, struct vrs_error *err)
{
	enum vrs_status status = strcmp(format, "html") == 0 ? vrs_analyze_print_page(findings, call->out, err)
							      : vrs_analyze_print(findings, format, output_dir ? "plots" : NULL, call->out, err);
	return status == VRS_OK && output_dir ? vrs_analyze_write_folder(findings, output_dir, call->notes, err) : status;
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
