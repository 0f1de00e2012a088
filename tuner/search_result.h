/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a search tried and chose. */
#ifndef VRS_TUNER_SEARCH_RESULT_H
#define VRS_TUNER_SEARCH_RESULT_H

#include <stdbool.h>

#include "bench/plan/case.h"
#include "bench/judge/verdict.h"
#include "tuner/objective.h"

#define VRS_SEARCH_MAX_TRIED 1024
#define VRS_SEARCH_MAX_FINALISTS 6

enum vrs_phase { VRS_PHASE_SCREEN, VRS_PHASE_EXPLORE, VRS_PHASE_FINAL, VRS_PHASE_LONG, VRS_PHASE_VERIFY };
const char *vrs_phase_name(enum vrs_phase phase);

/* What settings came to, and what that cost. */
struct vrs_tuned_figures {
	struct vrs_estimate fps;
	double low_fps;             /* that it keeps (tuner/limit_bounds.h) */
	double quality;             /* vrs_case_quality; like all below NaN where it is not known */
	double reference;           /* the default's, over the same mattes */
	int first_mattes;           /* quality and reference are over so many, the first ones of both; 0: over all */
	bool has_truth;             /* quality is IoU with truth, not with the default's fp32 mattes */
	double kbps, ssim;          /* of the output */
	int net_width, net_height;  /* of the network's input */
	double peak_bytes;          /* of memory, the largest run of all phases */
	double latency_ms, latency_p99_ms, missed_percent; /* missed: of live frames, their deadline */
	double high_missed_percent; /* at most (tuner/limit_bounds.h) */
};

/* One candidate in one phase. */
struct vrs_tried {
	enum vrs_phase phase;
	struct vrs_case settings;   /* no values: the default */
	char id[VRS_CASE_ID_MAX];
	struct vrs_tuned_figures figures;
	double ratio;               /* speed, live latency, against the default of the same phase, median over shared rounds; NaN: not known */
	struct vrs_limits limits;   /* that it misses, by what was measured in this phase; of memory, until then */
	bool accepted;              /* it keeps every limit but that of speed */
};

struct vrs_search_result {
	struct vrs_tried *tried;
	int tried_count;
	int rounds;                 /* of the final */
	struct vrs_case best;       /* chosen; no values: the default stays */
	char best_id[VRS_CASE_ID_MAX], default_id[VRS_CASE_ID_MAX];
	bool keeps_default;
	enum vrs_goal goal;
	bool by_value;              /* the figure of the goal decided among those that keep the limits, not a proven speed or latency */
	bool feasible;              /* the chosen settings keep every limit; false: none that were measured do, and nothing is chosen */
	bool verified;              /* the final had eight pairs or more */
	struct vrs_comparison gain; /* best against the default; meaningless when keeps_default */
	struct vrs_tuned_figures best_figures, default_figures;
	struct vrs_limits best_limits, default_limits;
	char untried[256];          /* options that the budget left no time for, and why those; "" : none */
	char tie[1024];             /* finalists that cannot be told from the best; "" : none */
	char sentence[1024];        /* what was chosen and how sure that is */
};

/* Of all runs of a case; base: the default of the same measurement. */
struct vrs_tuned_figures vrs_case_figures(const struct vrs_case_result *c, const struct vrs_case_result *base);

#endif
