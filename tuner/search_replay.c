/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/search_replay.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/stop.h"

#define AGAIN_SEED 1000003 /* runs of another time than those of the search */

static enum vrs_status search_once(const struct vrs_recorded_sweep *sweep, const struct vrs_search_options *options, uint64_t seed, double noise,
				   struct vrs_search_result *ret_result, int *ret_runs, struct vrs_error *err)
{
	struct vrs_search_options own = *options;
	struct vrs_space space = *vrs_recorded_sweep_space(sweep);
	struct vrs_recorded_measure measure = {.sweep = sweep, .noise = noise};
	own.seed = seed;
	own.long_run = 0; /* none was recorded */
	vrs_rng_init(&measure.rng, seed);
	enum vrs_status status = vrs_search(&space, &own, vrs_recorded_measure, &measure, ret_result, err);
	*ret_runs = measure.runs;
	return status;
}

/* Does the claimed interval hold what the same estimate says of all runs? */
static bool covers(const struct vrs_comparison *claimed, double change)
{
	return claimed->low <= change && change <= claimed->high;
}

static bool has_limits(const struct vrs_objective *objective)
{
	return objective->min_fps > 0 || objective->memory_limit_bytes > 0;
}

/* Does a choice keep the limits when it is measured again, by the median of its speed and the largest run? */
static enum vrs_status measure_again(const struct vrs_recorded_sweep *sweep, const struct vrs_search_options *options, const struct vrs_case *choice,
				     uint64_t seed, double noise, bool *ret_kept, struct vrs_error *err)
{
	const struct vrs_objective *objective = &options->objective;
	const struct vrs_step step = {.phase = "again", .why = "", .stretch = 1};
	struct vrs_recorded_measure measure = {.sweep = sweep, .noise = noise};
	struct vrs_result *result = NULL;
	vrs_rng_init(&measure.rng, seed + AGAIN_SEED);
	enum vrs_status status = vrs_recorded_measure(&measure, &step, choice, 1, options->final_rounds, &result, err);
	if (status != VRS_OK)
		return status;
	const struct vrs_case_result *c = &result->cases[0];
	*ret_kept = c->fps.n > 0 && c->fps.median >= objective->min_fps &&
		    !(objective->memory_limit_bytes > 0 && c->peak_rss.n && c->peak_rss.max > (double)objective->memory_limit_bytes);
	vrs_result_destroy(result);
	return VRS_OK;
}

/* What one search came to, into the score, as sums. */
static enum vrs_status add_search(struct vrs_replay_score *score, const struct vrs_recorded_sweep *sweep, const struct vrs_search_options *options,
				  const struct vrs_search_result *r, double speed, double best, uint64_t seed, struct vrs_error *err)
{
	bool kept = false;
	score->near += 1 - speed / best <= VRS_REPLAY_NEAR;
	score->worse += !(speed >= 1 - VRS_REPLAY_WORSE);
	score->covered += !r->keeps_default && covers(&r->gain, vrs_recorded_sweep_change(sweep, &r->best, score->noise));
	score->claims += !r->keeps_default;
	if (!r->feasible || !has_limits(&options->objective))
		return VRS_OK;
	enum vrs_status status = measure_again(sweep, options, &r->best, seed, score->noise, &kept, err);
	score->accepted++;
	score->kept += kept;
	return status;
}

