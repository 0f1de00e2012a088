/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One case against all others that could take its place, judged as one family: pairs are runs that shared rounds, one look at all of them, Holm over
 * the members.
 */
#ifndef VRS_BENCH_HOLM_FAMILY_H
#define VRS_BENCH_HOLM_FAMILY_H

#include "bench/judge/verdict.h"

#define VRS_RECOMMEND_MIN_AGREEMENT 0.98 /* IoU with the fp32 reference that a case must keep */

struct vrs_holm_family {
	const struct vrs_case_result *base;
	const struct vrs_case_result **cases; /* the members */
	struct vrs_comparison *comparisons;   /* of each member with base */
	int count, fewest_pairs, most_pairs;
};

/* Does c make base's mattes?  The same network at the same size on the same clip, with the same options where they decide about mattes. */
bool vrs_holm_family_same_mattes(const struct vrs_case_result *c, const struct vrs_case_result *base);

/* Who is a member, and what members are compared by. */
struct vrs_holm_rules {
	enum vrs_headline headline;
	/* May this case take the place of base? */
	bool (*accept)(const struct vrs_case_result *c, const struct vrs_case_result *base, const void *cookie);
	const void *cookie;
};
/*
 * Compare base with the cases of result, which must outlive the family, that are accepted.  rules NULL: by speed, those with the same clip, scope
 * and mode, and mattes as good as the reference's, or, where these were not compared, those of base.  VRS_ENOMEM.
 * Release with vrs_holm_family_fini, also after failure.
 */
enum vrs_status vrs_holm_family_judge(struct vrs_holm_family *ret, const struct vrs_result *result, const struct vrs_case_result *base,
				      const struct vrs_holm_rules *rules);
void vrs_holm_family_fini(struct vrs_holm_family *family);
/* Number of a member; -1: it is none. */
int vrs_holm_family_find(const struct vrs_holm_family *family, const struct vrs_case_result *c);
/* The proven member with the largest gain; -1: none. */
int vrs_holm_family_winner(const struct vrs_holm_family *family);
/*
 * Fewest rounds with which one of the family can be proven at all; ret_among: " among 19 cases" where that is more than one comparison alone needs,
 * else "".
 */
int vrs_holm_family_rounds(const struct vrs_holm_family *family, char ret_among[32]);
/* "proven: +20.1 % [+18.9, +21.5] speed over 10 shared rounds", or "not proven: ...", "proven, but below the margin: ...", "slower: ...". */
void vrs_holm_family_text(const struct vrs_holm_family *family, int member, char *buf, size_t size);

#endif
