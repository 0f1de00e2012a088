/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/final.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str_parse.h"
#include "bench/judge/holm_family.h"

static void keep_default(struct vrs_search_result *r, const char *id, const struct vrs_estimate *fps, double quality)
{
	(void)vrs_strcpy(r->default_id, sizeof r->default_id, id);
	(void)vrs_strcpy(r->best_id, sizeof r->best_id, id);
	r->default_fps = r->best_fps = *fps;
	r->default_quality = r->best_quality = quality;
	r->keeps_default = true;
}

void vrs_final_keep_default(struct vrs_search_result *r)
{
	const struct vrs_tried *base = &r->tried[0];
	keep_default(r, base->id, &base->fps, base->quality);
	snprintf(r->sentence, sizeof r->sentence, "The default stays: no candidate with a good enough matte was faster in screening.");
}

/* Fewer values that differ from the default, or as many and less memory. */
static bool is_simpler(const struct vrs_case *a, const struct vrs_case_result *a_result, const struct vrs_case *b,
		       const struct vrs_case_result *b_result)
{
	if (a->value_count != b->value_count)
		return a->value_count < b->value_count;
	return a_result->peak_rss.n && b_result->peak_rss.n && a_result->peak_rss.median < b_result->peak_rss.median;
}

/* Of those that are proven faster than the default: the fastest, or a simpler one that cannot be told from it. Lists the tie in r->tie. -1: none. */
static int choose(const struct vrs_holm_family *family, const struct vrs_result *result, const struct vrs_case *cases, struct vrs_search_result *r)
{
	int fastest = -1, best;
	for (int i = 0; i < family->count; i++)
		if (vrs_verdict_is_gain(&family->comparisons[i]) && (fastest < 0 || family->cases[i]->fps.median > family->cases[fastest]->fps.median))
			fastest = i;
	best = fastest;
	for (int i = 0; fastest >= 0 && i < family->count; i++) {
		struct vrs_comparison c;
		const struct vrs_case_result *other = family->cases[i];
		if (i == fastest || !vrs_verdict_is_gain(&family->comparisons[i]))
			continue;
		/* SLOWER by less than the margin counts as a tie: nobody should change a knob for it. */
		if (vrs_verdict_cases(family->cases[fastest], other, VRS_VERDICT_ALPHA, &c) != VRS_OK || (c.verdict == VRS_VERDICT_SLOWER && c.gate))
			continue;
		size_t used = strlen(r->tie);
		snprintf(r->tie + used, sizeof r->tie - used, "%s%s", used ? ", " : "", other->id);
		const struct vrs_case_result *chosen = family->cases[best];
		if (is_simpler(&cases[other - result->cases], other, &cases[chosen - result->cases], chosen))
			best = i;
	}
	return best;
}

static void write_sentence(struct vrs_search_result *r, int pairs)
{
	if (!r->keeps_default) {
		double low = 1 / (1 + r->gain.high), high = 1 / (1 + r->gain.low), mid = 1 / (1 + r->gain.change);
		snprintf(r->sentence, sizeof r->sentence,
			 "%s is %.2f times as fast as the default (95 %% interval %.2f to %.2f, %d interleaved rounds).", r->best_id, mid, low, high,
			 r->gain.pairs);
	} else if (!r->verified) {
		snprintf(r->sentence, sizeof r->sentence,
			 "not verified: only %d interleaved rounds with the default, and a gain needs %d. The default stays.", pairs, VRS_VERDICT_MIN_PAIRS);
	} else {
		snprintf(r->sentence, sizeof r->sentence, "The default stays: in %d interleaved rounds no finalist was faster by %.0f %% beyond doubt.", pairs,
			 100 * r->gain.margin);
	}
}

static bool accepts(const struct vrs_case_result *c, const struct vrs_case_result *base, const void *cookie)
{
	char why[160];
	return vrs_objective_accepts(cookie, c, base, why, sizeof why);
}

enum vrs_status vrs_final_decide(const struct vrs_result *result, const struct vrs_case *cases, const struct vrs_objective *objective,
				 struct vrs_search_result *r, struct vrs_error *err)
{
	const struct vrs_case_result *base = &result->cases[0];
	struct vrs_holm_family family;
	bool truth;
	keep_default(r, base->id, &base->fps, vrs_case_quality(base, &truth));
	r->gain.margin = vrs_verdict_options_default().margin;
	/* With several tries one of them wins by luck more easily: the finalists are one family. */
	enum vrs_status status = vrs_holm_family_judge(&family, result, base, accepts, objective);
	if (status == VRS_OK) {
		r->verified = family.most_pairs >= VRS_VERDICT_MIN_PAIRS;
		int best = choose(&family, result, cases, r);
		if (best >= 0) {
			const struct vrs_case_result *c = family.cases[best];
			r->keeps_default = false;
			r->best = cases[c - result->cases];
			r->gain = family.comparisons[best];
			(void)vrs_strcpy(r->best_id, sizeof r->best_id, c->id);
			r->best_fps = c->fps;
			r->best_quality = vrs_case_quality(c, &truth);
		}
		write_sentence(r, family.most_pairs);
	}
	vrs_holm_family_fini(&family);
	return status != VRS_OK ? vrs_fail(err, status, "cannot decide the final: %s", vrs_status_str(status)) : VRS_OK;
}
