/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every cell of every table as one line, "table,row,column,value" (RFC 4180): spreadsheets and data frames turn it back into tables of any width.
 * row is the text of the first column, and of the next one with values where several rows are about one thing.  Notes follow as the table "notes".
 * A text that a spreadsheet would compute begins with an apostrophe: it could fetch addresses or start programs.
 */
#include "reports/escape.h"
#include "reports/report_list.h"

#include <stdbool.h>
#include <string.h>

/* Would a spreadsheet compute this text?  What begins with a sign is a number, or several, as long as no name, bracket or quote follows. */
static bool is_formula(const char *text)
{
	text += strspn(text, " \t\r\n");
	bool is_signed = *text == '+' || *text == '-';
	return *text == '=' || *text == '@' || (is_signed && text[strspn(text, "+-0123456789.,:e%/[] ")] != 0);
}

static enum vrs_status put_field(struct vrs_buf *out, const char *text, char end)
{
	enum vrs_status status = VRS_OK;
	bool quoted = text[strcspn(text, ",\"\r\n")] != 0;
	if (quoted)
		status = vrs_buf_puts(out, "\"");
	if (status == VRS_OK && is_formula(text))
		status = vrs_buf_puts(out, "'");
	for (const char *p = text; status == VRS_OK && *p;) {
		const char *kept = *p == '"' && quoted ? "\"\"" : *p == '\n' ? "\n" : NULL;
		status = kept ? vrs_buf_puts(out, kept) : vrs_escape_char(out, &p, "\\");
		p += kept ? 1 : 0;
	}
	return status != VRS_OK ? status : vrs_buf_printf(out, quoted ? "\"%c" : "%c", end);
}

static enum vrs_status put_value(struct vrs_buf *out, const char *table, const char *row, const char *column, const char *value)
{
	enum vrs_status status = put_field(out, table, ',');
	if (status == VRS_OK)
		status = put_field(out, row, ',');
	if (status == VRS_OK)
		status = put_field(out, column, ',');
	return status != VRS_OK ? status : put_field(out, value, '\n');
}

/* The column that names rows beside the first one, where that names groups of them: the next one with values.  0: the first one names rows. */
static int second_name(const struct vrs_table *t)
{
	bool groups = false;
	for (int r = 1; r < t->rows && t->columns > 2; r++)
		groups = groups || strcmp(t->cells[r * t->columns], t->cells[(r - 1) * t->columns]) == 0;
	for (int column = 1; groups && column < t->columns - 1; column++)
		if (vrs_table_has_values(t, column))
			return column;
	return 0;
}

static enum vrs_status put_table(struct vrs_buf *out, const struct vrs_table *t)
{
	struct vrs_buf name;
	int second = second_name(t);
	enum vrs_status status = VRS_OK;
	vrs_buf_init(&name, out->max);
	for (int k = 0; status == VRS_OK && k < t->rows * t->columns; k++) {
		char *const *row = t->cells + k / t->columns * t->columns;
		int column = k % t->columns;
		if (column == 0) {
			vrs_buf_clear(&name);
			status = vrs_buf_printf(&name, "%s%s%s", row[0], second ? " " : "", second ? row[second] : "");
		}
		if (status == VRS_OK && (column > second || t->columns == 1))
			status = put_value(out, t->id, vrs_buf_str(&name), t->heads[column], row[column]);
	}
	vrs_buf_fini(&name);
	return status;
}

static enum vrs_status put_note(struct vrs_buf *out, const struct vrs_note *n)
{
	const char *const values[] = {n->text, n->evidence, n->yaml}, *const names[] = {"text", "evidence", "yaml"};
	enum vrs_status status = VRS_OK;
	for (int i = 0; status == VRS_OK && i < 3; i++)
		if (values[i][0])
			status = put_value(out, "notes", n->id, names[i], values[i]);
	return status;
}

static enum vrs_status write_csv(const struct vrs_findings *f, const char *svg_dir, struct vrs_buf *out, struct vrs_error *err)
{
	(void)svg_dir;
	enum vrs_status status = vrs_buf_puts(out, "table,row,column,value\n");
	for (int i = 0; status == VRS_OK && i < f->table_count; i++)
		status = put_table(out, &f->tables[i]);
	for (int i = 0; status == VRS_OK && i < f->note_count; i++)
		status = put_note(out, &f->notes[i]);
	return status != VRS_OK ? vrs_fail(err, status, "cannot write the CSV report: %s", vrs_status_str(status)) : VRS_OK;
}

const struct vrs_report_writer vrs_report_csv = {"csv", "csv", write_csv};
