/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/judge/recommend.h"

#include <math.h>
#include <string.h>

#include "base/str_parse.h"
#include "bench/judge/holm_family.h"
#include "bench/plan/case.h"

static double agreement_of(const struct vrs_case_result *c)
{
	return vrs_case_result_median(c, offsetof(struct vrs_run, agreement));
}

static const struct vrs_case_result *fastest(const struct vrs_holm_family *family)
{
	const struct vrs_case_result *best = family->base;
	for (int i = 0; i < family->count; i++)
		if (family->cases[i]->fps.median > best->fps.median)
			best = family->cases[i];
	return best;
}

static void explain(struct vrs_result *result, const struct vrs_holm_family *family, int best)
{
	const struct vrs_case_result *seen = fastest(family), *base = family->base;
	char *text = result->recommendation;
	size_t size = sizeof result->recommendation;
	if (best >= 0) {
		const struct vrs_comparison *c = &family->comparisons[best];
		snprintf(text, size, "%s: %.1f FPS against %.1f FPS of the default, %+.1f %% speed over %d shared rounds (p %.4f, Holm over %d cases)",
			 family->cases[best]->id, family->cases[best]->fps.median, base->fps.median, 100 * (1 / (1 + c->change) - 1), c->pairs, c->holm_p, family->count);
	} else if (vrs_case_result_is_invalid(base)) {
		snprintf(text, size, "the default stays: the machine was disturbed while it was measured, so that nothing is proven; measure again on a "
				     "quiet machine");
	} else if (family->count == 0) {
		snprintf(text, size, "the default stays: nothing else was measured on the same clip with mattes as good");
	} else if (seen == base) {
		snprintf(text, size, "the default stays: no other case was faster on the same clip");
	} else {
		char why[128] = "the difference is not proven or below 2 %", among[32];
		int rounds = vrs_holm_family_rounds(family, among);
		if (family->fewest_pairs < rounds)
			snprintf(why, sizeof why, "fewer than %d shared rounds prove nothing%s (--runs %d or more)", rounds, among, rounds);
		snprintf(text, size, "the default stays: %s looked best with %.1f FPS against %.1f FPS, but %s", seen->id, seen->fps.median, base->fps.median, why);
	}
}

static enum vrs_status judge_family(struct vrs_result *result, const struct vrs_case_result *base)
{
	struct vrs_holm_family family;
	enum vrs_status status = vrs_holm_family_judge(&family, result, base, NULL);
	if (status == VRS_OK) {
		int best = vrs_holm_family_winner(&family);
		vrs_strcpy(result->recommended_case, sizeof result->recommended_case, best >= 0 ? family.cases[best]->id : base->id);
		explain(result, &family, best);
	}
	vrs_holm_family_fini(&family);
	return status;
}

enum vrs_status vrs_recommend(struct vrs_result *result)
{
	const struct vrs_case_result *base = vrs_result_find_case(result, result->default_case);
	result->recommended_case[0] = 0;
	if (!base || base->fps.n == 0) {
		snprintf(result->recommendation, sizeof result->recommendation, "nothing can be recommended: the default case has no good run");
		return VRS_OK;
	}
	return judge_family(result, base);
}

/* Of the size, and the batch where that counts; of the headline: end to end, as fast as it goes, or whatever the default case is. */
static bool is_of_row(const struct vrs_case_result *c, const struct vrs_case_result *first, const struct vrs_case_result *base, bool by_batch)
{
	return c->width == first->width && c->height == first->height && (!by_batch || c->batch == first->batch) &&
	       (!base || vrs_case_result_same_kind(c, base));
}

static bool is_better(const struct vrs_case_result *c, const struct vrs_case_result *best)
{
	double agreement = agreement_of(c);
	if (c->fps.n == 0 || (!isnan(agreement) && agreement < VRS_RECOMMEND_MIN_AGREEMENT))
		return false;
	return !best || c->fps.median > best->fps.median;
}

/* The case of that size with the default's values; NULL: none. */
static const struct vrs_case_result *default_of_size(const struct vrs_result *result, int width, int height)
{
	const struct vrs_case_result *base = vrs_result_find_case(result, result->default_case);
	const char *values = base ? strchr(base->id, '/') : NULL;
	for (int i = 0; i < result->case_count && values; i++) {
		const struct vrs_case_result *c = &result->cases[i];
		const char *own = strchr(c->id, '/');
		if (c->width == width && c->height == height && own && strcmp(own, values) == 0 && c->fps.n > 0)
			return c;
	}
	return NULL;
}

/* How sure it is that this case is faster than the default at its size. kept: the family of the last call. */
static enum vrs_status against_default(const struct vrs_result *result, const struct vrs_case_result *best, struct vrs_holm_family *kept, char *buf,
				       size_t size)
{
	const struct vrs_case_result *base = default_of_size(result, best->width, best->height);
	enum vrs_status status = VRS_OK;
	if (!base || base == best) {
		vrs_strcpy(buf, size, base ? "is the default" : "the default has no good run at this size");
		return VRS_OK;
	}
	if (kept->base != base) {
		vrs_holm_family_fini(kept);
		status = vrs_holm_family_judge(kept, result, base, NULL);
	}
	int member = status == VRS_OK ? vrs_holm_family_find(kept, best) : -1;
	if (member >= 0)
		vrs_holm_family_text(kept, member, buf, size);
	else
		vrs_strcpy(buf, size, "not proven: its mattes were not compared");
	return status;
}

static enum vrs_status best_row(const struct vrs_result *result, int index, bool by_batch, struct vrs_holm_family *kept,
				struct vrs_recommend_row *ret)
{
	const struct vrs_case_result *first = &result->cases[index], *best = NULL, *base = vrs_result_find_case(result, result->default_case);
	*ret = (struct vrs_recommend_row){.best = NULL};
	for (int k = 0; k < result->case_count; k++) {
		const struct vrs_case_result *c = &result->cases[k];
		if (!is_of_row(c, first, base, by_batch))
			continue;
		if (k < index)
			return VRS_OK;
		if (is_better(c, best))
			best = c;
	}
	*ret = (struct vrs_recommend_row){.width = first->width, .height = first->height, .best = best};
	if (best)
		return against_default(result, best, kept, ret->against, sizeof ret->against);
	vrs_strcpy(ret->against, sizeof ret->against, vrs_case_result_is_skipped(first) ? first->skipped : "no good run");
	return VRS_OK;
}

enum vrs_status vrs_recommend_best(const struct vrs_result *result, int index, struct vrs_holm_family *kept, struct vrs_recommend_row *ret_row)
{
	return best_row(result, index, false, kept, ret_row);
}

enum vrs_status vrs_recommend_best_batch(const struct vrs_result *result, int index, struct vrs_holm_family *kept, struct vrs_recommend_row *ret_row)
{
	return best_row(result, index, true, kept, ret_row);
}
