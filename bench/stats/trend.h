/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does a quantity grow over a long run? Slope by Theil and Sen with its interval. */
#ifndef VRS_BENCH_TREND_H
#define VRS_BENCH_TREND_H

#include <stdbool.h>

#include <vrseg/status.h>

#define VRS_TREND_BLOCKS 20

struct vrs_trend {
	double slope, low, high;  /* change of y for each unit of x, and its 95 % interval */
	double level;             /* median of y */
	double first, last;       /* medians of the first and the last sixth */
	int blocks;               /* that the interval is made of */
	bool has_interval;        /* at least 8 blocks */
};

/*
 * x ascending.  Neighbours of a time series are alike, which would make the interval too narrow; so the values are first replaced by the medians of
 * at most VRS_TREND_BLOCKS consecutive blocks.  The interval is Sen's (1968): the slopes of all pairs of blocks, cut at ranks of Kendall's S.
 * n >= 2; VRS_EINVAL on NaN, or when all x are equal; VRS_ENOMEM.
 */
enum vrs_status vrs_trend_fit(const double *x, const double *y, int n, struct vrs_trend *ret);

#endif
