/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The verdict of one night: the accepted baseline (A) against the build of the day (B) in every case and metric.  Each comparison comes from
 * vrs_compare with one look at all pairs (options.alpha VRS_VERDICT_ALPHA, alone), whose number was chosen beforehand (vrs_night_gate_rounds): the
 * early looks of an A/B of one case could prove nothing in a family.  The gate adds what no single comparison knows:
 *
 *   All cases and metrics of speed and memory are one family, by Holm.
 *   SLOWER takes two invocations: where the first says so, by its margin or more, the cases in question are measured again, and only what the
 *   second, a family of its own, says too is a regression.  Where the second is INCONCLUSIVE or INVALID, so is the night.
 *   A matte that became worse is a regression at once: it is the same in every run.
 *   Without a regression the headlines decide: INVALID if one is; INCONCLUSIVE if the interval of one leaves room for a slowdown by `change`, or by
 *   its margin where that is larger.  One that ends below has answered what a gate asks, even where it cannot tell EQUIVALENT from FASTER.
 */
#ifndef VRS_BENCH_NIGHT_GATE_H
#define VRS_BENCH_NIGHT_GATE_H

#include "bench/judge/verdict.h"

#define VRS_NIGHT_CHANGE 0.05 /* the slowdown that a night is planned to find, and that one which passes has ruled out */

enum vrs_night_role {
	VRS_NIGHT_HEADLINE,   /* of a case: the night is undecided where it is */
	VRS_NIGHT_SECONDARY,  /* can make the night SLOWER, and nothing else */
	VRS_NIGHT_QUALITY,    /* a figure of the matte; SLOWER says that it is worse by more than its margin, without a test */
};

struct vrs_night_item {
	enum vrs_night_role role;
	const char *case_id;               /* for the reason */
	struct vrs_comparison *first;      /* judged alone; the gate adds Holm's p, and takes back what it does not allow */
	struct vrs_comparison *second;     /* of the second invocation; NULL: not measured there */
	bool suspect;                      /* out: the first invocation says SLOWER, so that its case has to be measured again */
	bool regressed;                    /* out: it makes the night a regression */
};

struct vrs_night_verdict {
	enum vrs_verdict verdict;          /* SLOWER also where only the matte is worse */
	int exit_code;                     /* VRS_EXIT_OK, REGRESSION, INCONCLUSIVE or INVALID */
	bool confirm;                      /* INCONCLUSIVE until a second invocation has measured the suspects */
	int family;                        /* comparisons of the first invocation that Holm adjusts over */
	int suspects, regressed;           /* items; regressed counts mattes too, suspects does not */
	int decisive;                      /* the item that the verdict rests on most; -1: all together */
	char reason[320];                  /* one sentence */
};

/*
 * Judge the night.  change: the slowdown that a night has to rule out, a share; 0: VRS_NIGHT_CHANGE.  Calling it again with the same comparisons
 * gives the same.  VRS_ENOMEM.
 */
enum vrs_status vrs_night_gate(struct vrs_night_item *items, int count, double change, struct vrs_night_verdict *ret);
/*
 * Rounds of each invocation with which a slowdown by `change` (a share; 0: VRS_NIGHT_CHANGE) is found in at least 95 of 100 nights.  pair_sd: the
 * spread of pairs that calibration has stored for the noisiest case, 0: not known, taken as 1 %.  family: comparisons.  At most VRS_STATS_MAX_PAIRS.
 */
int vrs_night_gate_rounds(double pair_sd, int family, double change);

#endif
