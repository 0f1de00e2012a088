/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a sweep will do, before it does it: lists, estimates, and the order in which a budget is spent. */
#ifndef VRS_BENCH_SWEEP_PLAN_H
#define VRS_BENCH_SWEEP_PLAN_H

#include <stdio.h>

#include "bench/run/runner.h"

#define VRS_SWEEP_LONGEST_SECONDS (8 * 3600.0) /* without a budget */
#define VRS_HEADLINE_ROUNDS 3                  /* of the default case alone, at the beginning of a budget */

/* Every case with time of a run, disk and memory, and the sums; with a budget (seconds, 0: none) what fits into it. VRS_ENOMEM, VRS_EIO. */
enum vrs_status vrs_sweep_plan_print(struct vrs_runner *runner, int rounds, double budget, FILE *out, struct vrs_error *err);
/* What a round of all cases takes, without making their clips. */
double vrs_sweep_plan_round_seconds(const struct vrs_runner *runner);
/* VRS_ECONFIG: the sweep takes longer than VRS_SWEEP_LONGEST_SECONDS. */
enum vrs_status vrs_sweep_plan_check(const struct vrs_runner *runner, int rounds, struct vrs_error *err);
/*
 * Measure all cases in `rounds` interleaved rounds.  With a budget (seconds; 0: none) the headline comes first (the default case alone,
 * VRS_HEADLINE_ROUNDS rounds), then breadth (one round of all cases in order of importance, the default again, so that they share it), then precision
 * (the remaining rounds, interleaved); a run that would end after the budget is left out, so that shorter ones still fit.
 * *ret_complete: nothing was left out.  Statuses of vrs_runner_measure.
 */
enum vrs_status vrs_sweep_plan_measure(struct vrs_runner *runner, int rounds, double budget, bool *ret_complete, struct vrs_error *err);

#endif
