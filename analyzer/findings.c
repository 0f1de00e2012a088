/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str_parse.h"

/* Far above any real report; a loop gone wrong ends here instead of in swap. */
#define MAX_ITEMS 4096
#define MAX_ROWS 100000
#define MAX_CELL 256

struct vrs_findings *vrs_findings_create(void)
{
	return vrs_calloc(1, sizeof(struct vrs_findings));
}

static void table_fini(struct vrs_table *table)
{
	for (int i = 0; i < table->rows * table->columns; i++)
		vrs_free(table->cells[i]);
	vrs_free(table->cells);
}

static void graph_fini(struct vrs_graph_data *graph)
{
	for (int i = 0; i < graph->category_count; i++)
		vrs_free(graph->categories[i]);
	vrs_free(graph->categories);
	for (int i = 0; i < graph->series_count; i++) {
		struct vrs_series *s = &graph->series[i];
		vrs_free(s->x);
		vrs_free(s->y);
		vrs_free(s->low);
		vrs_free(s->high);
		vrs_free(s->names);
		vrs_free(s->x_low);
		vrs_free(s->x_high);
	}
	vrs_free(graph->series);
}

void vrs_findings_destroy(struct vrs_findings *findings)
{
	if (!findings)
		return;
	for (int i = 0; i < findings->table_count; i++)
		table_fini(&findings->tables[i]);
	for (int i = 0; i < findings->graph_count; i++)
		graph_fini(&findings->graphs[i]);
	vrs_free(findings->tables);
	vrs_free(findings->graphs);
	vrs_free(findings->notes);
	vrs_free(findings);
}

/* Appends one zeroed element to an array whose capacity is its count rounded up to a power of two. NULL: out of memory or too many. */
static void *append(void **items, int *count, size_t size, int max)
{
	if (*count >= max)
		return NULL;
	if ((*count & (*count - 1)) == 0) {
		void *grown = vrs_realloc_array(*items, *count ? 2 * (size_t)*count : 1, size);
		if (!grown)
			return NULL;
		*items = grown;
	}
	void *item = (char *)*items + (size_t)*count * size;
	memset(item, 0, size);
	(*count)++;
	return item;
}

struct vrs_table *vrs_findings_add_table(struct vrs_findings *findings, const char *id, const char *title)
{
	void *items = findings->tables;
	struct vrs_table *table = append(&items, &findings->table_count, sizeof *table, MAX_ITEMS);
	findings->tables = items;
	if (!table)
		return NULL;
	(void)vrs_strcpy(table->id, sizeof table->id, id);          /* ids are our own words; a cut one stays unique enough */
	(void)vrs_strcpy(table->title, sizeof table->title, title);
	return table;
}

enum vrs_status vrs_table_add_column(struct vrs_table *table, const char *head, bool numeric)
{
	if (!table)
		return VRS_ENOMEM;
	if (table->columns >= VRS_FINDINGS_MAX_COLUMNS || table->rows)
		return VRS_EINVAL;
	(void)vrs_strcpy(table->heads[table->columns], sizeof table->heads[0], head);
	table->numeric[table->columns++] = numeric;
	return VRS_OK;
}

struct vrs_table *vrs_findings_start_table(struct vrs_findings *findings, const char *id, const char *title, const char *const *heads, int count,
					   unsigned words)
{
	struct vrs_table *table = vrs_findings_add_table(findings, id, title);
	for (int i = 0; table && i < count; i++)
		if (vrs_table_add_column(table, heads[i], !(words & 1u << i)))
			return NULL;
	return table;
}

enum vrs_status vrs_table_add_row(struct vrs_table *table)
{
	if (!table)
		return VRS_ENOMEM;
	if (!table->columns || table->rows >= MAX_ROWS)
		return VRS_EINVAL;
	size_t cells = (size_t)table->columns * (size_t)(table->rows + 1);
	char **grown = vrs_realloc_array(table->cells, cells, sizeof *grown);
	if (!grown)
		return VRS_ENOMEM;
	table->cells = grown;
	char **row = grown + (size_t)table->rows * (size_t)table->columns;
	for (int i = 0; i < table->columns; i++) {
		row[i] = vrs_strdup("");
		if (!row[i]) {
			while (i--)
				vrs_free(row[i]);
			return VRS_ENOMEM;
		}
	}
	table->rows++;
	return VRS_OK;
}

