/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several results as one report: a row for each, and each case over the results that have it. */
#ifndef VRS_ANALYZER_OVERVIEW_H
#define VRS_ANALYZER_OVERVIEW_H

#include "analyzer/findings.h"
#include "bench/record/result.h"

/* What is kept of the results; they themselves may go. */
struct vrs_overview;

/* NULL: out of memory. */
struct vrs_overview *vrs_overview_create(void);
void vrs_overview_destroy(struct vrs_overview *overview); /* NULL is fine */
/* name: as it was given; missed: targets that the result misses. VRS_ENOMEM. */
enum vrs_status vrs_overview_add(struct vrs_overview *overview, const struct vrs_result *result, const char *name, int missed);
/* Fill findings (fresh ones). VRS_ENOMEM. */
enum vrs_status vrs_overview_report(const struct vrs_overview *overview, struct vrs_findings *findings, struct vrs_error *err);

#endif
