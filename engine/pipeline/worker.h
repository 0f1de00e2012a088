/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One stream: takes frames in groups, and does everything between decoding and encoding for them. */
#ifndef VRS_PIPELINE_WORKER_H
#define VRS_PIPELINE_WORKER_H

#include "compose/compose_plan.h"
#include "compose/tonemap_step.h"
#include "pipeline/composer.h"
#include "pipeline/live_stage.h"
#include "pipeline/matte_stage.h"
#include "pipeline/segment_past.h"
#include "roi/reuse.h"

/* The same for all workers of a job; set before the run by whoever makes it. */
struct vrs_worker_shared {
	struct vrs_flow *flow;
	const struct vrs_roi_plan *roi;
	const struct vrs_roi_past *past;
	struct vrs_reference *reference;
	const struct vrs_tonemap_step *tonemap;
	const struct vrs_compose_plan *compose;
	struct vrs_matte_stage *mattes;
	struct vrs_live_take take;
	const struct vrs_segment *segment;    /* whose past is kept for the next one, and whose own was read; NULL: neither */
	struct vrs_segment_past *past_out;    /* what is kept */
	_Atomic int left;                     /* workers that still run */
};

/* One thread's; made before the run, so that it allocates nothing. */
struct vrs_worker {
	struct vrs_worker_shared *shared;
	struct vrs_arena arena;               /* of all that the worker has */
	int number;
	pthread_t thread;
	bool started;
	struct vrs_frame_task **group;        /* [room] */
	struct vrs_roi_worker roi;
	struct vrs_composer composer;
};

/*
 * Worker `number` on zeroed memory, but roi.session and roi.head may be there (those of the first one).  `first` has the session whose weights it
 * shares; it is the worker itself where no other has its device.  VRS_ENOMEM, or what the session says.
 */
enum vrs_status vrs_worker_init(struct vrs_worker *worker, struct vrs_worker_shared *shared, const struct vrs_worker *first, int number,
				struct vrs_error *err);
void vrs_worker_fini(struct vrs_worker *worker);
/* All that the only worker of a job and its stages remember between two frames. */
struct vrs_segment_memory vrs_worker_memory(struct vrs_worker *worker);
/* Thread function; the argument is a struct vrs_worker. */
void *vrs_worker_main(void *worker);

#endif
