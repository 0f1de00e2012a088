/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The history of nights as series, one for each video, case and metric of one machine, each judged by bench/judge/history_judge.h; and the alerts:
 * all changes that may have come with the same build are one alert, with the last build before and the first one after.
 */
#ifndef VRS_BENCH_NIGHT_WATCH_H
#define VRS_BENCH_NIGHT_WATCH_H

#include "bench/judge/history_judge.h"
#include "bench/record/night_history.h"

#define VRS_NIGHT_CASE_MAX (VRS_CASE_ID_MAX + 132) /* of vrs_night_series_case */
#define VRS_NIGHT_SERIES_ALERTS 64  /* of one series that are kept */

struct vrs_night_series {
	const char *input, *case_id, *device, *metric; /* point into the history; device "": the host */
	struct vrs_night *nights;
	int *places;                    /* of each night among vrs_night_watch.records */
	int count;
	struct vrs_history_alert *alerts;
	int alert_count;
};

enum vrs_night_alert_kind {
	VRS_NIGHT_ALERT_STEP,
	VRS_NIGHT_ALERT_DRIFT,
	VRS_NIGHT_ALERT_GATE,           /* nights have failed against the baseline, and no step is proven yet */
};
extern const struct vrs_names vrs_night_alert_kind_names; /* "step", "drift", "gate" */

struct vrs_night_alert {
	enum vrs_night_alert_kind kind;
	int good, bad;                  /* places: the last night before the change (-1: the accepted baseline itself), the first one after */
	int worse, better;              /* series */
	int series, alert;              /* the one that changed most, and which of its alerts; -1: none (GATE) */
	bool alarms;                    /* one of them is what a gate fails on (vrs_history_alarms) */
	bool open;                      /* nobody has undone it, no baseline was accepted since, and it is not known */
	const struct vrs_decision *note; /* somebody has said why; NULL: nobody */
};

struct vrs_night_watch {
	const struct vrs_night_record **records; /* nights of this machine, oldest first */
	int record_count;
	struct vrs_night_series *series;
	int series_count;
	struct vrs_night_alert *alerts;  /* in order of what lies before them */
	int alert_count;
	int suspicions;                  /* changes of series that are not confirmed */
	int sparse_series;               /* whose nights are too far apart to judge drift (vrs_history_is_sparse) */
	int stray_clocks;                /* nights whose clock was out of step (bench/judge/night_days.h) */
	int last_stray;                  /* place of the last of them */
	struct vrs_arena arena;
};

/*
 * Judge the nights of one machine: that of `extra`, which is not in the history (the night that comes next, with its number, or a result without
 * one, 0), or (NULL) of its last one.  Nights that were slowed on purpose are no part of any series.  The history and extra must outlive the watch.
 * VRS_ENOMEM, VRS_EINVAL, VRS_ELIMIT.  Release with vrs_night_watch_fini, also after failure.
 */
enum vrs_status vrs_night_watch_judge(struct vrs_night_watch *ret_watch, const struct vrs_night_history *history,
				      const struct vrs_night_record *extra, struct vrs_error *err);
void vrs_night_watch_fini(struct vrs_night_watch *watch);
/* "CASE", or "CASE on DEVICE"; returns buf. */
const char *vrs_night_series_case(const struct vrs_night_series *series, char *buf, size_t size);
/* An alert that a gate fails on; NULL: there is none. */
const struct vrs_night_alert *vrs_night_watch_alarm(const struct vrs_night_watch *watch);
/* The newest alert that is open and worse; NULL: there is none. */
const struct vrs_night_alert *vrs_night_watch_open(const struct vrs_night_watch *watch);

#endif
