/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the headline of an A/B came about, as text for --explain. */
#include <math.h>
#include <string.h>

#include "bench/judge/comparison.h"

static double difference(const struct vrs_compare_details *d, int i)
{
	return d->larger_is_better ? log(d->a[i] / d->b[i]) : log(d->b[i] / d->a[i]);
}

static void explain_looks(const struct vrs_comparison *c, const struct vrs_compare_details *d, FILE *out)
{
	static const int looks[] = {8, 14, 20};
	double x[VRS_STATS_MAX_PAIRS];
	for (int i = 0; i < d->pairs; i++)
		x[i] = difference(d, i);
	for (size_t i = 0; i < sizeof looks / sizeof *looks && looks[i] <= d->pairs; i++) {
		struct vrs_shift s;
		if (looks[i] > c->pairs || vrs_stats_shift(x, looks[i], VRS_VERDICT_LOOK_ALPHA, &s) != VRS_OK)
			continue;
		int walsh = looks[i] * (looks[i] + 1) / 2;
		fprintf(out, "look at %2d pairs: Hodges-Lehmann %+.4f = median of %d Walsh averages; interval = number %d and %d of them: [%+.4f, %+.4f]\n",
			looks[i], s.estimate, walsh, vrs_stats_walsh_rank(looks[i], VRS_VERDICT_LOOK_ALPHA),
			walsh + 1 - vrs_stats_walsh_rank(looks[i], VRS_VERDICT_LOOK_ALPHA), s.low, s.high);
		fprintf(out, "                  signed-rank p %.4f; sign test's interval [%+.4f, %+.4f] %s\n", s.p, s.sign_low, s.sign_high,
			s.sign_low > s.high || s.sign_high < s.low ? "contradicts" : "agrees");
		double low = log1p(-c->margin), high = log1p(c->margin);
		bool inside = s.low > low && s.high < high, moved = s.low > 0 || s.high < 0, large = s.estimate >= high || s.estimate <= low;
		fprintf(out, "                  inside (%+.4f, %+.4f), EQUIVALENT? %s; excludes 0? %s; estimate beyond the margin? %s\n", low, high,
			inside ? "yes" : "no", moved ? "yes" : "no", large ? "yes" : "no");
	}
}

/* One difference, without looks. */
static enum vrs_status explain_iou(const struct vrs_comparison *c, FILE *out)
{
	double margin = vrs_quality_figure_info(VRS_FIGURE_IOU)->margin;
	fprintf(out, "\nHow the verdict on iou came about\nThe mattes are the same in every run: one difference decides.\n");
	if (isfinite(c->b - c->a))
		fprintf(out, "A %.4f  B %.4f  B - A %+.4f; beyond the margin of %g? %s\n", c->a, c->b, c->b - c->a, margin,
			fabs(c->b - c->a) > margin ? "yes" : "no");
	if (c->reason[0])
		fprintf(out, "%s\n", c->reason);
	return ferror(out) ? VRS_EIO : VRS_OK;
}

enum vrs_status vrs_compare_explain(const struct vrs_comparison *c, const struct vrs_compare_details *d, FILE *out)
{
	if (strcmp(d->metric, "iou") == 0)
		return explain_iou(c, out);
	fprintf(out, "\nHow the verdict on %s came about\n", d->metric);
	fprintf(out, "d = ln(%s) of each round: above 0, B is slower. A pair counts where both sides ran well and undisturbed.\n",
		d->larger_is_better ? "A / B" : "B / A");
	for (int i = 0; i < d->pairs; i++)
		fprintf(out, "  round %3d  A %9.3f  B %9.3f  d %+.4f%s\n", d->round[i], d->a[i], d->b[i], difference(d, i),
			i < c->pairs ? "" : "  (after the deciding look)");
	fprintf(out, "margin %.2f %% = the largest of %.2f %% (asked for), %.2f %% (1.5 x calibrated spread of pairs), %.2f %% (%.2f ms of a frame)%s\n",
		100 * c->margin, 100 * d->base_margin, 100 * d->pair_share, 100 * d->floor_share, VRS_COMPARE_FLOOR_MS,
		d->soft ? ", times 1.5 for soft noise gates" : "");
	fprintf(out, "three looks at 8, 14 and 20 pairs with alpha %.4f each keep 5 %% over all (Pocock); nothing is decided between them\n",
		VRS_VERDICT_LOOK_ALPHA);
	explain_looks(c, d, out);
	if (isfinite(c->mde))
		fprintf(out, "MDE %.2f %% = exp((t.975 + t.80) x robust spread of d / sqrt(%d)) - 1\n", 100 * c->mde, c->pairs);
	if (isfinite(d->lag1))
		fprintf(out, "lag-1 autocorrelation of d: %+.2f\n", d->lag1);
	if (d->has_cycles)
		fprintf(out, "in cycles: %+.2f %% [%+.2f, %+.2f]\n", 100 * d->cycle_change, 100 * d->cycle_low, 100 * d->cycle_high);
	else
		fprintf(out, "in cycles: not observable\n");
	if (c->pairs_needed > 0)
		fprintf(out, "about %d pairs would settle it\n", c->pairs_needed);
	return ferror(out) ? VRS_EIO : VRS_OK;
}
