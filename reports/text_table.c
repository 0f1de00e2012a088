/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/text_table.h"

#include <string.h>

#include "reports/escape.h"

enum {
	GAP = 2,         /* blanks before each column */
	OWN_INDENT = 4,  /* of the values below it */
	TEXT_MAX = 4 * VRS_TEXT_COLUMNS_MAX + 1,  /* bytes of one line of a cell */
};

struct layout {
	const struct vrs_table *t;
	int count, column[VRS_FINDINGS_MAX_COLUMNS]; /* that are shown, as columns of t: others hold nothing */
	int width[VRS_FINDINGS_MAX_COLUMNS];
	bool own_line;   /* texts of the first column stand on lines of their own */
	int columns;     /* of a line */
	int words_min;   /* a column of words wraps down to this width */
	int lead_max;    /* a first column that is wider stands on lines of its own */
};

static const char *text_at(const struct layout *l, int row, int k)
{
	return row < 0 ? l->t->heads[l->column[k]] : l->t->cells[row * l->t->columns + l->column[k]];
}

static bool is_number(const struct layout *l, int k)
{
	return l->t->numeric[l->column[k]];
}

static void choose_columns(struct layout *l)
{
	for (int c = 0; c < l->t->columns; c++)
		if (vrs_table_has_values(l->t, c))
			l->column[l->count++] = c;
}

/* Bytes of the UTF-8 character at text. */
static size_t character(const char *text)
{
	size_t n = 1;
	while (((unsigned char)text[n] & 0xc0) == 0x80)
		n++;
	return n;
}

size_t vrs_text_line(const char *text, int width, const char **ret_next)
{
	size_t end = 0, blank = 0;
	char one[8];
	for (int used = 0; text[end];) {
		size_t n = character(text + end) < sizeof one ? character(text + end) : 1;
		memcpy(one, text + end, n);
		one[n] = 0;
		used += vrs_text_width(one);
		if (used > width && end > 0)
			break;
		if (text[end] == ' ')
			blank = end;
		end += n;
	}
	if (text[end] && text[end] != ' ' && blank > 0)
		end = blank;
	*ret_next = text + end + strspn(text + end, " ");
	return end;
}

static int line_count(const char *text, int width)
{
	int n = 0;
	do {
		(void)vrs_text_line(text, width, &text);
		n++;
	} while (*text);
	return n;
}

/* The n-th line of a text in a column of that width; "" after the last. */
static void line_of(const char *text, int width, int n, char line[TEXT_MAX])
{
	const char *next = text;
	size_t length = 0;
	for (int i = 0; i <= n; i++) {
		text = next;
		length = vrs_text_line(text, width, &next);
	}
	if (n < 0)
		length = 0;
	if (length >= TEXT_MAX)
		length = TEXT_MAX - 1;
	for (size_t i = 0; i < length; i++)
		line[i] = (unsigned char)text[i] < ' ' ? ' ' : text[i];
	line[length] = 0;
}

static int longest_word(const char *text)
{
	int longest = 0;
	while (*text) {
		char word[64];
		size_t length = strcspn(text, " "), take = length < sizeof word - 1 ? length : sizeof word - 1;
		memcpy(word, text, take);
		word[take] = 0;
		longest = vrs_text_width(word) > longest ? vrs_text_width(word) : longest;
		text += length + strspn(text + length, " ");
	}
	return longest;
}

static int total_width(const struct layout *l)
{
	int sum = 0;
	for (int c = 0; c < l->count; c++)
		sum += GAP + l->width[c];
	return sum;
}

static void natural_widths(struct layout *l, bool fold_heads)
{
	for (int c = 0; c < l->count; c++) {
		l->width[c] = fold_heads ? longest_word(text_at(l, -1, c)) : vrs_text_width(text_at(l, -1, c));
		for (int r = 0; r < l->t->rows; r++) {
			int w = vrs_text_width(text_at(l, r, c));
			l->width[c] = w > l->width[c] ? w : l->width[c];
		}
	}
}

/* Columns of words give way, the widest first, but not the first one, which names the row. */
static void wrap_words(struct layout *l)
{
	for (;;) {
		int excess = total_width(l) - l->columns, widest = 0;
		for (int c = 1; c < l->count; c++)
			if (!is_number(l, c) && (widest == 0 || l->width[c] > l->width[widest]))
				widest = c;
		if (excess <= 0 || widest == 0 || l->width[widest] <= l->words_min)
			return;
		int w = l->width[widest] - excess;
		l->width[widest] = w > l->words_min ? w : l->words_min;
	}
}

/* Does row say the same in the first column as the one before it?  Then it is said once where it stands on a line of its own. */
static bool repeats(const struct layout *l, int row)
{
	return row > 0 && strcmp(text_at(l, row, 0), text_at(l, row - 1, 0)) == 0;
}

/* Are there mostly several rows about one thing? */
static bool has_groups(const struct layout *l)
{
	int n = 0;
	for (int r = 1; r < l->t->rows; r++)
		n += repeats(l, r);
	return 2 * n > l->t->rows;
}

