/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/objective.h"

#include <math.h>
#include <stdio.h>

#include "bench/judge/verdict.h"

struct vrs_objective vrs_objective_default(void)
{
	return (struct vrs_objective){.max_iou_loss = 0.005, .min_agreement = 0.97};
}

double vrs_case_speed(const struct vrs_case_result *c, const struct vrs_case_result *base)
{
	double a[VRS_STATS_MAX_PAIRS], b[VRS_STATS_MAX_PAIRS], ratio;
	int n = vrs_verdict_collect(base, c, vrs_figure_fps, VRS_STATS_MAX_PAIRS, a, b, NULL);
	for (int i = 0; i < n; i++)
		b[i] /= a[i];
	return n > 0 && vrs_stats_median(b, n, &ratio) == VRS_OK ? ratio : NAN;
}

double vrs_case_quality(const struct vrs_case_result *c, bool *ret_truth)
{
	double iou = vrs_case_result_median(c, offsetof(struct vrs_run, iou));
	*ret_truth = isfinite(iou);
	return *ret_truth ? iou : vrs_case_result_median(c, offsetof(struct vrs_run, agreement));
}

/*
 * Is no other figure with truth lost that matters?  Each may lose as many of its margins as IoU may of its own.
 */
static bool keeps_figures(const struct vrs_objective *objective, const struct vrs_case_result *c, const struct vrs_case_result *base, char *why,
			  size_t size)
{
	double margins = objective->max_iou_loss / vrs_quality_figure_info(VRS_FIGURE_IOU)->margin;
	for (int i = 0; i < VRS_QUALITY_FIGURES; i++) {
		const struct vrs_quality_figure_info *info = vrs_quality_figure_info((enum vrs_quality_figure)i);
		size_t offset = vrs_run_quality_offset((enum vrs_quality_figure)i);
		double value = vrs_case_result_median(c, offset), reference = vrs_case_result_median(base, offset), reach = margins * info->margin;
		double loss = info->more_is_better ? reference - value : value - reference;
		if (i == VRS_FIGURE_IOU || !(info->margin > 0) || !(loss > reach)) /* not finite: nothing to hold it against */
			continue;
		snprintf(why, size, "%s %.4f is worse than %.4f by more than %.4f", info->head, info->factor * value, info->factor * reference,
			 info->factor * reach);
		return false;
	}
	return true;
}

bool vrs_objective_accepts(const struct vrs_objective *objective, const struct vrs_case_result *c, const struct vrs_case_result *base, char *why,
			   size_t size)
{
	bool truth, base_truth;
	double quality = vrs_case_quality(c, &truth), reference = vrs_case_quality(base, &base_truth);
	snprintf(why, size, "%s", "");
	if (vrs_case_result_ok_runs(c) == 0) {
		const char *reason = vrs_case_result_is_skipped(c) ? c->skipped : c->run_count ? c->runs[c->run_count - 1].reason : "no run";
		snprintf(why, size, "did not run: %s", reason);
		return false;
	}
	if (!isfinite(quality) || (truth && !base_truth)) {
		snprintf(why, size, "the quality of its matte is not known");
		return false;
	}
	double floor_value = truth ? reference - objective->max_iou_loss : objective->min_agreement;
	if (quality < floor_value) {
		snprintf(why, size, "%s %.4f is below %.4f", truth ? "IoU" : "agreement", quality, floor_value);
		return false;
	}
	if (!keeps_figures(objective, c, base, why, size))
		return false;
	double peak = c->peak_rss.n ? c->peak_rss.max : NAN;
	if (objective->memory_limit_bytes > 0 && isfinite(peak) && peak > (double)objective->memory_limit_bytes) {
		snprintf(why, size, "%.0f MiB is above the limit of %.0f MiB", peak / (1 << 20), (double)objective->memory_limit_bytes / (1 << 20));
		return false;
	}
	return true;
}
