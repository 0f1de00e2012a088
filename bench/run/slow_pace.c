/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/run/slow_pace.h"

#include "base/clock.h"

/* The mean, not the median: encoders hand out frames in bursts, so that most intervals are short and a few are long. */
static void learn(struct vrs_slow_pace *pace, uint64_t now_ns)
{
	long seen = ++pace->count - VRS_SLOW_PACE_SKIP;
	if (seen == 0)
		pace->start_ns = now_ns;
	if (seen == VRS_SLOW_PACE_LEARN) {
		pace->pace_ns = (double)(now_ns - pace->start_ns) / VRS_SLOW_PACE_LEARN;
		pace->start_ns = now_ns;
		pace->count = 0;
	}
}

void vrs_slow_pace_frame(struct vrs_slow_pace *pace, double share)
{
	uint64_t now = vrs_now_ns();
	if (!(pace->pace_ns > 0)) {
		learn(pace, now);
		return;
	}
	/* Due times count from one moment on, so that bursts and late wake-ups even out. */
	uint64_t due = pace->start_ns + (uint64_t)((double)++pace->count * pace->pace_ns * (1 + share));
	if (due > now)
		vrs_sleep_until_ns(due);
}
