/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The commands of vranalyze: each is a mode with flags of its own, one file each, listed in mode_list.c.  `vranalyze RESULTS` is the mode without a
 * name.
 */
#ifndef VRS_ANALYZE_PROGRAM_H
#define VRS_ANALYZE_PROGRAM_H

#include <stdio.h>

#include <vrseg/config.h>

#include "analyzer/findings.h"
#include "bench/record/result.h"

struct vrs_night_history;

/* One run of a mode. */
struct vrs_analyze_call {
	const void *args;              /* a copy of the mode's defaults with the flags applied */
	const char *const *operands;
	int count;                     /* of operands, within the bounds of the mode's spec */
	char **argv;                   /* the command line from the mode's name on, as exec takes it */
	FILE *out, *notes;             /* standard output; standard error, for the names of files that were written */
};

struct vrs_analyze_mode {
	const char *name;              /* the first word of the command line, as "compare"; NULL: what runs without one */
	const struct vrs_cli_spec *spec; /* its program is "vranalyze NAME" */
	const void *defaults;          /* what the flags of spec point into, before they are read */
	size_t args_size;              /* of that structure, in bytes; at most VRS_ANALYZE_MAX_ARGS */
	/*
	 * Do it.  *ret_exit is 0 before, and an exit code of vrseg/exit_codes.h where the outcome wants another one, also with a failure; else a failure
	 * ends with the exit code of its status.
	 */
	enum vrs_status (*run)(const struct vrs_analyze_call *call, int *ret_exit, struct vrs_error *err);
};

#define VRS_ANALYZE_MAX_ARGS 1024

/* Parse argv, whose first word is a name, run the mode, report a failure; returns the exit code. Call first of all, with the standard streams. */
int vrs_analyze_run(const struct vrs_analyze_mode *mode, int argc, char **argv, FILE *out, FILE *notes);

extern const struct vrs_analyze_mode vrs_explain_mode, vrs_compare_mode, vrs_checklist_mode, vrs_matte_mode;
extern const struct vrs_analyze_mode vrs_nightly_mode, vrs_accept_mode, vrs_annotate_mode, vrs_bisect_mode, vrs_history_mode;
/* NULL-terminated; the first is the one without a name. */
extern const struct vrs_analyze_mode *const vrs_analyze_modes[];
/* The spec of the i-th mode with a name; NULL: there are no more. */
const struct vrs_cli_spec *vrs_analyze_command(int i);

/* The flag --format of a mode whose args are STRUCTURE, with a member `format` that is "text" by default. */
#define VRS_FORMAT_FLAG(structure) \
	{.flag = "format", VRS_TEXT_FIELD(structure, format), .choices = "text markdown json html csv", .brief = "text, markdown, json, html or csv", \
	 .value_name = "FORMAT", .group = "Output", .help = "Choose the format of standard output: text, markdown, json, html, csv"}
/* The flag --output-dir of a mode whose args are STRUCTURE, with a member `output_dir`. */
#define VRS_OUTPUT_DIR_FLAG(structure) \
	{.flag = "output-dir", VRS_TEXT_FIELD(structure, output_dir), .file = VRS_FILE_FOLDER, .brief = "write page, graphs and tables there", \
	 .value_name = "DIR", .group = "Output", .help = "Write report.html, report.md, tables.csv and plots/ to DIR, which is made where it is missing"}

/* The flag --history, of a member `history`. */
#define VRS_HISTORY_FLAG(structure) \
	{.flag = "history", VRS_TEXT_FIELD(structure, history), .file = VRS_FILE_READ, .brief = "folder of the history", .value_name = "DIR", \
	 .group = "History", \
	 .help = "Choose the folder that vrbench nightly keeps its history in"}

/* VRS_ENOTFOUND: the folder holds no night, with what makes one. */
enum vrs_status vrs_analyze_no_night(const struct vrs_night_history *history, struct vrs_error *err);
/* Print finished findings; graphs: folder of pictures that the format may refer to, NULL: none.  VRS_EIO, VRS_ENOMEM. */
enum vrs_status vrs_analyze_print(const struct vrs_findings *findings, const char *format, const char *graphs, FILE *out, struct vrs_error *err);
/*
 * Print finished findings in a format, the page with its graphs in it, and fill the folder of --output-dir (NULL: none) with page, graphs,
 * Markdown and tables.  Names of files go to call->notes.  VRS_EIO, VRS_ENOMEM, VRS_ELIMIT.
 */
enum vrs_status vrs_analyze_output(const struct vrs_analyze_call *call, const struct vrs_findings *findings, const char *format,
				const char *output_dir, struct vrs_error *err);
/* The page on a stream; its graphs are drawn in a folder that is gone afterwards. */
enum vrs_status vrs_analyze_print_page(const struct vrs_findings *findings, FILE *out, struct vrs_error *err);
/* The folder of --output-dir. */
enum vrs_status vrs_analyze_write_folder(const struct vrs_findings *findings, const char *folder, FILE *notes, struct vrs_error *err);
/* Can the page be written there?  Asked before anything is printed.  VRS_EIO, VRS_ENOTFOUND, VRS_ELIMIT. */
enum vrs_status vrs_analyze_check_page(const char *path, struct vrs_error *err);
/*
 * Graphs in folder/plots, then the page: folder/report.html, or page where a user named one (NULL: not).  A missing gnuplot costs the pictures, not
 * the report; another failure is that of the page.  The name of the page goes to notes.
 */
enum vrs_status vrs_analyze_write_page(const struct vrs_findings *findings, const char *folder, const char *page, FILE *notes, struct vrs_error *err);
/* The lines for scripts of an A/B: every metric, the deciding one first. */
void vrs_analyze_print_verdicts(const struct vrs_result *result, FILE *out);

#endif
