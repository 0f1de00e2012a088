/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the stages of a job share: the queues between them, the order of frames, counters, trace, and how the job ends.
 *
 *     decode --(decoded)--> worker x streams --(composed)--> encode
 *
 * The only worker of a job may leave composing to a thread of its own (pipeline/composer.h), behind a third queue.  Queues deliver in frame order.
 * Frames pass `postprocess` in order, and `comparison` where frames are compared with earlier ones.  The first error aborts everything that threads
 * wait for; all threads then end at once.
 */
#ifndef VRS_FLOW_FLOW_H
#define VRS_FLOW_FLOW_H

#include <pthread.h>
#include <stdatomic.h>

#include <vrseg/pipeline.h>

#include "flow/frame_task.h"
#include "flow/inflight.h"
#include "flow/sequencer.h"
#include "flow/stage_queue.h"
#include "flow/trace.h"

/* Made by whoever makes the job; stages go through the functions below, and through those of the queues, sequencers and the in-flight count. */
struct vrs_flow {
	struct vrs_stage_queue *decoded, *composed;
	struct vrs_stage_queue *finished;     /* from a worker to a thread that composes for it; NULL: workers compose */
	struct vrs_inflight *inflight;        /* frames between decoder and encoder */
	struct vrs_sequencer *postprocess;
	struct vrs_sequencer *comparison;     /* NULL: nothing is compared */
	struct vrs_trace *trace;              /* NULL: off */
	bool live;                            /* frames get their numbers when a worker takes them */
	struct {
		uint64_t decoded, taken;      /* number of its first frame, as the decoder counts and of those that workers take */
	} loop;                               /* live: that frames are taken of; see vrs_live_number */
	uint64_t begin_ns, begin_cpu_ns;      /* of the run; begin_ns 0: it has not begun */
	_Atomic bool stop;                    /* finish what is in flight */
	atomic_bool dropped;                  /* nothing in flight is worked on any more; sessions look at it too */
	atomic_uint moves;                    /* parts of work that stages have done */
	atomic_int at_work[VRS_STAGE_COUNT];  /* threads inside a part */
	pthread_mutex_t lock;                 /* guards all below */
	struct vrs_job_stats stats;
	bool truncated;                       /* the input broke off, and what came before is kept; `error` says where */
	bool stopped;                         /* decoding ended on request before the end of the input */
	enum vrs_status status;               /* first error */
	struct vrs_error error;
};

/* Work on zeroed memory; what the pointers lead to is the caller's to make, and belongs to the flow, but the trace. */
void vrs_flow_init(struct vrs_flow *flow);
/* All threads are gone, and the queues are drained. */
void vrs_flow_fini(struct vrs_flow *flow);
/* The run begins; 0: now. False: it has begun before. */
bool vrs_flow_begin(struct vrs_flow *flow, uint64_t begin_ns, uint64_t begin_cpu_ns);
/* All threads are gone: no task stays in a queue. */
void vrs_flow_drain(struct vrs_flow *flow);

/* Everything below is for any thread. */

/* Record the first error and end all stages. err may be NULL or without text. */
void vrs_flow_fail(struct vrs_flow *flow, enum vrs_status status, const struct vrs_error *err);
/* What is in flight is not worth waiting for: the stages end, with what was written before. */
void vrs_flow_drop(struct vrs_flow *flow);
/* Do all stages end, after a failure or because frames were dropped? */
bool vrs_flow_is_over(struct vrs_flow *flow);
/* The input ended in an error, and the frames before it are to be kept. */
void vrs_flow_truncate(struct vrs_flow *flow, const struct vrs_error *err);
/* Decoder: there will be no more frames; stopped: on request, before the end of the input. */
void vrs_flow_end_input(struct vrs_flow *flow, bool stopped);
/* Was the job or the process asked to stop? */
bool vrs_flow_wants_stop(const struct vrs_flow *flow);
/* ns since the run began. */
uint64_t vrs_flow_now(const struct vrs_flow *flow);

/* Counters, to be changed by the stage that they are of; between the two calls others wait. */
struct vrs_job_stats *vrs_flow_lock_stats(struct vrs_flow *flow);
void vrs_flow_unlock_stats(struct vrs_flow *flow);
/*
 * Add to the counters of a stage, and to the trace: to be called when the wait for input, the work and the wait for room that it tells of have just
 * ended, in that order.  `first`: the first of the `frames` consecutive frames that the work was for.
 */
void vrs_flow_account_frames(struct vrs_flow *flow, enum vrs_stage stage, const struct vrs_stage_stats *add, uint64_t first, int frames);
/* The same for no frame in particular. */
void vrs_flow_account(struct vrs_flow *flow, enum vrs_stage stage, const struct vrs_stage_stats *add);

/* What the queues of a device did for `frames` frames from `first` on (vrs_session_device_spans), which has just ended: counters and trace. */
void vrs_flow_account_device(struct vrs_flow *flow, const struct vrs_device_span spans[VRS_DEVICE_QUEUES], uint64_t first, int frames);

/* A frame is written: count it, and how long each stage had it. */
void vrs_flow_frame_done(struct vrs_flow *flow, const struct vrs_frame_times *times);

/* The calling thread begins and ends a part of work that takes as long as it takes. */
void vrs_flow_work_begin(struct vrs_flow *flow, enum vrs_stage stage);
void vrs_flow_work_end(struct vrs_flow *flow, enum vrs_stage stage);

/* One step of a worker, in time. */
struct vrs_flow_step {
	uint64_t start_ns, cpu_ns;
};

/* A step that fails the flow needs no end. */
struct vrs_flow_step vrs_flow_step_begin(struct vrs_flow *flow, enum vrs_stage stage);
/* Account the step with what `extra` says, and write its times into the frames that it worked on; later parts of a step extend the earlier ones. */
void vrs_flow_step_end(struct vrs_flow *flow, enum vrs_stage stage, const struct vrs_flow_step *step, struct vrs_frame_task **tasks, int count,
		       const struct vrs_stage_stats *extra);

#endif
