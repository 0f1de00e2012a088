/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one rule for a latency target (--max-latency-ms, target.max_latency_ms, latency.max_ms): the P99 of live latency, from a frame's intended
 * start to the output.  Where there are too few frames for a P99, a target that even the slowest frame kept is met; all else is not known.  Offline
 * latency is mostly waiting in queues and is never held against a target.
 */
#ifndef VRS_BASE_LATENCY_TARGET_H
#define VRS_BASE_LATENCY_TARGET_H

#include <stdbool.h>

#define VRS_LATENCY_NOT_LIVE "offline latency is mostly waiting in queues; a live run (--live, vrbench --mode live@HZ) measures it"

struct vrs_latency_reading {
	bool live;
	double p99_ms;             /* NaN: too few frames */
	double max_ms;             /* NaN: not known */
};

enum vrs_latency_state { VRS_LATENCY_MET, VRS_LATENCY_MISSED, VRS_LATENCY_TOO_FEW, VRS_LATENCY_OFFLINE };

/* The rule. *ret_ms is the figure that decided, NaN for TOO_FEW and OFFLINE; *ret_figure its name, "P99" or "max". */
enum vrs_latency_state vrs_latency_judge(const struct vrs_latency_reading *reading, double target_ms, double *ret_ms, const char **ret_figure);

#endif
