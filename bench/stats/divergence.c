/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/stats/divergence.h"

#include <math.h>

#include "base/mem.h"

struct vrs_divergence {
	int most, count;
	double *sums;     /* [k][t]: distances of value k to the values before t, together */
	int *order;       /* a permutation of the values, and the values in that order */
	double *permuted;
};

static double *row_of(const struct vrs_divergence *d, int k)
{
	return d->sums + (size_t)k * ((size_t)d->most + 1);
}

/* Distances of value k to values from..to - 1. */
static double distances(const struct vrs_divergence *d, int k, int from, int to)
{
	return row_of(d, k)[to] - row_of(d, k)[from];
}

enum vrs_status vrs_divergence_create(struct vrs_divergence **ret, int most)
{
	struct vrs_divergence *d = vrs_calloc(1, sizeof *d);
	if (!d)
		return VRS_ENOMEM;
	d->most = most;
	d->sums = vrs_calloc((size_t)most * ((size_t)most + 1), sizeof *d->sums);
	d->order = vrs_calloc((size_t)most, sizeof *d->order);
	d->permuted = vrs_calloc((size_t)most, sizeof *d->permuted);
	if (!d->sums || !d->order || !d->permuted) {
		vrs_divergence_destroy(d);
		return VRS_ENOMEM;
	}
	*ret = d;
	return VRS_OK;
}

void vrs_divergence_destroy(struct vrs_divergence *divergence)
{
	if (!divergence)
		return;
	vrs_free(divergence->sums);
	vrs_free(divergence->order);
	vrs_free(divergence->permuted);
	vrs_free(divergence);
}

void vrs_divergence_load(struct vrs_divergence *divergence, const double *values, int count)
{
	divergence->count = count;
	for (int k = 0; k < count; k++) {
		double *row = row_of(divergence, k);
		row[0] = 0;
		for (int t = 0; t < count; t++)
			row[t + 1] = row[t] + fabs(values[t] - values[k]);
	}
}

/* From the sums of distances across n and m values, and within each. */
static double scaled(double across, double left, double right, int n, int m)
{
	double q = across;
	if (n > 1)
		q -= left * m / (n - 1);
	if (m > 1)
		q -= right * n / (m - 1);
	return 2 * q / (n + m);
}

struct vrs_divergence_split vrs_divergence_best(const struct vrs_divergence *divergence, int from, int to, int min_segment)
{
	struct vrs_divergence_split best = {.index = from, .end = to};
	double left = 0;
	for (int i = from + 1; i + min_segment <= to; i++) {
		double across = 0, right = 0;
		left += distances(divergence, i - 1, from, i - 1);
		if (i - from < min_segment)
			continue;
		for (int k = i; k < to; k++) {
			across += distances(divergence, k, from, i);
			right += distances(divergence, k, i, k);
			double q = k - i + 1 < min_segment ? 0 : scaled(across, left, right, i - from, k - i + 1);
			if (q > best.q)
				best = (struct vrs_divergence_split){.index = i, .end = k + 1, .q = q};
		}
	}
	return best;
}

double vrs_divergence_at(const struct vrs_divergence *divergence, int from, int split, int to)
{
	double across = 0, left = 0, right = 0;
	for (int k = from; k < split; k++)
		left += distances(divergence, k, from, k);
	for (int k = split; k < to; k++) {
		across += distances(divergence, k, from, split);
		right += distances(divergence, k, split, k);
	}
	return scaled(across, left, right, split - from, to - split);
}

static double divergence_of(struct vrs_divergence *d, const double *values, int count, int split, int min_segment)
{
	vrs_divergence_load(d, values, count);
	return split > 0 ? vrs_divergence_at(d, 0, split, count) : vrs_divergence_best(d, 0, count, min_segment).q;
}

double vrs_divergence_permuted(struct vrs_divergence *divergence, const double *values, int count, int split, int min_segment, int permutations,
			       double limit, struct vrs_rng *rng)
{
	double seen = divergence_of(divergence, values, count, split, min_segment), p = 0;
	int as_large = 0;
	for (int i = 0; i < count; i++)
		divergence->order[i] = i;
	for (int r = 0; r < permutations && p <= limit; r++) {
		vrs_rng_shuffle(rng, divergence->order, count);
		for (int i = 0; i < count; i++)
			divergence->permuted[i] = values[divergence->order[i]];
		as_large += divergence_of(divergence, divergence->permuted, count, split, min_segment) >= seen;
		p = (1.0 + as_large) / (1.0 + permutations);
	}
	return p;
}
