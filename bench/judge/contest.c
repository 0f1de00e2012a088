/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/judge/contest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

/* Same clip as base, runs well, mattes as good as the reference's; where mattes were not compared, the same network. */
static bool is_rival(const struct vrs_case_result *c, const struct vrs_case_result *base)
{
	double agreement = vrs_case_result_median(c, offsetof(struct vrs_run, agreement));
	if (c == base || c->width != base->width || c->height != base->height || c->fps.n == 0 || !vrs_case_result_same_kind(c, base))
		return false;
	return isnan(agreement) ? strcmp(c->precision, base->precision) == 0 && c->net_width == base->net_width && c->net_height == base->net_height
				: agreement >= VRS_RECOMMEND_MIN_AGREEMENT;
}

static void compare_rival(struct vrs_contest *k, const struct vrs_case_result *c)
{
	double a[VRS_STATS_MAX_PAIRS], b[VRS_STATS_MAX_PAIRS];
	struct vrs_verdict_options options = vrs_verdict_options_default();
	struct vrs_comparison *comparison = &k->comparisons[k->count];
	options.larger_is_better = true;
	options.alpha = 0.05;
	options.pair_sd = vrs_verdict_pair_sd(k->base, c);
	int n = vrs_verdict_collect(k->base, c, offsetof(struct vrs_run, fps), a, b, VRS_STATS_MAX_PAIRS);
	if (vrs_verdict_pairs(a, b, n, &options, comparison) != VRS_OK)
		return;
	k->cells[k->count] = c;
	k->p[k->count] = isfinite(comparison->p) ? comparison->p : 1;
	if (k->count == 0 || n < k->fewest_pairs)
		k->fewest_pairs = n;
	k->count++;
}

enum vrs_status vrs_contest_hold(struct vrs_contest *ret, const struct vrs_result *result, const struct vrs_case_result *base)
{
	size_t n = (size_t)result->case_count + 1;
	*ret = (struct vrs_contest){.base = base, .cells = vrs_calloc(n, sizeof *ret->cells), .comparisons = vrs_calloc(n, sizeof *ret->comparisons),
				    .p = vrs_calloc(n, sizeof *ret->p), .proven = vrs_calloc(n, sizeof *ret->proven)};
	if (!ret->cells || !ret->comparisons || !ret->p || !ret->proven)
		return VRS_ENOMEM;
	for (int i = 0; i < result->case_count; i++)
		if (is_rival(&result->cases[i], base))
			compare_rival(ret, &result->cases[i]);
	return ret->count > 0 ? vrs_stats_holm(ret->p, ret->count, 0.05, ret->proven) : VRS_OK;
}

void vrs_contest_fini(struct vrs_contest *contest)
{
	vrs_free(contest->cells);
	vrs_free(contest->comparisons);
	vrs_free(contest->p);
	vrs_free(contest->proven);
}

int vrs_contest_find(const struct vrs_contest *contest, const struct vrs_case_result *c)
{
	for (int i = 0; i < contest->count; i++)
		if (contest->cells[i] == c)
			return i;
	return -1;
}

bool vrs_contest_beats(const struct vrs_contest *contest, int rival)
{
	const struct vrs_comparison *c = &contest->comparisons[rival];
	return contest->proven[rival] && c->pairs >= VRS_VERDICT_MIN_PAIRS && c->change <= -c->margin / (1 + c->margin);
}

int vrs_contest_winner(const struct vrs_contest *contest)
{
	int best = -1;
	for (int i = 0; i < contest->count; i++)
		if (vrs_contest_beats(contest, i) && (best < 0 || contest->comparisons[i].change < contest->comparisons[best].change))
			best = i;
	return best;
}

/* A cost in time as a gain in speed, percent. */
static double gain(double cost)
{
	return 100 * (1 / (1 + cost) - 1);
}

void vrs_contest_text(const struct vrs_contest *contest, int rival, char *buf, size_t size)
{
	const struct vrs_comparison *c = &contest->comparisons[rival];
	char interval[48] = "", needed[32] = "";
	bool real = contest->proven[rival] && c->pairs >= VRS_VERDICT_MIN_PAIRS;
	const char *state = vrs_contest_beats(contest, rival) ? "proven" : !real ? "not proven" : c->change < 0 ? "proven, but below the margin" : "slower";
	if (c->pairs == 0) {
		snprintf(buf, size, "not proven: no round in which both ran well and undisturbed, %d are needed", VRS_VERDICT_MIN_PAIRS);
		return;
	}
	if (isfinite(c->low))
		snprintf(interval, sizeof interval, " [%+.1f, %+.1f]", gain(c->high), gain(c->low));
	if (c->pairs < VRS_VERDICT_MIN_PAIRS)
		snprintf(needed, sizeof needed, ", %d are needed", VRS_VERDICT_MIN_PAIRS);
	snprintf(buf, size, "%s: %+.1f %%%s speed over %d shared round%s%s", state, gain(c->change), interval, c->pairs, c->pairs == 1 ? "" : "s", needed);
}
