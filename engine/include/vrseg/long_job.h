/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Videos made in segments: each segment of pipeline.segment_frames is encoded on its own and kept beside the output until all are joined, so that a
 * run that was cut off goes on where it stopped.  Segments begin with a past of their own (a few frames before them go through the network), so the
 * video is the same whether it was made in one run, in several, or by several processes.
 */
#ifndef VRSEG_LONG_JOB_H
#define VRSEG_LONG_JOB_H

#include <stdio.h>

#include <vrseg/pipeline.h>
#include <vrseg/quality.h>

struct vrs_long_plan; /* what the container says about a video that can be made in segments */

/* Comparison of the mattes with a truth, as with vrs_truth_open. */
struct vrs_long_truth {
	const char *file;
	struct vrs_truth_result result;      /* after a run that has made all of the video */
	struct vrs_error error;              /* status other than VRS_OK: why there is no result */
};

struct vrs_long_job {
	const char *input;
	const struct vrs_long_plan *plan;    /* of this input and these settings */
	const struct vrs_settings *settings; /* that apply */
	struct vrs_long_truth *truth;        /* NULL: mattes are not compared */
	void *cookie;
	void (*on_info)(void *cookie, const struct vrs_job_info *info);      /* (optional) once, before the first frame */
	void (*on_job)(void *cookie, struct vrs_job *job);                   /* (optional) the job that runs from now on; NULL: none */
	void (*on_frame)(void *cookie, const struct vrs_frame_times *times); /* (optional) as in vrs_job_callbacks */
	/* (optional) counters after a segment that another process has made; from any thread, one at a time */
	void (*on_segment)(void *cookie, const struct vrs_job_stats *stats);
	/* (optional) a device is lost, and the others of vrs_job_lost_device go on; from any thread, one at a time */
	void (*on_device_lost)(void *cookie, const char *left);
};

/*
 * Is this video to be made in segments?  VRS_OK; VRS_END: the settings want it in one go, or it is too short; VRS_ECONFIG: the output cannot be
 * joined; VRS_EUNSUPPORTED: the input does not let it; err says what.  VRS_EIO: the input cannot be read now; VRS_ENOMEM.
 */
enum vrs_status vrs_long_plan_make(struct vrs_long_plan **ret_plan, const char *input, const struct vrs_settings *settings, struct vrs_error *err)
	VRS_MUST_CHECK;
void vrs_long_plan_free(struct vrs_long_plan *plan); /* NULL is fine */
/*
 * Make the video, or what is left of it.  ret_stats counts this run alone.  VRS_OK; VRS_ESTOPPED: what is done is a complete, playable file, and the
 * same command goes on; other failures leave the finished segments for the next run.  VRS_ECONFIG: an unfinished run of other settings is in the way.
 */
enum vrs_status vrs_long_job_run(const struct vrs_long_job *request, struct vrs_job_stats *ret_stats, struct vrs_error *err) VRS_MUST_CHECK;

/* Is the output what a stopped run has saved, and its finished segments are there, with which the same command goes on? */
bool vrs_long_job_is_unfinished(const char *output);

/*
 * Worker processes are this program again, with this flag alone: the program's main asks vrs_segment_requested first, and ends with
 * vrs_segment_child_main.
 */
#define VRS_SEGMENT_FLAG "--make-segment"
bool vrs_segment_requested(int argc, char **argv);
int vrs_segment_child_main(FILE *in, FILE *out);
/*
 * After VRS_ENOMEM: half of batch, streams and queue, for another try, which is told once, with `why`.  False: nothing is left to halve, or
 * engine.adaptive_batch is off.  info: of the job that failed, or zeroed.
 */
bool vrs_step_down(struct vrs_settings *settings, const struct vrs_job_info *info, const struct vrs_error *why);

#endif
