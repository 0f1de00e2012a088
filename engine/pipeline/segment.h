/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A job over a segment of a video, for checkpoints and worker processes.
 *
 * The frames whose time lies in [first, end) are written, with time counted from the first of them.  Those in [preroll, first) go through the
 * network as well, so that smoothing and followed views have a past, and tail_frames behind `end` for smoothing that looks ahead; nothing of them is
 * written.  Recurrent networks remember further back: with them nothing lies in [preroll, first), and the past comes from a file that the segment
 * before has left.  A segment depends on nothing but the video, the settings, these numbers and that file: whoever makes it, and whenever, makes the
 * same frames.
 */
#ifndef VRS_PIPELINE_SEGMENT_H
#define VRS_PIPELINE_SEGMENT_H

#include <vrseg/pipeline.h>

struct vrs_job_content;
struct vrs_segment_file;
struct vrs_trace;
struct vrs_work_folder;

struct vrs_segment {
	const char *video;              /* name of the video that it is a segment of; NULL: the output's */
	bool joins;                     /* makes nothing: ready to put the segment files together, with the source and options of the whole video */
	struct vrs_picture_format pictures; /* vrs_job_pictures of a job over the whole video; width 0: it is not known, and looked at */
	int64_t video_first_us;         /* first_seconds of such a job's info, in microseconds */
	int64_t preroll, first, end;    /* in the source's time base; INT64_MAX: to the end of the video */
	int64_t tail_frames;            /* that are looked at behind `end`, in frames that would be written */
	int64_t frames_before;          /* of the video that lie before `first`, in frames that are written, and of those the ones before `preroll` */
	int64_t frames_unseen;
	int64_t frames_left;            /* of the video from `first` on, of which the tail sees no more; 0: not limited */
	int64_t frames_total;           /* of the whole video, for progress; 0: not known */
	const struct vrs_job_stats *before; /* counters go on from here, and begin_cpu_ns belongs to them; NULL: from nothing */
	const char *past_from;          /* file of what the segment before has left (segment_past.h), with its hash; NULL: nothing is known */
	int64_t past_hash;
	const char *past_to;            /* file for what the next segment needs; NULL: it needs nothing */
	uint64_t begin_ns, begin_cpu_ns; /* begin_ns: when the video was begun, 0: now */
	const struct vrs_work_folder *folder; /* of the video, where this process holds it; NULL: another does */
	struct vrs_trace *trace;        /* of the video, which stays the caller's; NULL: what the settings say */
};

struct vrs_job_segment_result {
	int64_t networks;               /* hash of what the job has loaded, there before it runs */
	uint64_t frames;                /* written */
	bool truncated;                 /* the input broke off here (pipeline.keep_partial) */
	int64_t past_bytes, past_hash;  /* of the file for the next segment; 0: none was written */
	int64_t first_pts, end_pts;     /* times of the first frame and of the end of the last one, on the clock of the video */
	char kernels[16];               /* what made the mattes, as of struct vrs_job_info; "mixed": a device was replaced on the way */
	bool lost_device;               /* and which are left (vrs_job_lost_device) */
	char devices_left[VRS_DEVICES_TEXT];
};

/* As vrs_job_create; the output is a segment file without audio and metadata, in a container that keeps time stamps exactly. */
enum vrs_status vrs_job_create_segment(struct vrs_job **ret_job, const char *input, const struct vrs_settings *settings,
				       const struct vrs_segment *segment, const struct vrs_job_callbacks *callbacks, struct vrs_error *err)
				       VRS_MUST_CHECK;
/* Into the settings of segments: what the memory plan of the video has lowered, and what auto has become. */
void vrs_job_take_plan(const struct vrs_job *job, struct vrs_settings *settings);
/* What pictures become where the video is read from its start, before they are turned. */
struct vrs_picture_format vrs_job_pictures(const struct vrs_job *job);
/* What was written; after the run. */
struct vrs_job_segment_result vrs_job_segment_result(const struct vrs_job *job);
/* Content of all files that the job's options name: vrs_job_content_read, with the networks as they were loaded. */
enum vrs_status vrs_job_content_of(const struct vrs_job *job, unsigned affects, struct vrs_job_content *ret, struct vrs_error *err) VRS_MUST_CHECK;
/* The output of a job with `joins`, out of its segment files: see vrs_segment_join. */
enum vrs_status vrs_job_join(struct vrs_job *job, const struct vrs_segment_file *files, int count, bool whole, int *ret_bad, struct vrs_error *err)
	VRS_MUST_CHECK;

#endif
