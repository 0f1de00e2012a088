/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Escaping for each output format, in one place.  Control characters (base/printable.h) become spaces, but for line breaks in HTML and in plain text;
 * bytes that are no UTF-8, as names of files may have, become \xHH, since readers of most formats refuse a whole text for one of them.
 */
#ifndef VRS_REPORTS_ESCAPE_H
#define VRS_REPORTS_ESCAPE_H

#include "base/buf.h"

/* The character at *text, which goes on behind it, as every format shows it; backslash: one, as the format writes it. VRS_ELIMIT, VRS_ENOMEM. */
enum vrs_status vrs_escape_char(struct vrs_buf *out, const char **text, const char *backslash);
/* HTML text and double-quoted attributes. */
enum vrs_status vrs_escape_html(struct vrs_buf *out, const char *text);
/* Cell of a Markdown table: pipes, backslashes, markup and line breaks. */
enum vrs_status vrs_escape_markdown(struct vrs_buf *out, const char *text);
/* The fence of a Markdown code block that nothing in text can close: three backticks or more, as many as buf takes; buf_size above 3. */
const char *vrs_markdown_fence(const char *text, char *buf, size_t buf_size);
/* Plain text for a terminal. */
enum vrs_status vrs_escape_text(struct vrs_buf *out, const char *text);
/* Columns that a UTF-8 text takes on a terminal: code points, combining marks not counted apart. */
int vrs_text_width(const char *text);

#endif
