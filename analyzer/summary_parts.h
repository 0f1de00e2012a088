/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts that vrs_summarize is made of; each adds its tables, graphs or notes, which remember what failed (vrs_findings_finish). */
#ifndef VRS_ANALYZER_SUMMARY_PARTS_H
#define VRS_ANALYZER_SUMMARY_PARTS_H

#include "analyzer/findings.h"
#include "bench/record/result.h"

/* Of an A/B: the judged metrics, and what stands behind their verdicts. Nothing for other results. */
void vrs_comparison_table(const struct vrs_result *result, struct vrs_findings *findings); /* comparison_table.c */
/* The headline of an A/B as one sentence; comparison_count is not 0. */
void vrs_comparison_sentence(const struct vrs_result *result, char *buf, size_t size);
void vrs_live_table(const struct vrs_result *result, struct vrs_findings *findings);    /* live_table.c */
void vrs_soak_table(const struct vrs_result *result, struct vrs_findings *findings);    /* soak_parts.c */
void vrs_case_table(const struct vrs_result *result, struct vrs_findings *findings);    /* case_tables.c */
void vrs_stage_table(const struct vrs_result *result, struct vrs_findings *findings);
void vrs_quality_table(const struct vrs_result *result, struct vrs_findings *findings); /* quality_tables.c */
/* Of an A/B: figures of both sides, and which of them are better or worse. */
void vrs_quality_sides_table(const struct vrs_result *result, struct vrs_findings *findings);
/* A figure of two cases over the mattes that both have, and what its change is. */
struct vrs_quality_change {
	double a, b;
	int first;                 /* over so many mattes, the first ones; 0: over all; -1: a and b are of other mattes, and not judged */
	int way;                   /* 1 better, by its margin or more, -1 worse, 0 the same */
};
struct vrs_quality_change vrs_quality_change(enum vrs_quality_figure figure, const struct vrs_case_result *a, const struct vrs_case_result *b);
/* One of the words for worse, the same and better, with the number of mattes where it is not all of both; or why there is none. Returns buf. */
const char *vrs_quality_change_text(const struct vrs_quality_change *change, const char *const words[3], const struct vrs_case_result *a,
				    const struct vrs_case_result *b, char *buf, size_t size);
void vrs_resource_table(const struct vrs_result *result, struct vrs_findings *findings); /* resource_table.c */
void vrs_unavailable_table(const struct vrs_result *result, struct vrs_findings *findings);
/* Does a key of the environment hold what differs from one moment to the next, and decides nothing? (environment_table.c) */
bool vrs_environment_is_moment(const char *key);
void vrs_environment_table(const struct vrs_result *result, struct vrs_findings *findings); /* environment_table.c */
void vrs_failure_table(const struct vrs_result *result, struct vrs_findings *findings);
void vrs_operator_tables(const struct vrs_result *result, struct vrs_findings *findings); /* operator_tables.c */
void vrs_best_table(const struct vrs_result *result, struct vrs_findings *findings);   /* best_table.c */
void vrs_best_batch_table(const struct vrs_result *result, struct vrs_findings *findings); /* its part by batch; nothing where one was measured */
void vrs_default_table(const struct vrs_result *result, struct vrs_findings *findings); /* against_default.c */
void vrs_axis_graphs(const struct vrs_result *result, struct vrs_findings *findings);   /* axis_graphs.c */
void vrs_stage_graph(const struct vrs_result *result, struct vrs_findings *findings);
void vrs_pareto_table(const struct vrs_result *result, struct vrs_findings *findings);  /* pareto.c */
void vrs_precision_graph(const struct vrs_result *result, struct vrs_findings *findings);
void vrs_roofline_graph(const struct vrs_result *result, struct vrs_findings *findings); /* roofline.c */
void vrs_scaling_table(const struct vrs_result *result, struct vrs_findings *findings); /* scaling.c */
/* Amdahl's law and, from four thread counts on, the universal scalability law as curves over the measured threads. */
void vrs_scaling_curves(const struct vrs_result *result, struct vrs_graph_data *graph);
void vrs_scaling_notes(const struct vrs_result *result, struct vrs_findings *findings); /* scaling.c */

void vrs_bottleneck_notes(const struct vrs_result *result, struct vrs_findings *findings); /* bottleneck_notes.c */

/* What limits a case, as notes, and as the verdict where there is none yet. cpus: that the process could use; 0: not known. */
void vrs_case_limits(const struct vrs_result *result, const struct vrs_case_result *c, int cpus, struct vrs_findings *findings);

/* "12.3", "0.042", "1234": about three digits; "" when not finite. Returns buf. */
const char *vrs_short_number(double value, char *buf, size_t size);
/* "23.1 [22.8, 23.5]" with interval, "23.1 (22.7 .. 23.6)" for the range of fewer than six runs, "23.1" for one. Returns buf. */
const char *vrs_estimate_text(const struct vrs_estimate *estimate, double factor, char *buf, size_t size);

#endif
