/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State of one run over a video that is made in segments. */
#ifndef VRS_SEGMENTS_LONG_RUN_H
#define VRS_SEGMENTS_LONG_RUN_H

#include <vrseg/long_job.h>

#include "job/job_stamps.h"
#include "segments/checkpoint.h"
#include "segments/segment_files.h"
#include "segments/segment_run.h"
#include "video/media_file.h"

/* What was found out about a video before any of it is made. */
struct vrs_long_plan {
	struct vrs_media_clock clock;
};

struct vrs_long_run {
	const struct vrs_long_job *request;
	struct vrs_settings settings;    /* of every segment; batch, streams and queue may shrink when memory runs out */
	struct vrs_checkpoint ckpt;
	struct vrs_input_identity known_input; /* of an unfinished run; content 0: none */
	struct vrs_job_stamps stamps;    /* of the files that all segments are made of */
	int64_t networks;                /* of the job over the whole video (struct vrs_job_segment_result) */
	struct vrs_picture_format pictures; /* the same (struct vrs_segment) */
	uint64_t mark;                   /* in the names of files of worker processes */
	bool other_networks;             /* a segment was made with others */
	struct vrs_work_folder folder;
	char checkpoint[VRS_PATH_MAX];   /* in it */
	struct vrs_job_info info;        /* of a job over the whole video */
	struct vrs_job_stats stats;      /* so far */
	struct vrs_segment_record tail;  /* of the first segment that a stop or the input has ended early: not complete, so not in the checkpoint */
	struct vrs_job_stats tail_stats; /* what stats do not count of it yet */
	int tail_segment;                /* its number; -1: none */
	bool truncated;                  /* the input has ended it: what comes after it is not there */
	int ended_before;                /* the first segment that the video has ended before; INT_MAX: none is known */
	bool trims;                      /* segments hold what is left of max_frames, whichever they are */
	struct vrs_trace *trace;         /* NULL: none */
	struct vrs_error truth_error;    /* the first reason why mattes could not be compared */
	uint64_t begin_ns, begin_cpu_ns;
};

/* The encoder of the whole output, whatever the name of the file is that a job writes, into ret->output.encoder. */
void vrs_long_run_choose_encoder(const struct vrs_long_run *run, struct vrs_settings *ret);
/* Settings of a segment: its segment file is the output, and nothing else is written. VRS_ELIMIT. */
enum vrs_status vrs_long_run_segment_settings(const struct vrs_long_run *run, int number, struct vrs_settings *ret, struct vrs_error *err)
					      VRS_MUST_CHECK;
