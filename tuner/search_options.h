/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a search goes. */
#ifndef VRS_TUNER_SEARCH_OPTIONS_H
#define VRS_TUNER_SEARCH_OPTIONS_H

#include <stdbool.h>

#include "tuner/objective.h"
#include "tuner/strategy.h"

#define VRS_SEARCH_LONG_ROUNDS 2

struct vrs_search_options {
	int screen_rounds;       /* default 3 */
	int explore_runs;        /* runs for combinations; default 120 */
	double budget_seconds;   /* of measuring, in place of explore_runs; the final has its rounds anyway, or more in time that is left. 0: none */
	int final_rounds;        /* default 14; below 8 nothing can be verified */
	bool fixed_rounds;       /* the final has exactly those */
	int finalists;           /* besides the default; default 4 */
	double long_run;         /* the choice runs so many times as long against the default, to see that it lasts; default 6, 0: it does not */
	bool verify_start;       /* what the space proposes first (vrs_space_prefer) is the result where eight rounds prove it */
	double screen_gain;      /* settings reach the final when their median gain is above this share; default .01 */
	const struct vrs_strategy *strategy; /* NULL: vrs_strategy_choose */
	uint64_t seed;           /* of what strategies draw by chance */
	struct vrs_objective objective;
	int width, height;       /* of the clip that is measured; 0 0: the video as it is */
	double live_hz;          /* of the objective live: the rate at which frames come; else 0 */
};

#endif
