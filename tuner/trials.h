/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a search knows: each point that was measured, with its gain over the default in every round that the two shared. */
#ifndef VRS_TUNER_TRIALS_H
#define VRS_TUNER_TRIALS_H

#include "tuner/grid.h"

#define VRS_TRIAL_MAX_ROUNDS 64

struct vrs_trial {
	struct vrs_point point;
	double gains[VRS_TRIAL_MAX_ROUNDS]; /* ln(score / score of the default) of one round; above 0 is better */
	int rounds;
	bool accepted;                      /* it ran, and its matte and memory are good enough */
};

struct vrs_trials {
	struct vrs_trial *items;
	int count, capacity;
};

void vrs_trials_fini(struct vrs_trials *trials);
/* The trial of a point; NULL: it was not measured. Valid until the next vrs_trials_take. */
const struct vrs_trial *vrs_trials_find(const struct vrs_trials *trials, const struct vrs_point *point);
/* Add the gains of further rounds to a point, new or known; rounds above VRS_TRIAL_MAX_ROUNDS are left out.  VRS_ENOMEM. */
enum vrs_status vrs_trials_take(struct vrs_trials *trials, const struct vrs_point *point, const double *gains, int rounds, bool accepted);

/* Median gain of a trial; NaN: no round. */
double vrs_trial_gain(const struct vrs_trial *trial);
/*
 * Standard deviation of the gain of one round, from how far rounds of the same point lie apart (1.4826 times the median absolute deviation, so that
 * a disturbed run counts little).  .02 while fewer than 8 such deviations are known.
 */
double vrs_trials_noise(const struct vrs_trials *trials);
/* What a trial gains at least, by a standard error: vrs_trial_gain - noise / sqrt(rounds). */
double vrs_trial_low(const struct vrs_trial *trial, double noise);
/* The accepted trial with the highest vrs_trial_low, or NULL where none is above 0, what the default has. */
const struct vrs_trial *vrs_trials_best(const struct vrs_trials *trials, double noise);

#endif
