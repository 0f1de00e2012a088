/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One case against all others that could take its place: same clip, scope and mode, mattes as good as the reference's.  Pairs are runs that
 * shared rounds, one look at all of them, Holm over the rivals.
 */
#ifndef VRS_BENCH_CONTEST_H
#define VRS_BENCH_CONTEST_H

#include "bench/judge/verdict.h"

#define VRS_RECOMMEND_MIN_AGREEMENT 0.98 /* IoU with the fp32 reference that a case must keep */

struct vrs_contest {
	const struct vrs_case_result *base;
	const struct vrs_case_result **cases; /* the rivals */
	struct vrs_comparison *comparisons;   /* of each rival with base */
	int count, fewest_pairs;
};

/* Compare base with its rivals in result, which must outlive the contest. VRS_ENOMEM. Release with vrs_contest_fini, also after failure. */
enum vrs_status vrs_contest_hold(struct vrs_contest *ret, const struct vrs_result *result, const struct vrs_case_result *base);
void vrs_contest_fini(struct vrs_contest *contest);
/* Number of a rival; -1: it is none. */
int vrs_contest_find(const struct vrs_contest *contest, const struct vrs_case_result *c);
/* The proven rival with the largest gain; -1: none. */
int vrs_contest_winner(const struct vrs_contest *contest);
/* "proven: +20.1 % [+18.9, +21.5] speed over 10 shared rounds", or "not proven: ...", "proven, but below the margin: ...", "slower: ...". */
void vrs_contest_text(const struct vrs_contest *contest, int rival, char *buf, size_t size);

#endif
