/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When a case of a sweep has been measured enough: the exact 95 % interval of the median rate (live: latency) is narrow.
 *
 * Looked at after 8, 12, 16, ... counted runs and never in between.  Stopping by width does not bias the median, as stopping by significance
 * would; the interval still covers at least 94 % (tests/unit/bench/test_coverage.c).
 */
#ifndef VRS_BENCH_INTERVAL_GOAL_H
#define VRS_BENCH_INTERVAL_GOAL_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/record/result.h"

#define VRS_INTERVAL_OFFLINE 0.01 /* half width as a share of the median */
#define VRS_INTERVAL_LIVE 0.02

/* Half width of that interval over the median, from counted runs; NaN below 6 of them. */
double vrs_interval_half_width(const struct vrs_case_result *c);
/* The goal that holds for this case: live ones have twice as much. */
double vrs_interval_goal(const struct vrs_case_result *c, double goal);
/* True when the case needs no more rounds. goal: of offline cases, live ones have twice as much; 0: never, the rounds alone decide. */
bool vrs_interval_settled(const struct vrs_case_result *c, double goal);
/* "half width 3.2 % after 10 runs, the goal is 1.0 %"; "" where the goal is met or there is none. */
void vrs_interval_note(const struct vrs_case_result *c, double goal, char *buf, size_t size);
/* Runs that a spread (coefficient of variation between runs) needs for a half width; 0: not known. */
int vrs_interval_runs_needed(double cv, double goal);

#endif
