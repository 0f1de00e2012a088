/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Escaping for each output format, in one place.  Input is UTF-8; control characters become spaces, but for line breaks in HTML. */
#ifndef VRS_REPORTS_ESCAPE_H
#define VRS_REPORTS_ESCAPE_H

#include "base/buf.h"

/* HTML text and double-quoted attributes. */
enum vrs_status vrs_escape_html(struct vrs_buf *out, const char *text);
/* Cell of a Markdown table: pipes, backslashes, markup and line breaks. */
enum vrs_status vrs_escape_markdown(struct vrs_buf *out, const char *text);
/* Columns that a UTF-8 text takes on a terminal: code points, combining marks not counted apart. */
int vrs_text_width(const char *text);

#endif
