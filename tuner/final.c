/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/final.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str_parse.h"

struct rival {
	const struct vrs_case_result *case_result;
	const struct vrs_case *settings;
	struct vrs_comparison against_default;
	bool accepted;
};

static void fill_default(const struct vrs_case_result *base, struct vrs_search_result *r)
{
	bool truth;
	(void)vrs_strcpy(r->default_id, sizeof r->default_id, base->id);
	(void)vrs_strcpy(r->best_id, sizeof r->best_id, base->id);
	r->default_fps = r->best_fps = base->fps;
	r->default_quality = r->best_quality = vrs_case_quality(base, &truth);
	r->keeps_default = true;
}

enum vrs_status vrs_final_keep_default(struct vrs_search_result *r)
{
	const struct vrs_tried *base = &r->tried[0];
	(void)vrs_strcpy(r->default_id, sizeof r->default_id, base->id);
	(void)vrs_strcpy(r->best_id, sizeof r->best_id, base->id);
	r->default_fps = r->best_fps = base->fps;
	r->default_quality = r->best_quality = base->quality;
	r->keeps_default = true;
	snprintf(r->sentence, sizeof r->sentence, "The default stays: no candidate with a good enough matte was faster in screening.");
	return VRS_OK;
}

/* With several tries one of them wins by luck more easily: the rivals are one family. */
static enum vrs_status judge_family(struct rival *rivals, int n)
{
	struct vrs_comparison *family[VRS_SEARCH_MAX_FINALISTS];
	for (int i = 0; i < n; i++)
		family[i] = &rivals[i].against_default;
	return vrs_verdict_family(family, n);
}

static bool is_simpler(const struct rival *a, const struct rival *b)
{
	if (a->settings->value_count != b->settings->value_count)
		return a->settings->value_count < b->settings->value_count;
	return a->case_result->peak_rss.n && b->case_result->peak_rss.n && a->case_result->peak_rss.median < b->case_result->peak_rss.median;
}

/* Among the significant rivals: the fastest, or a simpler one that cannot be told from it. Lists the tie in r->tie. */
static const struct rival *choose(const struct rival *rivals, int n, struct vrs_search_result *r)
{
	const struct rival *fastest = NULL, *best;
	for (int i = 0; i < n; i++)
		if (vrs_verdict_is_gain(&rivals[i].against_default) && (!fastest || rivals[i].case_result->fps.median > fastest->case_result->fps.median))
			fastest = &rivals[i];
	best = fastest;
	for (int i = 0; fastest && i < n; i++) {
		struct vrs_comparison c;
		const struct rival *other = &rivals[i];
		if (other == fastest || !vrs_verdict_is_gain(&other->against_default))
			continue;
		/* SLOWER by less than the margin counts as a tie: nobody should change a knob for it. */
		if (vrs_verdict_cases(fastest->case_result, other->case_result, VRS_VERDICT_ALPHA, &c) != VRS_OK || (c.verdict == VRS_VERDICT_SLOWER && c.gate))
			continue;
		size_t used = strlen(r->tie);
		snprintf(r->tie + used, sizeof r->tie - used, "%s%s", used ? ", " : "", other->case_result->id);
		best = is_simpler(other, best) ? other : best;
	}
	return best;
}

static void write_sentence(struct vrs_search_result *r, const struct rival *best, int pairs)
{
	if (best) {
		double low = 1 / (1 + r->gain.high), high = 1 / (1 + r->gain.low), mid = 1 / (1 + r->gain.change);
		snprintf(r->sentence, sizeof r->sentence,
			 "%s is %.2f times as fast as the default (95 %% interval %.2f to %.2f, %d interleaved rounds).", best->case_result->id, mid, low, high,
			 r->gain.pairs);
	} else if (!r->verified) {
		snprintf(r->sentence, sizeof r->sentence,
			 "not verified: only %d interleaved rounds with the default, and a gain needs %d. The default stays.", pairs, VRS_VERDICT_MIN_PAIRS);
	} else {
		snprintf(r->sentence, sizeof r->sentence, "The default stays: in %d interleaved rounds no finalist was faster by %.0f %% beyond doubt.", pairs,
			 100 * r->gain.margin);
	}
}

enum vrs_status vrs_final_decide(const struct vrs_result *result, const struct vrs_case *cases, const struct vrs_objective *objective,
				 struct vrs_search_result *r, struct vrs_error *err)
{
	struct rival rivals[VRS_SEARCH_MAX_FINALISTS];
	const struct vrs_case_result *base = &result->cases[0];
	int n = 0, pairs = 0;
	fill_default(base, r);
	r->gain.margin = vrs_verdict_options_default().margin;
	for (int i = 1; i < result->case_count && n < VRS_SEARCH_MAX_FINALISTS; i++) {
		char why[160];
		struct rival *x = &rivals[n];
		memset(x, 0, sizeof *x);
		x->case_result = &result->cases[i];
		x->settings = &cases[i];
		x->accepted = vrs_objective_accepts(objective, x->case_result, base, why, sizeof why);
		if (!x->accepted || vrs_verdict_cases(base, x->case_result, VRS_VERDICT_ALPHA, &x->against_default) != VRS_OK)
			continue;
		pairs = x->against_default.pairs > pairs ? x->against_default.pairs : pairs;
		n++;
	}
	enum vrs_status status = judge_family(rivals, n);
	if (status != VRS_OK)
		return vrs_fail(err, status, "cannot decide the final: %s", vrs_status_str(status));
	r->verified = pairs >= VRS_VERDICT_MIN_PAIRS;
	const struct rival *best = choose(rivals, n, r);
	if (best) {
		bool truth;
		r->keeps_default = false;
		r->best = *best->settings;
		r->gain = best->against_default;
		(void)vrs_strcpy(r->best_id, sizeof r->best_id, best->case_result->id);
		r->best_fps = best->case_result->fps;
		r->best_quality = vrs_case_quality(best->case_result, &truth);
	}
	write_sentence(r, best, pairs);
	return VRS_OK;
}
