/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plain text for a terminal: no colour carries meaning, columns are aligned, no line is wider than 100 columns. */
#include "reports/escape.h"
#include "reports/report_list.h"
#include "reports/text_table.h"

#include <string.h>

/* Words of text, wrapped, every line after `indent` blanks; the first line continues what stands on the line already (`used` columns). */
static enum vrs_status put_wrapped(struct vrs_buf *out, const char *text, int indent, int used)
{
	enum vrs_status status = VRS_OK;
	int column = used;
	while (status == VRS_OK && *text) {
		size_t length = strcspn(text, " \n");
		char word[160];
		size_t take = length < sizeof word - 1 ? length : sizeof word - 1;
		memcpy(word, text, take);
		word[take] = '\0';
		int width = vrs_text_width(word);
		bool fresh = column <= indent;
		if (!fresh && column + 1 + width > VRS_TEXT_COLUMNS) {
			status = vrs_buf_printf(out, "\n%*s", indent, "");
			column = indent;
			fresh = true;
		}
		if (status == VRS_OK && take)
			status = vrs_buf_printf(out, "%s%s", fresh ? "" : " ", word);
		column += width + !fresh;
		text += take;
		if (*text == ' ' || *text == '\n')
			text++;
	}
	return status != VRS_OK ? status : vrs_buf_puts(out, "\n");
}

static enum vrs_status put_table(struct vrs_buf *out, const struct vrs_table *t)
{
	enum vrs_status status = vrs_buf_printf(out, "\n%s\n", t->title);
	if (status == VRS_OK)
		status = vrs_text_table(out, t);
	if (status == VRS_OK && t->caption[0]) {
		status = vrs_buf_puts(out, "  ");
		if (status == VRS_OK)
			status = put_wrapped(out, t->caption, 2, 2);
	}
	return status;
}

static enum vrs_status put_note(struct vrs_buf *out, const struct vrs_note *n)
{
	static const char *const heads[] = {"note", "warning", "try"};
	enum vrs_status status = vrs_buf_printf(out, "\n%s:", heads[n->kind]);
	if (status == VRS_OK)
		status = put_wrapped(out, n->text, 2, (int)strlen(heads[n->kind]) + 1);
	if (status == VRS_OK && n->evidence[0]) {
		status = vrs_buf_puts(out, "  because");
		if (status == VRS_OK)
			status = put_wrapped(out, n->evidence, 4, 9);
	}
	/* The YAML goes out line by line, indented, so that it can be copied. */
	for (const char *line = n->yaml; status == VRS_OK && *line;) {
		size_t length = strcspn(line, "\n");
		status = vrs_buf_printf(out, "    %.*s\n", (int)length, line);
		line += length + (line[length] == '\n');
	}
	return status;
}

static enum vrs_status put_report(const struct vrs_findings *f, struct vrs_buf *out)
{
	enum vrs_status status = vrs_buf_printf(out, "%s\n", f->title);
	if (status == VRS_OK && f->subtitle[0])
		status = put_wrapped(out, f->subtitle, 0, 0);
	if (status == VRS_OK && f->verdict[0]) {
		status = vrs_buf_puts(out, "\n");
		if (status == VRS_OK)
			status = put_wrapped(out, f->verdict, 0, 0);
	}
	for (int i = 0; status == VRS_OK && i < f->table_count; i++)
		status = put_table(out, &f->tables[i]);
	for (int i = 0; status == VRS_OK && i < f->note_count; i++)
		status = put_note(out, &f->notes[i]);
	if (status == VRS_OK && f->reproduce[0])
		status = vrs_buf_printf(out, "\nmeasured with: %s\n", f->reproduce);
	return status;
}

static enum vrs_status write_text(const struct vrs_findings *f, const char *svg_dir, struct vrs_buf *out, struct vrs_error *err)
{
	(void)svg_dir;
	struct vrs_buf raw; /* names and texts of a result may hold anything: escaped at once, all of it */
	vrs_buf_init(&raw, out->max);
	enum vrs_status status = put_report(f, &raw);
	if (status == VRS_OK)
		status = vrs_escape_text(out, vrs_buf_str(&raw));
	vrs_buf_fini(&raw);
	return status != VRS_OK ? vrs_fail(err, status, "cannot write the text report: %s", vrs_status_str(status)) : VRS_OK;
}

const struct vrs_report_writer vrs_report_text = {"text", "txt", write_text};
