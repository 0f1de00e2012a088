/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables for a terminal. */
#ifndef VRS_REPORTS_TEXT_TABLE_H
#define VRS_REPORTS_TEXT_TABLE_H

#include "analyzer/findings.h"
#include "base/buf.h"

/* Of a line of a text report: where nobody says otherwise, and the bounds of what may be asked for. */
#define VRS_TEXT_COLUMNS 100
#define VRS_TEXT_COLUMNS_MIN 40
#define VRS_TEXT_COLUMNS_MAX 200

/*
 * Heads and rows, aligned, columns without any value left out, no line wider than `width` (within the bounds above).  Where the table as it is would
 * be: heads fold at their blanks, columns of words wrap, and columns that are still too many follow in further blocks under the first column, whose
 * texts stand on lines of their own where they are long or of several rows.
 */
enum vrs_status vrs_text_table(struct vrs_buf *out, const struct vrs_table *t, int width);
/* Bytes of text that make a line of at most `width` columns, broken at a blank where there is one; *ret_next: where the next line begins. */
size_t vrs_text_line(const char *text, int width, const char **ret_next);

#endif
