/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/final.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str_parse.h"
#include "bench/judge/holm_family.h"
#include "tuner/limit_bounds.h"

#define DEFAULT_UNFIT " The default does not keep the limits."

struct vrs_tuned_figures vrs_case_figures(const struct vrs_case_result *c, const struct vrs_case_result *base)
{
	const struct vrs_matte_pair pair = vrs_matte_pair(c, base);
	struct vrs_tuned_figures f = {.fps = c->fps, .low_fps = vrs_case_low_fps(c)};
	f.quality = vrs_case_quality(c, &f.has_truth);
	if (pair.alike || pair.first > 0)
		f.quality = pair.quality;
	f.reference = pair.reference;
	f.first_mattes = pair.first > 0 ? pair.first : 0;
	f.net_width = c->net_width;
	f.net_height = c->net_height;
	f.peak_bytes = c->peak_rss.n ? c->peak_rss.max : NAN;
	f.kbps = vrs_case_result_median(c, offsetof(struct vrs_run, output_kbps));
	f.ssim = vrs_case_result_median(c, offsetof(struct vrs_run, encode_ssim));
	f.latency_ms = c->latency_ms.n ? c->latency_ms.median : NAN;
	f.latency_p99_ms = vrs_case_result_median(c, offsetof(struct vrs_run, latency_p99_ms));
	f.missed_percent = c->live_miss_percent.n ? c->live_miss_percent.median : NAN;
	f.high_missed_percent = vrs_case_high_late_percent(c, VRS_LIVE_MAX_MISSED_PERCENT);
	return f;
}

/* The same at the pace of the machine on the whole. */
static struct vrs_tuned_figures figures_at(const struct vrs_objective *objective, const struct vrs_case_result *c, const struct vrs_case_result *base)
{
	struct vrs_tuned_figures figures = vrs_case_figures(c, base);
	figures.low_fps = vrs_objective_low_fps(objective, c);
	return figures;
}

static void keep_default(struct vrs_search_result *r, const char *id, const struct vrs_tuned_figures *figures, const struct vrs_limits *limits)
{
	(void)vrs_strcpy(r->default_id, sizeof r->default_id, id);
	(void)vrs_strcpy(r->best_id, sizeof r->best_id, id);
	r->default_figures = r->best_figures = *figures;
	r->best_limits = r->default_limits = *limits;
	r->keeps_default = true;
	r->feasible = limits->missed == 0;
}

static void say_infeasible(struct vrs_search_result *r)
{
	snprintf(r->sentence, sizeof r->sentence, "No measured settings keep all limits: of %s, %s.", r->best_id, r->best_limits.why);
}

void vrs_final_keep_default(struct vrs_search_result *r, const struct vrs_tried *base, double least, const char *other)
{
	keep_default(r, base->id, &base->figures, &base->limits);
	if (r->feasible)
		snprintf(r->sentence, sizeof r->sentence,
			 "The default stays: over all rounds no candidate that keeps the limits was better by %g %%, which the final asks for%s%s.", 100 * least,
			 other[0] ? "; " : "", other);
	else
		say_infeasible(r);
}

/* Fewer values that differ from the default, or as many and less memory. */
static bool is_simpler(const struct vrs_case *a, const struct vrs_case_result *a_result, const struct vrs_case *b,
		       const struct vrs_case_result *b_result)
{
	if (a->value_count != b->value_count)
		return a->value_count < b->value_count;
	return a_result->peak_rss.n && b_result->peak_rss.n && a_result->peak_rss.median < b_result->peak_rss.median;
}

/* The limits that a member of the family misses. What is proven faster than a default that is fast enough is so, too. */
static struct vrs_limits limits_of(const struct vrs_holm_family *family, int member, const struct vrs_objective *objective,
				   const struct vrs_limits *default_limits)
{
	struct vrs_limits limits;
	vrs_objective_check(objective, family->cases[member], family->base, &limits);
	bool default_is_fast = !(default_limits->missed >> VRS_LIMIT_SPEED & 1);
	if (limits.missed == 1u << VRS_LIMIT_SPEED && default_is_fast && vrs_verdict_is_gain(&family->comparisons[member]))
		limits = (struct vrs_limits){.missed = 0};
	return limits;
}

