/* SPDX-License-Identifier: GPL-3.0-or-later */
/* On which day each night was, though clocks of machines run ahead, run behind and are set: what counts first is the order of the history. */
#ifndef VRS_BENCH_NIGHT_DAYS_H
#define VRS_BENCH_NIGHT_DAYS_H

#include <stdbool.h>
#include <stdint.h>

#include <vrseg/status.h>
#include "base/mem.h"

#define VRS_NIGHT_MOST_PAUSE 90 /* days that a pause between two nights counts for: silence lets nothing be forgotten */

struct vrs_night_day {
	int64_t day;  /* ascends by one a day */
	bool stray;   /* the clock was out of step by more than a day */
};

/*
 * times: of nights in order of the history, seconds since 1970.  As few of them as can be are taken for out of step, so that the others ascend, and
 * none of those is later than now by more than a day (unless most are: then the clock is wrong now).  A night out of step gets a day between its
 * neighbours.  VRS_ENOMEM.
 */
enum vrs_status vrs_night_days(const int64_t *times, int count, int64_t now, struct vrs_arena *arena, struct vrs_night_day *ret) VRS_MUST_CHECK;

#endif
