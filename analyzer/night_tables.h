/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a night and the history of nights say, as tables, graphs and notes. */
#ifndef VRS_ANALYZER_NIGHT_TABLES_H
#define VRS_ANALYZER_NIGHT_TABLES_H

#include "analyzer/findings.h"
#include "bench/judge/night_watch.h"

/*
 * One night: its verdict, every case and metric, the alerts of the history.  name: of the history, for people.  The findings remember what failed
 * (vrs_findings_finish).
 */
void vrs_night_findings(const struct vrs_night_record *night, const struct vrs_night_watch *watch, const char *name, struct vrs_findings *findings);
/* All nights that were read: changes with their figures before and after, nights, decisions, and a graph for each metric. */
void vrs_night_history_findings(const struct vrs_night_history *history, const struct vrs_night_watch *watch, struct vrs_findings *findings);

/* "abc1234567", or the version, or the first digits of the SHA-256: what a build is called. Returns buf. */
const char *vrs_night_build(const char *commit, const char *version, const char *sha256, char *buf, size_t size);
/* "REGRESSION since abc1234 (night 12): 3 series worse, most fps of CASE by +5.1 %." Returns buf. */
const char *vrs_night_alert_text(const struct vrs_night_watch *watch, const struct vrs_night_alert *alert, char *buf, size_t size);
/* What is written of a verdict: of amounts and figures of the matte WORSE and BETTER instead of SLOWER and FASTER. */
const char *vrs_night_word(const struct vrs_comparison *m);

#endif
