/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/str_parse.h"
#include "base/terminal.h"
#include "reports/report_list.h"
#include "reports/text_table.h"

/* A self-contained HTML report with a dozen embedded graphs stays below a tenth of this. */
#define REPORT_MAX (64u << 20)

static const struct vrs_report_writer *const writers[] = {
	&vrs_report_text, &vrs_report_markdown, &vrs_report_json, &vrs_report_html, &vrs_report_csv, NULL,
};

const struct vrs_report_writer *vrs_report_find(const char *name)
{
	for (int i = 0; writers[i]; i++)
		if (strcmp(writers[i]->name, name) == 0)
			return writers[i];
	return NULL;
}

enum vrs_status vrs_report_file(const struct vrs_report_writer *writer, const struct vrs_findings *findings, const char *svg_dir, const char *path,
				vrs_report_save_fn save, struct vrs_error *err)
{
	struct vrs_buf out;
	vrs_buf_init(&out, REPORT_MAX);
	enum vrs_status status = writer->write(findings, svg_dir, &out, err);
	if (status == VRS_OK)
		status = save(path, vrs_buf_str(&out), out.len, err);
	vrs_buf_fini(&out);
	return status;
}

int vrs_report_columns(FILE *out)
{
	const char *asked = getenv("COLUMNS");
	int64_t columns = 0;
	if (!asked || !vrs_parse_int(asked, 1, INT32_MAX, &columns))
		columns = vrs_terminal_columns(out);
	if (columns < 1)
		return VRS_TEXT_COLUMNS;
	return (int)(columns < VRS_TEXT_COLUMNS_MIN ? VRS_TEXT_COLUMNS_MIN : columns > VRS_TEXT_COLUMNS_MAX ? VRS_TEXT_COLUMNS_MAX : columns);
}

enum vrs_status vrs_report_print(const struct vrs_findings *findings, FILE *out)
{
	struct vrs_buf text;
	vrs_buf_init(&text, REPORT_MAX);
	enum vrs_status status = vrs_report_text_columns(findings, vrs_report_columns(out), &text, NULL);
	if (status == VRS_OK && (fwrite(vrs_buf_str(&text), 1, text.len, out) != text.len || fflush(out) != 0))
		status = VRS_EIO;
	vrs_buf_fini(&text);
	return status;
}

enum vrs_status vrs_report_show(struct vrs_findings *findings, FILE *out, struct vrs_error *err)
{
	enum vrs_status status = findings ? vrs_findings_finish(findings) : VRS_ENOMEM;
	if (status == VRS_OK)
		status = vrs_report_print(findings, out);
	vrs_findings_destroy(findings);
	return status == VRS_OK ? VRS_OK : vrs_fail(err, status, "cannot print the report: %s", vrs_status_str(status));
}
