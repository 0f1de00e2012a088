/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/findings.h"

#include <math.h>
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
	struct vrs_findings *findings = vrs_calloc(1, sizeof *findings);
	if (findings)
		findings->refused = vrs_mem_stats().refused;
	return findings;
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
	table_fini(&findings->spare_table);
	for (int i = 0; i < findings->graph_count; i++)
		graph_fini(&findings->graphs[i]);
	graph_fini(&findings->spare_graph);
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

/* The first failure stays. */
static void remember(enum vrs_status *status, enum vrs_status failure)
{
	if (*status == VRS_OK)
		*status = failure;
}

void vrs_findings_fail(struct vrs_findings *findings, enum vrs_status status)
{
	remember(&findings->status, status);
}

enum vrs_status vrs_findings_finish(struct vrs_findings *findings)
{
	int kept = 0, drawn = 0;
	if (vrs_mem_stats().refused > findings->refused) /* a figure that could not be computed looks like one that is not known */
		vrs_findings_fail(findings, VRS_ENOMEM);
	for (int i = 0; i < findings->table_count; i++) {
		struct vrs_table *table = &findings->tables[i];
		vrs_findings_fail(findings, table->status);
		if (table->rows > 0)
			findings->tables[kept++] = *table;
		else
			table_fini(table);
	}
	findings->table_count = kept;
	for (int i = 0; i < findings->graph_count; i++) {
		struct vrs_graph_data *graph = &findings->graphs[i];
		vrs_findings_fail(findings, graph->status);
		if (graph->series_count > 0)
			findings->graphs[drawn++] = *graph;
		else
			graph_fini(graph);
	}
	findings->graph_count = drawn;
	return findings->status;
}

struct vrs_table *vrs_findings_add_table(struct vrs_findings *findings, const char *id, const char *title)
{
	void *items = findings->tables;
	struct vrs_table *table = append(&items, &findings->table_count, sizeof *table, MAX_ITEMS);
	findings->tables = items;
	if (!table) {
		vrs_findings_fail(findings, VRS_ENOMEM);
		return &findings->spare_table;
	}
	(void)vrs_strcpy(table->id, sizeof table->id, id);          /* ids are our own words; a cut one stays unique enough */
	(void)vrs_strcpy(table->title, sizeof table->title, title);
	return table;
}

void vrs_table_add_column(struct vrs_table *table, const char *head, bool numeric)
{
	if (table->columns >= VRS_FINDINGS_MAX_COLUMNS || table->rows) {
		remember(&table->status, VRS_EINVAL);
		return;
	}
	(void)vrs_strcpy(table->heads[table->columns], sizeof table->heads[0], head);
	table->numeric[table->columns++] = numeric;
}

struct vrs_table *vrs_findings_start_table(struct vrs_findings *findings, const char *id, const char *title, const char *const *heads, int count,
					   unsigned words)
{
	struct vrs_table *table = vrs_findings_add_table(findings, id, title);
	for (int i = 0; i < count; i++)
		vrs_table_add_column(table, heads[i], !(words & 1u << i));
	return table;
}

/* False: out of memory; the row is not there. */
static bool append_row(struct vrs_table *table)
{
	void *items = table->cells;
	char **row = append(&items, &table->rows, (size_t)table->columns * sizeof *row, MAX_ROWS);
	table->cells = items;
	if (!row)
		return false;
	for (int i = 0; i < table->columns; i++) {
		row[i] = vrs_strdup("");
		if (!row[i]) {
			while (i--)
				vrs_free(row[i]);
			table->rows--;
			return false;
		}
	}
	return true;
}

void vrs_table_add_row(struct vrs_table *table)
{
	if (!table->columns || table->rows >= MAX_ROWS)
		remember(&table->status, VRS_EINVAL);
	else if (!append_row(table))
		remember(&table->status, VRS_ENOMEM);
}

bool vrs_table_has_values(const struct vrs_table *table, int column)
{
	bool any = column == 0 || table->rows == 0;
	for (int r = 0; r < table->rows && !any; r++)
		any = table->cells[r * table->columns + column][0] != 0;
	return any;
}

void vrs_table_set(struct vrs_table *table, int column, const char *fmt, ...)
{
	if (column < 0 || column >= table->columns || !table->rows) {
		remember(&table->status, VRS_EINVAL);
		return;
	}
	char text[MAX_CELL];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	char *copy = vrs_strdup(text), **cell = &table->cells[(size_t)(table->rows - 1) * (size_t)table->columns + (size_t)column];
	if (!copy) {
		remember(&table->status, VRS_ENOMEM);
		return;
	}
	vrs_free(*cell);
	*cell = copy;
}

void vrs_table_set_number(struct vrs_table *table, int column, const char *format, double value)
{
	char text[64];
	snprintf(text, sizeof text, format, value);
	if (isfinite(value))
		vrs_table_set(table, column, "%s", text);
}

struct vrs_graph_data *vrs_findings_add_graph(struct vrs_findings *findings, const char *id, const char *title, enum vrs_graph_kind kind)
{
	void *items = findings->graphs;
	struct vrs_graph_data *graph = append(&items, &findings->graph_count, sizeof *graph, MAX_ITEMS);
	findings->graphs = items;
	if (!graph) {
		vrs_findings_fail(findings, VRS_ENOMEM);
		return &findings->spare_graph;
	}
	(void)vrs_strcpy(graph->id, sizeof graph->id, id);
	(void)vrs_strcpy(graph->title, sizeof graph->title, title);
	graph->kind = kind;
	return graph;
}

struct vrs_series *vrs_graph_add_series(struct vrs_graph_data *graph, const char *name, int points, bool with_interval)
{
	if (points < 0 || points > MAX_ROWS) {
		remember(&graph->status, VRS_EINVAL);
		return NULL;
	}
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
		remember(&graph->status, VRS_ENOMEM);
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
		remember(&graph->status, VRS_ENOMEM);
		return NULL;
	}
	s->names = names;
	s->x_low = low;
	s->x_high = high;
	return s;
}

void vrs_graph_add_category(struct vrs_graph_data *graph, const char *name)
{
	void *items = graph->categories;
	char *copy = vrs_strdup(name), **slot = copy ? append(&items, &graph->category_count, sizeof *slot, MAX_ITEMS) : NULL;
	graph->categories = items;
	if (slot) {
		*slot = copy;
	} else {
		vrs_free(copy);
		remember(&graph->status, VRS_ENOMEM);
	}
}

struct vrs_note *vrs_findings_add_note(struct vrs_findings *findings, enum vrs_note_kind kind, const char *id, const char *fmt, ...)
{
	void *items = findings->notes;
	struct vrs_note *note = append(&items, &findings->note_count, sizeof *note, MAX_ITEMS);
	findings->notes = items;
	if (!note) {
		vrs_findings_fail(findings, VRS_ENOMEM);
		note = &findings->spare_note;
	}
	va_list args;
	va_start(args, fmt);
	vsnprintf(note->text, sizeof note->text, fmt, args);
	va_end(args);
	note->kind = kind;
	(void)vrs_strcpy(note->id, sizeof note->id, id);
	return note;
}
