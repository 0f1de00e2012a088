/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Graphs from the files of single runs: frame times, and what was sampled while they were made. */
#ifndef VRS_ANALYZER_RUN_GRAPHS_H
#define VRS_ANALYZER_RUN_GRAPHS_H

#include "analyzer/findings.h"
#include "bench/judge/soak.h"
#include "bench/record/result.h"

/*
 * Add "frame-times" (share of slower frames, with the tail on a log axis), "frame-time-over-time" (the default case with the clock) and
 * "memory-over-time". folder is that of the result; a run whose files are missing or damaged is left out. VRS_ENOMEM.
 */
enum vrs_status vrs_run_graphs(const struct vrs_result *result, const char *folder, struct vrs_findings *findings);
/* "latency": the distribution of latencies; "slow": a table of slow frames and their episodes. vrs_run_graphs calls them.  (latency_graphs.c) */
void vrs_latency_graph(const struct vrs_result *result, const char *folder, struct vrs_findings *findings);
void vrs_slow_table(const struct vrs_result *result, const char *folder, struct vrs_findings *findings);
/*
 * Of a soak, from the file of its windows: "soak-memory" with its trend, "soak-frame-time" with the clock, "soak-temperature" where there is one.
 * vrs_run_graphs calls it.  (soak_parts.c)
 */
void vrs_soak_graphs(const struct vrs_result *result, const char *folder, struct vrs_findings *findings);
/*
 * Of a soak: "soak-values", the first and last of what its windows hold, with the trends. False: there is no soak; else *ret_soak is how it was
 * judged.  (soak_parts.c)
 */
bool vrs_soak_values(const struct vrs_result *result, const char *folder, struct vrs_soak *ret_soak, struct vrs_findings *findings);

#endif