/* Those of the family that are proven faster than the default and keep every limit; the others where none does.  Returns how many. */
static int gather_gains(const struct vrs_holm_family *family, const struct vrs_objective *objective, const struct vrs_limits *default_limits,
			int *ret_members)
{
	int count = 0;
	for (int pass = 0; pass < 2 && count == 0; pass++)
		for (int i = 0; i < family->count && count < VRS_SEARCH_MAX_FINALISTS; i++)
			if (vrs_verdict_is_gain(&family->comparisons[i]) && (pass || limits_of(family, i, objective, default_limits).missed == 0))
				ret_members[count++] = i;
	return count;
}

/* Of the gains the fastest, or a simpler one that cannot be told from it. Lists the tie in r->tie. -1: none. */
static int choose(const struct vrs_holm_family *family, const struct vrs_result *result, const struct vrs_case *cases,
		  const struct vrs_objective *objective, const struct vrs_limits *default_limits, struct vrs_search_result *r)
{
	int members[VRS_SEARCH_MAX_FINALISTS], count = gather_gains(family, objective, default_limits, members), fastest = -1, best;
	bool ties[VRS_SEARCH_MAX_FINALISTS] = {false};
	for (int i = 0; i < count; i++)
		if (fastest < 0 || vrs_objective_value(objective, family->cases[members[i]], family->base) >
		    vrs_objective_value(objective, family->cases[fastest], family->base))
			fastest = members[i];
	best = fastest;
	for (int i = 0; fastest >= 0 && i < count; i++) {
		struct vrs_comparison c;
		const struct vrs_case_result *other = family->cases[members[i]], *chosen = family->cases[best];
		ties[i] = members[i] == fastest;
		if (ties[i])
			continue;
		/* SLOWER by less than the margin counts as a tie: nobody should change a knob for it. */
		if (vrs_verdict_cases(family->cases[fastest], other, vrs_objective_headline(objective), VRS_VERDICT_ALPHA, &c) != VRS_OK ||
		    (c.verdict == VRS_VERDICT_SLOWER && c.gate))
			continue;
		ties[i] = true;
		if (is_simpler(&cases[other - result->cases], other, &cases[chosen - result->cases], chosen))
			best = members[i];
	}
	for (int i = 0; i < count; i++) {
		size_t used = strlen(r->tie);
		if (ties[i] && members[i] != best)
			snprintf(r->tie + used, sizeof r->tie - used, "%s%s", used ? ", " : "", family->cases[members[i]]->id);
	}
	return best;
}

/*
 * Where speed alone does not decide: the case with the best figure of the goal among those that keep every limit, the speed by the low end of its
 * interval; among equals the simpler one, and the default before all.  -1: the default stays.
 */
static int choose_by_value(const struct vrs_result *result, const struct vrs_case *cases, const struct vrs_objective *objective, bool default_fits)
{
	const struct vrs_case_result *base = &result->cases[0];
	int best = -1;
	for (int i = 1; i < result->case_count; i++) {
		const struct vrs_case_result *c = &result->cases[i], *before = best < 0 ? base : &result->cases[best];
		struct vrs_limits limits;
		double value = vrs_objective_value(objective, c, base), best_value = vrs_objective_value(objective, before, base);
		vrs_objective_check(objective, c, base, &limits);
		if (limits.missed || vrs_case_result_counted_runs(c) < VRS_VERDICT_MIN_PAIRS)
			continue;
		bool first = best < 0 && !default_fits;
		bool equal = !vrs_objective_is_better(objective, value, best_value) && !vrs_objective_is_better(objective, best_value, value);
		if (first || vrs_objective_is_better(objective, value, best_value) || (best >= 0 && equal && is_simpler(&cases[i], c, &cases[best], before)))
			best = i;
	}
	return best;
}

