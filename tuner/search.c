/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/search.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "tuner/final.h"
#include "tuner/memory_step.h"
#include "tuner/screening.h"
#include "tuner/search_phase.h"

#define SCREEN_PART 0.4          /* of a budget, at most, where LEAST_VALUES do not take more */
#define LEAST_VALUES 5
#define MAX_EXPLORE_RUNS 100000
#define FINAL_PART 0.5           /* of what a budget leaves after screening, at most, for rounds that the final has beside its usual ones */
#define FINAL_STEP 0.03          /* a gain that finalists should be told apart by */
#define MAX_FINAL_ROUNDS 60

struct vrs_search_options vrs_search_options_default(bool quick)
{
	return (struct vrs_search_options){
		.screen_rounds = quick ? 2 : 3,
		.final_rounds = quick ? 8 : 14,
		.finalists = quick ? 1 : 4,
		.long_run = quick ? 0 : 6,
		.explore_runs = quick ? 10 : 120,
		.screen_gain = 0.01,
		.objective = vrs_objective_default(),
	};
}

void vrs_search_result_fini(struct vrs_search_result *result)
{
	vrs_free(result->tried);
	memset(result, 0, sizeof *result);
}

/* The knobs with the largest effect are moved first. */
static void learn_from_screening(struct vrs_search_state *s)
{
	double effects[VRS_SPACE_MAX_KNOBS] = {0};
	for (int i = 0; i < s->trials.count; i++) {
		const struct vrs_trial *t = &s->trials.items[i];
		double gain = vrs_trial_gain(t);
		for (int k = 0; k < s->space->count; k++) {
			if (!t->point.level[k] || vrs_point_changes(&t->point) > 1)
				continue;
			effects[k] = t->accepted && isfinite(gain) ? fmax(effects[k], fabs(gain)) : effects[k];
		}
	}
	vrs_grid_sort(&s->grid, effects);
}

/* Seconds of measuring that screening may still take; infinite without a budget. */
static double screening_left(const struct vrs_search_state *s)
{
	return s->options->budget_seconds > 0 ? SCREEN_PART * s->options->budget_seconds - s->seconds : INFINITY;
}

/* With a budget as many values as one round within its part can have, and round after round as long as they stay within it. */
static enum vrs_status screen_part(struct vrs_search_state *s, struct vrs_proposal *proposal, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	double before = s->seconds, left = screening_left(s);
	proposal->rounds = s->options->budget_seconds > 0 ? 1 : s->options->screen_rounds;
	if (isfinite(left) && s->runs)
		vrs_proposal_limit(proposal, (int)fmin(fmax(left / (s->seconds / s->runs), vrs_proposal_cost(LEAST_VALUES, 1)), MAX_EXPLORE_RUNS));
	for (int round = 0; status == VRS_OK && proposal->count && round < s->options->screen_rounds; round += proposal->rounds) {
		if (round > 0 && (s->seconds - before) / round > screening_left(s))
			break;
		status = vrs_search_phase(s, VRS_PHASE_SCREEN, proposal, NULL, NULL, err);
		vrs_memory_step_close(s, proposal);
	}
	return status;
}

/* What the budget had no time for keeps its default, and options without any value that was tried are named. */
static void leave_out(struct vrs_search_state *s)
{
	for (int k = 0; k < s->space->count; k++) {
		bool any = false;
		for (int v = 1; v <= s->space->knobs[k].count; v++) {
			struct vrs_point point = vrs_point_single(k, v);
			bool tried = vrs_trials_find(&s->trials, &point) != NULL;
			any = any || tried;
			s->grid.closed[k][v] = s->grid.closed[k][v] || !tried;
		}
		size_t used = strlen(s->result.untried);
		if (!any)
			snprintf(s->result.untried + used, sizeof s->result.untried - used, "%s%s (%.0f %% of the work)", used ? ", " : "",
				 s->space->knobs[k].row->key, 100 * vrs_screening_work(s->space, s->work, k));
	}
}

