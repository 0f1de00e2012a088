/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Comparisons of a file against its runs.  They are not made anew: margin and looks are those of the measurement, and of the version that made it.
 * But medians, change and the number of pairs follow from the runs in every version.
 */
#include <math.h>
#include <string.h>

#include "bench/judge/comparison.h"

static const double tolerance = 1e-3; /* as far as a report shows figures */

static bool is_near(double stored, double made)
{
	return isnan(made) || isnan(stored) ? isnan(made) == isnan(stored) : fabs(stored - made) <= tolerance * fmax(1, fabs(made));
}

/* The one case of side 'A' or 'B'; NULL: none, or several. */
static const struct vrs_case_result *find_side(const struct vrs_result *result, char side)
{
	const struct vrs_case_result *found = NULL;
	for (int i = 0; i < result->case_count; i++) {
		if (!vrs_case_result_is_side(&result->cases[i], side))
			continue;
		if (found)
			return NULL;
		found = &result->cases[i];
	}
	return found;
}

/* The same figures from the runs: medians over the pairs, and their shift. False: there are fewer pairs than the comparison has. */
static bool make_anew(const struct vrs_case_result *a, const struct vrs_case_result *b, const struct vrs_comparison *c, struct vrs_comparison *ret)
{
	double x[VRS_STATS_MAX_PAIRS], y[VRS_STATS_MAX_PAIRS];
	vrs_figure figure = vrs_compare_figure(c->metric);
	struct vrs_verdict_options options = {.margin = 0.02, .alpha = VRS_VERDICT_ALPHA, .larger_is_better = vrs_compare_rises(c->metric)};
	int n = vrs_verdict_collect(a, b, figure, c->pairs < VRS_STATS_MAX_PAIRS ? c->pairs : VRS_STATS_MAX_PAIRS, x, y, NULL);
	vrs_comparison_init(ret);
	if (n != c->pairs || vrs_verdict_pairs(x, y, n, &options, ret) != VRS_OK)
		return false;
	return n == 0 || (vrs_stats_median(x, n, &ret->a) == VRS_OK && vrs_stats_median(y, n, &ret->b) == VRS_OK);
}

/* IoU is the same in every run: over the mattes that both have, in older results over all that each side had, without a verdict. */
static void make_iou_anew(const struct vrs_case_result *a, const struct vrs_case_result *b, const struct vrs_comparison *c,
			  struct vrs_comparison *ret)
{
	*ret = *c;
	(void)vrs_case_result_common_quality(a, b, VRS_FIGURE_IOU, &ret->a, &ret->b);
	if (c->verdict == VRS_VERDICT_INCONCLUSIVE && !(is_near(c->a, ret->a) && is_near(c->b, ret->b))) {
		ret->a = vrs_case_result_median(a, offsetof(struct vrs_run, iou));
		ret->b = vrs_case_result_median(b, offsetof(struct vrs_run, iou));
	}
	if (isfinite(c->change))
		ret->change = vrs_compare_iou_cost(ret->a, ret->b);
}

/* Does the verdict contradict the change that stands beside it? */
static bool contradicts_itself(const struct vrs_comparison *c)
{
	if (c->low > c->change || c->high < c->change)
		return true;
	bool is_iou = strcmp(c->metric, "iou") == 0;
	double cost = is_iou ? c->a - c->b : c->change; /* an IoU of 0 makes no share */
	switch (c->verdict) {
	case VRS_VERDICT_SLOWER: return !(cost > 0);
	case VRS_VERDICT_FASTER: return !(cost < 0);
	case VRS_VERDICT_EQUIVALENT: /* of a cost, or of a loss as a share of A */
		if (is_iou)
			return !(fabs(cost) <= vrs_quality_figure_info(VRS_FIGURE_IOU)->margin + tolerance);
		return !(fmin(fabs(c->change), fabs(c->change / (1 + c->change))) <= c->margin + tolerance);
	default: return false;
	}
}

enum vrs_status vrs_compare_check(const struct vrs_result *result, const char *name, struct vrs_error *err)
{
	const struct vrs_case_result *a = find_side(result, 'A'), *b = find_side(result, 'B');
	for (int i = 0; i < result->comparison_count && a && b && a->run_count && b->run_count; i++) {
		const struct vrs_comparison *c = &result->comparisons[i];
		struct vrs_comparison made;
		bool is_iou = strcmp(c->metric, "iou") == 0, whole = true;
		if (!is_iou && !vrs_compare_figure(c->metric))
			continue;
		if (is_iou)
			make_iou_anew(a, b, c, &made);
		else
			whole = make_anew(a, b, c, &made);
		if (!whole || !is_near(c->a, made.a) || !is_near(c->b, made.b) || (isfinite(c->change) && !is_near(c->change, made.change)))
			return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "comparisons[%d] (%.31s) is not what the runs of both sides say", i, c->metric);
		if (contradicts_itself(c))
			return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "comparisons[%d] (%.31s): the verdict contradicts its change", i, c->metric);
	}
	return VRS_OK;
}
