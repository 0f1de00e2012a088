/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tuner/strategy.h"

#define KEPT 3           /* one of so many goes on */
#define LAST_RUNG 3      /* rounds 1, 3, 9, 27 */
#define DRAWS_PER_POINT 20
#define GAIN_SCALE 0.05  /* a value that gained 5 % alone is drawn e times as often as the default */
#define MIN_WEIGHT 0.05

struct rung_entry {
	const struct vrs_trial *trial;
	double gain;
};

static int compare_gains(const void *x, const void *y)
{
	double a = ((const struct rung_entry *)x)->gain, b = ((const struct rung_entry *)y)->gain;
	return (a < b) - (a > b);
}

/* Points that are begun with: each rung costs about the same, one of LAST_RUNG + 1 parts of the runs. */
static int first_points(const struct vrs_strategy_view *view)
{
	double points = fmin(vrs_grid_size(view->grid) - 1, view->runs / (LAST_RUNG + 1) - 1);
	return points < KEPT ? KEPT : points > VRS_PROPOSAL_MAX ? VRS_PROPOSAL_MAX : (int)points;
}

/* How often a level is drawn: those that gained alone more often than those that lost, none never. */
static double weight_of(const struct vrs_strategy_view *view, int knob, int level)
{
	struct vrs_point alone = {{0}};
	alone.level[knob] = (unsigned char)level;
	const struct vrs_trial *t = level ? vrs_trials_find(view->trials, &alone) : NULL;
	double gain = t && t->rounds ? vrs_trial_gain(t) : 0;
	return view->grid->closed[knob][level] ? 0 : fmax(exp(gain / GAIN_SCALE), MIN_WEIGHT);
}

static void draw(const struct vrs_strategy_view *view, struct vrs_rng *rng, struct vrs_point *ret_point)
{
	memset(ret_point, 0, sizeof *ret_point);
	for (int i = 0; i < view->grid->count; i++) {
		int knob = view->grid->knobs[i], level = 0, last = view->grid->space->knobs[knob].count;
		double sum = 0;
		for (int l = 0; l <= last; l++)
			sum += weight_of(view, knob, l);
		double left = vrs_rng_unit(rng) * sum;
		for (; level < last && left >= weight_of(view, knob, level); level++)
			left -= weight_of(view, knob, level);
		ret_point->level[knob] = (unsigned char)level;
	}
}

/* Points at random besides those that screening has measured. */
static void propose_first(const struct vrs_strategy_view *view, int points, struct vrs_proposal *ret)
{
	struct vrs_rng rng;
	vrs_rng_init(&rng, view->seed);
	for (int i = 0; i < DRAWS_PER_POINT * points && ret->count < points; i++) {
		struct vrs_point point;
		draw(view, &rng, &point);
		if (!vrs_trials_find(view->trials, &point))
			vrs_proposal_add(ret, view->grid, &point);
	}
	snprintf(ret->why, sizeof ret->why, "%d combinations by chance, one round each", ret->count);
}

/* The best `points` trials of the rung below get the rounds that they lack of `rounds`. */
static enum vrs_status propose_rung(const struct vrs_strategy_view *view, int points, int rounds, struct vrs_proposal *ret)
{
	int n = 0;
	struct rung_entry *entries = vrs_calloc((size_t)view->trials->count + 1, sizeof *entries);
	if (!entries)
		return VRS_ENOMEM;
	for (int i = 0; i < view->trials->count; i++) {
		const struct vrs_trial *t = &view->trials->items[i];
		if (t->accepted && t->rounds >= rounds / KEPT && t->rounds > 0)
			entries[n++] = (struct rung_entry){t, vrs_trial_gain(t)};
	}
	qsort(entries, (size_t)n, sizeof *entries, compare_gains);
	ret->rounds = rounds - rounds / KEPT;
	for (int i = 0; i < n && i < points; i++)
		if (entries[i].trial->rounds < rounds)
			vrs_proposal_add(ret, view->grid, &entries[i].trial->point);
	snprintf(ret->why, sizeof ret->why, "the best %d of %d go on to %d rounds", points, n, rounds);
	vrs_free(entries);
	return VRS_OK;
}

static enum vrs_status propose(const struct vrs_strategy_view *view, struct vrs_proposal *ret)
{
	int points = first_points(view);
	enum vrs_status status = VRS_OK;
	ret->rounds = 1;
	if (view->runs_left == view->runs)
		propose_first(view, points, ret);
	for (int rung = 1, rounds = KEPT; status == VRS_OK && rung <= LAST_RUNG && ret->count == 0; rung++, rounds *= KEPT) {
		points = points / KEPT > 0 ? points / KEPT : 1;
		status = propose_rung(view, points, rounds, ret);
	}
	vrs_proposal_limit(ret, view->runs_left);
	return status;
}

const struct vrs_strategy vrs_strategy_halving = {"halving", "measure many shortly, and the better third of them longer, again and again", propose};
