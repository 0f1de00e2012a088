/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Operators below the roof of the machine (Williams, Waterman and Patterson, CACM 52, 2009): at an arithmetic intensity of x FLOP a byte no more than
 * min(peak, x * bandwidth) can be reached.  Peak and bandwidth were measured beside the operators, on the device
 * that ran them or on the CPU.
 */
#include "analyzer/summary_parts.h"

#include <math.h>
#include <stdio.h>

enum { ROOF_POINTS = 60, SLOWEST = 5 };

static double intensity(const struct vrs_op_row *op)
{
	return op->macs > 0 && op->bytes > 0 ? 2.0 * (double)op->macs / (double)op->bytes : NAN;
}

static bool has_place(const struct vrs_op_row *op)
{
	return isfinite(intensity(op)) && isfinite(op->gflops) && op->gflops > 0;
}

/* The operators that take most of the time, -1 behind the last one. */
struct slowest {
	int index[SLOWEST];
};

static struct slowest find_slowest(const struct vrs_net_profile *p)
{
	struct slowest s;
	for (int k = 0; k < SLOWEST; k++)
		s.index[k] = -1;
	for (int i = 0; i < p->op_count; i++) {
		if (!has_place(&p->ops[i]))
			continue;
		for (int k = 0, at = i; k < SLOWEST && at >= 0; k++)
			if (s.index[k] < 0 || p->ops[at].ms > p->ops[s.index[k]].ms) {
				int displaced = s.index[k];
				s.index[k] = at;
				at = displaced;
			}
	}
	return s;
}

static bool is_slow(const struct slowest *s, int index)
{
	for (int k = 0; k < SLOWEST; k++)
		if (s->index[k] == index)
			return true;
	return false;
}

/* The intensities that the roof is drawn over; false: there is no roof, or no operator under it. */
static bool find_range(const struct vrs_net_profile *p, double *ret_low, double *ret_high)
{
	double ridge = p->peak_gflops / p->triad_gbps, low = INFINITY, high = 0;

	for (int i = 0; i < p->op_count; i++)
		if (has_place(&p->ops[i])) {
			low = fmin(low, intensity(&p->ops[i]));
			high = fmax(high, intensity(&p->ops[i]));
		}
	*ret_low = fmin(low, ridge) / 2;
	*ret_high = fmax(high, ridge) * 2;
	return high > 0 && p->triad_gbps > 0 && ridge > 0 && isfinite(*ret_high / *ret_low); /* a file may say anything */
}

static void add_roof(struct vrs_graph_data *g, const struct vrs_net_profile *p, double low, double high)
{
	struct vrs_series *s = vrs_graph_add_series(g, "measured peak and bandwidth", ROOF_POINTS, false);
	if (!s)
		return;
	s->style = VRS_SERIES_LINE;
	for (int i = 0; i < ROOF_POINTS; i++) {
		s->x[i] = low * pow(high / low, (double)i / (ROOF_POINTS - 1));
		s->y[i] = fmin(p->peak_gflops, s->x[i] * p->triad_gbps);
	}
}

static void add_points(struct vrs_graph_data *g, const struct vrs_net_profile *p, bool slow, const char *name)
{
	const struct slowest slowest = find_slowest(p);
	int n = 0, at = 0;
	for (int i = 0; i < p->op_count; i++)
		n += has_place(&p->ops[i]) && is_slow(&slowest, i) == slow;
	struct vrs_series *s = n ? vrs_graph_add_series(g, name, n, false) : NULL;
	if (!s)
		return;
	s->style = VRS_SERIES_POINTS;
	for (int i = 0; i < p->op_count && at < n; i++)
		if (has_place(&p->ops[i]) && is_slow(&slowest, i) == slow) {
			s->x[at] = intensity(&p->ops[i]);
			s->y[at++] = p->ops[i].gflops;
		}
}

void vrs_roofline_graph(const struct vrs_result *result, struct vrs_findings *findings)
{
	const struct vrs_net_profile *p = result->profile_count ? &result->profiles[0] : NULL;
	double low, high;
	if (!p || !find_range(p, &low, &high))
		return;
	char title[96], where[96];
	snprintf(title, sizeof title, "Operators and the roof of %.60s", p->device[0] ? p->device : "this machine");
	struct vrs_graph_data *g = vrs_findings_add_graph(findings, "roofline", title, VRS_GRAPH_POINTS);
	g->log_x = g->log_y = true;
	snprintf(g->x_label, sizeof g->x_label, "arithmetic intensity (FLOP per byte)");
	snprintf(g->y_label, sizeof g->y_label, "GFLOP/s");
	if (p->device[0])
		snprintf(where, sizeof where, "%.60s", p->device);
	else
		snprintf(where, sizeof where, "%d thread%s", p->threads, p->threads == 1 ? "" : "s");
	snprintf(g->caption, sizeof g->caption, "%.60s, %.60s: %.0f GFLOP/s, %.1f GB/s measured. "
		 "Above the roof: data in a cache, or an algorithm with fewer multiplications.", p->model, where, p->peak_gflops, p->triad_gbps);
	add_roof(g, p, low, high);
	add_points(g, p, false, "operators");
	add_points(g, p, true, "the five slowest");
}
