/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the operators of a network take, and which share that is of what the machine can do. */
#ifndef VRS_ANALYZER_OPERATOR_TABLES_H
#define VRS_ANALYZER_OPERATOR_TABLES_H

#include "analyzer/findings.h"
#include "bench/record/net_profile.h"

/* All operators of a profile, the slowest first, and their sum. */
void vrs_operator_table(const struct vrs_net_profile *profile, struct vrs_findings *findings);

#endif