enum vrs_status vrs_replay(const struct vrs_recorded_sweep *sweep, const struct vrs_search_options *options, int searches, double noise,
			   struct vrs_replay_score *ret_score, struct vrs_error *err)
{
	struct vrs_replay_score score = {.strategy = options->strategy, .searches = searches, .noise = noise};
	double best = vrs_recorded_sweep_best(sweep, &options->objective, NULL);
	double *regrets = vrs_calloc((size_t)searches, sizeof *regrets);
	enum vrs_status status = regrets ? VRS_OK : vrs_fail_nomem(err);
	int runs;
	for (int i = 0; status == VRS_OK && i < searches; i++) {
		struct vrs_search_result r;
		if (vrs_stop_requested()) {
			status = VRS_ESTOPPED;
			break;
		}
		status = search_once(sweep, options, (uint64_t)i + 1, noise, &r, &runs, err);
		if (status != VRS_OK)
			break;
		double speed = vrs_recorded_sweep_speed(sweep, &r.best, &options->objective);
		regrets[i] = 1 - (isfinite(speed) ? speed : 0) / best;
		status = add_search(&score, sweep, options, &r, speed, best, (uint64_t)i + 1, err);
		score.runs += runs;
		vrs_search_result_fini(&r);
	}
	if (status == VRS_OK)
		status = vrs_stats_mean(regrets, searches, &score.regret);
	if (status == VRS_OK)
		status = vrs_stats_quantile(regrets, searches, 0.95, &score.regret_p95);
	vrs_free(regrets);
	if (status != VRS_OK)
		return err && err->status ? status : vrs_fail(err, status, "cannot replay the search: %s", vrs_status_str(status));
	score.near /= searches;
	score.worse /= searches;
	score.runs /= searches;
	score.covered = score.claims ? score.covered / score.claims : NAN;
	score.kept = score.accepted ? score.kept / score.accepted : NAN;
	*ret_score = score;
	return VRS_OK;
}

static void score_row(struct vrs_table *t, const struct vrs_replay_score *score, int all_runs)
{
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "%s", score->strategy ? score->strategy->name : "auto");
	vrs_table_set_number(t, 1, "%.1f %%", 100 * score->near);
	vrs_table_set_number(t, 2, "%.2f %%", 100 * score->regret);
	vrs_table_set_number(t, 3, "%.2f %%", 100 * score->regret_p95);
	vrs_table_set_number(t, 4, "%.1f %%", 100 * score->worse);
	vrs_table_set_number(t, 5, "%.1f %%", 100 * score->covered);
	vrs_table_set_number(t, 6, "%.0f", score->runs);
	vrs_table_set_number(t, 7, "%.1f %%", 100 * score->runs / all_runs);
	if (t->columns == 8)
		return;
	vrs_table_set(t, 8, "%d", score->accepted);
	vrs_table_set_number(t, 9, "%.1f %%", 100 * score->kept);
}

void vrs_replay_findings(const struct vrs_recorded_sweep *sweep, const struct vrs_objective *objective, const struct vrs_replay_score *scores,
			 int count, struct vrs_findings *findings)
{
	static const char *const heads[] = {"strategy", "near the best", "mean loss", "P95 loss", "below the default", "intervals right",
					   "runs", "of all runs", "limits kept", "again"};
	const char *id;
	int cases, runs;
	double best = vrs_recorded_sweep_best(sweep, objective, &id);
	vrs_recorded_sweep_size(sweep, &cases, &runs);
	snprintf(findings->title, sizeof findings->title, "Searches on a recorded sweep");
	snprintf(findings->subtitle, sizeof findings->subtitle, "%d cases, %d runs; best: %.200s, %.3f times the default", cases, runs, id, best);
	struct vrs_table *t = vrs_findings_start_table(findings, "strategies", "Strategies", heads, has_limits(objective) ? 10 : 8, 1u << 0);
	for (int i = 0; i < count; i++)
		score_row(t, &scores[i], runs);
	snprintf(t->caption, sizeof t->caption,
		 "%d searches each. Near: within %.0f %% of the best. Loss: against the best. Below: slower than the default by more than %.0f %%. Right: the "
		 "claimed interval holds the gain over all runs.",
		 scores[0].searches, 100 * VRS_REPLAY_NEAR, 100 * VRS_REPLAY_WORSE);
	if (has_limits(objective)) {
		size_t used = strlen(t->caption);
		snprintf(t->caption + used, sizeof t->caption - used, " Limits kept: searches that accepted a choice by the limits; again: of these, whose choice "
			 "keeps them when it is measured again.");
	}
	if (scores[0].noise != 1)
		vrs_findings_add_note(findings, VRS_NOTE_WARNING, "scaled-noise", "The noise of the runs was taken as %.0f %% of what was recorded.",
				      100 * scores[0].noise);
}
