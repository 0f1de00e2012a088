/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/strategy.h"

#include <string.h>

static const struct vrs_strategy *const strategies[] = {&vrs_strategy_exhaustive, &vrs_strategy_halving, &vrs_strategy_descent,
							&vrs_strategy_surrogate, NULL};

const struct vrs_strategy *const *vrs_strategies(void)
{
	return strategies;
}

const struct vrs_strategy *vrs_strategy_find(const char *name)
{
	for (int i = 0; strategies[i]; i++)
		if (strcmp(strategies[i]->name, name) == 0)
			return strategies[i];
	return NULL;
}

const struct vrs_strategy *vrs_strategy_choose(const struct vrs_grid *grid, int runs)
{
	return vrs_grid_size(grid) * VRS_EXHAUSTIVE_ROUNDS <= runs ? &vrs_strategy_exhaustive : &vrs_strategy_halving;
}

int vrs_proposal_cost(int points, int rounds)
{
	return points ? (points + 1) * rounds : 0;
}

bool vrs_proposal_has(const struct vrs_proposal *proposal, const struct vrs_point *point)
{
	for (int i = 0; i < proposal->count; i++)
		if (vrs_point_equal(&proposal->points[i], point))
			return true;
	return false;
}

bool vrs_proposal_add(struct vrs_proposal *proposal, const struct vrs_grid *grid, const struct vrs_point *point)
{
	if (proposal->count == VRS_PROPOSAL_MAX || vrs_point_changes(point) == 0 || !vrs_grid_has(grid, point) || vrs_proposal_has(proposal, point))
		return false;
	proposal->points[proposal->count++] = *point;
	return true;
}

void vrs_proposal_limit(struct vrs_proposal *proposal, int runs)
{
	while (proposal->count && vrs_proposal_cost(proposal->count, proposal->rounds) > runs)
		proposal->count--;
}