/* All segments that are missing, by worker processes. Statuses as of vrs_long_run_make_segment. */
enum vrs_status vrs_long_run_make_by_processes(struct vrs_long_run *run, struct vrs_error *err) VRS_MUST_CHECK;
/* Make segment `number` into its segment file, and record it. VRS_ESTOPPED: the tail was kept. */
enum vrs_status vrs_long_run_make_segment(struct vrs_long_run *run, int number, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * Another try of a segment whose job has failed with `status` and this result: with less memory (VRS_ENOMEM), or on the devices that are left, for
 * all segments from now on (VRS_EDEVICE).  False: it is of no use.  why: of the failure.
 */
bool vrs_long_run_again(struct vrs_long_run *run, enum vrs_status status, const struct vrs_job_segment_result *result, const struct vrs_error *why);
/* A segment is done: later ones leave a device alone that it has lost on the way. */
void vrs_long_run_leave(struct vrs_long_run *run, const struct vrs_job_segment_result *result);
/* Segment `number` was ended early, with this record: it may be the tail; else its file goes. stats: to count then; NULL: they are counted. */
void vrs_long_run_keep_tail(struct vrs_long_run *run, int number, const struct vrs_segment_record *record, const struct vrs_job_stats *stats,
			    bool truncated);
void vrs_long_run_drop_tail(struct vrs_long_run *run); /* and its file */
/* A file in the folder that is not needed any more, while the lease is ours: else it may be another run's. */
void vrs_long_run_drop_file(const struct vrs_long_run *run, const char *path);
/* What came of segment `number`: its record, with the size of its segment file. */
struct vrs_segment_record vrs_long_run_take(struct vrs_long_run *run, int number, const struct vrs_segment_outcome *outcome);
/* Into the counters: the frames of segments that runs before have made. */
void vrs_long_run_count_earlier(struct vrs_long_run *run);
/* Does what is still to be made fit on the disk, with the joined video beside its segments? VRS_EIO. */
enum vrs_status vrs_long_run_check_space(const struct vrs_long_run *run, struct vrs_error *err) VRS_MUST_CHECK;
/* Whether all that was made comes of the same files. VRS_EIO names the one that was replaced. */
enum vrs_status vrs_long_run_check_files(const struct vrs_long_run *run, struct vrs_error *err) VRS_MUST_CHECK;
/* Write the checkpoint, while the lease is ours; then, VRS_EEXIST, nothing is. */
enum vrs_status vrs_long_run_save(const struct vrs_long_run *run, struct vrs_error *err) VRS_MUST_CHECK;
/* Write the checkpoint with segment `number` done; after the first one, look at the disk again. */
enum vrs_status vrs_long_run_record(struct vrs_long_run *run, int number, const struct vrs_segment_record *record, struct vrs_error *err)
				    VRS_MUST_CHECK;
/* Frames that max_frames leaves for segment `number` when those before it are done; INT64_MAX: all. */
int64_t vrs_long_run_frames_left(const struct vrs_long_run *run, int number);
/* When all segments are made: where frames come at an uneven rate, the last one that is wanted may lie in another segment than the clock says. */
enum vrs_status vrs_long_run_trim(struct vrs_long_run *run, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * long_run_truth.c.  Before the run, with a job over the whole video: find mistakes, and forget segments that were not compared with this truth.
 * Afterwards: the result into the request.
 */
enum vrs_status vrs_long_run_truth_begin(struct vrs_long_run *run, const struct vrs_job_info *info, struct vrs_error *err) VRS_MUST_CHECK;
void vrs_long_run_truth_end(struct vrs_long_run *run);
/*
 * long_run_trace.c.  One trace of all that this run does; a segment that another process makes has a file of its own (false: no trace, or no name),
 * which is added and removed when the segment is done.
 */
enum vrs_status vrs_long_run_trace_begin(struct vrs_long_run *run, struct vrs_error *err) VRS_MUST_CHECK;
bool vrs_long_run_trace_segment(const struct vrs_long_run *run, int number, char *ret_path, size_t size);
void vrs_long_run_trace_take(struct vrs_long_run *run, const char *path);
/* long_run_past.c; all does nothing where segments do not keep their past. */
struct vrs_long_past {
	char from[VRS_PATH_MAX], to[VRS_PATH_MAX]; /* names of files */
};
/* Before segments are made: those whose past is needed and not there are made again. */
void vrs_long_run_past_check(struct vrs_long_run *run);
/* The past and the true place of segment `number`, all before which are done; *past holds the names. VRS_ELIMIT. */
enum vrs_status vrs_long_run_past_set(const struct vrs_long_run *run, int number, struct vrs_long_past *past, struct vrs_segment *segment,
				      struct vrs_error *err) VRS_MUST_CHECK;
/* Segment `number` is recorded: files that nobody needs any more go. */
void vrs_long_run_past_clean(const struct vrs_long_run *run, int number);
/* Frames that vrs_long_run_join finds: of all segments that follow each other from the first one, and of the tail where it comes next. */
int64_t vrs_long_run_frames(const struct vrs_long_run *run);
/* Frames of complete segments behind them. */
int64_t vrs_long_run_frames_behind(const struct vrs_long_run *run);
/* Their segment files, into the output; stats then say which frames are in it. */
enum vrs_status vrs_long_run_join(struct vrs_long_run *run, struct vrs_error *err) VRS_MUST_CHECK;

#endif
