/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/judge/interval_goal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

enum { FIRST_LOOK = 8, LOOK_STEP = 4 };

static bool is_live(const struct vrs_case_result *c)
{
	return c->live_hz > 0;
}

/*
 * Estimate over the runs that count: of the rate, or live, where the rate is given, of the median latency.  False: none, or out of memory, which
 * only means one more round.
 */
static bool estimate_level(const struct vrs_case_result *c, struct vrs_estimate *e)
{
	int n = 0;
	double *values = vrs_realloc_array(NULL, (size_t)c->run_count + 1, sizeof *values);
	for (int i = 0; values && i < c->run_count; i++) {
		double value = is_live(c) ? c->runs[i].latency_median_ms : c->runs[i].fps;
		if (vrs_run_counts(&c->runs[i]) && isfinite(value))
			values[n++] = value;
	}
	bool ok = values && n > 0 && vrs_stats_estimate(values, n, e) == VRS_OK && e->median > 0;
	vrs_free(values);
	return ok;
}

/* Latencies scatter more: live cases need half the precision. */
double vrs_interval_goal(const struct vrs_case_result *c, double goal)
{
	return is_live(c) ? goal * VRS_INTERVAL_LIVE / VRS_INTERVAL_OFFLINE : goal;
}

double vrs_interval_half_width(const struct vrs_case_result *c)
{
	struct vrs_estimate e;
	return estimate_level(c, &e) && e.has_interval ? (e.high - e.low) / 2 / e.median : NAN;
}

bool vrs_interval_settled(const struct vrs_case_result *c, double goal)
{
	struct vrs_estimate e;
	if (!(goal > 0) || !estimate_level(c, &e) || e.n < FIRST_LOOK || (e.n - FIRST_LOOK) % LOOK_STEP != 0)
		return false;
	return (e.high - e.low) / 2 <= vrs_interval_goal(c, goal) * e.median;
}

void vrs_interval_note(const struct vrs_case_result *c, double goal, char *buf, size_t size)
{
	struct vrs_estimate e;
	double width = vrs_interval_half_width(c);
	buf[0] = 0;
	if (!(goal > 0) || vrs_case_result_is_skipped(c) || !estimate_level(c, &e) || width <= vrs_interval_goal(c, goal))
		return;
	if (isnan(width))
		snprintf(buf, size, "no interval after %d run%s, at least 6 are needed", e.n, e.n == 1 ? "" : "s");
	else
		snprintf(buf, size, "half width %.1f %% after %d runs, the goal is %.1f %%", 100 * width, e.n, 100 * vrs_interval_goal(c, goal));
}

/*
 * The interval of a median has a half width of about 1.25 x 2.1 x cv / sqrt(n): 1.25 is what a median loses against a mean, 2.1 the t value.
 */
int vrs_interval_runs_needed(double cv, double goal)
{
	if (!(cv >= 0) || !(goal > 0))
		return 0;
	double root = 1.25 * 2.1 * cv / goal, n = ceil(root * root);
	return n < FIRST_LOOK ? FIRST_LOOK : n < 1e6 ? (int)n : 0;
}
