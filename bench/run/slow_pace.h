/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes a run slower by a known share, to prove that a gate can fail.  A plain sleep for each frame would hide behind the other stages; so the own
 * pace is learned from the first frames, and from then on no frame is let through earlier than that pace times (1 + share).
 */
#ifndef VRS_BENCH_SLOW_PACE_H
#define VRS_BENCH_SLOW_PACE_H

#include <stdint.h>

#define VRS_SLOW_PACE_SKIP 8    /* first frames, which fill queues */
#define VRS_SLOW_PACE_LEARN 40  /* intervals that the own pace is the mean of */

struct vrs_slow_pace {
	long count;         /* frames while learning, then frames that were let through */
	double pace_ns;     /* 0: still learning */
	uint64_t start_ns;  /* of learning, then of the paced part */
};

/* A frame is complete: wait as long as the pace asks. A zeroed struct begins. */
void vrs_slow_pace_frame(struct vrs_slow_pace *pace, double share);

#endif
