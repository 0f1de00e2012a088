/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One figure of one case, night after night, each as its ratio to the accepted baseline that ran in the same invocation: has its level changed?
 *
 * Steps are change points (bench/stats/change_points.h) of the ratios, at least min_segment nights long.  A step that alarms is judged a second time,
 * far more strictly, since a series is looked at every night for years: its p value, with the spread widened by the autocorrelation of neighbouring
 * nights and never below what the intervals of single nights say, is at most alarm_p, while all that is less sure counts as noise.  Drift is what is
 * left of the difference between the last nights and those 30 and 90 days before after confirmed steps have been taken out: many small changes,
 * none of which is a step.
 *
 * Nights on either side of a new baseline, or of a change that is known, are never compared with each other.
 */
#ifndef VRS_BENCH_HISTORY_JUDGE_H
#define VRS_BENCH_HISTORY_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include <vrseg/status.h>
#include "bench/stats/change_points.h"

struct vrs_night {
	int64_t day;           /* ascends by one a day; several nights of one day are allowed */
	double ratio;          /* this build's figure / the baseline's of the same invocation, above 0 */
	double low, high;      /* its interval; NaN: it has none */
	bool new_baseline;     /* this is the first night against another baseline */
	bool known_change;     /* the level changes here, somebody has noted why: it does not alarm */
};

struct vrs_history_rules {
	bool larger_is_better; /* the figure is a rate (frames/s), not a time or an amount */
	double margin;         /* smaller changes do not matter, as a share */
	int window_days;       /* up to the last night; older ones do not count */
	double alarm_p;        /* of a confirmed step or drift */
	int confirm_nights;    /* that are certainly at the new level (from last on), at least: fewer are a suspicion */
	struct vrs_change_rules change; /* how steps are found; min_magnitude is margin */
};

/* Smaller is better, margin 2 %, 365 days. */
struct vrs_history_rules vrs_history_rules_default(void);

enum vrs_history_kind {
	VRS_HISTORY_STEP,
	VRS_HISTORY_DRIFT_30,  /* against 30 days before */
	VRS_HISTORY_DRIFT_90,
};

struct vrs_history_alert {
	enum vrs_history_kind kind;
	/*
	 * Indices of nights.  Of a step, the first night at the new level is index, and lies with 95 % confidence in first..last (Hansen, Sample
	 * Splitting and Threshold Estimation, Econometrica 2000): the commit lies between the builds of night first - 1 and night last.  Of drift,
	 * from the last night of the old level to the last one of all; index is last.
	 */
	int first, last, index;
	double before, after;  /* levels, as ratios to the baseline */
	double change;         /* after / before - 1 */
	double low, high;      /* its 95 % interval */
	double p;
	int nights;            /* at the new level */
	bool worse;
	bool confirmed;        /* else a suspicion, which is shown and does not alarm */
	bool open;             /* the last level is still worse or better than before by more than half of the change: nobody has undone it */
	bool settled;          /* a baseline was accepted since */
};

/*
 * Judge the nights.  Alerts go to ret in order of index, at most max of them, steps before drift; *ret_count is the number of all.
 * VRS_EINVAL: days descend, a ratio is not finite or not above 0, or a rule is out of its range; VRS_ELIMIT; VRS_ENOMEM.
 */
enum vrs_status vrs_history_judge(const struct vrs_night *nights, int count, const struct vrs_history_rules *rules, struct vrs_history_alert *ret,
				  int max, int *ret_count, struct vrs_error *err) VRS_MUST_CHECK;
/* Do the nights reach back far enough for drift, and are they too far apart to judge it? */
bool vrs_history_is_sparse(const struct vrs_night *nights, int count);
/* Worse, confirmed, open and not settled: this is what a gate fails on. */
bool vrs_history_alarms(const struct vrs_history_alert *alert);

#endif
