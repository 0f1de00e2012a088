/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "tuner/strategy.h"

/* Points that have fewer rounds than the others come first; a point that was refused is not measured again. */
static enum vrs_status propose(const struct vrs_strategy_view *view, struct vrs_proposal *ret)
{
	ret->rounds = 1;
	for (int rounds = 0; rounds < VRS_EXHAUSTIVE_ROUNDS && ret->count == 0; rounds++) {
		struct vrs_point point = {{0}};
		while (ret->count < VRS_PROPOSAL_MAX && vrs_grid_next(view->grid, &point)) {
			const struct vrs_trial *t = vrs_trials_find(view->trials, &point);
			if ((t ? t->rounds : 0) <= rounds && (!t || t->accepted))
				vrs_proposal_add(ret, view->grid, &point);
		}
	}
	vrs_proposal_limit(ret, view->runs_left);
	snprintf(ret->why, sizeof ret->why, "all %.0f combinations fit the budget", vrs_grid_size(view->grid));
	return VRS_OK;
}

const struct vrs_strategy vrs_strategy_exhaustive = {"exhaustive", "measure every combination", propose};
