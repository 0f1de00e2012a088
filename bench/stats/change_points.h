/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where does the level of a series change?  E-divisive (Matteson & James, A Nonparametric Approach for Multiple Change Point Analysis of
 * Multivariate Data, JASA 2014), which MongoDB brought to performance tests (Daly et al., ICPE 2020), in windows and
 * deterministic as Hunter does it (Fleming et al., ICPE 2023; today Apache Otava):
 *
 *   1. Over windows that begin half a window apart, or at the last change found, the best split of each piece is the one with the largest energy
 *      divergence between what lies before and after it.  Both parameters vary: the split, and the end of what comes after, so that a change
 *      that did not last is found too.  A piece is split while its best split is significant at ten times max_p: these points are weak.
 *   2. Weak points are merged, the weakest first, until each is significant at max_p, is as large as min_magnitude, and has min_segment values on
 *      either side; after each removal its neighbours are judged again over their longer segments.
 *
 * Significance is Student's t test of the two segments, which may not rest on one value (vrs_stats_two_levels), or a permutation test of the
 * divergence with a fixed seed: the same series gives the same points in every run.  The cost is O(n x window), times the permutations.
 */
#ifndef VRS_BENCH_CHANGE_POINTS_H
#define VRS_BENCH_CHANGE_POINTS_H

#include <stdint.h>

#include <vrseg/status.h>

#define VRS_CHANGE_MAX_VALUES 100000
#define VRS_CHANGE_MAX_WINDOW 1000
#define VRS_CHANGE_MAX_PERMUTATIONS 100000

enum vrs_change_test {
	VRS_CHANGE_STUDENT,
	VRS_CHANGE_PERMUTATION, /* its smallest p is 1 / (permutations + 1) */
};

struct vrs_change_rules {
	enum vrs_change_test test;
	double max_p;          /* above 0, below 1 */
	int window;            /* 2 x min_segment to VRS_CHANGE_MAX_WINDOW values */
	int min_segment;       /* values between two changes, and before the first and after the last; at least 1 */
	double min_magnitude;  /* least change as a share of the level before or after, whichever is larger; 0: any */
	int permutations;      /* of VRS_CHANGE_PERMUTATION */
	uint64_t seed;
};

/* Student, p .001, windows of 50, segments of 3, any magnitude; 999 permutations. */
struct vrs_change_rules vrs_change_rules_default(void);

struct vrs_change_point {
	int index;             /* of the first value of the new level */
	double before, after;  /* means from the change before to this one, and from this one to the next */
	double p;
};

/*
 * The change points of values, which stand in order of time; what is missing is left out of the array.  At most max go to ret, in order;
 * *ret_count is the number of all.  Fewer than two segments of values have no change point.
 * VRS_EINVAL: a value is not finite, or a rule is out of its range; VRS_ELIMIT: more than VRS_CHANGE_MAX_VALUES; VRS_ENOMEM.
 */
enum vrs_status vrs_change_points(const double *values, int count, const struct vrs_change_rules *rules, struct vrs_change_point *ret, int max,
				  int *ret_count, struct vrs_error *err) VRS_MUST_CHECK;

#endif