static enum vrs_status screen(struct vrs_search_state *s, struct vrs_error *err)
{
	struct vrs_proposal much = {.count = 0}, little = {.count = 0};
	enum vrs_status status = vrs_screening_propose(&s->grid, s->work, false, &much, err);
	if (status == VRS_OK)
		status = vrs_screening_propose(&s->grid, s->work, true, &little, err);
	if (status == VRS_OK)
		status = screen_part(s, &much, err);
	bool out_of_time = much.count && s->runs && vrs_proposal_cost(little.count, 1) * (s->seconds / s->runs) > screening_left(s);
	if (status == VRS_OK && !out_of_time)
		status = screen_part(s, &little, err);
	if (status == VRS_OK)
		status = vrs_memory_step_bisect(s, err);
	if (status == VRS_OK && s->options->budget_seconds > 0)
		leave_out(s);
	if (status == VRS_OK)
		learn_from_screening(s);
	return status;
}

/*
 * Rounds of the final.  Where `part` of what the budget leaves has room for more than the usual ones, as many as the noise of the machine needs: the
 * median of n rounds lies within 2.5 noise / sqrt(n) of the truth (twice the standard error of a median of normal values, 1.25 noise / sqrt(n)).
 */
static int final_rounds(const struct vrs_search_state *s, int finalists, double part)
{
	const struct vrs_search_options *o = s->options;
	if (!(o->budget_seconds > 0) || o->fixed_rounds || s->runs == 0)
		return o->final_rounds;
	double each = s->seconds / s->runs, room = part * (o->budget_seconds - s->seconds) / each / (1.0 + finalists);
	double wanted = pow(2.5 * vrs_trials_noise(&s->trials) / FINAL_STEP, 2);
	return (int)fmax(fmin(fmin(room, wanted), MAX_FINAL_ROUNDS), o->final_rounds);
}

/* Runs for combinations: what the budget leaves when the final has its part. */
static int explore_runs(const struct vrs_search_state *s)
{
	const struct vrs_search_options *o = s->options;
	if (!(o->budget_seconds > 0) || s->runs == 0)
		return o->explore_runs;
	double each = s->seconds / s->runs;
	double left = (o->budget_seconds - s->seconds) / each - (1.0 + o->finalists) * final_rounds(s, o->finalists, FINAL_PART);
	return (int)fmin(fmax(left, 0), MAX_EXPLORE_RUNS);
}

/* Combinations, as long as a strategy expects something from them and runs are left. */
static enum vrs_status explore(struct vrs_search_state *s, struct vrs_error *err)
{
	struct vrs_strategy_view view = {.grid = &s->grid, .trials = &s->trials, .seed = s->options->seed};
	const struct vrs_strategy *strategy = s->options->strategy;
	enum vrs_status status = VRS_OK;
	view.runs = view.runs_left = s->explore_left = explore_runs(s);
	if (!strategy)
		strategy = vrs_strategy_choose(&s->grid, view.runs);
	while (status == VRS_OK) {
		struct vrs_proposal proposal = {.count = 0};
		status = strategy->propose(&view, &proposal);
		if (status != VRS_OK)
			return vrs_fail(err, status, "cannot choose what to measure next: %s", vrs_status_str(status));
		if (proposal.count == 0)
			break;
		s->explore_left = view.runs_left;
		view.runs_left -= vrs_proposal_cost(proposal.count, proposal.rounds);
		status = vrs_search_phase(s, VRS_PHASE_EXPLORE, &proposal, NULL, NULL, err);
	}
	return status;
}