static void choose_layout(struct layout *l)
{
	natural_widths(l, false);
	if (total_width(l) <= l->columns)
		return;
	natural_widths(l, true);
	wrap_words(l);
	l->own_line = l->count > 1 && total_width(l) > l->columns && (l->width[0] > l->lead_max || has_groups(l));
	if (l->own_line) { /* then the others have the whole line */
		l->width[0] = OWN_INDENT - GAP;
		for (int c = 1; c < l->count; c++)
			if (!is_number(l, c))
				for (int r = 0; r < l->t->rows; r++)
					l->width[c] = vrs_text_width(text_at(l, r, c)) > l->width[c] ? vrs_text_width(text_at(l, r, c)) : l->width[c];
		wrap_words(l);
	}
	for (int c = 0; c < l->count; c++) /* whatever it is, it fits a line */
		if (GAP + l->width[c] > l->columns - (c ? GAP + l->width[0] : 0))
			l->width[c] = l->columns - GAP - (c ? GAP + l->width[0] : 0);
}

/* One line of a row: the n-th lines of its cells. Heads end on the same line, cells begin on it. */
static enum vrs_status put_line(struct vrs_buf *out, const struct layout *l, int row, int first, int last, int n, int lines)
{
	enum vrs_status status = VRS_OK;
	int pending = 0; /* blanks, written only where something follows */
	for (int k = first - 1; status == VRS_OK && k < last; k++) {
		int c = k < first ? 0 : k;
		char line[TEXT_MAX] = "";
		const char *text = c == 0 && l->own_line ? "" : text_at(l, row, c);
		line_of(text, l->width[c], row < 0 ? n - (lines - line_count(text, l->width[c])) : n, line);
		int pad = l->width[c] - vrs_text_width(line);
		pending += GAP + (is_number(l, c) ? pad : 0);
		if (line[0]) {
			status = vrs_buf_printf(out, "%*s%s", pending, "", line);
			pending = 0;
		}
		pending += is_number(l, c) ? 0 : pad;
	}
	return status != VRS_OK ? status : vrs_buf_puts(out, "\n");
}

static enum vrs_status put_own_line(struct vrs_buf *out, const struct layout *l, const char *text)
{
	enum vrs_status status = VRS_OK;
	do {
		const char *next;
		size_t length = vrs_text_line(text, l->columns - GAP, &next);
		status = vrs_buf_printf(out, "%*s%.*s\n", GAP, "", (int)length, text);
		text = next;
	} while (status == VRS_OK && *text);
	return status;
}

/* Words have what room a block leaves. */
static void spread_words(struct layout *l, int first, int last, int spare)
{
	for (int c = first; c < last; c++) {
		int natural = 0;
		for (int r = -1; r < l->t->rows && !is_number(l, c); r++)
			natural = vrs_text_width(text_at(l, r, c)) > natural ? vrs_text_width(text_at(l, r, c)) : natural;
		int more = natural - l->width[c] < spare ? natural - l->width[c] : spare;
		if (more > 0) {
			l->width[c] += more;
			spare -= more;
		}
	}
}

/* Columns first to last - 1, under the texts of column 0. */
static enum vrs_status put_block(struct vrs_buf *out, const struct layout *l, int first, int last)
{
	enum vrs_status status = VRS_OK;
	for (int r = -1; status == VRS_OK && r < l->t->rows; r++) {
		int lines = l->own_line ? 1 : line_count(text_at(l, r, 0), l->width[0]);
		for (int c = first; c < last; c++) {
			int n = line_count(text_at(l, r, c), l->width[c]);
			lines = n > lines ? n : lines;
		}
		if (l->own_line && !repeats(l, r))
			status = put_own_line(out, l, text_at(l, r, 0));
		for (int n = 0; status == VRS_OK && n < lines; n++)
			status = put_line(out, l, r, first, last, n, lines);
	}
	return status;
}

static int at_most(int value, int most)
{
	return value < most ? value : most;
}

enum vrs_status vrs_text_table(struct vrs_buf *out, const struct vrs_table *t, int width)
{
	struct layout l = {.t = t, .columns = width, .words_min = at_most(24, width / 4), .lead_max = at_most(44, width * 44 / 100)};
	enum vrs_status status = VRS_OK;
	if (t->columns < 1)
		return VRS_OK;
	choose_columns(&l);
	choose_layout(&l);
	int first = 1, last;
	do { /* once for a table of names alone too, which has no column beside the first */
		int used = GAP + l.width[0];
		for (last = first; last < l.count && (last == first || used + GAP + l.width[last] <= l.columns); last++)
			used += GAP + l.width[last];
		if (first > 1)
			status = vrs_buf_puts(out, "\n");
		spread_words(&l, first, last, l.columns - used);
		if (status == VRS_OK)
			status = put_block(out, &l, first, last);
		first = last;
	} while (status == VRS_OK && first < l.count);
	return status;
}
