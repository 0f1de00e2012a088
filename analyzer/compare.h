/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two results side by side. */
#ifndef VRS_ANALYZER_COMPARE_H
#define VRS_ANALYZER_COMPARE_H

#include "analyzer/findings.h"
#include "bench/record/result.h"

/* Why two results give no verdict; the first that holds. */
enum vrs_hindrance { VRS_NO_SHARED_ROUNDS, VRS_OTHER_MACHINE, VRS_OTHER_INPUT, VRS_NO_SHARED_CASE };
extern const struct vrs_names vrs_hindrance_names; /* "no_shared_rounds", ... */

/*
 * Figures of the cases that both results have.  Runs of two invocations share no rounds, so there is no verdict from them: the findings say
 * INCONCLUSIVE and how to measure both in one sweep.  VRS_ENOMEM.
 * *ret_hindrance says what keeps them apart, with a warning for each.
 */
enum vrs_status vrs_compare_results(const struct vrs_result *a, const char *a_name, const struct vrs_result *b, const char *b_name,
				    struct vrs_findings *findings, enum vrs_hindrance *ret_hindrance, struct vrs_error *err);

#endif
