/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the composed frames, in the thread that runs the job. */
#ifndef VRS_PIPELINE_ENCODE_STAGE_H
#define VRS_PIPELINE_ENCODE_STAGE_H

#include "base/latency.h"
#include "flow/flow.h"
#include "video/sink.h"

struct vrs_encode_check {
	uint64_t ns, cpu_ns;                  /* CPU time of the whole process */
	uint64_t thread_cpu_ns;               /* and that of the thread that encodes */
};

/* The first four are set before the run by whoever makes the job; all else is the encoder's. */
struct vrs_encode_stage {
	struct vrs_flow *flow;
	struct vrs_sink *sink;                /* owned; NULL after the run */
	struct vrs_job_callbacks callbacks;   /* on_frame, check_output */
	bool from_zero;                       /* the times of a segment's file begin with its first frame */
	uint64_t written;                     /* frames, by this job alone */
	int64_t first_pts, end_pts;           /* of what was written; end: of the last frame with its duration */
	struct vrs_encode_check check;        /* what check_output has taken */
	struct vrs_latency latency;           /* live: from the intended start of frames; guarded by the flow's lock */
};

/* Until the composed queue ends. row: of the trace. */
void vrs_encode_stage_run(struct vrs_encode_stage *stage, int row);
/* Of vrs_sink_options: asks check_output, unless the job was stopped. */
enum vrs_status vrs_encode_stage_check(struct vrs_encode_stage *stage, const char *file, struct vrs_error *err);
/* All frames are written: complete the file. Statuses of vrs_sink_finish. */
enum vrs_status vrs_encode_stage_finish(struct vrs_encode_stage *stage, struct vrs_error *err);
/* Frees what the encoder holds; without a finish it removes what was written. */
void vrs_encode_stage_close(struct vrs_encode_stage *stage);
/* Quantiles of the latency; with the flow's lock. */
void vrs_encode_stage_latency(const struct vrs_encode_stage *stage, struct vrs_live_stats *ret);

#endif
