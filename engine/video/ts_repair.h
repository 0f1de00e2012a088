/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Time stamps of one stream made strictly increasing, or never decreasing where two may be the same.  Good stamps pass unchanged, so that variable
 * frame rates stay as they are.
 *  - unknown: last + step, where step is the duration of the previous item (the default where that is unknown or above `jump`)
 *  - at or before the last one by less than `jump`: last + 1; where two may be the same, the last
 *  - further back (a joined or restarted recording): an offset is added from here on, so that the stream goes on at last + step
 * Steps ahead are pauses, whatever their size; where the clock of a container may jump (MPEG-TS), packet_clock sees to it.
 */
#ifndef VRS_VIDEO_TS_REPAIR_H
#define VRS_VIDEO_TS_REPAIR_H

#include <stdbool.h>
#include <stdint.h>

#define VRS_TS_UNKNOWN INT64_MIN

struct vrs_ts_repair {
	int64_t jump;         /* in units of the time base; at least 1 */
	int64_t default_step; /* used while no duration is known; at least 1 */
	bool may_repeat;      /* two stamps may be the same; the caller sets it */
	bool started;
	int64_t last, step, offset;
	uint64_t repaired;    /* stamps that were changed */
};

/* All fields zero but these.  Values below 1 are raised to 1. */
void vrs_ts_repair_init(struct vrs_ts_repair *repair, int64_t jump, int64_t default_step);
/* The stamp to use for an item stamped `ts` (or VRS_TS_UNKNOWN) of `duration` (0: not known). */
int64_t vrs_ts_repair_next(struct vrs_ts_repair *repair, int64_t ts, int64_t duration);

#endif
