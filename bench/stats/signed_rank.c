/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The exact signed-rank distribution: Hodges-Lehmann estimate, Wilcoxon interval and p value of paired differences
 * (Hollander, Wolfe & Chicken, Nonparametric Statistical Methods, chapter 3).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bench/stats/stats.h"

/*
 * Probability of each value of W = sum of the chosen weights, every weight being chosen with probability 1/2.
 * The table is scaled by 1/2 in every step, so that it never overflows. Returns NULL when out of memory.
 */
static double *signed_rank_table(const int *weights, int n, int *ret_total)
{
	int total = 0;
	for (int i = 0; i < n; i++)
		total += weights[i];
	double *table = vrs_calloc((size_t)total + 1, sizeof *table);
	if (!table)
		return NULL;
	table[0] = 1;
	int reach = 0;
	for (int i = 0; i < n; i++) {
		reach += weights[i];
		for (int w = reach; w >= 0; w--)
			table[w] = 0.5 * (table[w] + (w >= weights[i] ? table[w - weights[i]] : 0));
	}
	*ret_total = total;
	return table;
}

int vrs_stats_walsh_rank(int n, double alpha)
{
	if (n < 1 || n > VRS_STATS_MAX_PAIRS || !(alpha > 0 && alpha < 1))
		return 0;
	int ranks[VRS_STATS_MAX_PAIRS], total;
	for (int i = 0; i < n; i++)
		ranks[i] = i + 1;
	double *table = signed_rank_table(ranks, n, &total);
	if (!table)
		return 0;
	double sum = 0;
	int k = 0;
	for (int w = 0; w <= total; w++) {
		sum += table[w];
		if (sum > alpha / 2)
			break;
		k = w + 1;
	}
	vrs_free(table);
	return k;
}

static int compare_double(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

struct signed_value {
	double magnitude;
	bool positive;
};

static int compare_magnitude(const void *a, const void *b)
{
	const struct signed_value *x = a, *y = b;
	return (x->magnitude > y->magnitude) - (x->magnitude < y->magnitude);
}

/*
 * Two-sided p value. Zeros are dropped; ties get mid-ranks, which doubled are whole numbers, so the conditional distribution stays exact.
 */
static enum vrs_status signed_rank_p(const double *d, int n, double *ret_p)
{
	struct signed_value values[VRS_STATS_MAX_PAIRS];
	int doubled[VRS_STATS_MAX_PAIRS], used = 0, observed = 0, total;
	for (int i = 0; i < n; i++)
		if (d[i] < 0 || d[i] > 0)
			values[used++] = (struct signed_value){fabs(d[i]), d[i] > 0};
	if (used == 0) {
		*ret_p = 1;
		return VRS_OK;
	}
	qsort(values, (size_t)used, sizeof *values, compare_magnitude);
	for (int i = 0; i < used;) {
		int j = i;
		while (j < used && !(values[j].magnitude > values[i].magnitude))
			j++;
		for (int k = i; k < j; k++) {
			doubled[k] = i + 1 + j; /* 2 x mean of ranks i + 1 .. j */
			observed += values[k].positive ? doubled[k] : 0;
		}
		i = j;
	}
	double *table = signed_rank_table(doubled, used, &total);
	if (!table)
		return VRS_ENOMEM;
	int extreme = observed < total - observed ? observed : total - observed;
	double sum = 0;
	for (int w = 0; w <= extreme; w++)
		sum += table[w];
	vrs_free(table);
	*ret_p = 2 * sum > 1 ? 1 : 2 * sum;
	return VRS_OK;
}

static enum vrs_status walsh_interval(const double *d, int n, double alpha, struct vrs_shift *shift)
{
	size_t count = (size_t)n * (size_t)(n + 1) / 2, at = 0;
	double *walsh = vrs_realloc_array(NULL, count, sizeof *walsh);
	if (!walsh)
		return VRS_ENOMEM;
	for (int i = 0; i < n; i++)
		for (int j = i; j < n; j++)
			walsh[at++] = 0.5 * (d[i] + d[j]);
	qsort(walsh, count, sizeof *walsh, compare_double);
	shift->estimate = 0.5 * (walsh[(count - 1) / 2] + walsh[count / 2]);
	int k = vrs_stats_walsh_rank(n, alpha);
	shift->has_interval = k > 0;
	if (k > 0) {
		shift->low = walsh[k - 1];
		shift->high = walsh[count - (size_t)k];
	}
	vrs_free(walsh);
	return VRS_OK;
}

static enum vrs_status sign_interval(const double *d, int n, double alpha, struct vrs_shift *shift)
{
	int low, high;
	double coverage;
	if (vrs_stats_quantile_ranks(n, 0.5, 1 - alpha, &low, &high, &coverage) != VRS_OK)
		return VRS_OK; /* stays absent */
	double *s = vrs_realloc_array(NULL, (size_t)n, sizeof *s);
	if (!s)
		return VRS_ENOMEM;
	memcpy(s, d, (size_t)n * sizeof *s);
	qsort(s, (size_t)n, sizeof *s, compare_double);
	shift->sign_low = s[low - 1];
	shift->sign_high = s[high - 1];
	vrs_free(s);
	return VRS_OK;
}

enum vrs_status vrs_stats_shift(const double *d, int n, double alpha, struct vrs_shift *ret)
{
	if (!d || n < 1 || n > VRS_STATS_MAX_PAIRS || !(alpha > 0 && alpha < 1))
		return VRS_EINVAL;
	for (int i = 0; i < n; i++)
		if (!isfinite(d[i]))
			return VRS_EINVAL;
	struct vrs_shift shift = {.low = NAN, .high = NAN, .sign_low = NAN, .sign_high = NAN, .alpha = alpha, .n = n};
	enum vrs_status status = walsh_interval(d, n, alpha, &shift);
	if (status == VRS_OK)
		status = sign_interval(d, n, alpha, &shift);
	if (status == VRS_OK)
		status = signed_rank_p(d, n, &shift.p);
	if (status == VRS_OK)
		*ret = shift;
	return status;
}
