/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/limit_bounds.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#include "base/mem.h"

#define STEPS 40 /* of bisection */
#define FEW_BURSTS 2 /* that a limit of late frames should survive */

double vrs_case_low_fps(const struct vrs_case_result *c)
{
	int low, high, n;
	double coverage, found = NAN, *sorted = NULL, *values = vrs_realloc_array(NULL, (size_t)c->run_count + 1, sizeof *values);
	if (!values)
		return NAN;
	n = vrs_case_result_values(c, offsetof(struct vrs_run, fps), values);
	if (n > 0 && vrs_stats_sorted(values, n, &sorted) == VRS_OK)
		found = vrs_stats_quantile_ranks(n, 0.5, 1 - 2 * VRS_LIMIT_ALPHA, &low, &high, &coverage) == VRS_OK ? sorted[low - 1] : sorted[0];
	vrs_free(sorted);
	vrs_free(values);
	return found;
}

/* The largest share that would give so few misses among so many with a chance of VRS_LIMIT_ALPHA (Clopper & Pearson, 1934). */
static double high_share(double misses, double due)
{
	double low = 0, high = 1;
	for (int i = 0; misses < due && i < STEPS; i++) { /* gsl_cdf_beta_Pinv gives up for some of these */
		double middle = (low + high) / 2;
		if (gsl_cdf_beta_Q(middle, misses + 1, due - misses) > VRS_LIMIT_ALPHA)
			low = middle;
		else
			high = middle;
	}
	return high;
}

double vrs_case_high_late_percent(const struct vrs_case_result *c, double limit)
{
	double due = 0, missed = 0, bursts = 0;
	for (int i = 0; i < c->run_count; i++) {
		const struct vrs_run *run = &c->runs[i];
		if (!vrs_case_result_uses(c, run) || run->live_due <= 0)
			continue;
		due += (double)run->live_due;
		missed += (double)(run->live_dropped + run->live_late);
		bursts += run->live_episodes > 0 ? (double)run->live_episodes : (double)(run->live_dropped + run->live_late);
	}
	if (!(due > 0))
		return NAN;
	double each = bursts > 0 ? missed / bursts : 1; /* frames of a burst */
	bool can_prove = 100 * high_share(0, due) <= limit;
	return 100 * (can_prove ? fmin(high_share(bursts, due / each), 1) : missed / due);
}

double vrs_late_frames_needed(double limit)
{
	double due = 1;
	while (100 * high_share(FEW_BURSTS, due) > limit)
		due *= 1.1;
	return due;
}
