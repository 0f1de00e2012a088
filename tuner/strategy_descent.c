/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "tuner/strategy.h"

#define LINE_ROUNDS 2
#define SURE_ROUNDS 6 /* that the end of a descent has before it counts */

/* The levels of one knob that were not measured around a point. */
static void propose_line(const struct vrs_strategy_view *view, const struct vrs_point *from, int knob, struct vrs_proposal *ret)
{
	struct vrs_point point = *from;
	for (int level = 0; level <= view->grid->space->knobs[knob].count; level++) {
		point.level[knob] = (unsigned char)level;
		const struct vrs_trial *t = vrs_trials_find(view->trials, &point);
		if (!t)
			vrs_proposal_add(ret, view->grid, &point);
	}
}

static enum vrs_status propose(const struct vrs_strategy_view *view, struct vrs_proposal *ret)
{
	static const struct vrs_point start = {{0}};
	const struct vrs_trial *best = vrs_trials_best(view->trials, vrs_trials_noise(view->trials));
	const struct vrs_point *from = best ? &best->point : &start;
	ret->rounds = LINE_ROUNDS;
	for (int i = 0; i < view->grid->count && ret->count == 0; i++) {
		int knob = view->grid->knobs[i];
		propose_line(view, from, knob, ret);
		snprintf(ret->why, sizeof ret->why, "values of %.60s around the best so far", view->grid->space->knobs[knob].row->key);
	}
	/* No knob is left: is the end really the best, or was it lucky? */
	if (ret->count == 0 && best && best->rounds < SURE_ROUNDS) {
		vrs_proposal_add(ret, view->grid, from);
		snprintf(ret->why, sizeof ret->why, "no knob improves on it: more rounds of the best so far");
	}
	vrs_proposal_limit(ret, view->runs_left);
	return VRS_OK;
}

const struct vrs_strategy vrs_strategy_descent = {"descent", "move one option at a time to its best value", propose};
