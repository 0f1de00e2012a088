/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a search tried and chose, as findings. */
#ifndef VRS_TUNER_TUNE_FINDINGS_H
#define VRS_TUNER_TUNE_FINDINGS_H

#include "analyzer/findings.h"
#include "tuner/search.h"

/* Title, verdict, a table of each phase, and what was left alone. Failures: vrs_findings_finish. */
void vrs_tune_findings(const struct vrs_search_result *result, const struct vrs_space *space, struct vrs_findings *findings);
/*
 * The targets as a table; nothing for targets of 0.  False: the speed of the chosen settings, the low end of its interval, is below the target.  The
 * search chooses the fastest settings whose matte is good enough, so that no others reach it either.
 */
bool vrs_tune_targets(const struct vrs_search_result *result, double fps, double max_latency_ms, struct vrs_findings *findings);
/* The line for scripts: "VERDICT FASTER|EQUIVALENT|INCONCLUSIVE metric=fps ... case=ID"; EQUIVALENT: the default stays. */
void vrs_tune_line(const struct vrs_search_result *result, char *buf, size_t size);
/* "VERDICT FEASIBLE|INFEASIBLE target_fps=X fps=X low=X" */
void vrs_tune_target_line(const struct vrs_search_result *result, double fps, bool feasible, char *buf, size_t size);

#endif