/* " (95 % interval 0.71 to 0.74)" of the size against the base's; "" where there are too few rounds. */
static void size_interval(const struct vrs_case_result *c, const struct vrs_case_result *base, char *buf, size_t size)
{
	double a[VRS_STATS_MAX_PAIRS], b[VRS_STATS_MAX_PAIRS];
	struct vrs_verdict_options options = vrs_verdict_options_default();
	struct vrs_comparison sizes;
	options.alpha = VRS_VERDICT_ALPHA;
	int n = vrs_verdict_collect(base, c, vrs_figure_output_bytes, VRS_STATS_MAX_PAIRS, a, b, NULL);
	bool known = n >= VRS_VERDICT_MIN_PAIRS && vrs_verdict_pairs(a, b, n, &options, &sizes) == VRS_OK && isfinite(sizes.low);
	buf[0] = '\0';
	if (known)
		snprintf(buf, size, " (95 %% interval %.2f to %.2f)", 1 + sizes.low, 1 + sizes.high);
}

/* What was chosen by its figure, in words. */
static void write_value_sentence(struct vrs_search_result *r, const struct vrs_objective *objective, const struct vrs_case_result *c,
				 const struct vrs_case_result *base, bool default_fits)
{
	double value = vrs_objective_value(objective, c, base), base_value = vrs_objective_value(objective, base, base);
	double low = vrs_objective_low_fps(objective, c);
	const struct vrs_tuned_figures *best = &r->best_figures;
	char what[128], interval[48];
	if (c == base) {
		snprintf(r->sentence, sizeof r->sentence, "The default stays: no finalist that keeps the limits is better by more than does not matter.");
		return;
	}
	if (objective->goal == VRS_GOAL_LIVE) {
		snprintf(what, sizeof what, "latency %.1f ms, %.2f %% of the frames late", -value, r->best_figures.missed_percent);
	} else if (objective->goal == VRS_GOAL_SIZE) {
		size_interval(c, base, interval, sizeof interval);
		snprintf(what, sizeof what, "its output has %.2f times the size of the default's%s", value / base_value, interval);
	} else if (objective->goal == VRS_GOAL_QUALITY) {
		snprintf(what, sizeof what, "IoU %.4f, the default %.4f", best->quality, best->first_mattes > 0 ? best->reference : base_value);
	} else {
		snprintf(what, sizeof what, "%.2f times as fast as the default", vrs_case_speed(c, base));
	}
	char speed[48] = "";
	if (objective->goal != VRS_GOAL_LIVE)
		snprintf(speed, sizeof speed, ", at %.2f FPS or more", low);
	snprintf(r->sentence, sizeof r->sentence, "%s: %s%s in %d rounds.%s", r->best_id, what, speed, vrs_case_result_counted_runs(c),
		 default_fits ? "" : DEFAULT_UNFIT);
}

/* None of the finalists could be chosen, however fast. */
static void say_unfit(struct vrs_search_result *r, const struct vrs_objective *objective, const struct vrs_result *result)
{
	struct vrs_limits limits;
	vrs_objective_check(objective, &result->cases[1], &result->cases[0], &limits);
	snprintf(r->sentence, sizeof r->sentence, "The default stays: no finalist keeps the limits; of %s, %s.", result->cases[1].id, limits.why);
}

static void write_sentence(struct vrs_search_result *r, int pairs, bool default_fits)
{
	bool live = r->goal == VRS_GOAL_LIVE;
	if (!r->keeps_default && live) {
		snprintf(r->sentence, sizeof r->sentence,
			 "%s has %.2f times the default's latency (95 %% interval %.2f to %.2f, %d interleaved rounds), %.2f %% of the frames late.%s", r->best_id,
			 1 + r->gain.change, 1 + r->gain.low, 1 + r->gain.high, r->gain.pairs, r->best_figures.missed_percent,
			 default_fits ? "" : DEFAULT_UNFIT);
	} else if (!r->keeps_default) {
		double low = 1 / (1 + r->gain.high), high = 1 / (1 + r->gain.low), mid = 1 / (1 + r->gain.change);
		snprintf(r->sentence, sizeof r->sentence,
			 "%s is %.2f times as fast as the default (95 %% interval %.2f to %.2f, %d interleaved rounds).", r->best_id, mid, low, high,
			 r->gain.pairs);
	} else if (!r->verified) {
		snprintf(r->sentence, sizeof r->sentence,
			 "not verified: only %d interleaved round%s with the default, and a gain needs %d. The default stays.", pairs,
			 pairs == 1 ? "" : "s", VRS_VERDICT_MIN_PAIRS);
	} else {
		snprintf(r->sentence, sizeof r->sentence, "The default stays: in %d interleaved rounds no finalist %s by %.0f %% beyond doubt.", pairs,
			 live ? "had less latency" : "was faster", 100 * r->gain.margin);
	}
}

