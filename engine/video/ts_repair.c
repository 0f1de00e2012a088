/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/ts_repair.h"

/* Stamps beyond this (a century in nanoseconds has 62 bits) come from damaged files; they are treated as unknown to keep sums in range. */
#define TS_LIMIT (INT64_C(1) << 61)

void vrs_ts_repair_init(struct vrs_ts_repair *repair, int64_t jump, int64_t default_step)
{
	*repair = (struct vrs_ts_repair){
		.jump = jump < 1 ? 1 : jump,
		.default_step = default_step < 1 ? 1 : default_step,
	};
	repair->step = repair->default_step;
}

static int64_t repaired_ts(struct vrs_ts_repair *repair, int64_t ts)
{
	int64_t ahead;

	if (ts != VRS_TS_UNKNOWN)
		ts += repair->offset; /* both below the limit: no overflow */
	if (ts == VRS_TS_UNKNOWN || ts > TS_LIMIT)
		return repair->last + repair->step;
	ahead = ts - repair->last;
	if (ahead > 0)
		return ts;
	if (-ahead < repair->jump)
		return repair->last + (repair->may_repeat ? 0 : 1);
	repair->offset += repair->last + repair->step - ts;
	return repair->last + repair->step;
}

int64_t vrs_ts_repair_next(struct vrs_ts_repair *repair, int64_t ts, int64_t duration)
{
	int64_t ret;

	if (ts != VRS_TS_UNKNOWN && (ts > TS_LIMIT || ts < -TS_LIMIT))
		ts = VRS_TS_UNKNOWN;
	if (repair->started)
		ret = repaired_ts(repair, ts);
	else
		ret = ts == VRS_TS_UNKNOWN ? 0 : ts;
	if (ret != ts)
		repair->repaired++;
	repair->started = true;
	repair->last = ret;
	repair->step = duration > 0 && duration <= repair->jump ? duration : repair->default_step;
	return ret;
}
