/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What becomes of a worker's frames with finished mattes: they are composed, and passed on to the encoder, in the worker's thread.
 *
 * A recurrent network has one worker, which would wait for that in every frame while the other CPUs idle; there a thread of its own composes one
 * frame while the worker looks at the next one:
 *
 *     worker --(finished)--> composer --(composed)--> encode
 */
#ifndef VRS_PIPELINE_COMPOSER_H
#define VRS_PIPELINE_COMPOSER_H

#include "compose/compose_plan.h"
#include "flow/flow.h"
#include "pipeline/matte_stage.h"

/* Frames in hand beside those of the worker: one is composed, one waits. */
#define VRS_COMPOSER_AHEAD 2

struct vrs_composer {
	struct vrs_flow *flow;                /* its queue `finished` is NULL: the worker's thread composes */
	const struct vrs_roi_plan *roi;
	const struct vrs_compose_plan *plan;
	struct vrs_compose_tools tools;
	struct vrs_finished finished[1 + VRS_COMPOSER_AHEAD]; /* the first `rooms`, one after the other */
	int rooms;
	uint64_t passed;                      /* of them, all in all */
	int row;                              /* in the trace, of the thread */
	pthread_t thread;
	bool started;
};

/* Does a job with that network on so many CPUs have a thread that composes? */
bool vrs_composer_is_apart(const struct vrs_manifest *manifest, int cpus);
/* On zeroed memory, buffers in the arena; free with vrs_composer_fini, also after a failure. VRS_ELIMIT, statuses of vrs_compose_tools_init. */
enum vrs_status vrs_composer_init(struct vrs_composer *composer, struct vrs_arena *arena, struct vrs_flow *flow, const struct vrs_roi_plan *roi,
				  const struct vrs_compose_plan *plan, struct vrs_error *err);
void vrs_composer_fini(struct vrs_composer *composer); /* zeros are fine */
/* Its thread where it has one. False: there is none to be had. */
bool vrs_composer_start(struct vrs_composer *composer);
/* The worker is gone: waits for the thread, and frees frames that nobody took. */
void vrs_composer_join(struct vrs_composer *composer);

/* All below is for the worker. */

/* Where the next finished frames go. */
struct vrs_finished *vrs_composer_next(struct vrs_composer *composer);
/* Those that were passed last; before any were, those of the segment before. Only to be read. */
struct vrs_finished *vrs_composer_last(struct vrs_composer *composer);
/* Compose those of vrs_composer_next, of which there may be none. False when the job is over. */
bool vrs_composer_pass(struct vrs_composer *composer);
/* No more frames will come. */
void vrs_composer_close(struct vrs_composer *composer);

#endif
