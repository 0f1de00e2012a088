/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Verdicts over pairs: A and B measured in the same rounds, d_i = ln(B_i / A_i).  Only runs that shared rounds give a verdict.
 *
 * Two schedules.  Sequential: looks at 8, 14 and 20 pairs with alpha .0221 each (Pocock, overall .05); between looks nothing is decided.
 * Fixed: one look at all pairs with the alpha that is given (tuner finals, recommendation).
 */
#ifndef VRS_BENCH_VERDICT_H
#define VRS_BENCH_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include <vrseg/status.h>

#include "bench/record/result.h"

#define VRS_VERDICT_MIN_PAIRS 8
#define VRS_VERDICT_MAX_PAIRS 20     /* last look */
#define VRS_VERDICT_LOOK_ALPHA 0.0221

enum vrs_verdict { VRS_VERDICT_FASTER, VRS_VERDICT_SLOWER, VRS_VERDICT_EQUIVALENT, VRS_VERDICT_INCONCLUSIVE, VRS_VERDICT_INVALID };

struct vrs_verdict_options {
	double margin;          /* as a share of A: changes below do not matter; default .02 */
	double pair_sd;         /* A/A standard deviation of d from calibration, 0: none; the margin is at least 1.5 x it */
	bool larger_is_better;  /* values are rates (fps), not times */
	double alpha;           /* 0: sequential looks; else one fixed look at this level */
	const char *invalid;    /* reason of a noise gate that fired; NULL: none */
};

/* B against A in time: +0.05 means that B takes 5 % longer (or, for rates, is 5 % slower), whatever the direction of the metric. */
struct vrs_comparison {
	enum vrs_verdict verdict;
	bool final;             /* false: more pairs may still decide */
	bool gate;              /* the change is as large as the margin: SLOWER with it is a regression, FASTER with it a real gain */
	double change, low, high; /* exp(Hodges-Lehmann) - 1 and its interval; NaN without interval */
	double p;               /* two-sided signed-rank p */
	double margin;          /* the one used */
	double mde;             /* smallest change found with 80 % power at this n and spread; NaN below 2 pairs */
	int pairs;              /* used: the last look reached, or all */
	int pairs_needed;       /* INCONCLUSIVE: estimate of the pairs that would settle it; 0: not known */
	char reason[192];       /* code and words: "few_runs: 5 pairs, at least 8 are needed" */
};

struct vrs_verdict_options vrs_verdict_options_default(void);
/*
 * Compare n pairs.  VRS_EINVAL when a value is not finite or not above 0 (a time of 0 ms is a broken clock, never a win), or n > 400.
 * Fewer than 8 pairs are INCONCLUSIVE, reason few_runs.
 */
enum vrs_status vrs_verdict_pairs(const double *a, const double *b, int n, const struct vrs_verdict_options *options, struct vrs_comparison *ret);
/*
 * The pairs of two cases of one result: values (offset into struct vrs_run) of ok runs that share a round. Returns the number of pairs;
 * a and b have room for max. Both cases must come from one invocation.
 */
int vrs_verdict_collect(const struct vrs_case_result *a, const struct vrs_case_result *b, size_t offset, double *ret_a, double *ret_b, int max);
/* The larger of the spreads of pairs that calibration has stored for the two cells, at most .6; 0: none. */
double vrs_verdict_pair_sd(const struct vrs_case_result *a, const struct vrs_case_result *b);
/* "FASTER", ... */
const char *vrs_verdict_name(enum vrs_verdict verdict);
/* 0 FASTER, EQUIVALENT and SLOWER below the margin; 10 regression; 11 INCONCLUSIVE; 12 INVALID. */
int vrs_verdict_exit_code(const struct vrs_comparison *comparison);
/* "VERDICT SLOWER metric=fps delta=+4.2% ci=[+2.9,+5.6] n=14 margin=2.0% mde=1.1%" */
void vrs_verdict_line(const struct vrs_comparison *comparison, const char *metric, char *buf, size_t size);

#endif
