/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The search: screen one knob at a time, combine what helped, then a final against the default in interleaved rounds.  Only the final's own
 * figures are claimed (a winner picked from noisy numbers looks better than it is), and the default wins every tie.
 */
#ifndef VRS_TUNER_SEARCH_H
#define VRS_TUNER_SEARCH_H

#include <stdbool.h>

#include "bench/verdict.h"
#include "tuner/objective.h"
#include "tuner/space.h"
#include "tuner/trial.h"

#define VRS_SEARCH_MAX_TRIED 256
#define VRS_SEARCH_MAX_FINALISTS 6

struct vrs_search_options {
	int screen_rounds;       /* rounds of screening and combining; default 3 */
	int final_rounds;        /* default 14; below 8 nothing can be verified */
	int finalists;           /* besides the default; default 4 */
	double screen_gain;      /* a knob goes on when its median gain is above this share; default .01 */
	struct vrs_objective objective;
};

enum vrs_phase { VRS_PHASE_SCREEN, VRS_PHASE_COMBINE, VRS_PHASE_FINAL };

/* One candidate in one phase. */
struct vrs_tried {
	enum vrs_phase phase;
	struct vrs_case settings;   /* no values: the default */
	char id[VRS_CASE_ID_MAX];
	struct vrs_estimate fps;
	double ratio;               /* speed against the default of the same phase, median over shared rounds; NaN: not known */
	double quality;             /* NaN: not known */
	double latency_p99_ms;      /* NaN: not known */
	bool accepted;
	char why[160];              /* not accepted: the reason */
};

struct vrs_search_result {
	struct vrs_tried *tried;
	int tried_count;
	int rounds;                 /* of the final */
	struct vrs_case best;       /* chosen; no values: the default stays */
	char best_id[VRS_CASE_ID_MAX], default_id[VRS_CASE_ID_MAX];
	bool keeps_default;
	bool verified;              /* the final had eight pairs or more */
	struct vrs_comparison gain; /* best against the default; meaningless when keeps_default */
	struct vrs_estimate best_fps, default_fps;
	double best_quality, default_quality, best_p99_ms;
	char tie[512];              /* finalists that cannot be told from the best; "" : none */
	char sentence[512];         /* what was chosen and how sure that is */
};

struct vrs_search_options vrs_search_options_default(bool quick);
/*
 * Run the search.  VRS_ESTOPPED: *ret_result is not written; VRS_ECONFIG: nothing to tune; VRS_EINTERNAL: the default itself did not run (err
 * holds its reason); statuses of measure; VRS_ENOMEM.  Release with vrs_search_result_fini.
 */
enum vrs_status vrs_search(const struct vrs_space *space, const struct vrs_search_options *options, vrs_measure_fn measure, void *cookie,
			   struct vrs_search_result *ret_result, struct vrs_error *err);
void vrs_search_result_fini(struct vrs_search_result *result);
const char *vrs_phase_name(enum vrs_phase phase);

#endif