static bool accepts(const struct vrs_case_result *c, const struct vrs_case_result *base, const void *cookie)
{
	const struct vrs_objective *objective = cookie;
	struct vrs_limits limits;
	vrs_objective_check(objective, c, base, &limits);
	/* What is faster than a default that is fast enough is so, too; less latency says nothing of deadlines. */
	return objective->goal == VRS_GOAL_LIVE ? limits.missed == 0 : vrs_limits_accept(&limits);
}

/*
 * What may be claimed: the best of several looks better than it is, so its interval holds for all of them at once (Bonferroni).  It never reaches
 * beyond the default, over which Holm has proven the gain.
 */
static void claim(struct vrs_search_result *r, const struct vrs_holm_family *family, int member, const struct vrs_objective *objective)
{
	struct vrs_comparison all;
	r->gain = family->comparisons[member];
	if (family->count > 1 && isfinite(r->gain.low) &&
	    vrs_verdict_cases(family->base, family->cases[member], vrs_objective_headline(objective), VRS_VERDICT_ALPHA / family->count, &all) == VRS_OK &&
	    isfinite(all.low)) {
		r->gain.low = all.low;
		r->gain.high = vrs_verdict_is_gain(&r->gain) ? fmin(all.high, 0) : all.high;
	}
}

static void take_choice(struct vrs_search_result *r, const struct vrs_holm_family *family, const struct vrs_case *settings,
			const struct vrs_case_result *c, const struct vrs_objective *objective)
{
	int member = vrs_holm_family_find(family, c);
	r->keeps_default = false;
	r->best = *settings;
	(void)vrs_strcpy(r->best_id, sizeof r->best_id, c->id);
	r->best_figures = figures_at(objective, c, family->base);
	vrs_objective_check(objective, c, family->base, &r->best_limits);
	if (member >= 0) {
		claim(r, family, member, objective);
		r->best_limits = limits_of(family, member, objective, &r->default_limits);
	}
	if (r->best_limits.missed == 0 && r->best_figures.low_fps < objective->min_fps) /* proven faster than the default, which keeps this */
		r->best_figures.low_fps = r->default_figures.low_fps;
	r->feasible = r->best_limits.missed == 0;
}

/* Index of the case that is chosen; 0: the default stays. */
static int choose_case(const struct vrs_holm_family *family, const struct vrs_result *result, const struct vrs_case *cases,
		       const struct vrs_objective *objective, const struct vrs_limits *default_limits, struct vrs_search_result *r)
{
	bool can_be_proven = objective->goal == VRS_GOAL_THROUGHPUT || objective->goal == VRS_GOAL_LIVE, default_fits = default_limits->missed == 0;
	int member = can_be_proven ? choose(family, result, cases, objective, default_limits, r) : -1;
	int index = member < 0 ? 0 : (int)(family->cases[member] - result->cases);
	bool fits = member < 0 ? default_fits : limits_of(family, member, objective, default_limits).missed == 0;
	int by_value = can_be_proven && fits ? -1 : choose_by_value(result, cases, objective, default_fits);
	r->by_value = !can_be_proven || (index == 0 && !default_fits) || by_value > 0;
	if (by_value > 0) /* no gain is needed where the default misses a limit and this keeps all */
		r->tie[0] = '\0';
	return by_value > 0 ? by_value : index;
}

