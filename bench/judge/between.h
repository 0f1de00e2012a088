/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A verdict on two cases that were measured by two invocations, which share no rounds.  What lies between them is drift of the machine; only where
 * calibrations of several days have shown how large that is (vrs_noise_record_between) can it be told from a change.
 *
 * d = ln(A / B) of the medians (of rates; ln(B / A) of times): above 0, B is slower.  Its variance is 2 s^2 + se_a^2 + se_b^2, with s the standard
 * deviation between invocations as calibrated, and se = 1.2533 sd / sqrt(n) the error of a median of n runs.  The interval is Student's at 95 %
 * with the degrees of freedom of s.  Inside the margin: EQUIVALENT; without 0: SLOWER or FASTER, a regression or a gain where the estimate is beyond
 * the margin; all else is INCONCLUSIVE.  The margin is the largest of 2 % and 1.5 s.  Of several cases vrs_verdict_family makes one family.
 */
#ifndef VRS_BENCH_BETWEEN_H
#define VRS_BENCH_BETWEEN_H

#include "bench/judge/noise_record.h"
#include "bench/judge/verdict.h"

/* The steps, for whoever explains them.  Logarithms, not percent. */
struct vrs_between {
	double sd;                 /* s */
	int freedom, invocations;  /* of s: its degrees of freedom, and the calibrations it is made of */
	double se_a, se_b, se;     /* of the medians, and of d */
	double d, low, high;
	int runs_a, runs_b;
	char why[224];             /* why there is no verdict; "" */
};

/*
 * Judge B against A by their headline (the rate; live, the median latency).  record NULL: nothing is stored, and `why_none` says so.  Always
 * fills *ret and *ret_steps; without a stored variance the verdict is INCONCLUSIVE for cause FEW_RUNS.  VRS_ENOMEM.
 */
enum vrs_status vrs_between_judge(const struct vrs_noise_record *record, const char *why_none, time_t now, const struct vrs_case_result *a,
				  const struct vrs_case_result *b, struct vrs_comparison *ret, struct vrs_between *ret_steps);

#endif
