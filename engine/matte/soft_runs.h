/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a matte is soft: the few samples near the edges of people, as runs of each row, so that work is done there alone. */
#ifndef VRS_MATTE_SOFT_RUNS_H
#define VRS_MATTE_SOFT_RUNS_H

#include <vrseg/frame.h>

#include "base/mem.h"

/* Samples [first, end) of a row. */
struct vrs_run_of_row {
	int first, end;
};

/* Of each row, from left to right.  Gaps that cost less than a run of their own are part of one. */
struct vrs_runs {
	int most;                     /* of a row */
	int *count;                   /* [height] */
	struct vrs_run_of_row *items; /* [height][most] */
};

/*
 * soft: samples between which up-sampling gives something that is neither 0 nor 1: those that are so themselves or have another value within a
 * sample's distance.  near: the same and what lies up to `radius` rows and columns away.
 */
struct vrs_soft_runs {
	struct vrs_runs soft, near;
	int width, height, radius, words; /* words: of 64 samples in a row */
	uint64_t *people, *rest, *edge;   /* [height][words], a bit for each sample: not 0; not 1; in soft */
	uint64_t *row[2];                 /* [words] */
};

/* Of mattes of one size. VRS_ENOMEM. */
enum vrs_status vrs_soft_runs_init(struct vrs_soft_runs *runs, struct vrs_arena *arena, int width, int height, int radius);
void vrs_soft_runs_find(struct vrs_soft_runs *runs, const struct vrs_matte *matte);

/* The runs of row y; their number is runs->count[y]. */
static inline const struct vrs_run_of_row *vrs_runs_row(const struct vrs_runs *runs, int y)
{
	return runs->items + (size_t)y * (size_t)runs->most;
}

#endif
