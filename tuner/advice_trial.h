/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Advice put to the test: what the rules over a measurement propose, measured against the settings that they looked at. */
#ifndef VRS_TUNER_ADVICE_TRIAL_H
#define VRS_TUNER_ADVICE_TRIAL_H

#include "analyzer/findings.h"
#include "bench/plan/case.h"
#include "tuner/objective.h"

#define VRS_ADVICE_TRIAL_MAX 8

/*
 * The proposals of the rules over case c of result, each as a case of its own; the same one comes once.  cpus: that the process may use.  Returns
 * how many, at most VRS_ADVICE_TRIAL_MAX; 0: nothing is proposed.
 */
int vrs_advice_trial_cases(const struct vrs_result *result, const struct vrs_case_result *c, int cpus, struct vrs_case ret[VRS_ADVICE_TRIAL_MAX]);
/*
 * A table of what each proposal gave: cases of result behind the first, which is what they are compared with, as one family (Holm).  What misses a
 * limit says so.  Failures: vrs_findings_finish.
 */
void vrs_advice_trial_table(const struct vrs_result *result, const struct vrs_objective *objective, struct vrs_findings *findings);

#endif
