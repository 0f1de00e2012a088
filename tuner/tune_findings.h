/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a search tried and chose, as findings. */
#ifndef VRS_TUNER_TUNE_FINDINGS_H
#define VRS_TUNER_TUNE_FINDINGS_H

#include "analyzer/findings.h"
#include "tuner/search.h"

/* Title, verdict, a table of each phase, and what was left alone. Failures: vrs_findings_finish. */
void vrs_tune_findings(const struct vrs_search_result *result, const struct vrs_space *space, struct vrs_findings *findings);
/* The same for settings that were picked from those measured before (tuner/pick.h). */
void vrs_tune_pick_findings(const struct vrs_search_result *result, struct vrs_findings *findings);
/* A table of what is not tried, with the reasons; nothing where all is. */
void vrs_tune_rejected(const struct vrs_space *space, struct vrs_findings *findings);
/* The limits that were asked for as a table, held against the chosen settings; nothing where none was. */
void vrs_tune_limits(const struct vrs_search_result *result, const struct vrs_objective *objective, struct vrs_findings *findings);
/* Of a search that found nothing which keeps all limits: for each limit the settings that come nearest when it alone is given up. */
void vrs_tune_infeasible(const struct vrs_search_result *result, struct vrs_findings *findings);
/* The limit that would have to be given up for the least: its nearest settings miss it by the smallest share. VRS_LIMIT_COUNT: all miss several. */
enum vrs_limit vrs_tune_nearest(const struct vrs_search_result *result);
/*
 * The line for scripts: "VERDICT FASTER|SMALLER|BETTER|EQUIVALENT|INCONCLUSIVE metric=fps|size|iou ... case=ID"; EQUIVALENT: the default stays, or
 * what takes its place to keep the limits is not proven faster.
 */
void vrs_tune_line(const struct vrs_search_result *result, char *buf, size_t size);
/* "VERDICT FEASIBLE|INFEASIBLE target_fps=X fps=X low=X limit=NAME"; fps 0: there is no target; a figure that is not known is left out. */
void vrs_tune_target_line(const struct vrs_search_result *result, double fps, char *buf, size_t size);

#endif
