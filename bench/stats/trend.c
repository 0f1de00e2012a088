/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/stats/trend.h"

#include <math.h>
#include <stdlib.h>

#include "bench/stats/stats.h"

enum { MIN_BLOCKS = 8, MAX_SLOPES = VRS_TREND_BLOCKS * (VRS_TREND_BLOCKS - 1) / 2 };

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

/* Slopes between all pairs, sorted; blocks at the same place make none. */
static int pair_slopes(const double *x, const double *y, int n, double slopes[MAX_SLOPES])
{
	int count = 0;
	for (int i = 0; i < n; i++)
		for (int k = i + 1; k < n; k++)
			if (x[k] > x[i])
				slopes[count++] = (y[k] - y[i]) / (x[k] - x[i]);
	qsort(slopes, (size_t)count, sizeof *slopes, ascending);
	return count;
}

/* Ranks (N - C) / 2 and (N + C) / 2 + 1 with C = 1.96 sqrt(n (n - 1) (2n + 5) / 18), the spread of Kendall's S. */
static void interval(const double *slopes, int count, int n, struct vrs_trend *t)
{
	double c = 1.959964 * sqrt((double)n * (n - 1) * (2 * n + 5) / 18);
	int low = (int)floor((count - c) / 2) - 1, high = (int)ceil((count + c) / 2);
	t->has_interval = n >= MIN_BLOCKS;
	t->low = slopes[low > 0 ? low : 0];
	t->high = slopes[high < count - 1 ? high : count - 1];
}

static enum vrs_status end_level(const double *y, int n, struct vrs_trend *t)
{
	int sixth = n / 6 > 0 ? n / 6 : 1;
	enum vrs_status status = vrs_stats_median(y, sixth, &t->first);
	return status == VRS_OK ? vrs_stats_median(y + n - sixth, sixth, &t->last) : status;
}

enum vrs_status vrs_trend_fit(const double *x, const double *y, int n, struct vrs_trend *ret)
{
	double bx[VRS_TREND_BLOCKS], by[VRS_TREND_BLOCKS], slopes[MAX_SLOPES];
	struct vrs_trend t = {.blocks = n < VRS_TREND_BLOCKS ? n : VRS_TREND_BLOCKS};
	if (n < 2)
		return VRS_EINVAL;
	for (int b = 0; b < t.blocks; b++) {
		int from = (int)((long)n * b / t.blocks), to = (int)((long)n * (b + 1) / t.blocks);
		enum vrs_status status = vrs_stats_median(x + from, to - from, &bx[b]);
		if (status == VRS_OK)
			status = vrs_stats_median(y + from, to - from, &by[b]);
		if (status != VRS_OK)
			return status;
	}
	int count = pair_slopes(bx, by, t.blocks, slopes);
	if (count == 0)
		return VRS_EINVAL;
	enum vrs_status status = vrs_stats_median(slopes, count, &t.slope);
	if (status == VRS_OK)
		status = vrs_stats_median(y, n, &t.level);
	if (status == VRS_OK)
		status = end_level(y, n, &t);
	if (status != VRS_OK)
		return status;
	interval(slopes, count, t.blocks, &t);
	*ret = t;
	return VRS_OK;
}
