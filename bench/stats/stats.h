/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Statistics of measurements.  The unit of replication is the run; frames inside a run are not replicates.
 *
 * Every function refuses NaN and infinities with VRS_EINVAL, so that a broken value never becomes a small number somewhere else.
 * Inputs are never changed.  All functions are thread-safe.
 */
#ifndef VRS_BENCH_STATS_H
#define VRS_BENCH_STATS_H

#include <stdbool.h>

#include <vrseg/status.h>

#define VRS_STATS_MAX_PAIRS 400 /* exact signed-rank distribution up to here */

/* A median with its exact order-statistic interval. */
struct vrs_estimate {
	double median, low, high, min, max;
	double confidence;   /* exact coverage of low..high; 0 without interval */
	int n;
	bool has_interval;   /* false below 6 values */
};

/* Effect of B against A over pairs: d_i is a log ratio or a difference, as the caller has made it. */
struct vrs_shift {
	double estimate;     /* Hodges-Lehmann: median of the Walsh averages */
	double low, high;    /* Wilcoxon interval: k-th smallest and k-th largest Walsh average */
	double sign_low, sign_high; /* order-statistic interval of the median of d (sign test), a robust cross-check */
	double p;            /* two-sided exact signed-rank p value */
	double alpha;        /* nominal: the interval covers at least 1 - alpha */
	int n;
	bool has_interval;   /* n is large enough for alpha */
};

/* Median; mean of the two middle values for even n. n >= 1. */
enum vrs_status vrs_stats_median(const double *x, int n, double *ret);
enum vrs_status vrs_stats_mean(const double *x, int n, double *ret);
/* Sample standard deviation, n >= 2. */
enum vrs_status vrs_stats_sd(const double *x, int n, double *ret);
/* Quantile of type 7 (Hyndman & Fan, 1996): linear between order statistics, p 0 is the minimum and p 1 the maximum. */
enum vrs_status vrs_stats_quantile(const double *x, int n, double p, double *ret);
/* 1.4826 x median absolute deviation: a robust standard deviation. */
enum vrs_status vrs_stats_mad(const double *x, int n, double *ret);
/* Median slope over all pairs (Theil, 1950; Sen, 1968). n >= 2, VRS_EINVAL when all x are equal. */
enum vrs_status vrs_stats_theil_sen(const double *x, const double *y, int n, double *ret_slope);

/* A sorted copy; freed with vrs_free. n 0 gives a copy of nothing. */
enum vrs_status vrs_stats_sorted(const double *x, long n, double **ret);

/* Smallest n for which a two-sided, equal-tailed interval of the p quantile exists. p .5: 6, .95: 72, .99: 368 at 0.95. */
int vrs_stats_quantile_min_n(double p, double confidence);
/* 1-based ranks of that interval and its exact coverage. VRS_ELIMIT: n is too small. */
enum vrs_status vrs_stats_quantile_ranks(int n, double p, double confidence, int *ret_low, int *ret_high, double *ret_coverage);
/* Fill an estimate at 0.95; n 0 gives n = 0 and NaN values. */
enum vrs_status vrs_stats_estimate(const double *x, int n, struct vrs_estimate *ret);

/*
 * May a percentile of pooled frames be printed?  deff is the design effect (see below), 1 when nothing is known.
 * Needs n / deff x (1 - p) >= 10 and the existence bound above. Returns 0 when supported, else the number of frames missing.
 */
long vrs_stats_frames_missing(long n, double p, double deff);
/*
 * Design effect of slow frames: frames above `threshold`, grouped into episodes when less than 10 frames apart within one run;
 * sum c^2 / sum c over episode sizes c. 1 when no frame is slow. run_starts: index of the first frame of each run, ascending.
 */
enum vrs_status vrs_stats_design_effect(const double *x, long n, const long *run_starts, int runs, double threshold, double *ret_deff);
/* The same, with the number of episodes. */
enum vrs_status vrs_stats_episodes(const double *x, long n, const long *run_starts, int runs, double threshold, double *ret_deff, long *ret_episodes);
/*
 * 95 % interval of the p quantile of n sorted values whose slow ones come in bursts: binomial ranks at n / deff, scaled to n.
 * VRS_ELIMIT: n / deff is too small for it.
 */
enum vrs_status vrs_stats_burst_interval(const double *sorted, long n, double p, double deff, double *ret_low, double *ret_high);
/* Autocorrelation at lag 1; 0 without spread. n >= 2. */
enum vrs_status vrs_stats_lag1(const double *x, long n, double *ret);

/* Hodges-Lehmann estimate, Wilcoxon interval and p value of d. 1..VRS_STATS_MAX_PAIRS values. */
enum vrs_status vrs_stats_shift(const double *d, int n, double alpha, struct vrs_shift *ret);
/* k of that interval: the k-th smallest and k-th largest of n (n + 1) / 2 Walsh averages; 0: none exists. alpha .0221: 2, 17, 45 at 8, 14, 20. */
int vrs_stats_walsh_rank(int n, double alpha);
/*
 * Student's t: the 1 - alpha interval around an estimate with its standard error and degrees of freedom, and the two-sided p value of 0.
 * VRS_EINVAL: se or freedom not above 0.
 */
enum vrs_status vrs_stats_student(double estimate, double se, double freedom, double alpha, double *ret_low, double *ret_high, double *ret_p);
/* Smallest effect found with 80 % power at two-sided 5 %: (t.975 + t.80) sd / sqrt(n). n >= 2. */
enum vrs_status vrs_stats_mde(double sd, int n, double *ret);
/* Two means and Student's t test of their difference (pooled variance, two-sided). */
struct vrs_two_means {
	double a, b;
	double error;        /* standard error of b - a */
	double low, high;    /* 95 % interval of b - a */
	double p;            /* without any spread: 0 when the means differ, else 1 */
	int df;              /* na + nb - 2 */
};
/* What is known of the spread of values besides themselves; NULL where nothing is. */
struct vrs_spread {
	double least_sd;     /* the pooled standard deviation is at least this */
	double widening;     /* factor of the error, 1 or more, for values that are not independent */
};
/* na and nb at least 1; na + nb at least 3. */
enum vrs_status vrs_stats_two_means(const double *a, int na, const double *b, int nb, const struct vrs_spread *spread, struct vrs_two_means *ret);
/*
 * The same, whose p is the largest of this test and of those without the value of a or of b, where that has 3 or more, that speaks most for a
 * difference: beside a long a, a b of three with one wild value would otherwise differ from it, since the pooled spread is that of a.  VRS_ENOMEM.
 */
enum vrs_status vrs_stats_two_levels(const double *a, int na, const double *b, int nb, const struct vrs_spread *spread, struct vrs_two_means *ret);
/* Holm's adjusted p values of one family: at most alpha for what its step-down at level alpha rejects. VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_stats_holm(const double *p, int n, double *ret_adjusted);

#endif
