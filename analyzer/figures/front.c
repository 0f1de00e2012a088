/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/figures/front.h"

#include <math.h>

#include "base/mem.h"

static const struct vrs_front_info infos[VRS_FRONT_FIGURES] = {
	[VRS_FRONT_SPEED] = {.head = "FPS", .format = "%.2f", .more_is_better = true, .margin = 0.02},
	[VRS_FRONT_LATENCY] = {.head = "P99 ms", .format = "%.1f", .margin = 0.02},
	[VRS_FRONT_QUALITY] = {.head = "IoU", .format = "%.4f", .more_is_better = true, .margin = 0.002, .absolute = true},
	[VRS_FRONT_EDGES] = {.head = "edge F", .format = "%.4f", .more_is_better = true, .margin = 0.005, .absolute = true},
	[VRS_FRONT_MEMORY] = {.head = "MiB", .format = "%.0f", .margin = 0.02},
	[VRS_FRONT_OUTPUT] = {.head = "kB/frame", .format = "%.1f", .margin = 0.02},
	[VRS_FRONT_ENERGY] = {.head = "J/frame", .format = "%.2f", .margin = 0.02},
};

const struct vrs_front_info *vrs_front_info(enum vrs_front_figure figure)
{
	return &infos[figure];
}

static double of_run(const struct vrs_run *run, enum vrs_front_figure figure)
{
	switch (figure) {
	case VRS_FRONT_SPEED: return run->fps;
	case VRS_FRONT_LATENCY: return run->latency_p99_ms;
	case VRS_FRONT_QUALITY: return isfinite(run->iou) ? run->iou : run->agreement;
	case VRS_FRONT_EDGES: return run->contour_f;
	case VRS_FRONT_MEMORY: return run->peak_rss_bytes > 0 ? (double)run->peak_rss_bytes / (1 << 20) : NAN;
	case VRS_FRONT_OUTPUT: return run->output_bytes_per_frame / 1000;
	case VRS_FRONT_ENERGY: return run->joules_per_frame;
	case VRS_FRONT_FIGURES: break;
	}
	return NAN;
}

/* Values of the runs that the case's figures are made of, or of any good one. */
static int collect(const struct vrs_case_result *c, enum vrs_front_figure figure, bool any, double *values)
{
	int n = 0;
	for (int i = 0; i < c->run_count; i++) {
		bool counts = any ? c->runs[i].status == VRS_RUN_OK : vrs_case_result_uses(c, &c->runs[i]);
		double value = counts ? of_run(&c->runs[i], figure) : NAN;
		if (isfinite(value))
			values[n++] = value;
	}
	return n;
}

struct vrs_front_value vrs_front_value(const struct vrs_case_result *c, enum vrs_front_figure figure)
{
	const struct vrs_front_value unknown = {NAN, NAN, NAN};
	struct vrs_estimate estimate = {.n = 0};
	double *values = vrs_calloc((size_t)c->run_count + 1, sizeof *values);
	if (!values)
		return unknown;
	int n = collect(c, figure, false, values);
	if (n == 0 && (figure == VRS_FRONT_QUALITY || figure == VRS_FRONT_EDGES)) /* one run has them, which noise may have excluded */
		n = collect(c, figure, true, values);
	enum vrs_status status = n > 0 ? vrs_stats_estimate(values, n, &estimate) : VRS_ENOTFOUND;
	vrs_free(values);
	if (status != VRS_OK)
		return unknown;
	return (struct vrs_front_value){estimate.median, estimate.has_interval ? estimate.low : estimate.min,
					estimate.has_interval ? estimate.high : estimate.max};
}

/* Is a better than b beyond both intervals, and by more than does not matter? */
static bool is_better(const struct vrs_front_value *a, const struct vrs_front_value *b, const struct vrs_front_info *info)
{
	double margin = info->absolute ? info->margin : info->margin * fabs(b->median);
	return info->more_is_better ? a->low > b->high && a->median > b->median + margin : a->high < b->low && a->median < b->median - margin;
}

