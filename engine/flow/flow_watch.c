/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "flow/flow_watch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/stop.h"

#define LOOK_MS 100 /* looks are counted, not time: a process that was suspended meanwhile is not late */

/* The last stage at work, among those that `patient` leaves; -1: none. */
static int stage_at_work(const struct vrs_flow_watch *watch, unsigned patient)
{
	for (int stage = VRS_STAGE_COUNT - 1; stage >= 0; stage--)
		if (!(patient & 1u << stage) && atomic_load(&watch->flow->at_work[stage]) > 0)
			return stage;
	return -1;
}

static void fail_hanging(const struct vrs_flow_watch *watch, int stage)
{
	struct vrs_error err = {0};
	const struct vrs_job_stats *stats = vrs_flow_lock_stats(watch->flow);
	uint64_t decoded = stats->stage[VRS_STAGE_DECODE].frames, written = stats->frames_done;
	vrs_flow_unlock_stats(watch->flow);
	vrs_fail(&err, VRS_ETIMEOUT, "a frame has been in flight for more than %g s: %s does not end (%" PRIu64 " frames decoded, %" PRIu64
		 " written); --frame-timeout sets another limit", watch->limit_seconds, vrs_stage_name((enum vrs_stage)stage), decoded, written);
	vrs_flow_fail(watch->flow, VRS_ETIMEOUT, &err);
	vrs_stop_hangs(vrs_exit_code(VRS_ETIMEOUT), err.text);
}

static void look(struct vrs_flow_watch *watch)
{
	unsigned moves = atomic_load(&watch->flow->moves);
	int stage = stage_at_work(watch, 0);
	watch->still = moves == watch->moves ? watch->still + 1 : 0;
	watch->moves = moves;
	watch->asked = vrs_flow_wants_stop(watch->flow) ? watch->asked + 1 : 0;
	if (watch->asked)
		vrs_stop_waits_for(stage < 0 ? NULL : vrs_stage_name((enum vrs_stage)stage));
	if (watch->asked * LOOK_MS >= VRS_STOP_FLIGHT_MS)
		vrs_flow_drop(watch->flow);
	stage = stage_at_work(watch, watch->patient);
	if (watch->limit_seconds > 0 && watch->still * LOOK_MS > watch->limit_seconds * 1e3 && stage >= 0)
		fail_hanging(watch, stage);
}

static void *watch_main(void *arg)
{
	struct vrs_flow_watch *watch = arg;
	while (vrs_ticker_wait(&watch->ticker, vrs_now_ns() + LOOK_MS * UINT64_C(1000000)))
		look(watch);
	return NULL;
}

enum vrs_status vrs_flow_watch_begin(struct vrs_flow_watch *watch, struct vrs_error *err)
{
	enum vrs_status status = vrs_ticker_start(&watch->ticker, watch_main, watch, err);
	if (status == VRS_OK)
		(void)pthread_setname_np(watch->ticker.thread, "vrs-watch"); /* only for debuggers */
	return status;
}

void vrs_flow_watch_end(struct vrs_flow_watch *watch)
{
	vrs_ticker_end(&watch->ticker);
	vrs_stop_recovered();
	vrs_stop_waits_for(NULL);
}
