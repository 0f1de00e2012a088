/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How a search chooses what to measure next.  A strategy has no state: it looks at what was measured and at the runs that are left.  The same
 * trials give the same proposal, so that a resumed search goes the way of the first one.
 */
#ifndef VRS_TUNER_STRATEGY_H
#define VRS_TUNER_STRATEGY_H

#include <stdint.h>

#include "tuner/trials.h"

#define VRS_PROPOSAL_MAX 128
#define VRS_STRATEGIES_MAX 8

struct vrs_strategy_view {
	const struct vrs_grid *grid;
	const struct vrs_trials *trials;
	int runs, runs_left; /* that the strategy may spend, and what is left of them; a round of n points costs n + 1, for the default */
	uint64_t seed;
};

/* Points to measure together with the default for some rounds; no points: the strategy has finished. */
struct vrs_proposal {
	struct vrs_point points[VRS_PROPOSAL_MAX];
	int count, rounds;
	char why[160];       /* the reason as a sentence */
};

struct vrs_strategy {
	const char *name, *brief;
	/* VRS_ENOMEM; VRS_EINTERNAL */
	enum vrs_status (*propose)(const struct vrs_strategy_view *view, struct vrs_proposal *ret);
};

/* Measures every point. */
extern const struct vrs_strategy vrs_strategy_exhaustive;
/* Measures many points shortly, the better third of them longer, and so on: successive halving (Jamieson & Talwalkar, 2016) with pairs. */
extern const struct vrs_strategy vrs_strategy_halving;
/* Moves one knob at a time to its best value, until no knob improves on it. */
extern const struct vrs_strategy vrs_strategy_descent;
/* Models the gain (tuner/gain_model.h) and measures where it may be largest: expected improvement (Jones, Schonlau & Welch, 1998). */
extern const struct vrs_strategy vrs_strategy_surrogate;

/* The strategies in the order in which help lists them, NULL at the end. */
const struct vrs_strategy *const *vrs_strategies(void);
/* By its name; NULL: there is none. */
const struct vrs_strategy *vrs_strategy_find(const char *name);
/* Exhaustive where `runs` suffice for VRS_EXHAUSTIVE_ROUNDS rounds of all points, else halving. */
const struct vrs_strategy *vrs_strategy_choose(const struct vrs_grid *grid, int runs);
#define VRS_EXHAUSTIVE_ROUNDS 9

/* For strategies: runs that a proposal costs, and whether they are left. */
int vrs_proposal_cost(int points, int rounds);
bool vrs_proposal_has(const struct vrs_proposal *proposal, const struct vrs_point *point);
/* Add a point that the proposal lacks and the grid has; false: it was not added. */
bool vrs_proposal_add(struct vrs_proposal *proposal, const struct vrs_grid *grid, const struct vrs_point *point);
/* Leave out the last points until the cost is within runs. */
void vrs_proposal_limit(struct vrs_proposal *proposal, int runs);

#endif
