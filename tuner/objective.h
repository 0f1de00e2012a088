/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What "better" means, and the limits that settings must keep to be chosen. */
#ifndef VRS_TUNER_OBJECTIVE_H
#define VRS_TUNER_OBJECTIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/judge/verdict.h"
#include "bench/record/result.h"

enum vrs_goal {
	VRS_GOAL_THROUGHPUT, /* frames a second */
	VRS_GOAL_LIVE,       /* latency at a given rate, with frames in time */
	VRS_GOAL_QUALITY,    /* IoU with truth, as fast as asked for */
	VRS_GOAL_SIZE,       /* bytes of the output, as fast as asked for */
};
#define VRS_GOAL_NAMES "throughput live quality size"

/* What may keep settings from being chosen, in the order in which it is named. */
enum vrs_limit {
	VRS_LIMIT_RUNS,      /* they do not run */
	VRS_LIMIT_MATTE,     /* max_iou_loss, min_agreement */
	VRS_LIMIT_IOU,       /* min_iou */
	VRS_LIMIT_MEMORY,
	VRS_LIMIT_ENCODE,    /* the encoder keeps less of the pictures than the default's */
	VRS_LIMIT_RATE,      /* bits of the output */
	VRS_LIMIT_DEADLINE,  /* live: too many frames miss it (vrs_case_result.live_verdict) */
	VRS_LIMIT_SPEED,     /* min_fps */
	VRS_LIMIT_COUNT,
};

struct vrs_objective {
	enum vrs_goal goal;
	double max_iou_loss;       /* against the default, where the clip has truth; default .005 */
	double min_agreement;      /* IoU with the default's fp32 mattes, where it has not; default .97 */
	double min_iou;            /* with truth, else with the default's fp32 mattes; 0: none */
	double max_encode_loss;    /* of SSIM against the default's encoder; default .002 */
	double max_kbps;           /* of the output; 0: max_growth counts */
	double max_growth;         /* the output may be larger than the default's by this share; default .5 */
	double min_fps;            /* 0: none */
	int64_t memory_limit_bytes; /* 0: none */
	double pace;               /* of the default in its slow runs over that in the measurement at hand, at most 1; 0: not known */
};

/* Throughput, with the defaults above. */
struct vrs_objective vrs_objective_default(void);
/* Speed of a case over that of the base: median over the rounds that both ran in; NaN: they share none. */
double vrs_case_speed(const struct vrs_case_result *c, const struct vrs_case_result *base);
/* What cases are compared by round after round: the rate, or the latency of live cases; and that of a case over the base's, as above. */
enum vrs_headline vrs_objective_headline(const struct vrs_objective *objective);
double vrs_objective_ratio(const struct vrs_objective *objective, const struct vrs_case_result *c, const struct vrs_case_result *base);
/* Truth IoU of a case if known, else its agreement; *ret_truth says which; NaN: neither. */
double vrs_case_quality(const struct vrs_case_result *c, bool *ret_truth);

/* Quality of a case and of the base, over the same mattes. */
struct vrs_matte_pair {
	bool whole;                /* over all: as many were compared of both, or nobody knows better */
	bool alike;                /* they were not, but the case makes the base's mattes, and quality is the base's */
	int first;                 /* over so many, the first ones of both; 0: all; -1: they share none, and both figures are NaN */
	double quality, reference; /* vrs_case_quality of both; with first > 0 IoU with truth */
};
struct vrs_matte_pair vrs_matte_pair(const struct vrs_case_result *c, const struct vrs_case_result *base);

/* Speed that a case keeps: its low end (tuner/limit_bounds.h) at the pace of the machine on the whole.  NaN: it did not run. */
double vrs_objective_low_fps(const struct vrs_objective *objective, const struct vrs_case_result *c);

/* Limits of a case that are not kept. */
struct vrs_limits {
	unsigned missed;                /* a bit for each enum vrs_limit */
	double excess[VRS_LIMIT_COUNT]; /* how far beyond the limit, as a share of it; 0: kept */
	char why[160];                  /* the first missed one in words; "" */
};
/*
 * Hold a case against all limits.  `base` is the default of the same measurement; the default is held against them, too, with c == base.  Another
 * case without any quality figure misses VRS_LIMIT_MATTE: speed alone proves nothing, but where all of the matte may be lost (max_iou_loss 1,
 * min_agreement 0).  Figures with truth are compared over the mattes that both have (vrs_case_result_common_quality); a case that shares none with
 * the base misses that limit, too, unless its options make the base's mattes (vrs_holm_family_same_mattes).  What a case has no own figure for (the
 * encoder's, where it sets no option of the output) is the base's.
 */
void vrs_objective_check(const struct vrs_objective *objective, const struct vrs_case_result *c, const struct vrs_case_result *base,
			 struct vrs_limits *ret);
/*
 * May a case be chosen, but for its speed or its deadlines?  Other options may make it faster.  On false `why` (size bytes) says in words what is not
 * met.
 */
bool vrs_objective_accepts(const struct vrs_objective *objective, const struct vrs_case_result *c, const struct vrs_case_result *base, char *why,
			   size_t size);
/* Are all limits kept but those of speed and deadlines, which other options may reach? */
bool vrs_limits_accept(const struct vrs_limits *limits);
/* Can no other option make up for what is missed?  More pictures a second and fewer bits can come from elsewhere, a matte cannot. */
bool vrs_limits_are_final(const struct vrs_limits *limits);
/* "speed", "matte", ... as in lines for scripts. */
const char *vrs_limit_name(enum vrs_limit limit);

/*
 * What one run of a case gains over one of the base in the same round, by their headlines: ln of the ratio of speeds for throughput.  For other goals
 * what the case gains in its figure (ln of the sizes or latencies, 10 times the difference of IoU), less what it is slower than min_fps or misses
 * more deadlines, so that searches find what keeps the speed first.  NaN: the figure is not known.
 */
double vrs_objective_gain(const struct vrs_objective *objective, const struct vrs_case_result *c, const struct vrs_case_result *base, double headline,
			  double base_headline);
/*
 * The figure of the goal, larger is better: frames a second, IoU, or minus the bytes a frame or the latency, ms. NaN: not known, or IoU of mattes of
 * which the base has none; a case that makes the base's mattes has the base's, and one that shares the first ones has the base's and the difference.
 */
double vrs_objective_value(const struct vrs_objective *objective, const struct vrs_case_result *c, const struct vrs_case_result *base);
/* Is value b better than a by more than does not matter: 2 % of speed, size or latency, .002 of IoU? */
bool vrs_objective_is_better(const struct vrs_objective *objective, double b, double a);

#endif