enum vrs_status vrs_final_decide(const struct vrs_result *result, const struct vrs_case *cases, const struct vrs_objective *objective,
				 struct vrs_search_result *r, struct vrs_error *err)
{
	const struct vrs_case_result *base = &result->cases[0];
	struct vrs_holm_family family;
	struct vrs_limits limits;
	struct vrs_tuned_figures figures = figures_at(objective, base, base);
	const struct vrs_holm_rules rules = {.headline = vrs_objective_headline(objective), .accept = accepts, .cookie = objective};
	vrs_objective_check(objective, base, base, &limits);
	keep_default(r, base->id, &figures, &limits);
	r->gain.margin = vrs_verdict_options_default().margin;
	/* With several tries one of them wins by luck more easily: the finalists are one family. */
	enum vrs_status status = vrs_holm_family_judge(&family, result, base, &rules);
	if (status == VRS_OK) {
		bool default_fits = limits.missed == 0;
		r->verified = family.most_pairs >= VRS_VERDICT_MIN_PAIRS;
		int index = choose_case(&family, result, cases, objective, &limits, r);
		if (index > 0)
			take_choice(r, &family, &cases[index], &result->cases[index], objective);
		if (r->by_value && (index > 0 || r->verified))
			write_value_sentence(r, objective, &result->cases[index], base, default_fits);
		else if (family.count == 0 && result->case_count > 1)
			say_unfit(r, objective, result);
		else
			write_sentence(r, family.most_pairs, default_fits);
		if (!r->feasible)
			say_infeasible(r);
	}
	vrs_holm_family_fini(&family);
	return status != VRS_OK ? vrs_fail(err, status, "cannot decide the final: %s", vrs_status_str(status)) : VRS_OK;
}

/* "2 runs of 30 s" */
static void name_runs(const struct vrs_case_result *c, char *buf, size_t size)
{
	snprintf(buf, size, "%d runs of %.0f s", vrs_case_result_ok_runs(c), vrs_case_result_median(c, offsetof(struct vrs_run, wall_seconds)));
}

void vrs_final_check_long(const struct vrs_result *result, const struct vrs_objective *objective, struct vrs_search_result *r)
{
	const struct vrs_case_result *base = &result->cases[0], *c = &result->cases[1];
	bool live = objective->goal == VRS_GOAL_LIVE;
	double ratio = vrs_objective_ratio(objective, c, base);
	struct vrs_limits limits, default_limits;
	const struct vrs_limits final_limits = r->default_limits;
	char runs[64], choice[VRS_CASE_ID_MAX];
	size_t used = strlen(r->sentence);
	vrs_objective_check(objective, c, base, &limits);
	vrs_objective_check(objective, base, base, &default_limits);
	name_runs(c, runs, sizeof runs);
	bool lasts = r->by_value || (live ? ratio < 1 : ratio > 1);
	if (lasts && limits.missed == 0) {
		r->best_figures.peak_bytes = fmax(r->best_figures.peak_bytes, c->peak_rss.max);
		r->default_figures.peak_bytes = fmax(r->default_figures.peak_bytes, base->peak_rss.max);
		snprintf(r->sentence + used, sizeof r->sentence - used, " In %s it has %.2f times the default's %s.", runs, ratio, live ? "latency" : "speed");
		return;
	}
	struct vrs_tuned_figures figures = figures_at(objective, base, base);
	(void)vrs_strcpy(choice, sizeof choice, r->best_id);
	keep_default(r, base->id, &figures, r->default_limits.missed ? &final_limits : &default_limits);
	r->best = (struct vrs_case){.value_count = 0};
	r->tie[0] = '\0';
	if (limits.missed)
		snprintf(r->sentence, sizeof r->sentence, "The default stays: %s won the final, but does not last: in %s %s.", choice, runs, limits.why);
	else
		snprintf(r->sentence, sizeof r->sentence, "The default stays: %s won the final, but does not last: in %s it has %.2f times the default's %s.",
			 choice, runs, ratio, live ? "latency" : "speed");
	if (!r->feasible)
		say_infeasible(r);
}
