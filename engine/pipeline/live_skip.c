/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/live_skip.h"

#define MS INT64_C(1000000)
#define LATE_NS (100 * MS)
#define LATE_FRAMES 3
#define LOST_NS (1000 * MS)
#define LOST_FRAMES 10
#define SETTLE_NS (500 * MS)      /* until a step shows: frames of before are still inside the decoder */
#define PATIENCE_NS (1000 * MS)
#define MOST_PATIENCE_NS (32000 * MS)
#define SILENCE_NS (1000 * MS)
#define SPARE 4                   /* a decoder that waited a quarter of the time is fast enough */

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static enum vrs_live_skip_step when_late(struct vrs_live_skip *skip, int64_t now_ns, int64_t lag_ns, int64_t frame_ns)
{
	skip->on_time = false;
	if (!skip->unreferenced) {
		bool too_soon = skip->patience_ns && now_ns - skip->stepped_ns < skip->patience_ns;
		skip->patience_ns = !too_soon ? PATIENCE_NS : 2 * skip->patience_ns < MOST_PATIENCE_NS ? 2 * skip->patience_ns : MOST_PATIENCE_NS;
		skip->unreferenced = true;
		skip->stepped_ns = now_ns;
		return VRS_LIVE_SKIP_UNREFERENCED;
	}
	if (lag_ns <= larger(LOST_NS, LOST_FRAMES * frame_ns) || now_ns - skip->stepped_ns < SETTLE_NS)
		return VRS_LIVE_SKIP_KEEP;
	skip->stepped_ns = now_ns;
	return VRS_LIVE_SKIP_JUMP;
}

enum vrs_live_skip_step vrs_live_skip_next(struct vrs_live_skip *skip, int64_t now_ns, int64_t lag_ns, int64_t waited_ns, int64_t frame_ns)
{
	if (waited_ns >= SILENCE_NS)
		skip->heard_ns = now_ns;
	if (lag_ns > now_ns - skip->heard_ns)
		lag_ns = now_ns - skip->heard_ns;
	skip->lag_ns = lag_ns;
	if (lag_ns > larger(LATE_NS, LATE_FRAMES * frame_ns) && waited_ns < frame_ns / SPARE)
		return when_late(skip, now_ns, lag_ns, frame_ns);
	if (!skip->on_time)
		skip->on_time_ns = now_ns;
	skip->on_time = true;
	if (!skip->unreferenced || now_ns - skip->on_time_ns < skip->patience_ns)
		return VRS_LIVE_SKIP_KEEP;
	skip->unreferenced = false;
	skip->stepped_ns = now_ns;
	return VRS_LIVE_SKIP_NOTHING;
}
