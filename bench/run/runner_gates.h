/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the rounds of the runner ask: was a run disturbed, may it be repeated, and which side of a pair comes first. */
#ifndef VRS_BENCH_RUNNER_GATES_H
#define VRS_BENCH_RUNNER_GATES_H

#include "bench/run/noise_watch.h"
#include "bench/run/runner_state.h"

/*
 * End the watch (may be NULL) and write what it saw into run: shares of others and of the hypervisor, clock, attempt, and the cause where a hard
 * gate fired. run NULL: only end it.
 */
void vrs_gate_judge(struct vrs_runner *runner, const struct vrs_case_result *c, struct vrs_noise_watch *watch, int round, struct vrs_run *run);
/* Attempts that a run has: 1 + VRS_GATE_RETRIES, or 1 without retries and while noise has outlasted the retries of several runs in a row. */
int vrs_gate_attempts(const struct vrs_runner *runner);
/* After the last attempt of a case in a round. */
void vrs_gate_close_round(struct vrs_runner *runner, const struct vrs_case_result *c, int round);
/*
 * Order of the two sides: of each two rounds (1 2, 3 4, ...) one begins with order[0] and the other with order[1], and the seed decides which.
 * Drift that is linear over two rounds cancels.
 */
void vrs_side_order(uint64_t seed, int round, int order[2]);

#endif
