/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Report writers over findings: text, markdown, json, html, csv.  Registry: report_list.c, NULL-terminated.
 */
#ifndef VRS_REPORTS_REPORT_H
#define VRS_REPORTS_REPORT_H

#include <stdio.h>

#include "analyzer/findings.h"
#include "base/buf.h"

struct vrs_report_writer {
	const char *name;      /* "text", "markdown", "json", "html", "csv" */
	const char *extension; /* "txt" */
	/* Append the whole report to out. svg_dir: folder with GRAPH_ID.svg files made by vrs_report_graphs, embedded where the format can; NULL: none. */
	enum vrs_status (*write)(const struct vrs_findings *findings, const char *svg_dir, struct vrs_buf *out, struct vrs_error *err);
};

const struct vrs_report_writer *vrs_report_find(const char *name); /* NULL: unknown */
/* How a file of that name is written: vrs_file_replace for a name of our own, vrs_file_write for one that a user typed. */
typedef enum vrs_status (*vrs_report_save_fn)(const char *path, const void *data, size_t len, struct vrs_error *err);
/* Write a report file atomically. */
enum vrs_status vrs_report_file(const struct vrs_report_writer *writer, const struct vrs_findings *findings, const char *svg_dir, const char *path,
				vrs_report_save_fn save, struct vrs_error *err);
/* Columns of a text report that goes to a stream: COLUMNS of the environment, else those of the terminal, else 100; at least 40, at most 200. */
int vrs_report_columns(FILE *out);
/* The text writer for lines of so many columns; only what is meant to be copied is wider. */
enum vrs_status vrs_report_text_columns(const struct vrs_findings *findings, int columns, struct vrs_buf *out, struct vrs_error *err);
/* Text report to a stream, as wide as vrs_report_columns says. */
enum vrs_status vrs_report_print(const struct vrs_findings *findings, FILE *out);
/* Finish findings, print and destroy them. VRS_ENOMEM, also for NULL; VRS_EIO; what findings remember (vrs_findings_finish). */
enum vrs_status vrs_report_show(struct vrs_findings *findings, FILE *out, struct vrs_error *err);
/*
 * Write each graph as folder/ID.tsv + ID.gp and let gnuplot draw ID.svg. Without gnuplot: VRS_ENOTFOUND with what to install; after a
 * request to stop: VRS_ESTOPPED. Scripts and data are written all the same.
 */
enum vrs_status vrs_report_graphs(const struct vrs_findings *findings, const char *folder, struct vrs_error *err);

#endif
