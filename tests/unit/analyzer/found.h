/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands in findings, by its name; a test fails where it does not. */
#ifndef VRS_TESTS_FOUND_H
#define VRS_TESTS_FOUND_H

#include <string.h>

#include "analyzer/findings.h"

static inline const struct vrs_table *found_table(const struct vrs_findings *f, const char *id)
{
	for (int i = 0; i < f->table_count; i++)
		if (strcmp(f->tables[i].id, id) == 0)
			return &f->tables[i];
	fail_msg("there is no table %s", id);
	return NULL;
}

static inline const char *found_cell(const struct vrs_table *t, int row, const char *head)
{
	assert_in_range(row, 0, t->rows - 1);
	for (int c = 0; c < t->columns; c++)
		if (strcmp(t->heads[c], head) == 0)
			return t->cells[row * t->columns + c];
	fail_msg("the table %s has no column %s", t->id, head);
	return NULL;
}

/* NULL: there is none. */
static inline const struct vrs_graph_data *found_graph(const struct vrs_findings *f, const char *id)
{
	for (int i = 0; i < f->graph_count; i++)
		if (strcmp(f->graphs[i].id, id) == 0)
			return &f->graphs[i];
	return NULL;
}

/* NULL: there is none. */
static inline const struct vrs_note *found_note(const struct vrs_findings *f, const char *id)
{
	for (int i = 0; i < f->note_count; i++)
		if (strcmp(f->notes[i].id, id) == 0)
			return &f->notes[i];
	return NULL;
}

#endif
