/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Searches on a recorded sweep, many times with fresh noise: how near the best do they come, and how often do they claim too much? */
#ifndef VRS_TUNER_SEARCH_REPLAY_H
#define VRS_TUNER_SEARCH_REPLAY_H

#include "analyzer/findings.h"
#include "tuner/recorded_sweep.h"
#include "tuner/search.h"

#define VRS_REPLAY_NEAR 0.03  /* of the best: "found" */
#define VRS_REPLAY_WORSE 0.01 /* below the default: a choice that does harm */

/* Of one strategy; shares are of the searches. */
struct vrs_replay_score {
	const struct vrs_strategy *strategy;
	int searches;
	double near, worse;          /* shares within VRS_REPLAY_NEAR of the best; slower than the default by more than VRS_REPLAY_WORSE */
	int claims;                  /* searches that claimed a gain */
	double covered;              /* share of the claimed intervals that hold the gain over all runs; NaN: nothing was claimed */
	double regret, regret_p95;   /* 1 - speed of what was chosen / speed of the best: mean, 95th percentile */
	double runs;                 /* mean number that a search took */
	int accepted;                /* searches whose choice keeps the limits of speed and memory, where there are any */
	double kept;                 /* share of these that keep them when the choice is measured again, as often as in a final; NaN: none */
	double noise;                /* of the runs, as a share of what was recorded */
};

/*
 * `searches` searches with different seeds; what is true is what all runs of the sweep say together.  The strategy is that of the options.
 * noise: 1 takes runs as they were; less or more, their noise as that share of the recorded one.
 * VRS_ESTOPPED on a stop request; statuses of vrs_search.
 */
enum vrs_status vrs_replay(const struct vrs_recorded_sweep *sweep, const struct vrs_search_options *options, int searches, double noise,
			   struct vrs_replay_score *ret_score, struct vrs_error *err);
/* A table of scores, and the sentence that says what the sweep is. */
void vrs_replay_findings(const struct vrs_recorded_sweep *sweep, const struct vrs_objective *objective, const struct vrs_replay_score *scores,
			 int count, struct vrs_findings *findings);

#endif
