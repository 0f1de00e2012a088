/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Markdown with pipe tables, as code hosts show it; graphs are links to the SVG files. */
#include <string.h>

#include "base/printable.h"
#include "reports/escape.h"
#include "reports/report_list.h"

static enum vrs_status put_row(struct vrs_buf *out, const struct vrs_table *t, char *const *cells, const char (*heads)[48], const bool *shown)
{
	enum vrs_status status = vrs_buf_puts(out, "|");
	for (int c = 0; status == VRS_OK && c < t->columns; c++) {
		if (!shown[c])
			continue;
		status = vrs_buf_puts(out, " ");
		if (status == VRS_OK)
			status = vrs_escape_markdown(out, cells ? cells[c] : heads[c]);
		if (status == VRS_OK)
			status = vrs_buf_puts(out, " |");
	}
	return status != VRS_OK ? status : vrs_buf_puts(out, "\n");
}

/* A paragraph whatever it begins with: not a heading, a list, a rule or code. */
static enum vrs_status put_paragraph(struct vrs_buf *out, const char *text)
{
	while (*text == ' ' || vrs_control_character(text))
		text += *text == ' ' ? 1 : vrs_control_character(text);
	size_t digits = strspn(text, "0123456789");
	bool lists = digits && (text[digits] == '.' || text[digits] == ')'), marks = *text && strchr("#+-~=", *text);
	enum vrs_status status = vrs_buf_printf(out, "\n%.*s%s", lists ? (int)digits : 0, text, lists || marks ? "\\" : "");
	if (status == VRS_OK)
		status = vrs_escape_markdown(out, text + (lists ? digits : 0));
	return status != VRS_OK ? status : vrs_buf_puts(out, "\n");
}

static enum vrs_status put_table(struct vrs_buf *out, const struct vrs_table *t)
{
	bool shown[VRS_FINDINGS_MAX_COLUMNS];
	for (int c = 0; c < t->columns; c++)
		shown[c] = vrs_table_has_values(t, c);
	enum vrs_status status = vrs_buf_puts(out, "\n## ");
	if (status == VRS_OK)
		status = vrs_escape_markdown(out, t->title);
	if (status == VRS_OK)
		status = vrs_buf_puts(out, "\n\n");
	if (status == VRS_OK)
		status = put_row(out, t, NULL, t->heads, shown);
	if (status == VRS_OK)
		status = vrs_buf_puts(out, "|");
	for (int c = 0; status == VRS_OK && c < t->columns; c++)
		if (shown[c])
			status = vrs_buf_puts(out, t->numeric[c] ? "---:|" : "---|");
	if (status == VRS_OK)
		status = vrs_buf_puts(out, "\n");
	for (int r = 0; status == VRS_OK && r < t->rows; r++)
		status = put_row(out, t, t->cells + r * t->columns, NULL, shown);
	if (status == VRS_OK && t->caption[0])
		status = put_paragraph(out, t->caption);
	return status;
}

static enum vrs_status put_code(struct vrs_buf *out, const char *language, const char *code)
{
	char fence[sizeof ((struct vrs_findings *)0)->reproduce + 4]; /* longer than any run of backticks in what is shown */
	enum vrs_status status = vrs_buf_printf(out, "\n%s%s\n", vrs_markdown_fence(code, fence, sizeof fence), language);
	if (status == VRS_OK)
		status = vrs_escape_text(out, code);
	return status != VRS_OK ? status : vrs_buf_printf(out, "\n%s\n", fence);
}

static enum vrs_status put_note(struct vrs_buf *out, const struct vrs_note *n)
{
	static const char *const heads[] = {"Note", "Warning", "Try"};
	enum vrs_status status = vrs_buf_printf(out, "\n- **%s:** ", heads[n->kind]);
	if (status == VRS_OK)
		status = vrs_escape_markdown(out, n->text);
	if (status == VRS_OK && n->evidence[0]) {
		status = vrs_buf_puts(out, " Because ");
		if (status == VRS_OK)
			status = vrs_escape_markdown(out, n->evidence);
	}
	if (status == VRS_OK)
		status = vrs_buf_puts(out, "\n");
	if (status == VRS_OK && n->yaml[0])
		status = put_code(out, "yaml", n->yaml);
	return status;
}

static enum vrs_status put_graph(struct vrs_buf *out, const struct vrs_graph_data *g, const char *svg_dir)
{
	if (!svg_dir)
		return VRS_OK;
	enum vrs_status status = vrs_buf_puts(out, "\n![");
	if (status == VRS_OK)
		status = vrs_escape_markdown(out, g->title);
	return status != VRS_OK ? status : vrs_buf_printf(out, "](%s/%s.svg)\n", svg_dir, g->id);
}

static enum vrs_status write_markdown(const struct vrs_findings *f, const char *svg_dir, struct vrs_buf *out, struct vrs_error *err)
{
	enum vrs_status status = vrs_buf_puts(out, "# ");
	if (status == VRS_OK)
		status = vrs_escape_markdown(out, f->title);
	if (status == VRS_OK)
		status = vrs_buf_puts(out, "\n");
	if (status == VRS_OK && f->subtitle[0])
		status = put_paragraph(out, f->subtitle);
	if (status == VRS_OK && f->verdict[0])
		status = put_paragraph(out, f->verdict);
	if (status == VRS_OK && f->recommendation[0])
		status = put_paragraph(out, f->recommendation);
	for (int i = 0; status == VRS_OK && i < f->table_count; i++)
		status = put_table(out, &f->tables[i]);
	for (int i = 0; status == VRS_OK && i < f->graph_count; i++)
		status = put_graph(out, &f->graphs[i], svg_dir);
	for (int i = 0; status == VRS_OK && i < f->note_count; i++)
		status = put_note(out, &f->notes[i]);
	if (status == VRS_OK && f->reproduce[0])
		status = vrs_buf_puts(out, "\nMeasured with:\n");
	if (status == VRS_OK && f->reproduce[0])
		status = put_code(out, "", f->reproduce);
	return status != VRS_OK ? vrs_fail(err, status, "cannot write the Markdown report: %s", vrs_status_str(status)) : VRS_OK;
}

const struct vrs_report_writer vrs_report_markdown = {"markdown", "md", write_markdown};