bool vrs_table_has_values(const struct vrs_table *table, int column)
{
	bool any = column == 0 || table->rows == 0;
	for (int r = 0; r < table->rows && !any; r++)
		any = table->cells[r * table->columns + column][0] != 0;
	return any;
}

enum vrs_status vrs_table_set(struct vrs_table *table, int column, const char *fmt, ...)
{
	if (!table)
		return VRS_ENOMEM;
	if (column < 0 || column >= table->columns || !table->rows)
		return VRS_EINVAL;
	char text[MAX_CELL];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	char *copy = vrs_strdup(text);
	if (!copy)
		return VRS_ENOMEM;
	char **cell = &table->cells[(size_t)(table->rows - 1) * (size_t)table->columns + (size_t)column];
	vrs_free(*cell);
	*cell = copy;
	return VRS_OK;
}

struct vrs_graph_data *vrs_findings_add_graph(struct vrs_findings *findings, const char *id, const char *title, enum vrs_graph_kind kind)
{
	void *items = findings->graphs;
	struct vrs_graph_data *graph = append(&items, &findings->graph_count, sizeof *graph, MAX_ITEMS);
	findings->graphs = items;
	if (!graph)
		return NULL;
	(void)vrs_strcpy(graph->id, sizeof graph->id, id);
	(void)vrs_strcpy(graph->title, sizeof graph->title, title);
	graph->kind = kind;
	return graph;
}

struct vrs_series *vrs_graph_add_series(struct vrs_graph_data *graph, const char *name, int points, bool with_interval)
{
	if (!graph || points < 0 || points > MAX_ROWS)
		return NULL;
	struct vrs_series s = {.points = points};
	size_t n = points ? (size_t)points : 1;
	(void)vrs_strcpy(s.name, sizeof s.name, name);
	s.x = vrs_calloc(n, sizeof(double));
	s.y = vrs_calloc(n, sizeof(double));
	s.low = with_interval ? vrs_calloc(n, sizeof(double)) : NULL;
	s.high = with_interval ? vrs_calloc(n, sizeof(double)) : NULL;
	void *items = graph->series;
	struct vrs_series *added = NULL;
	if (s.x && s.y && (!with_interval || (s.low && s.high)))
		added = append(&items, &graph->series_count, sizeof s, MAX_ITEMS);
	graph->series = items;
	if (!added) {
		vrs_free(s.x);
		vrs_free(s.y);
		vrs_free(s.low);
		vrs_free(s.high);
		return NULL;
	}
	*added = s;
	return added;
}

struct vrs_series *vrs_graph_add_boxes(struct vrs_graph_data *graph, const char *name, int points)
{
	size_t n = points > 0 ? (size_t)points : 1;
	double *low = vrs_calloc(n, sizeof(double)), *high = vrs_calloc(n, sizeof(double));
	char(*names)[48] = vrs_calloc(n, sizeof *names);
	struct vrs_series *s = low && high && names ? vrs_graph_add_series(graph, name, points, true) : NULL;
	if (!s) {
		vrs_free(names);
		vrs_free(low);
		vrs_free(high);
		return NULL;
	}
	s->names = names;
	s->x_low = low;
	s->x_high = high;
	return s;
}

enum vrs_status vrs_graph_add_category(struct vrs_graph_data *graph, const char *name)
{
	if (!graph)
		return VRS_ENOMEM;
	char *copy = vrs_strdup(name);
	if (!copy)
		return VRS_ENOMEM;
	void *items = graph->categories;
	char **slot = append(&items, &graph->category_count, sizeof *slot, MAX_ITEMS);
	graph->categories = items;
	if (!slot) {
		vrs_free(copy);
		return VRS_ENOMEM;
	}
	*slot = copy;
	return VRS_OK;
}

struct vrs_note *vrs_findings_add_note(struct vrs_findings *findings, enum vrs_note_kind kind, const char *id)
{
	void *items = findings->notes;
	struct vrs_note *note = append(&items, &findings->note_count, sizeof *note, MAX_ITEMS);
	findings->notes = items;
	if (!note)
		return NULL;
	note->kind = kind;
	(void)vrs_strcpy(note->id, sizeof note->id, id);
	return note;
}
