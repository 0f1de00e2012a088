/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A measured sweep of all combinations of some options (vrbench --sweep, mode: product), to be measured again from its record: searches can be tried
 * on it in milliseconds, with the noise that the machine had.
 */
#ifndef VRS_TUNER_RECORDED_SWEEP_H
#define VRS_TUNER_RECORDED_SWEEP_H

#include "base/rng.h"
#include "tuner/measure.h"
#include "tuner/objective.h"
#include "tuner/space.h"

#define VRS_RECORDED_MIN_RUNS 8

struct vrs_recorded_sweep;

/*
 * Find the options and values of a sweep; the result's default case is what searches start from.  The result is used as long as the sweep is.
 * VRS_ECONFIG: it has no default, no option with two values, or a case with fewer than VRS_RECORDED_MIN_RUNS rounds in common with the default (the
 * message names it); VRS_ENOMEM.
 */
enum vrs_status vrs_recorded_sweep_open(struct vrs_recorded_sweep **ret_sweep, const struct vrs_result *result, struct vrs_error *err);
void vrs_recorded_sweep_close(struct vrs_recorded_sweep *sweep); /* NULL is fine */
/* The options of the sweep as a space. The sweep owns it. */
const struct vrs_space *vrs_recorded_sweep_space(const struct vrs_recorded_sweep *sweep);
/* Cases, and runs of all of them together. */
void vrs_recorded_sweep_size(const struct vrs_recorded_sweep *sweep, int *ret_cases, int *ret_runs);
/*
 * Speed of a case over that of the default: median over all rounds that they share.  NaN: the sweep lacks the case, or it did not run or is not good
 * enough (vrs_objective_accepts).
 */
double vrs_recorded_sweep_speed(const struct vrs_recorded_sweep *sweep, const struct vrs_case *settings, const struct vrs_objective *objective);
/*
 * Change of the cost of a frame from the default to a case, by the estimate that verdicts have (struct vrs_comparison), of all rounds, with `noise`
 * of what was recorded (vrs_recorded_measure).  NaN: as above, or too few rounds.
 */
double vrs_recorded_sweep_change(const struct vrs_recorded_sweep *sweep, const struct vrs_case *settings, double noise);
/* The highest vrs_recorded_sweep_speed, at least 1, and whose it is (NULL: not wanted); the default's id where nothing is faster. */
double vrs_recorded_sweep_best(const struct vrs_recorded_sweep *sweep, const struct vrs_objective *objective, const char **ret_id);

/* Measuring by picking recorded rounds at random: one recorded round of all cases, with their runs of each session, stands for one round. */
struct vrs_recorded_measure {
	const struct vrs_recorded_sweep *sweep;
	struct vrs_rng rng;
	double noise;    /* share of the distance of a run's speed from the case's true one (vrs_recorded_sweep_speed) that is kept; 1: as recorded */
	int runs;        /* taken so far */
};
/* A vrs_measure_fn; the cookie is a struct vrs_recorded_measure.  A case that the sweep lacks has no run and is skipped with that reason. */
enum vrs_status vrs_recorded_measure(void *cookie, const struct vrs_step *step, const struct vrs_case *cases, int count, int rounds,
				     struct vrs_result **ret_result, struct vrs_error *err);

#endif
