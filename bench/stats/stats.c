/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Centre, spread, quantiles and their exact intervals.  GSL supplies sorting, moments and distributions; its default error handler
 * would abort the process, so it is switched off before the first call and return values are checked instead.
 */
#include "bench/stats/stats.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include "base/mem.h"

static pthread_once_t gsl_once = PTHREAD_ONCE_INIT;

static void silence_gsl(void)
{
	gsl_set_error_handler_off();
}

static bool all_finite(const double *x, long n)
{
	if (!x)
		return false;
	for (long i = 0; i < n; i++)
		if (!isfinite(x[i]))
			return false;
	return true;
}

/* A sorted copy, or NULL with a status. */
static enum vrs_status sorted_copy(const double *x, int n, double **ret)
{
	if (n < 1 || !all_finite(x, n))
		return VRS_EINVAL;
	pthread_once(&gsl_once, silence_gsl);
	double *copy = vrs_realloc_array(NULL, (size_t)n, sizeof *copy);
	if (!copy)
		return VRS_ENOMEM;
	memcpy(copy, x, (size_t)n * sizeof *copy);
	gsl_sort(copy, 1, (size_t)n);
	*ret = copy;
	return VRS_OK;
}

enum vrs_status vrs_stats_sorted(const double *x, long n, double **ret)
{
	if (n > INT_MAX)
		return VRS_EINVAL;
	if (n > 0)
		return sorted_copy(x, (int)n, ret);
	*ret = vrs_calloc(1, sizeof **ret);
	return *ret ? VRS_OK : VRS_ENOMEM;
}

enum vrs_status vrs_stats_quantile(const double *x, int n, double p, double *ret)
{
	if (!(p >= 0 && p <= 1))
		return VRS_EINVAL;
	double *s;
	enum vrs_status status = sorted_copy(x, n, &s);
	if (status != VRS_OK)
		return status;
	/* GSL's rule (n - 1) p is type 7; p = 1 is the last value and never one past it. */
	*ret = gsl_stats_quantile_from_sorted_data(s, 1, (size_t)n, p);
	vrs_free(s);
	return VRS_OK;
}

enum vrs_status vrs_stats_median(const double *x, int n, double *ret)
{
	return vrs_stats_quantile(x, n, 0.5, ret);
}

enum vrs_status vrs_stats_mean(const double *x, int n, double *ret)
{
	if (n < 1 || !all_finite(x, n))
		return VRS_EINVAL;
	*ret = gsl_stats_mean(x, 1, (size_t)n);
	return VRS_OK;
}

enum vrs_status vrs_stats_sd(const double *x, int n, double *ret)
{
	if (n < 2 || !all_finite(x, n))
		return VRS_EINVAL;
	*ret = gsl_stats_sd(x, 1, (size_t)n);
	return VRS_OK;
}

enum vrs_status vrs_stats_mad(const double *x, int n, double *ret)
{
	double *s;
	enum vrs_status status = sorted_copy(x, n, &s);
	if (status != VRS_OK)
		return status;
	double median = gsl_stats_quantile_from_sorted_data(s, 1, (size_t)n, 0.5);
	for (int i = 0; i < n; i++)
		s[i] = fabs(s[i] - median);
	gsl_sort(s, 1, (size_t)n);
	*ret = 1.4826 * gsl_stats_quantile_from_sorted_data(s, 1, (size_t)n, 0.5);
	vrs_free(s);
	return VRS_OK;
}

enum vrs_status vrs_stats_theil_sen(const double *x, const double *y, int n, double *ret_slope)
{
	if (n < 2 || n > 4000 || !all_finite(x, n) || !all_finite(y, n))
		return VRS_EINVAL;
	size_t pairs = (size_t)n * (size_t)(n - 1) / 2, count = 0;
	double *slopes = vrs_realloc_array(NULL, pairs, sizeof *slopes);
	if (!slopes)
		return VRS_ENOMEM;
	for (int i = 0; i < n; i++)
		for (int j = i + 1; j < n; j++)
			if (x[j] < x[i] || x[j] > x[i])
				slopes[count++] = (y[j] - y[i]) / (x[j] - x[i]);
	enum vrs_status status = count ? vrs_stats_median(slopes, (int)count, ret_slope) : VRS_EINVAL;
	vrs_free(slopes);
	return status;
}

