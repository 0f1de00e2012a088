/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From one result to findings: tables, graphs, bottlenecks, targets, recommendations. */
#ifndef VRS_ANALYZER_SUMMARY_H
#define VRS_ANALYZER_SUMMARY_H

#include "analyzer/findings.h"
#include "bench/record/result.h"

/*
 * Fill findings (fresh ones) from a result.  VRS_ENOMEM only; a result without a good run gives findings that say so.
 * Order of tables: cases, against the default, stages, quality, what did not run or count.
 */
enum vrs_status vrs_summarize(const struct vrs_result *result, struct vrs_findings *findings, struct vrs_error *err);
/* The same of the sides of an A/B only: their comparisons, speed, quality, and runs that do not count. */
enum vrs_status vrs_summarize_comparison(const struct vrs_result *result, struct vrs_findings *findings, struct vrs_error *err);

#endif
