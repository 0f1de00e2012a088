/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The two sides of an A/B, metric by metric.  The rate is the headline (live, where the rate is given, the median latency), or what the user asked to
 * decide by: declared beforehand, judged by the sequential looks of bench/judge/verdict.h, and the only one that decides the exit code.  CPU time,
 * frame time, latency and memory are secondary: one look at the same pairs, p values adjusted by Holm over their family.  Agreement and IoU are the
 * same in every run, so they are shown as they are; where IoU decides, it is one difference against its margin, over the mattes that both sides have
 * (vrs_case_result_common_quality).
 *
 * Margin of the headline: the largest of what was asked for, of what the stored spread of pairs allows (of the cases, bench/judge/noise_record.h;
 * 1.5 x, vrs_verdict_noise_margin), and 0.05 ms of A's frame time; half as much again when a soft noise gate fired.
 */
#ifndef VRS_BENCH_COMPARISON_H
#define VRS_BENCH_COMPARISON_H

#include <stdio.h>

#include "bench/judge/verdict.h"

#define VRS_COMPARE_FLOOR_MS 0.05

/* The headline. */
enum vrs_compare_by { VRS_COMPARE_BY_SPEED, VRS_COMPARE_BY_SIZE, VRS_COMPARE_BY_IOU };
#define VRS_COMPARE_BY_NAMES "speed size iou" /* size: bytes of the output; iou: with truth */

struct vrs_compare_options {
	enum vrs_compare_by by;
	double margin;            /* asked for, share of A; 0: the default of 2 % */
	enum vrs_cause invalid;   /* known beforehand: DISTURBED or FAILED; NONE */
	const char *why;          /* the same as a sentence */
	double alpha;             /* 0: the sequential looks; else one look at all pairs at this level, whose number was chosen beforehand */
	bool start;               /* one more secondary metric: "start", from the beginning of a run to its first frame */
	bool alone;               /* secondary metrics keep their own verdicts: the caller judges families (vrs_verdict_family) */
};

/* How the headline came about, for --explain. */
struct vrs_compare_details {
	const char *metric;       /* "fps", live "latency_p50", "size", "iou" */
	bool larger_is_better;
	double a[VRS_STATS_MAX_PAIRS], b[VRS_STATS_MAX_PAIRS];
	int round[VRS_STATS_MAX_PAIRS];
	int pairs;                /* all that exist; the verdict may rest on the first of them */
	double base_margin, floor_share, pair_share; /* what the margin is the largest of */
	bool soft;                /* half as much again */
	double lag1;              /* autocorrelation of d; NaN below 8 pairs */
	bool has_cycles;          /* both sides' clocks were observed in every pair */
	double cycle_change, cycle_low, cycle_high; /* the same comparison in cycles instead of time */
	char warning[640];        /* soft gates of both sides: "A: drift; B: ..." */
};

/*
 * Fill result->comparisons from its cases a and b. The headline goes to *ret_headline. VRS_EINVAL, VRS_ENOMEM.
 */
enum vrs_status vrs_compare(struct vrs_result *result, const struct vrs_case_result *a, const struct vrs_case_result *b,
			    const struct vrs_compare_options *options, struct vrs_comparison *ret_headline, struct vrs_compare_details *ret_details);
/*
 * What is known before two sides are compared: FAILED where one has no good run, DISTURBED where noise gates excluded too many; why: the same as a
 * sentence, "" for NONE.
 */
enum vrs_cause vrs_compare_hindrance(const struct vrs_case_result *a, const struct vrs_case_result *b, char *why, size_t size);
/* Figures of one case alone, by the names that comparisons have: b of each, without a verdict. Returns how many, at most max. */
int vrs_compare_figures(const struct vrs_case_result *c, struct vrs_comparison *ret, int max);
/* The sentence for figures of mattes that are not of the same frames. */
void vrs_compare_other_mattes(const struct vrs_case_result *a, const struct vrs_case_result *b, char *buf, size_t size);
/* Cost of the IoU b against a, as a share; NaN: b is 0 and a is not. */
double vrs_compare_iou_cost(double a, double b);
/* Is a larger value of the metric of that name better? */
bool vrs_compare_rises(const char *metric);
/* The figure of a run that the metric of that name is made of; NULL: none is. */
vrs_figure vrs_compare_figure(const char *metric);
/*
 * Do the comparisons that a file holds say what its runs do (comparison_check.c)?  VRS_EFORMAT names what contradicts them; `name` is the file.
 * Nothing can be said where a side has no run, nor of metrics without a name here.
 */
enum vrs_status vrs_compare_check(const struct vrs_result *result, const char *name, struct vrs_error *err);
/* Every step of the headline's derivation. */
enum vrs_status vrs_compare_explain(const struct vrs_comparison *headline, const struct vrs_compare_details *details, FILE *out);

#endif
