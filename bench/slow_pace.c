/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/slow_pace.h"

#include "base/clock.h"
#include "bench/stats.h"

static void learn(struct vrs_slow_pace *pace, uint64_t now_ns)
{
	int at = pace->count++ - VRS_SLOW_PACE_SKIP;
	if (at < 0)
		return;
	pace->interval_ns[at] = (double)(now_ns - pace->last_ns);
	if (at == VRS_SLOW_PACE_LEARN - 1 && vrs_stats_median(pace->interval_ns, VRS_SLOW_PACE_LEARN, &pace->pace_ns) != VRS_OK)
		pace->count = 0;
}

void vrs_slow_pace_frame(struct vrs_slow_pace *pace, double share)
{
	uint64_t now = vrs_now_ns();
	if (!(pace->pace_ns > 0)) {
		learn(pace, now);
		pace->last_ns = now;
		return;
	}
	uint64_t due = pace->last_ns + (uint64_t)(pace->pace_ns * (1 + share));
	if (due > now)
		vrs_sleep_until_ns(due);
	/* From the due time on, so that late wake-ups do not add up. */
	pace->last_ns = due > now ? due : now;
}
