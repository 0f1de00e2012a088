/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Inside of a job: its stages and how they are wired.  Threads: one decoder, `streams` workers (preprocess, inference, postprocess, compose;
 * composer.h says when a thread of its own composes), and the caller of vrs_job_run, which encodes.
 *
 * Each stage has a context of its own, defined in the header of the module that works on it, and writes no other; what they share is the flow
 * (flow/flow.h).  job_setup.c has the contexts filled in, job_run.c starts and joins the stages.
 */
#ifndef VRS_PIPELINE_JOB_H
#define VRS_PIPELINE_JOB_H

#include "job/job_stamps.h"
#include "pipeline/decode_stage.h"
#include "pipeline/encode_stage.h"
#include "pipeline/thread_plan.h"
#include "pipeline/worker.h"

struct vrs_job {
	struct vrs_settings settings;
	bool network_is_named;                /* by whoever made the job, not by engine.model auto */
	struct vrs_job_info info;
	struct vrs_job_stamps stamps;
	struct vrs_thread_plan threads;
	bool is_segment;
	struct vrs_segment segment;           /* of a video, when is_segment */
	struct vrs_sink_options sink_options; /* points into settings, source and side */
	struct vrs_stereo_side_data side; /* what the output says */
	struct vrs_trace *trace;              /* the job's own; NULL: off, or the one of a video in segments */
	struct vrs_flow flow;
	struct vrs_decode_stage decode;
	struct vrs_tonemap_step tonemap;
	struct vrs_roi_plan roi;
	struct vrs_roi_past past;
	struct vrs_reference reference;
	struct vrs_matte_stage mattes;
	struct vrs_segment_past past_out;     /* of a segment, for the next one */
	struct vrs_compose_plan compose;
	struct vrs_encode_stage encode;
	struct vrs_worker_shared shared;
	struct vrs_worker *workers;           /* [threads.streams] */
};

/* Name of the output, or of the video that it is a segment of. */
const char *vrs_job_video(const struct vrs_job *job);
/* Is the job traced, by itself or as a segment? */
bool vrs_job_has_trace(const struct vrs_job *job);
/* Closes a trace of the job's own; nothing more is told. */
void vrs_job_end_trace(struct vrs_job *job);
/* VRS_EIO: a file of the job is another one by now, so there is no output.  What comes live does not come again and is kept: VRS_OK. */
enum vrs_status vrs_job_check_files(const struct vrs_job *job, struct vrs_error *err);

#endif
