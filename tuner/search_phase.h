/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A search as it runs: what it knows, and one phase of it, which measures candidates beside the default.  search.c has the order of phases. */
#ifndef VRS_TUNER_SEARCH_PHASE_H
#define VRS_TUNER_SEARCH_PHASE_H

#include "tuner/grid.h"
#include "tuner/measure.h"
#include "tuner/peak_memory.h"
#include "tuner/search_options.h"
#include "tuner/search_result.h"
#include "tuner/trials.h"

#define VRS_SEARCH_MAX_PACES 512

/* What became of a value that was tried alone. */
enum vrs_fate { VRS_FATE_NOT_KNOWN, VRS_FATE_RAN, VRS_FATE_RAN_OUT /* of memory */ };

/* Everything that a running search knows. */
struct vrs_search_state {
	struct vrs_space *space;
	const struct vrs_search_options *options;
	vrs_measure_fn measure;
	void *cookie;
	struct vrs_grid grid;
	struct vrs_trials trials;
	enum vrs_fate fates[VRS_SPACE_MAX_KNOBS][VRS_KNOB_MAX_LEVELS];
	int runs;            /* so far, and the seconds that their processes lived */
	double seconds;
	struct vrs_objective objective;
	double paces[VRS_SEARCH_MAX_PACES]; /* speeds of the default so far */
	int pace_count;
	int explore_left;    /* runs for combinations */
	double live_due;     /* frames of a run; 0: not live */
	double work[VRS_STAGE_COUNT]; /* share of each stage in the work of the default; NaN: not known */
	struct vrs_peak_memory peaks; /* of all cases so far */
	struct vrs_case_result whole; /* the default with its runs of all phases so far; not summarized */
	struct vrs_search_result result;
};

void vrs_search_state_fini(struct vrs_search_state *s); /* but for the result */
/* Where the default spends its time: fills work and live_due.  Statuses of vrs_search. */
enum vrs_status vrs_search_look(struct vrs_search_state *s, struct vrs_error *err);
/*
 * Measure the default and the points of a proposal, list them in the result and keep their gains.  ret_result, ret_cases (optional): figures and
 * settings, the default first, for a final; destroyed and freed by the caller.  Statuses of vrs_search.
 */
enum vrs_status vrs_search_phase(struct vrs_search_state *s, enum vrs_phase phase, const struct vrs_proposal *proposal,
				 struct vrs_result **ret_result, struct vrs_case **ret_cases, struct vrs_error *err);
/* The default by its runs of all phases so far, of which there is one at least.  VRS_ENOMEM. */
enum vrs_status vrs_search_whole_default(struct vrs_search_state *s, struct vrs_tried *ret, struct vrs_error *err);

#endif
