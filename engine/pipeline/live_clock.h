/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When a live frame was meant to begin, in ns since the job began.  Latency counts from there, so that a frame which had to wait for a slow one
 * before it is charged for the wait (coordinated omission).
 *
 * A file is paced: its first frame begins when it is asked for, the others at their time stamps after it.  A device, pipe or stream sets its own
 * pace: no frame begins after it came, so the earliest arrival in proportion to its time stamp is the zero of the clock.
 *
 * Nothing here reads a clock; not thread-safe.
 */
#ifndef VRS_PIPELINE_LIVE_CLOCK_H
#define VRS_PIPELINE_LIVE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct vrs_live_clock {
	bool paced;
	int time_base_num, time_base_den;
	double own_fps, fps;         /* of a paced file: its own rate, and that at which it is played, evenly; 0: as its time stamps say */
	bool started;
	int64_t first_pts;
	int64_t zero_ns;             /* when the first frame began */
};

/* Intended start of the frame with this time stamp (not below the first one), which came at `now_ns`. */
int64_t vrs_live_clock_start(struct vrs_live_clock *clock, int64_t pts, int64_t now_ns);
/* When a frame with this time stamp is due, `now_ns` before the first frame or where frames are not paced. */
int64_t vrs_live_clock_due(const struct vrs_live_clock *clock, int64_t pts, int64_t now_ns);

#endif