/*
 * An equal-tailed interval exists when the extremes reach far enough on both sides: p^n and (1 - p)^n at most (1 - confidence) / 2.
 */
int vrs_stats_quantile_min_n(double p, double confidence)
{
	if (!(p > 0 && p < 1 && confidence > 0 && confidence < 1))
		return 0;
	double tail = log((1 - confidence) / 2), rarer = p > 0.5 ? p : 1 - p;
	return (int)ceil(tail / log(rarer) - 1e-12);
}

enum vrs_status vrs_stats_quantile_ranks(int n, double p, double confidence, int *ret_low, int *ret_high, double *ret_coverage)
{
	int need = vrs_stats_quantile_min_n(p, confidence);
	if (need == 0)
		return VRS_EINVAL;
	if (n < need)
		return VRS_ELIMIT;
	pthread_once(&gsl_once, silence_gsl);
	double tail = (1 - confidence) / 2;
	unsigned trials = (unsigned)n;
	/* X_(l) lies above the quantile when fewer than l values are below it: P(Bin <= l - 1). Bisection, since n may be large. */
	int lo = 1, hi = n;
	while (lo < hi) {
		int mid = lo + (hi - lo + 1) / 2;
		if (gsl_cdf_binomial_P((unsigned)(mid - 1), p, trials) <= tail)
			lo = mid;
		else
			hi = mid - 1;
	}
	int low = lo;
	lo = low, hi = n;
	while (lo < hi) {
		int mid = lo + (hi - lo) / 2;
		if (gsl_cdf_binomial_Q((unsigned)(mid - 1), p, trials) <= tail)
			hi = mid;
		else
			lo = mid + 1;
	}
	*ret_low = low;
	*ret_high = lo;
	*ret_coverage = gsl_cdf_binomial_P((unsigned)(lo - 1), p, trials) - gsl_cdf_binomial_P((unsigned)(low - 1), p, trials);
	return VRS_OK;
}

enum vrs_status vrs_stats_estimate(const double *x, int n, struct vrs_estimate *ret)
{
	if (n == 0) {
		*ret = (struct vrs_estimate){.median = NAN, .low = NAN, .high = NAN, .min = NAN, .max = NAN};
		return VRS_OK;
	}
	double *s;
	enum vrs_status status = sorted_copy(x, n, &s);
	if (status != VRS_OK)
		return status;
	struct vrs_estimate e = {.n = n, .min = s[0], .max = s[n - 1], .low = NAN, .high = NAN};
	e.median = gsl_stats_quantile_from_sorted_data(s, 1, (size_t)n, 0.5);
	int low, high;
	if (vrs_stats_quantile_ranks(n, 0.5, 0.95, &low, &high, &e.confidence) == VRS_OK) {
		e.low = s[low - 1];
		e.high = s[high - 1];
		e.has_interval = true;
	}
	vrs_free(s);
	*ret = e;
	return VRS_OK;
}

long vrs_stats_frames_missing(long n, double p, double deff)
{
	if (!(p > 0 && p < 1) || !(deff >= 1))
		deff = 1;
	double rarer = p > 0.5 ? 1 - p : p;
	double need = ceil(10 * deff / rarer - 1e-9), exist = vrs_stats_quantile_min_n(p, 0.95) * deff;
	if (exist > need)
		need = ceil(exist);
	return (double)n >= need ? 0 : (long)(need - (double)n);
}

