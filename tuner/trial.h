/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the search gets its numbers: a function that measures candidates in interleaved rounds.  The real one runs child processes
 * (trial_runner.c); tests put a simulated machine in its place. */
#ifndef VRS_TUNER_TRIAL_H
#define VRS_TUNER_TRIAL_H

#include "bench/plan/case.h"
#include "bench/record/result.h"

/*
 * Measure count cases, each once a round, for `rounds` rounds; *ret_result holds one cell per case in the same order (ids may differ from the
 * cases' when the machine turns "auto" into a number) and is destroyed by the caller.  A case that cannot run is a cell without good runs.
 * VRS_ESTOPPED on a stop request; other statuses end the search.  `phase` is shown to the user.
 */
typedef enum vrs_status (*vrs_measure_fn)(void *cookie, const char *phase, const struct vrs_case *cases, int count, int rounds,
					  struct vrs_result **ret_result, struct vrs_error *err);

#endif