/* The accepted trials that gain most beyond doubt. */
static void pick_finalists(const struct vrs_search_state *s, struct vrs_proposal *ret)
{
	int max = s->options->finalists < VRS_SEARCH_MAX_FINALISTS ? s->options->finalists : VRS_SEARCH_MAX_FINALISTS;
	double noise = vrs_trials_noise(&s->trials);
	while (ret->count < max) {
		const struct vrs_trial *best = NULL;
		for (int i = 0; i < s->trials.count; i++) {
			const struct vrs_trial *t = &s->trials.items[i];
			if (!vrs_proposal_has(ret, &t->point) && t->accepted && t->rounds && vrs_trial_gain(t) > log1p(s->options->screen_gain) &&
			    (!best || vrs_trial_low(t, noise) > vrs_trial_low(best, noise)))
				best = t;
		}
		if (!best)
			break;
		ret->points[ret->count++] = best->point;
	}
}

/* Does the choice last?  Clocks fall, caches fill and memory grows after the seconds that other runs take. */
static enum vrs_status run_long(struct vrs_search_state *s, const struct vrs_point *choice, struct vrs_error *err)
{
	struct vrs_proposal proposal = {.rounds = VRS_SEARCH_LONG_ROUNDS, .count = 1, .points = {*choice}, .why = "does the choice last?"};
	struct vrs_result *result = NULL;
	struct vrs_case *cases = NULL;
	enum vrs_status status = vrs_search_phase(s, VRS_PHASE_LONG, &proposal, &result, &cases, err);
	if (status == VRS_OK)
		vrs_final_check_long(result, &s->objective, &s->result);
	vrs_result_destroy(result);
	vrs_free(cases);
	return status;
}

/* What was measured of settings in all phases; NULL: nothing. */
static const struct vrs_trial *trial_of(const struct vrs_search_state *s, const struct vrs_case *settings)
{
	for (int i = 0; i < s->trials.count; i++) {
		struct vrs_case c = {.value_count = 0};
		if (vrs_grid_case(&s->grid, &s->trials.items[i].point, &c, NULL) == VRS_OK && vrs_case_same_values(&c, settings))
			return &s->trials.items[i];
	}
	return NULL;
}

/* The candidate that was fastest in one phase, where that was luck, with what it came to over all; "": none.  A reader sees its row. */
static void name_luckiest(const struct vrs_search_state *s, char *buf, size_t size)
{
	const struct vrs_tried *luckiest = NULL;
	const struct vrs_trial *trial = NULL;
	buf[0] = '\0';
	for (int i = 0; s->objective.goal == VRS_GOAL_THROUGHPUT && i < s->result.tried_count; i++) {
		const struct vrs_tried *t = &s->result.tried[i];
		const struct vrs_trial *own = t->settings.value_count && t->ratio > 1 + s->options->screen_gain ? trial_of(s, &t->settings) : NULL;
		if (own && own->accepted && own->rounds && (!luckiest || t->ratio > luckiest->ratio)) {
			luckiest = t;
			trial = own;
		}
	}
	if (luckiest)
		snprintf(buf, size, "%.300s had %.3fx the speed in %s, and %.3fx over all its %d rounds", luckiest->id, luckiest->ratio,
			 vrs_phase_name(luckiest->phase), exp(vrs_trial_gain(trial)), trial->rounds);
}

/* Nothing is better: the default stays, and whether it keeps limits of speed or deadlines is not said from the few runs of screening. */
static enum vrs_status keep_default(struct vrs_search_state *s, struct vrs_error *err)
{
	const struct vrs_objective *objective = &s->objective;
	struct vrs_proposal proposal = {.rounds = s->options->final_rounds, .why = "does the default keep the limits?"};
	enum vrs_status status = VRS_OK;
	if (objective->min_fps > 0 || objective->goal == VRS_GOAL_LIVE)
		status = vrs_search_phase(s, VRS_PHASE_FINAL, &proposal, NULL, NULL, err);
	struct vrs_tried whole;
	char other[512];
	name_luckiest(s, other, sizeof other);
	if (status == VRS_OK)
		status = vrs_search_whole_default(s, &whole, err);
	if (status == VRS_OK)
		vrs_final_keep_default(&s->result, &whole, s->options->screen_gain, other);
	return status;
}

