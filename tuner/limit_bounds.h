/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a case keeps, by measurements with noise: conservative ends of what was measured, so that limits that are held against them are kept when
 * they are measured again.  Of several candidates the one next to a limit is chosen most easily, so an end is wrong in at most one of 400.
 */
#ifndef VRS_TUNER_LIMIT_BOUNDS_H
#define VRS_TUNER_LIMIT_BOUNDS_H

#include "bench/record/result.h"

#define VRS_LIMIT_ALPHA 0.0025
#define VRS_MEMORY_HEADROOM 0.05 /* of a limit of memory, that the largest run must leave: another one may take more */

/* Speed that a case keeps: the low end of its median's interval, or its slowest run where there are too few for one; NaN: it did not run. */
double vrs_case_low_fps(const struct vrs_case_result *c);
/*
 * Share of live frames that are late, in percent, at most: misses come in bursts, which count as one each.  Where so few frames were due that not
 * even a miss-free run would prove a limit of `limit` percent, the share that was measured.  NaN: no live frame was due.
 */
double vrs_case_high_late_percent(const struct vrs_case_result *c, double limit);
/* Frames that must be due, in all runs together, for that limit to be proven with a few of them late. */
double vrs_late_frames_needed(double limit);

#endif
