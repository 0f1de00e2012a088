/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/live_clock.h"

#include <math.h>

#define WINDOW_NS INT64_C(5000000000)
#define EMPTY 4 /* a reader that waited for a quarter of a frame had nothing left to read, */
#define STALL 4 /* frames: a wait for a server that cost more is not made up for by the frames after it */
#define CATCH_UP 32 /* of a frame's time is taken back at each frame that was there */
#define IDLE 16 /* where it also waits for more than a sixteenth of the time: a busy CPU holds up a read now and then */

static int64_t after_first(const struct vrs_live_clock *clock, int64_t pts)
{
	double seconds = (double)(pts - clock->first_pts) * clock->time_base_num / clock->time_base_den;
	if (clock->fps > 0)
		seconds = round(seconds * clock->own_fps) / clock->fps; /* time stamps of coarse containers jitter */
	return seconds > 0 ? llround(fmin(seconds, 1e9) * 1e9) : 0;
}

static void window_begin(struct vrs_live_clock *clock, int64_t zero_ns, int64_t now_ns)
{
	clock->window_ns = now_ns;
	clock->window_zero_ns = zero_ns;
	clock->idle_ns = 0;
}

/* A frame that is not paced came, whose own zero is this. */
static void follow(struct vrs_live_clock *clock, int64_t zero_ns, const struct vrs_live_arrival *arrival)
{
	int64_t idle_ns = clock->idle_ns + arrival->waited_ns - (arrival->now_ns - clock->last_ns) / IDLE;
	clock->idle_ns = idle_ns > 0 ? idle_ns : 0;
	clock->last_ns = arrival->now_ns;
	if (zero_ns < clock->window_zero_ns)
		clock->window_zero_ns = zero_ns;
	if (zero_ns < clock->zero_ns)
		clock->zero_ns = zero_ns; /* it cannot begin after it came */
	if (arrival->now_ns - clock->window_ns < WINDOW_NS || arrival->waited_ns < arrival->frame_ns / EMPTY || idle_ns < WINDOW_NS / IDLE)
		return;
	clock->zero_ns = clock->window_zero_ns;
	window_begin(clock, zero_ns, arrival->now_ns);
}

/* The data of a frame came after it was due, and not because of us. */
static void stall(struct vrs_live_clock *clock, int64_t start_ns, const struct vrs_live_arrival *arrival)
{
	int64_t late_ns = arrival->now_ns - start_ns, change_ns = 0;
	if (arrival->data_ns >= arrival->frame_ns && late_ns > STALL * arrival->frame_ns)
		change_ns = late_ns < arrival->data_ns ? late_ns : arrival->data_ns;
	else if (arrival->data_ns < arrival->frame_ns / EMPTY && late_ns <= arrival->frame_ns)
		change_ns = -(clock->stalled_ns < arrival->frame_ns / CATCH_UP ? clock->stalled_ns : arrival->frame_ns / CATCH_UP);
	clock->zero_ns += change_ns;
	clock->stalled_ns += change_ns;
}

int64_t vrs_live_clock_start(struct vrs_live_clock *clock, int64_t pts, const struct vrs_live_arrival *arrival)
{
	if (!clock->started) {
		clock->started = true;
		clock->first_pts = pts;
		clock->zero_ns = clock->last_ns = arrival->now_ns;
		window_begin(clock, clock->zero_ns, arrival->now_ns);
	} else if (!clock->paced) {
		follow(clock, arrival->now_ns - after_first(clock, pts), arrival);
	} else if (clock->pulled) {
		stall(clock, clock->zero_ns + after_first(clock, pts), arrival);
	}
	return clock->zero_ns + after_first(clock, pts);
}

int64_t vrs_live_clock_due(const struct vrs_live_clock *clock, int64_t pts, int64_t now_ns)
{
	return clock->paced && clock->started ? clock->zero_ns + after_first(clock, pts) : now_ns;
}
