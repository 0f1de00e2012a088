/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What an analysis says, as plain data: headline, tables, graphs, notes.  The analyzer fills it, report writers only read it; neither knows
 * the other.  All text is UTF-8 and unescaped: each writer escapes for its own format.
 *
 * Like a stream, findings remember their first failure: what fills them need not look at every step, vrs_findings_finish tells.
 */
#ifndef VRS_ANALYZER_FINDINGS_H
#define VRS_ANALYZER_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vrseg/status.h>

#define VRS_FINDINGS_MAX_COLUMNS 24

struct vrs_table {
	char id[48];               /* file-name safe: "cases", "stages" */
	char title[96];
	char caption[768];         /* how to read it: scope, interval, what is missing and why */
	int columns;
	char heads[VRS_FINDINGS_MAX_COLUMNS][48]; /* with unit: "median (ms)" */
	bool numeric[VRS_FINDINGS_MAX_COLUMNS];   /* right-aligned */
	char **cells;              /* rows * columns strings, row-major; "" is an absent value */
	int rows;
	enum vrs_status status;    /* first failure of adding to it */
};

enum vrs_graph_kind { VRS_GRAPH_LINES, VRS_GRAPH_POINTS, VRS_GRAPH_BARS, VRS_GRAPH_STACKED, VRS_GRAPH_STEPS };

enum vrs_series_style {
	VRS_SERIES_AS_GRAPH,       /* as the kind of its graph says */
	VRS_SERIES_LINE, VRS_SERIES_DASHES, VRS_SERIES_POINTS, VRS_SERIES_DOTS,
	VRS_SERIES_RIGHT,          /* a line against the right axis (y2_label) */
};

struct vrs_series {
	char name[96];
	int points;
	double *x, *y;
	double *low, *high;        /* interval of y; NULL: none */
	double *x_low, *x_high;    /* interval of x: with the other it makes a box around each point; NULL: none */
	char (*names)[48];         /* of points with boxes, written beside them; "": none */
	enum vrs_series_style style;
};

struct vrs_graph_data {
	char id[48];               /* also the name of its .gp, .tsv and .svg files */
	char title[96], caption[256];
	char x_label[48], y_label[48];
	char y2_label[48];         /* of series on the right axis */
	enum vrs_graph_kind kind;
	bool log_x, log_y;
	double y_pad;              /* room above and below the values, so that tiny differences do not fill the picture; 0: none, and lines begin at 0 */
	double x_step;             /* between marks of the x axis; 0: as gnuplot likes */
	char **categories;         /* bars: names of x = 0, 1, ...; NULL: numeric x */
	int category_count;
	struct vrs_series *series;
	int series_count;
	enum vrs_status status;    /* first failure of adding to it */
};

enum vrs_note_kind { VRS_NOTE_INFO, VRS_NOTE_WARNING, VRS_NOTE_RECOMMENDATION };

struct vrs_note {
	enum vrs_note_kind kind;
	char id[48];               /* stable: "decode-bound" */
	char text[512];            /* one or two sentences */
	char evidence[512];        /* the numbers behind it */
	char yaml[1280];           /* what to change; "" : nothing */
};

struct vrs_findings {
	char title[128];
	char verdict[1800];        /* the answer in one sentence, or two; of several results in a few words each */
	char recommendation[896];  /* what to do, behind the answer; "": nothing */
	char subtitle[2048];       /* machine, input, scope, date of the measurement */
	struct vrs_table *tables;
	int table_count;
	struct vrs_graph_data *graphs;
	int graph_count;
	struct vrs_note *notes;
	int note_count;
	char environment[20480];    /* text block */
	char reproduce[1024];      /* the command */
	enum vrs_status status;    /* first failure of adding to it, but for its tables and graphs */
	uint64_t refused;          /* allocations that had failed before */
	struct vrs_table spare_table; /* what is handed out when memory is short: filled and never shown */
	struct vrs_graph_data spare_graph;
	struct vrs_note spare_note;
};

struct vrs_findings *vrs_findings_create(void); /* NULL: out of memory */
void vrs_findings_destroy(struct vrs_findings *findings);
/*
 * Drop tables that got no row and graphs that got no series. The first failure of anything that was added: VRS_ENOMEM (also
 * of what was computed for them), VRS_EINVAL (wrong use).
 */
enum vrs_status vrs_findings_finish(struct vrs_findings *findings);
/* Remember a failure of what should have been added. */
void vrs_findings_fail(struct vrs_findings *findings, enum vrs_status status);
/*
 * Append.  The returned object is never NULL, belongs to findings, and may move with the next append of the same kind; after a failure it is a spare
 * one that no report shows.
 */
struct vrs_table *vrs_findings_add_table(struct vrs_findings *findings, const char *id, const char *title);
/* With its columns, at most 32: bit i of words says that column i holds words, not numbers. */
struct vrs_table *vrs_findings_start_table(struct vrs_findings *findings, const char *id, const char *title, const char *const *heads, int count,
					   unsigned words);
struct vrs_graph_data *vrs_findings_add_graph(struct vrs_findings *findings, const char *id, const char *title, enum vrs_graph_kind kind);
/* With its text; evidence and yaml are set by the caller. */
struct vrs_note *vrs_findings_add_note(struct vrs_findings *findings, enum vrs_note_kind kind, const char *id, const char *fmt, ...)
	VRS_PRINTF(4, 5);

void vrs_table_add_column(struct vrs_table *table, const char *head, bool numeric);
/* Start a row of empty cells, then set cells of the last row. */
void vrs_table_add_row(struct vrs_table *table);
void vrs_table_set(struct vrs_table *table, int column, const char *fmt, ...) VRS_PRINTF(3, 4);
/* A number by its format, which takes one double; nothing where it is not finite. */
void vrs_table_set_number(struct vrs_table *table, int column, const char *format, double value);
/* Are there values in the column, or is it the first one? Reports leave out the others; of a table without rows they show all. */
bool vrs_table_has_values(const struct vrs_table *table, int column);

/* NULL: out of memory, which the graph remembers. */
struct vrs_series *vrs_graph_add_series(struct vrs_graph_data *graph, const char *name, int points, bool with_interval);
/* The same with intervals of both x and y. */
struct vrs_series *vrs_graph_add_boxes(struct vrs_graph_data *graph, const char *name, int points);
void vrs_graph_add_category(struct vrs_graph_data *graph, const char *name);

#endif
