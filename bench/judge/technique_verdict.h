/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the runs say about each technique.  A pair is compared by the functions of --versus (bench/judge/comparison.h), with one look at all rounds
 * that were planned, on the metric that the technique is there for.  Those p values are one family: a technique is called FASTER or SLOWER only
 * where Holm's adjusted p over all techniques allows it.  Quality is the same in every run, so it needs no test, only a difference that matters.
 */
#ifndef VRS_BENCH_TECHNIQUE_VERDICT_H
#define VRS_BENCH_TECHNIQUE_VERDICT_H

#include "bench/plan/technique.h"
#include "bench/record/result.h"

#define VRS_TECHNIQUE_IOU_MARGIN 0.002 /* a loss or gain of IoU below does not matter */
#define VRS_TECHNIQUE_METRICS 6

enum vrs_technique_answer {
	VRS_TECHNIQUE_PAYS,
	VRS_TECHNIQUE_PAYS_NOT,         /* it makes worse what it is there for, or changes nothing */
	VRS_TECHNIQUE_UNDECIDED,
	VRS_TECHNIQUE_NOT_MEASURED,
};

struct vrs_technique_outcome {
	const struct vrs_technique *technique;
	const struct vrs_case_result *off, *on; /* NULL: not measured */
	int metric_count;
	struct vrs_comparison metrics[VRS_TECHNIQUE_METRICS]; /* side A is off, side B is on; changes are costs of on */
	int goal;                           /* which metric decides; -1: quality, or none */
	bool has_truth;                     /* iou is against truth, else against the reference */
	double iou_off, iou_on;             /* NaN: not observed, or over different frames */
	int mattes_off, mattes_on;          /* that iou was taken over; a run that was cut short has fewer */
	enum vrs_technique_answer answer;
	char word[16];                      /* FASTER, SLOWER (not speed: BETTER, WORSE), EQUIVALENT, INCONCLUSIVE, INVALID, FAILED or "-" */
	char text[256];                     /* the answer as a sentence */
};

struct vrs_technique_outcomes {
	int count, family;                  /* family: p values that Holm adjusts over */
	double margin;                      /* asked for; 0: default */
	struct vrs_technique_outcome items[VRS_TECHNIQUES_MAX];
};

/* Judge all. list, cases and result must outlive the outcomes. margin: share, 0: default. VRS_ENOMEM, VRS_EINVAL. Free with vrs_free. */
enum vrs_status vrs_technique_judge(const struct vrs_technique_list *list, const struct vrs_technique_cases *cases, const struct vrs_result *result,
				    double margin, struct vrs_technique_outcomes **ret_outcomes);
/* The line for scripts: "VERDICT PAYS technique=threads metric=fps delta=-12.0% ...". */
void vrs_technique_line(const struct vrs_technique_outcome *outcome, char *buf, size_t size);
/* The metric of that name ("fps", "latency_p50", "cpu", "peak_memory", "start"); NULL: not observed on both sides. */
const struct vrs_comparison *vrs_technique_metric(const struct vrs_technique_outcome *outcome, const char *name);
/* Change of a metric itself as a share, with its interval: a rate rises where its cost falls. */
void vrs_technique_change(const struct vrs_comparison *m, double *ret_change, double *ret_low, double *ret_high);

#endif
