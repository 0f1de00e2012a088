/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two results side by side. */
#ifndef VRS_ANALYZER_COMPARE_H
#define VRS_ANALYZER_COMPARE_H

#include "analyzer/findings.h"
#include "bench/record/result.h"

/*
 * Figures of the cells that both results have.  Runs of two invocations share no rounds, so there is no verdict from them: the findings say
 * INCONCLUSIVE and how to measure both in one sweep.  VRS_ENOMEM.
 * *ret_comparable false: different machine fingerprints, different input or no cell in common, with a warning that says which.
 */
enum vrs_status vrs_compare_results(const struct vrs_result *a, const char *a_name, const struct vrs_result *b, const char *b_name,
				    struct vrs_findings *findings, bool *ret_comparable, struct vrs_error *err);

#endif
