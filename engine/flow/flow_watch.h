/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Watches a running flow from a thread of its own, ten times a second.  Frames that are in flight VRS_STOP_FLIGHT_MS after a wish to stop are
 * dropped.  A flow in which a stage is at work and nothing has moved for the time limit fails with VRS_ETIMEOUT and a sentence that names the stage;
 * where that does not end the stage either, base/stop.h ends the process.
 */
#ifndef VRS_FLOW_FLOW_WATCH_H
#define VRS_FLOW_FLOW_WATCH_H

#include "base/ticker.h"
#include "flow/flow.h"

struct vrs_flow_watch {
	struct vrs_flow *flow;
	double limit_seconds;     /* 0: none */
	unsigned patient;         /* set of 1 << enum vrs_stage: others decide how long these take */
	unsigned moves;           /* of the flow, at the last look */
	int still, asked;         /* looks since the flow moved; since the wish to stop */
	struct vrs_ticker ticker;
};

/* Set flow, limit_seconds and patient before; the flow has begun. VRS_EINTERNAL: no thread. */
enum vrs_status vrs_flow_watch_begin(struct vrs_flow_watch *watch, struct vrs_error *err);
/* After a begin that worked; all stages have ended. */
void vrs_flow_watch_end(struct vrs_flow_watch *watch);

#endif
