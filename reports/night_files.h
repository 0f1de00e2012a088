/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A night for machines: JUnit XML, a Markdown summary and a badge, as files that a user named; and the line for scripts. */
#ifndef VRS_REPORTS_NIGHT_FILES_H
#define VRS_REPORTS_NIGHT_FILES_H

#include <stdio.h>

#include <vrseg/flags.h>

#include "analyzer/findings.h"
#include "bench/judge/night_watch.h"

/* NULL: not wanted. */
struct vrs_night_files {
	const char *junit, *summary, *badge;
};

/* Their flags; structure has a member `files` of that type. */
#define VRS_NIGHT_FILES_FLAGS(structure) \
	{.flag = "junit", VRS_TEXT_FIELD(structure, files.junit), .file = VRS_FILE_WRITTEN, .value_name = "FILE", .group = "Output", \
	 .help = "Write the verdicts as JUnit XML to FILE"}, \
	{.flag = "summary", VRS_TEXT_FIELD(structure, files.summary), .file = VRS_FILE_WRITTEN, .value_name = "FILE", .group = "Output", \
	 .help = "Write the report as Markdown to FILE, for the pages of CI systems"}, \
	{.flag = "badge", VRS_TEXT_FIELD(structure, files.badge), .file = VRS_FILE_WRITTEN, .value_name = "FILE", .group = "Output", \
	 .help = "Write the verdict as one line of JSON to FILE, an endpoint of shields.io"}

/* Write them from a judged night and its finished findings.  VRS_EIO, VRS_ENOMEM, VRS_ELIMIT. */
enum vrs_status vrs_night_files_write(const struct vrs_night_files *files, const struct vrs_night_record *night, const struct vrs_night_watch *watch,
				      const struct vrs_findings *findings, struct vrs_error *err);
/* "VERDICT REGRESSION night=12 worse=2 inconclusive=0 invalid=0 alerts=1". */
void vrs_night_line(const struct vrs_night_record *night, const struct vrs_night_watch *watch, char *buf, size_t size);
/* Exit code of an outcome: 0, 10, 11 or 12. */
int vrs_night_exit_code(enum vrs_night_outcome outcome);

#endif
