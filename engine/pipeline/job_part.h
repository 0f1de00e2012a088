/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A job over a part of a film, for checkpoints and worker processes.
 *
 * The frames whose time lies in [first, end) are written, with time counted from the first of them.  Those in [warm, first) go through the network as
 * well, so that smoothing, followed views and recurrent states have a past, and those in [end, tail) for smoothing that looks ahead; nothing of them
 * is written.  A part depends on nothing but the film, the settings and these numbers: whoever makes it, and whenever, makes the same frames.
 */
#ifndef VRS_PIPELINE_JOB_PART_H
#define VRS_PIPELINE_JOB_PART_H

#include <vrseg/pipeline.h>

struct vrs_piece;
struct vrs_trace;

struct vrs_job_part {
	bool joins;                     /* makes nothing: ready to put the pieces together, with the source and options of the whole film */
	int64_t warm, first, end, tail; /* in the source's time base; INT64_MAX: to the end of the film */
	int64_t frames_before;          /* of the film that lie before `first`, in frames that are written, and of those the ones before `warm` */
	int64_t frames_unseen;
	int64_t frames_total;           /* of the whole film, for progress; 0: not known */
	const struct vrs_job_stats *before; /* counters go on from here, and begin_cpu_ns belongs to them; NULL: from nothing */
	uint64_t begin_ns, begin_cpu_ns; /* begin_ns: when the film was begun, 0: now */
	struct vrs_trace *trace;        /* of the film, which stays the caller's; NULL: what the settings say */
};

struct vrs_job_part_result {
	uint64_t frames;                /* written */
	bool cut_short;                 /* the input broke off here (pipeline.keep_partial) */
	int64_t first_pts, end_pts;     /* times of the first frame and of the end of the last one, on the clock of the film */
};

/* As vrs_job_create; the output is a piece without audio and metadata, in a container that keeps time stamps exactly. */
enum vrs_status vrs_job_create_part(struct vrs_job **ret_job, const char *input, const struct vrs_settings *settings, const struct vrs_job_part *part,
				    const struct vrs_job_callbacks *callbacks, struct vrs_error *err) VRS_MUST_CHECK;
/* What was written; after the run. */
struct vrs_job_part_result vrs_job_part_result(const struct vrs_job *job);
/* The output of a job with `joins`, out of its pieces: see vrs_piece_join. */
enum vrs_status vrs_job_join(struct vrs_job *job, const struct vrs_piece *pieces, int count, bool whole, int *ret_bad, struct vrs_error *err)
	VRS_MUST_CHECK;

#endif
