/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/live_clock.h"

#include <math.h>

static int64_t after_first(const struct vrs_live_clock *clock, int64_t pts)
{
	double seconds = (double)(pts - clock->first_pts) * clock->time_base_num / clock->time_base_den;
	if (clock->fps > 0)
		seconds = round(seconds * clock->own_fps) / clock->fps; /* time stamps of coarse containers jitter */
	return seconds > 0 ? llround(fmin(seconds, 1e9) * 1e9) : 0;
}

int64_t vrs_live_clock_start(struct vrs_live_clock *clock, int64_t pts, int64_t now_ns)
{
	if (!clock->started) {
		clock->started = true;
		clock->first_pts = pts;
		clock->zero_ns = now_ns;
	}
	int64_t start = clock->zero_ns + after_first(clock, pts);
	if (clock->paced || start <= now_ns)
		return start;
	clock->zero_ns -= start - now_ns;
	return now_ns;
}

int64_t vrs_live_clock_due(const struct vrs_live_clock *clock, int64_t pts, int64_t now_ns)
{
	return clock->paced && clock->started ? clock->zero_ns + after_first(clock, pts) : now_ns;
}
