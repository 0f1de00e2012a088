/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A list of checks as files that CI systems and pages read: JUnit XML, and the one-line JSON of a badge.  Texts are unescaped, in any bytes: what is
 * no UTF-8, or no character of XML, is replaced.
 */
#ifndef VRS_REPORTS_CHECK_FILES_H
#define VRS_REPORTS_CHECK_FILES_H

#include "base/buf.h"

enum vrs_check_state { VRS_CHECK_PASSED, VRS_CHECK_FAILED, VRS_CHECK_SKIPPED, VRS_CHECK_ERROR };

struct vrs_check {
	const char *group, *name;
	enum vrs_check_state state;
	const char *text;          /* of those that have not passed: why, as a sentence */
};

struct vrs_check_list {
	const char *title;
	const struct vrs_check *items;
	int count;
};

/*
 * Append a <testsuites> document: one suite with a <testcase classname="GROUP" name="NAME"> for each check (the schema of Apache Ant's junitreport,
 * as Jenkins, GitLab and others read it).  VRS_ENOMEM, VRS_ELIMIT.
 */
enum vrs_status vrs_check_junit(const struct vrs_check_list *list, struct vrs_buf *out);
/* Append a badge for https://shields.io/badges/endpoint-badge; colour: a name or a hexadecimal colour.  VRS_ENOMEM, VRS_ELIMIT. */
enum vrs_status vrs_check_badge(const char *label, const char *message, const char *colour, struct vrs_buf *out);

#endif
