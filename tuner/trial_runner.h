/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trials on the real machine, through bench/runner. */
#ifndef VRS_TUNER_TRIAL_RUNNER_H
#define VRS_TUNER_TRIAL_RUNNER_H

#include "bench/run/runner.h"
#include "tuner/trial.h"

struct vrs_trial_runner {
	struct vrs_runner *runner; /* not owned */
	int next_round;            /* 1 at the start; phases use rounds one after the other, so a resumed search finds its runs again */
	void (*on_phase)(void *cookie, const char *phase, int cells, int rounds); /* (optional) */
	void *cookie;
};

/* A vrs_measure_fn; the cookie is a struct vrs_trial_runner. */
enum vrs_status vrs_trial_measure(void *cookie, const char *phase, const struct vrs_case *cases, int count, int rounds,
				  struct vrs_result **ret_result, struct vrs_error *err);

#endif
