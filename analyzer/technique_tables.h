/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What vrbench --techniques has found, as tables: which techniques pay, before and after, what was switched, what was not measured. */
#ifndef VRS_ANALYZER_TECHNIQUE_TABLES_H
#define VRS_ANALYZER_TECHNIQUE_TABLES_H

#include "analyzer/findings.h"
#include "bench/judge/technique_verdict.h"

/* Fill title, verdict, subtitle and tables. VRS_ENOMEM. */
enum vrs_status vrs_technique_findings(const struct vrs_technique_outcomes *outcomes, const struct vrs_result *result, struct vrs_findings *findings);

#endif
