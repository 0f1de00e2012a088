/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/search_replay.h"

#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/stop.h"

static enum vrs_status search_once(const struct vrs_recorded_sweep *sweep, const struct vrs_search_options *options, uint64_t seed, double noise,
				   struct vrs_search_result *ret_result, int *ret_runs, struct vrs_error *err)
{
	struct vrs_search_options own = *options;
	struct vrs_recorded_measure measure = {.sweep = sweep, .noise = noise};
	own.seed = seed;
	own.long_run = 0; /* none was recorded */
	vrs_rng_init(&measure.rng, seed);
	enum vrs_status status = vrs_search(vrs_recorded_sweep_space(sweep), &own, vrs_recorded_measure, &measure, ret_result, err);
	*ret_runs = measure.runs;
	return status;
}

/* Does the claimed interval hold what all runs say? Changes are costs: faster by 25 % is a change of -20 %. */
static bool covers(const struct vrs_comparison *claimed, double speed)
{
	return claimed->low <= 1 / speed - 1 && 1 / speed - 1 <= claimed->high;
}

enum vrs_status vrs_replay(const struct vrs_recorded_sweep *sweep, const struct vrs_search_options *options, int searches, double noise,
			   struct vrs_replay_score *ret_score, struct vrs_error *err)
{
	struct vrs_replay_score score = {.strategy = options->strategy, .searches = searches, .noise = noise};
	double best = vrs_recorded_sweep_best(sweep, &options->objective, NULL);
	double *regrets = vrs_calloc((size_t)searches, sizeof *regrets);
	enum vrs_status status = regrets ? VRS_OK : vrs_fail_nomem(err);
	int claims = 0, runs;
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
		score.near += regrets[i] <= VRS_REPLAY_NEAR;
		score.worse += !(speed >= 1 - VRS_REPLAY_WORSE);
		score.covered += !r.keeps_default && covers(&r.gain, speed);
		claims += !r.keeps_default;
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
	score.covered = claims ? score.covered / claims : NAN;
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
}

void vrs_replay_findings(const struct vrs_recorded_sweep *sweep, const struct vrs_objective *objective, const struct vrs_replay_score *scores,
			 int count, struct vrs_findings *findings)
{
	static const char *const heads[] = {"strategy", "near the best", "mean loss", "P95 loss", "below the default", "intervals right",
					   "runs", "of all runs"};
	const char *id;
	int cases, runs;
	double best = vrs_recorded_sweep_best(sweep, objective, &id);
	vrs_recorded_sweep_size(sweep, &cases, &runs);
	snprintf(findings->title, sizeof findings->title, "Searches on a recorded sweep");
	snprintf(findings->subtitle, sizeof findings->subtitle, "%d cases, %d runs; best: %.200s, %.3f times the default", cases, runs, id, best);
	struct vrs_table *t = vrs_findings_start_table(findings, "strategies", "Strategies", heads, 8, 1u << 0);
	for (int i = 0; i < count; i++)
		score_row(t, &scores[i], runs);
	snprintf(t->caption, sizeof t->caption,
		 "%d searches each. Near: within %.0f %% of the best. Loss: against the best. Below: slower than the default by more than %.0f %%. Right: the "
		 "claimed interval holds the gain over all runs.",
		 scores[0].searches, 100 * VRS_REPLAY_NEAR, 100 * VRS_REPLAY_WORSE);
	if (scores[0].noise != 1)
		vrs_findings_add_note(findings, VRS_NOTE_WARNING, "scaled-noise", "The noise of the runs was taken as %.0f %% of what was recorded.",
				      100 * scores[0].noise);
}