/* The figures of a case. */
struct figures {
	const struct vrs_case_result *c;
	struct vrs_front_value value[VRS_FRONT_FIGURES];
};

static void read_figures(const struct vrs_case_result *c, unsigned wanted, struct figures *ret)
{
	ret->c = c;
	for (int f = 0; f < VRS_FRONT_FIGURES; f++)
		if (wanted >> f & 1)
			ret->value[f] = vrs_front_value(c, (enum vrs_front_figure)f);
}

/*
 * Figures of mattes over those that both cases have; without any in common neither is known.  Agreement has none of the first mattes alone.  Where
 * one of them has no such figure, that stays as it is.
 */
static void compare_mattes(const struct figures *a, const struct figures *b, int f, struct vrs_front_value *x, struct vrs_front_value *y)
{
	enum vrs_quality_figure figure = f == VRS_FRONT_EDGES ? VRS_FIGURE_CONTOUR_F : VRS_FIGURE_IOU;
	double p, q;
	if ((f != VRS_FRONT_QUALITY && f != VRS_FRONT_EDGES) || !isfinite(x->median) || !isfinite(y->median) ||
	    vrs_case_result_same_mattes(a->c, b->c))
		return;
	if (vrs_case_result_common_quality(a->c, b->c, figure, &p, &q) <= 0 || !isfinite(p) || !isfinite(q)) {
		*x = (struct vrs_front_value){NAN, NAN, NAN};
		return;
	}
	*x = (struct vrs_front_value){p, p, p};
	*y = (struct vrs_front_value){q, q, q};
}

static bool dominates(const struct figures *a, const struct figures *b, unsigned wanted)
{
	bool better = false;
	for (int f = 0; f < VRS_FRONT_FIGURES; f++) {
		struct vrs_front_value x = a->value[f], y = b->value[f];
		if (!(wanted >> f & 1) || (!isfinite(x.median) && !isfinite(y.median)))
			continue;
		compare_mattes(a, b, f, &x, &y);
		if (!isfinite(x.median) || !isfinite(y.median) || is_better(&y, &x, &infos[f]))
			return false;
		better = better || is_better(&x, &y, &infos[f]);
	}
	return better;
}

bool vrs_front_dominates(const struct vrs_case_result *a, const struct vrs_case_result *b, unsigned figures)
{
	struct figures x, y;
	read_figures(a, figures, &x);
	read_figures(b, figures, &y);
	return dominates(&x, &y, figures);
}

enum vrs_status vrs_front_find(const struct vrs_case_result *const *cases, int n, unsigned figures, bool *ret_beaten)
{
	struct figures *all = vrs_calloc((size_t)n + 1, sizeof *all);
	if (!all)
		return VRS_ENOMEM;
	for (int i = 0; i < n; i++)
		read_figures(cases[i], figures, &all[i]);
	for (int i = 0; i < n; i++) {
		ret_beaten[i] = false;
		for (int k = 0; k < n && !ret_beaten[i]; k++)
			ret_beaten[i] = k != i && dominates(&all[k], &all[i], figures);
	}
	vrs_free(all);
	return VRS_OK;
}

int vrs_front_knee(const struct vrs_case_result *const *cases, int n)
{
	double fast = -INFINITY, slow = INFINITY, best = -INFINITY, worst = INFINITY, most = -INFINITY;
	int knee = -1;
	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < n; i++) {
			double speed = log(vrs_front_value(cases[i], VRS_FRONT_SPEED).median), quality = vrs_front_value(cases[i], VRS_FRONT_QUALITY).median;
			if (!isfinite(speed + quality))
				continue;
			if (pass == 0) {
				fast = fmax(fast, speed);
				slow = fmin(slow, speed);
				best = fmax(best, quality);
				worst = fmin(worst, quality);
				continue;
			}
			double height = (fast > slow ? (speed - slow) / (fast - slow) : 0) + (best > worst ? (quality - worst) / (best - worst) : 0);
			if (height > most) {
				most = height;
				knee = i;
			}
		}
	return knee;
}
