/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plain text for a terminal: no colour carries meaning, columns are aligned, no line is wider than the terminal but those that are meant to be
 * copied.
 */
#include "reports/escape.h"
#include "reports/report_list.h"
#include "reports/text_table.h"

#include <string.h>

enum { PROSE_COLUMNS = 100 }; /* sentences in longer lines are hard to read */

/* Where the report goes, and the columns of a line there. */
struct page {
	struct vrs_buf *out;
	int columns;
};

/*
 * Words of text, wrapped, every line after `indent` blanks; the first line continues what stands on the line already (`used` columns).  A word that
 * is longer than a line goes on in the next one.
 */
static enum vrs_status put_wrapped(const struct page *page, const char *text, int indent, int used)
{
	enum vrs_status status = VRS_OK;
	int column = used, columns = page->columns < PROSE_COLUMNS ? page->columns : PROSE_COLUMNS;
	while (status == VRS_OK && *text) {
		size_t length = strcspn(text, " \n");
		char word[4 * PROSE_COLUMNS + 1];
		const char *next = text;
		memcpy(word, text, length < sizeof word - 1 ? length : sizeof word - 1);
		word[length < sizeof word - 1 ? length : sizeof word - 1] = '\0';
		size_t take = length ? vrs_text_line(word, columns - indent, &next) : 0;
		word[take] = '\0';
		int width = vrs_text_width(word);
		bool fresh = column <= indent;
		if (!fresh && column + 1 + width > columns) {
			status = vrs_buf_printf(page->out, "\n%*s", indent, "");
			column = indent;
			fresh = true;
		}
		if (status == VRS_OK && take)
			status = vrs_buf_printf(page->out, "%s%s", fresh ? "" : " ", word);
		column += width + !fresh;
		text += take;
		if (*text == ' ' || *text == '\n')
			text++;
	}
	return status != VRS_OK ? status : vrs_buf_puts(page->out, "\n");
}

static enum vrs_status put_table(const struct page *page, const struct vrs_table *t)
{
	struct vrs_buf *out = page->out;
	enum vrs_status status = vrs_buf_puts(out, "\n");
	if (status == VRS_OK)
		status = put_wrapped(page, t->title, 0, 0);
	if (status == VRS_OK)
		status = vrs_text_table(out, t, page->columns);
	if (status == VRS_OK && t->caption[0]) {
		status = vrs_buf_puts(out, "  ");
		if (status == VRS_OK)
			status = put_wrapped(page, t->caption, 2, 2);
	}
	return status;
}

static enum vrs_status put_note(const struct page *page, const struct vrs_note *n)
{
	struct vrs_buf *out = page->out;
	static const char *const heads[] = {"note", "warning", "try"};
	enum vrs_status status = vrs_buf_printf(out, "\n%s:", heads[n->kind]);
	if (status == VRS_OK)
		status = put_wrapped(page, n->text, 2, (int)strlen(heads[n->kind]) + 1);
	if (status == VRS_OK && n->evidence[0]) {
		status = vrs_buf_puts(out, "  because");
		if (status == VRS_OK)
			status = put_wrapped(page, n->evidence, 4, 9);
	}
	/* The YAML goes out line by line, indented, so that it can be copied. */
	for (const char *line = n->yaml; status == VRS_OK && *line;) {
		size_t length = strcspn(line, "\n");
		status = vrs_buf_printf(out, "    %.*s\n", (int)length, line);
		line += length + (line[length] == '\n');
	}
	return status;
}

static enum vrs_status put_report(const struct vrs_findings *f, const struct page *page)
{
	struct vrs_buf *out = page->out;
	enum vrs_status status = put_wrapped(page, f->title, 0, 0);
	if (status == VRS_OK && f->subtitle[0])
		status = put_wrapped(page, f->subtitle, 0, 0);
	if (status == VRS_OK && f->verdict[0]) {
		status = vrs_buf_puts(out, "\n");
		if (status == VRS_OK)
			status = put_wrapped(page, f->verdict, 0, 0);
	}
	if (status == VRS_OK && f->recommendation[0])
		status = put_wrapped(page, f->recommendation, 0, 0);
	for (int i = 0; status == VRS_OK && i < f->table_count; i++)
		status = put_table(page, &f->tables[i]);
	for (int i = 0; status == VRS_OK && i < f->note_count; i++)
		status = put_note(page, &f->notes[i]);
	if (status == VRS_OK && f->reproduce[0])
		status = vrs_buf_printf(out, "\nmeasured with: %s\n", f->reproduce);
	return status;
}

enum vrs_status vrs_report_text_columns(const struct vrs_findings *f, int columns, struct vrs_buf *out, struct vrs_error *err)
{
	struct vrs_buf raw; /* names and texts of a result may hold anything: escaped at once, all of it */
	vrs_buf_init(&raw, out->max);
	enum vrs_status status = put_report(f, &(struct page){&raw, columns});
	if (status == VRS_OK)
		status = vrs_escape_text(out, vrs_buf_str(&raw));
	vrs_buf_fini(&raw);
	return status != VRS_OK ? vrs_fail(err, status, "cannot write the text report: %s", vrs_status_str(status)) : VRS_OK;
}

static enum vrs_status write_text(const struct vrs_findings *f, const char *svg_dir, struct vrs_buf *out, struct vrs_error *err)
{
	(void)svg_dir;
	return vrs_report_text_columns(f, VRS_TEXT_COLUMNS, out, err);
}

const struct vrs_report_writer vrs_report_text = {"text", "txt", write_text};