enum vrs_status vrs_stats_design_effect(const double *x, long n, const long *run_starts, int runs, double threshold, double *ret_deff)
{
	long episodes;
	return vrs_stats_episodes(x, n, run_starts, runs, threshold, ret_deff, &episodes);
}

enum vrs_status vrs_stats_episodes(const double *x, long n, const long *run_starts, int runs, double threshold, double *ret_deff, long *ret_episodes)
{
	enum { GAP = 10 }; /* slow frames less than this far apart belong to one episode */
	if (n < 0 || runs < 0 || (n && !all_finite(x, n)) || !isfinite(threshold))
		return VRS_EINVAL;
	double sum = 0, squares = 0, episode = 0;
	long last = -1, episodes = 0;
	int run = 0;
	for (long i = 0; i < n; i++) {
		bool new_run = false;
		while (run < runs && run_starts[run] <= i) {
			new_run |= run_starts[run] == i;
			run++;
		}
		if (new_run || (last >= 0 && i - last >= GAP)) {
			squares += episode * episode;
			episode = 0;
		}
		if (x[i] > threshold) {
			episodes += !(episode > 0);
			episode++;
			sum++;
			last = i;
		}
	}
	squares += episode * episode;
	*ret_deff = sum > 0 ? squares / sum : 1;
	*ret_episodes = episodes;
	return VRS_OK;
}

enum vrs_status vrs_stats_burst_interval(const double *sorted, long n, double p, double deff, double *ret_low, double *ret_high)
{
	int low, high;
	double coverage;
	if (n < 1 || n > INT_MAX || !(deff >= 1) || !isfinite(deff))
		return VRS_EINVAL;
	int effective = (int)((double)n / deff);
	enum vrs_status status = effective < 1 ? VRS_ELIMIT : vrs_stats_quantile_ranks(effective, p, 0.95, &low, &high, &coverage);
	if (status != VRS_OK)
		return status;
	/* Ranks count from 1; rounding outwards keeps the coverage. */
	double scale = (double)n / effective;
	long from = (long)floor(low * scale), to = (long)ceil(high * scale);
	*ret_low = sorted[from < 1 ? 0 : from - 1];
	*ret_high = sorted[to > n ? n - 1 : to - 1];
	return VRS_OK;
}

enum vrs_status vrs_stats_lag1(const double *x, long n, double *ret)
{
	if (n < 2 || !all_finite(x, n))
		return VRS_EINVAL;
	double mean = gsl_stats_mean(x, 1, (size_t)n), top = 0, bottom = 0;
	for (long i = 0; i < n; i++) {
		bottom += (x[i] - mean) * (x[i] - mean);
		top += i > 0 ? (x[i] - mean) * (x[i - 1] - mean) : 0;
	}
	*ret = bottom > 0 ? top / bottom : 0;
	return VRS_OK;
}

enum vrs_status vrs_stats_student(double estimate, double se, double freedom, double alpha, double *ret_low, double *ret_high, double *ret_p)
{
	if (!isfinite(estimate) || !(se > 0) || !isfinite(se) || !(freedom > 0) || !(alpha > 0 && alpha < 1))
		return VRS_EINVAL;
	double half = se * gsl_cdf_tdist_Qinv(alpha / 2, freedom);
	*ret_low = estimate - half;
	*ret_high = estimate + half;
	*ret_p = 2 * gsl_cdf_tdist_Q(fabs(estimate) / se, freedom);
	return VRS_OK;
}

enum vrs_status vrs_stats_mde(double sd, int n, double *ret)
{
	if (n < 2 || !isfinite(sd) || sd < 0)
		return VRS_EINVAL;
	pthread_once(&gsl_once, silence_gsl);
	*ret = (gsl_cdf_tdist_Pinv(0.975, n - 1) + gsl_cdf_tdist_Pinv(0.80, n - 1)) * sd / sqrt(n);
	return VRS_OK;
}

