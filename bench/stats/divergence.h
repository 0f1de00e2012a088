/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The energy divergence of two parts of a series (Szekely & Rizzo, Hierarchical Clustering via Joint Between-Within Distances, 2005). */
#ifndef VRS_BENCH_DIVERGENCE_H
#define VRS_BENCH_DIVERGENCE_H

#include <vrseg/status.h>

#include "base/rng.h"

/* Distances between the values of one series. */
struct vrs_divergence;

/* Room for series of at most most values.  VRS_ENOMEM. */
enum vrs_status vrs_divergence_create(struct vrs_divergence **ret, int most);
void vrs_divergence_destroy(struct vrs_divergence *divergence);
/* Forget the series before, take this one. */
void vrs_divergence_load(struct vrs_divergence *divergence, const double *values, int count);
/*
 * The split i of the loaded values from..to - 1 with the largest divergence of from..i - 1 and i..k - 1, over all k up to `to`; both parts and
 * i..to - 1 have at least min_segment values.  Divergences are scaled by n m / (n + m), n and m values.
 */
struct vrs_divergence_split {
	int index, end;  /* i and k */
	double q;        /* 0: there is no split */
};
struct vrs_divergence_split vrs_divergence_best(const struct vrs_divergence *divergence, int from, int to, int min_segment);
/* The divergence of from..split - 1 and split..to - 1. */
double vrs_divergence_at(const struct vrs_divergence *divergence, int from, int split, int to);
/*
 * p value of a divergence of these values among random orders of them: of the one at split, or with split 0 of the best split, which is found anew in
 * every order.  Ends as soon as p is certain to be above limit.  What was loaded is lost.
 */
double vrs_divergence_permuted(struct vrs_divergence *divergence, const double *values, int count, int split, int min_segment, int permutations,
			       double limit, struct vrs_rng *rng);

#endif