/* Measure candidates against the default, decide, and hold the choice against long runs. */
static enum vrs_status decide(struct vrs_search_state *s, enum vrs_phase phase, const struct vrs_proposal *proposal, struct vrs_error *err)
{
	struct vrs_result *result = NULL;
	struct vrs_case *cases = NULL;
	enum vrs_status status = vrs_search_phase(s, phase, proposal, &result, &cases, err);
	s->result.rounds = proposal->rounds;
	if (status == VRS_OK)
		status = vrs_final_decide(result, cases, &s->objective, &s->result, err);
	for (int i = 1; status == VRS_OK && i <= proposal->count && !s->result.keeps_default && s->result.verified && s->options->long_run > 1; i++)
		if (vrs_case_same_values(&cases[i], &s->result.best)) {
			status = run_long(s, &proposal->points[i - 1], err);
			break;
		}
	vrs_result_destroy(result);
	vrs_free(cases);
	return status;
}

/*
 * Settings that were the best elsewhere, or before, are proven again in the fewest rounds that prove anything; where they hold there is nothing to
 * search for.
 */
static enum vrs_status verify(struct vrs_search_state *s, bool *ret_holds, struct vrs_error *err)
{
	struct vrs_search_result *r = &s->result;
	struct vrs_proposal proposal = {.rounds = VRS_VERDICT_MIN_PAIRS, .count = 1, .points = {vrs_screening_start(s->space)}};
	*ret_holds = false;
	if (!s->options->verify_start || vrs_point_changes(&proposal.points[0]) == 0 || !vrs_grid_names(s->space, &proposal.points[0]))
		return VRS_OK;
	snprintf(proposal.why, sizeof proposal.why, "do settings that were found before hold here?");
	enum vrs_status status = decide(s, VRS_PHASE_VERIFY, &proposal, err);
	*ret_holds = status == VRS_OK && r->verified && r->feasible && !r->keeps_default;
	if (!*ret_holds) /* nothing is decided */
		*r = (struct vrs_search_result){.tried = r->tried, .tried_count = r->tried_count, .goal = r->goal};
	return status;
}

static enum vrs_status run_final(struct vrs_search_state *s, struct vrs_error *err)
{
	struct vrs_proposal proposal = {.why = "the best against the default"};
	pick_finalists(s, &proposal);
	proposal.rounds = final_rounds(s, proposal.count, 1);
	return proposal.count == 0 ? keep_default(s, err) : decide(s, VRS_PHASE_FINAL, &proposal, err);
}

enum vrs_status vrs_search(struct vrs_space *space, const struct vrs_search_options *options, vrs_measure_fn measure, void *cookie,
			   struct vrs_search_result *ret_result, struct vrs_error *err)
{
	struct vrs_search_state s = {.space = space, .options = options, .objective = options->objective, .measure = measure, .cookie = cookie};
	vrs_grid_init(&s.grid, space);
	s.result.goal = options->objective.goal;
	if (space->count == 0 && space->rejected_count)
		return vrs_fail(err, VRS_ECONFIG, "nothing to tune: %s: %s", space->rejected[0].what, space->rejected[0].why);
	if (space->count == 0)
		return vrs_fail(err, VRS_ECONFIG, "nothing to tune: every tunable option is fixed%s%s", space->fixed[0] ? ": " : "", space->fixed);
	s.result.tried = vrs_calloc(VRS_SEARCH_MAX_TRIED, sizeof *s.result.tried);
	if (!s.result.tried)
		return vrs_fail_nomem(err);
	bool holds = false;
	enum vrs_status status = vrs_search_look(&s, err);
	if (status == VRS_OK)
		status = verify(&s, &holds, err);
	if (status == VRS_OK && !holds)
		status = screen(&s, err);
	if (status == VRS_OK && !holds)
		status = explore(&s, err);
	if (status == VRS_OK && !holds)
		status = run_final(&s, err);
	vrs_search_state_fini(&s);
	if (status != VRS_OK)
		vrs_search_result_fini(&s.result);
	else
		*ret_result = s.result;
	return status;
}
