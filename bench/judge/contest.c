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
	struct vrs_comparison *comparison = &k->comparisons[k->count];
	enum vrs_status status = vrs_verdict_cases(k->base, c, VRS_VERDICT_ALPHA, comparison);
	if (status == VRS_ENOTFOUND) /* a rival all the same: it is shown, and proves nothing */
		vrs_comparison_init(comparison);
	else if (status != VRS_OK)
		return;
	k->cases[k->count] = c;
	if (k->count == 0 || comparison->pairs < k->fewest_pairs)
		k->fewest_pairs = comparison->pairs;
	k->count++;
}

static enum vrs_status judge_family(const struct vrs_contest *k)
{
	struct vrs_comparison **family = vrs_calloc((size_t)k->count + 1, sizeof *family);
	for (int i = 0; i < k->count && family; i++)
		family[i] = &k->comparisons[i];
	enum vrs_status status = family ? vrs_verdict_family(family, k->count) : VRS_ENOMEM;
	vrs_free(family);
	return status;
}

enum vrs_status vrs_contest_hold(struct vrs_contest *ret, const struct vrs_result *result, const struct vrs_case_result *base)
{
	size_t n = (size_t)result->case_count + 1;
	*ret = (struct vrs_contest){.base = base, .cases = vrs_calloc(n, sizeof *ret->cases), .comparisons = vrs_calloc(n, sizeof *ret->comparisons)};
	if (!ret->cases || !ret->comparisons)
		return VRS_ENOMEM;
	for (int i = 0; i < result->case_count; i++)
		if (is_rival(&result->cases[i], base))
			compare_rival(ret, &result->cases[i]);
	return judge_family(ret);
}

void vrs_contest_fini(struct vrs_contest *contest)
{
	vrs_free(contest->cases);
	vrs_free(contest->comparisons);
}

int vrs_contest_find(const struct vrs_contest *contest, const struct vrs_case_result *c)
{
	for (int i = 0; i < contest->count; i++)
		if (contest->cases[i] == c)
			return i;
	return -1;
}

/* Is this rival proven faster, by the margin or more? */
static bool beats(const struct vrs_contest *contest, int rival)
{
	return vrs_verdict_is_gain(&contest->comparisons[rival]);
}

int vrs_contest_winner(const struct vrs_contest *contest)
{
	int best = -1;
	for (int i = 0; i < contest->count; i++)
		if (beats(contest, i) && (best < 0 || contest->comparisons[i].change < contest->comparisons[best].change))
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
	bool real = vrs_verdict_is_proven(c);
	const char *state = beats(contest, rival) ? "proven" : !real ? "not proven" : c->change < 0 ? "proven, but below the margin" : "slower";
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
