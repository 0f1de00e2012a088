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

#include <vrseg/exit_codes.h>
#include <vrseg/status.h>

#include "analyzer/figures/figures.h"
#include "bench/record/result.h"

#define VRS_VERDICT_MIN_PAIRS 8
#define VRS_VERDICT_MAX_PAIRS 20     /* last look */
#define VRS_VERDICT_LOOK_ALPHA 0.0221
#define VRS_VERDICT_ALPHA 0.05        /* of one fixed look, and of a family */

struct vrs_verdict_options {
	double margin;          /* as a share of A: changes below do not matter; default .02 */
	double pair_sd;         /* A/A standard deviation of d from calibration, 0: none; the margin is at least vrs_verdict_noise_margin */
	bool larger_is_better;  /* values are rates (fps), not times */
	double alpha;           /* 0: sequential looks; else one fixed look at this level */
	enum vrs_cause invalid; /* DISTURBED, FAILED: INVALID whatever the pairs say; NONE: they decide */
	const char *why;        /* the same as a sentence */
};

struct vrs_verdict_options vrs_verdict_options_default(void);
/*
 * Compare n pairs.  VRS_EINVAL when a value is not finite or not above 0 (a time of 0 ms is a broken clock, never a win), or n > 400.
 * Fewer than 8 pairs are INCONCLUSIVE, reason few_runs.
 */
enum vrs_status vrs_verdict_pairs(const double *a, const double *b, int n, const struct vrs_verdict_options *options, struct vrs_comparison *ret);
/*
 * The pairs of two cases of one invocation, in order of rounds: a figure of runs of both that count and share a round, where both have it above 0.
 * Returns the number of pairs; ret_a, ret_b and ret_rounds (NULL: not wanted) have room for max.
 */
int vrs_verdict_collect(const struct vrs_case_result *a, const struct vrs_case_result *b, vrs_figure figure, int max, double *ret_a, double *ret_b,
			int *ret_rounds);
/* What two cases are compared by. */
enum vrs_headline {
	VRS_HEADLINE_FPS,
	VRS_HEADLINE_LATENCY, /* the median one; for live cases, whose rate is given */
};
/* The figure of a run, and its name in lines for scripts. */
vrs_figure vrs_headline_figure(enum vrs_headline headline);
const char *vrs_headline_name(enum vrs_headline headline);
/*
 * Two cases by a headline: margin and spread as calibrated, one look at level alpha, or the sequential looks (0).  VRS_ENOTFOUND: they share no
 * round in which both ran well.
 */
enum vrs_status vrs_verdict_cases(const struct vrs_case_result *a, const struct vrs_case_result *b, enum vrs_headline headline, double alpha,
				  struct vrs_comparison *ret);
/*
 * Judge n comparisons as one family: each gets Holm's adjusted p, and FASTER or SLOWER stays only where that is at most VRS_VERDICT_ALPHA; the others
 * become INCONCLUSIVE for cause HOLM.  VRS_ENOMEM.
 */
enum vrs_status vrs_verdict_family(struct vrs_comparison *const *items, int n);
/* Fewest rounds with which one of n comparisons can be proven at all: n p <= .05 for the least p of signed ranks, 2^(1-rounds), and at least 8. */
int vrs_verdict_family_rounds(int n);
/* Is the difference proven, alone or in its family, however small? */
bool vrs_verdict_is_proven(const struct vrs_comparison *comparison);
/* Is B proven faster, by the margin or more? The one test for leaving a default. */
bool vrs_verdict_is_gain(const struct vrs_comparison *comparison);
/*
 * The least margin that so many pairs of this spread can hold: 1.5 x pair_sd, and with more than VRS_VERDICT_MAX_PAIRS pairs, which only one look at
 * a number chosen beforehand has, as much less as the error of their centre.
 */
double vrs_verdict_noise_margin(double pair_sd, int pairs);
/* The smallest cost, as a share, that n pairs find with 80 % power; sd: of ln(A / B) over pairs.  NaN: nothing can be said. */
double vrs_verdict_mde(double sd, int n);
/* The larger of the spreads of pairs that calibration has stored for the two cases, at most .6; 0: none. */
double vrs_verdict_pair_sd(const struct vrs_case_result *a, const struct vrs_case_result *b);
/* VRS_EXIT_OK for FASTER, EQUIVALENT and SLOWER below the margin; else REGRESSION, INCONCLUSIVE or INVALID. */
int vrs_verdict_exit_code(const struct vrs_comparison *comparison);
/* FASTER, or SMALLER and BETTER of the metrics size and iou; the same for SLOWER: LARGER, WORSE. */
const char *vrs_verdict_word(const struct vrs_comparison *comparison);
/* The line for scripts: "VERDICT SLOWER metric=fps delta=+4.2% ci=[+2.9,+5.6] n=14 margin=2.0% mde=1.1%". */
void vrs_verdict_line(const struct vrs_comparison *comparison, char *buf, size_t size);
/* Its keys alone, behind another word. */
void vrs_verdict_line_keys(const struct vrs_comparison *comparison, char *buf, size_t size);

#endif
