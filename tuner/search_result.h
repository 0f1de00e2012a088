/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a search tried and chose. */
#ifndef VRS_TUNER_SEARCH_RESULT_H
#define VRS_TUNER_SEARCH_RESULT_H

#include <stdbool.h>

#include "bench/plan/case.h"
#include "bench/judge/verdict.h"

#define VRS_SEARCH_MAX_TRIED 1024
#define VRS_SEARCH_MAX_FINALISTS 6

enum vrs_phase { VRS_PHASE_SCREEN, VRS_PHASE_EXPLORE, VRS_PHASE_FINAL };

/* One candidate in one phase. */
struct vrs_tried {
	enum vrs_phase phase;
	struct vrs_case settings;   /* no values: the default */
	char id[VRS_CASE_ID_MAX];
	struct vrs_estimate fps;
	double ratio;               /* speed against the default of the same phase, median over shared rounds; NaN: not known */
	double quality;             /* NaN: not known */
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
	double best_quality, default_quality;
	char tie[512];              /* finalists that cannot be told from the best; "" : none */
	char sentence[512];         /* what was chosen and how sure that is */
};

#endif