enum vrs_status vrs_stats_two_means(const double *a, int na, const double *b, int nb, const struct vrs_spread *spread, struct vrs_two_means *ret)
{
	const struct vrs_spread s = spread ? *spread : (struct vrs_spread){.widening = 1};
	if (na < 1 || nb < 1 || na > INT_MAX - nb || na + nb < 3 || !all_finite(a, na) || !all_finite(b, nb))
		return VRS_EINVAL;
	if (!(s.widening >= 1 && s.least_sd >= 0 && isfinite(s.widening + s.least_sd)))
		return VRS_EINVAL;
	pthread_once(&gsl_once, silence_gsl);
	struct vrs_two_means t = {.a = gsl_stats_mean(a, 1, (size_t)na), .b = gsl_stats_mean(b, 1, (size_t)nb), .df = na + nb - 2};
	double squares = gsl_stats_tss_m(a, 1, (size_t)na, t.a) + gsl_stats_tss_m(b, 1, (size_t)nb, t.b);
	t.error = s.widening * fmax(sqrt(squares / t.df), s.least_sd) * sqrt(1.0 / na + 1.0 / nb);
	double half = gsl_cdf_tdist_Pinv(0.975, t.df) * t.error, difference = t.b - t.a;
	t.low = difference - half;
	t.high = difference + half;
	t.p = t.error > 0 ? fmin(1, 2 * gsl_cdf_tdist_Q(fabs(difference) / t.error, t.df)) : difference == 0; /* NOLINT(clang-diagnostic-float-equal) */
	*ret = t;
	return VRS_OK;
}

/* Copy x without the value that is farthest from level. */
static void copy_without_farthest(const double *x, int n, double level, double *ret)
{
	int farthest = 0;
	for (int i = 1; i < n; i++)
		if (fabs(x[i] - level) > fabs(x[farthest] - level))
			farthest = i;
	memcpy(ret, x, (size_t)farthest * sizeof *ret);
	memcpy(ret + farthest, x + farthest + 1, (size_t)(n - 1 - farthest) * sizeof *ret);
}

enum vrs_status vrs_stats_two_levels(const double *a, int na, const double *b, int nb, const struct vrs_spread *spread, struct vrs_two_means *ret)
{
	enum { LEAST = 3 }; /* of two values neither is the wild one */
	struct vrs_two_means without;
	enum vrs_status status = vrs_stats_two_means(a, na, b, nb, spread, ret);
	double *copy = status == VRS_OK ? vrs_realloc_array(NULL, (size_t)(na > nb ? na : nb), sizeof *copy) : NULL;
	if (!copy)
		return status == VRS_OK ? VRS_ENOMEM : status;
	if (na >= LEAST) {
		copy_without_farthest(a, na, ret->b, copy);
		status = vrs_stats_two_means(copy, na - 1, b, nb, spread, &without);
		ret->p = status == VRS_OK ? fmax(ret->p, without.p) : ret->p;
	}
	if (nb >= LEAST && status == VRS_OK) {
		copy_without_farthest(b, nb, ret->a, copy);
		status = vrs_stats_two_means(a, na, copy, nb - 1, spread, &without);
		ret->p = status == VRS_OK ? fmax(ret->p, without.p) : ret->p;
	}
	vrs_free(copy);
	return status;
}

enum vrs_status vrs_stats_holm(const double *p, int n, double *ret_adjusted)
{
	if (n < 1 || !all_finite(p, n))
		return VRS_EINVAL;
	size_t *order = vrs_realloc_array(NULL, (size_t)n, sizeof *order);
	if (!order)
		return VRS_ENOMEM;
	gsl_sort_index(order, p, 1, (size_t)n);
	double worst = 0;
	for (int i = 0; i < n; i++) {
		worst = fmax(worst, fmin(1, (n - i) * p[order[i]]));
		ret_adjusted[order[i]] = worst;
	}
	vrs_free(order);
	return VRS_OK;
}
