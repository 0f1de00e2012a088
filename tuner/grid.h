/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The points that a search may measure: for each knob of a space a level, 0 for its default and i for its value i - 1.  Levels that cannot win are
 * closed, knobs without an effect are left at their default, and what the machine is known to lose with is no point at all.
 */
#ifndef VRS_TUNER_GRID_H
#define VRS_TUNER_GRID_H

#include <stdbool.h>

#include "base/rng.h"
#include "bench/plan/case.h"
#include "tuner/space.h"

#define VRS_KNOB_MAX_LEVELS (1 + VRS_KNOB_MAX_VALUES)

struct vrs_point {
	unsigned char level[VRS_SPACE_MAX_KNOBS];
};

struct vrs_grid {
	const struct vrs_space *space;          /* not owned */
	int knobs[VRS_SPACE_MAX_KNOBS];         /* indices of the knobs that move, the one with the largest effect first */
	int count;
	bool closed[VRS_SPACE_MAX_KNOBS][VRS_KNOB_MAX_LEVELS];
};

/* All knobs of the space in its order, every level open. */
void vrs_grid_init(struct vrs_grid *ret_grid, const struct vrs_space *space);
/* Put the knobs with the largest effect[knob] first; equal ones keep their order. */
void vrs_grid_sort(struct vrs_grid *grid, const double *effects);
/* Points of the grid, those included that vrs_grid_has refuses for what they are together. */
double vrs_grid_size(const struct vrs_grid *grid);
/*
 * Is it a point of the grid: open levels only, no more threads x streams than CPUs or the default has, 8 bits at the calibrated size alone, presets
 * with encoders that know them, and what vrs_grid_names takes?
 */
bool vrs_grid_has(const struct vrs_grid *grid, const struct vrs_point *point);
/* Do the values of a point fit into a case and its id? */
bool vrs_grid_names(const struct vrs_space *space, const struct vrs_point *point);
/* Go to the next point in a fixed order that begins after the default (all levels 0); false: that was the last. */
bool vrs_grid_next(const struct vrs_grid *grid, struct vrs_point *point);

/* A point of any levels, by chance; vrs_grid_has may refuse it. */
void vrs_grid_random(const struct vrs_grid *grid, struct vrs_rng *rng, struct vrs_point *ret_point);

/*
 * Where a level lies among the levels of its knob: log2 of a number or of a picture's pixels, so that 2 is as far from 4 as 4 from 8.  NaN: the
 * values of the knob have no order.
 */
double vrs_grid_position(const struct vrs_grid *grid, int knob, int level);
bool vrs_point_equal(const struct vrs_point *a, const struct vrs_point *b);
/* Levels that are not the default. */
int vrs_point_changes(const struct vrs_point *point);
/* Add the values of a point to a case. Statuses of vrs_case_set. */
enum vrs_status vrs_grid_case(const struct vrs_grid *grid, const struct vrs_point *point, struct vrs_case *ret_case, struct vrs_error *err);

#endif
