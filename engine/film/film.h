/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State of one run over a film that is made in parts. */
#ifndef VRS_FILM_FILM_H
#define VRS_FILM_FILM_H

#include <vrseg/long_job.h>

#include "film/checkpoint.h"
#include "film/part_job.h"
#include "film/work_folder.h"

struct vrs_film {
	const struct vrs_long_job *request;
	struct vrs_settings settings;    /* of every part; batch, streams and queue may shrink when memory runs out */
	struct vrs_checkpoint ckpt;
	struct vrs_work_folder folder;
	struct vrs_job_info info;        /* of a job over the whole film */
	struct vrs_job_stats stats;      /* so far */
	struct vrs_part_record tail;     /* of the part that a stop has cut off: not complete, so not in the checkpoint */
	int tail_part;                   /* its number; -1: none */
	bool cut_short;                  /* the input broke off: what comes after the last part is not there */
	bool trims;                      /* parts hold what is left of max_frames, whichever they are */
	struct vrs_trace *trace;         /* NULL: none */
	struct vrs_error truth_error;    /* the first reason why mattes could not be compared */
	uint64_t begin_ns, begin_cpu_ns;
};

/* Everything that changes pictures, as text, into the checkpoint. */
enum vrs_status vrs_film_describe(struct vrs_film *film, const struct vrs_job_info *info, struct vrs_error *err) VRS_MUST_CHECK;
/* Settings of a part: its piece is the output, and nothing else is written. VRS_ELIMIT. */
enum vrs_status vrs_film_part_settings(const struct vrs_film *film, int number, struct vrs_settings *ret, struct vrs_error *err) VRS_MUST_CHECK;
/* Size of the piece; 0: there is none. */
int64_t vrs_film_piece_bytes(const struct vrs_film *film, int number);
/* All parts that are missing, by worker processes. Statuses as of vrs_film_make_part. */
enum vrs_status vrs_film_make_parts_apart(struct vrs_film *film, struct vrs_error *err) VRS_MUST_CHECK;
/* Make part `number` into its piece, and record it. VRS_ESTOPPED: the tail was kept. */
enum vrs_status vrs_film_make_part(struct vrs_film *film, int number, struct vrs_error *err) VRS_MUST_CHECK;
/* What came of part `number`: its record, with the size of its piece. */
struct vrs_part_record vrs_film_take(struct vrs_film *film, int number, const struct vrs_part_outcome *outcome);
/* Does what is still to be made fit on the disk, with the joined film beside its parts? VRS_EIO. */
enum vrs_status vrs_film_check_space(const struct vrs_film *film, struct vrs_error *err) VRS_MUST_CHECK;
/* Write the checkpoint with part `number` done; after the first one, look at the disk again. */
enum vrs_status vrs_film_record(struct vrs_film *film, int number, const struct vrs_part_record *record, struct vrs_error *err) VRS_MUST_CHECK;
/* film_limit.c: frames that max_frames leaves for part `number` when those before it are done; INT64_MAX: all. */
int64_t vrs_film_frames_left(const struct vrs_film *film, int number);
/* When all parts are made: where frames come at an uneven rate, the last one that is wanted may lie in another part than the clock says. */
enum vrs_status vrs_film_trim(struct vrs_film *film, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * film_truth.c.  Before the run, with a job over the whole film: find mistakes, and forget parts that were not compared with this truth.  Afterwards:
 * the result into the request.
 */
enum vrs_status vrs_film_truth_begin(struct vrs_film *film, const struct vrs_job_info *info, struct vrs_error *err) VRS_MUST_CHECK;
void vrs_film_truth_end(struct vrs_film *film);
/*
 * film_trace.c.  One trace of all that this run does; a part that another process makes has a file of its own (false: no trace, or no name), which is
 * added and removed when the part is done.
 */
enum vrs_status vrs_film_trace_begin(struct vrs_film *film, struct vrs_error *err) VRS_MUST_CHECK;
bool vrs_film_trace_piece(const struct vrs_film *film, int number, char *ret_path, size_t size);
void vrs_film_trace_take(struct vrs_film *film, const char *path);
/* All pieces that follow each other from the first one, into the output. */
enum vrs_status vrs_film_join(struct vrs_film *film, struct vrs_error *err) VRS_MUST_CHECK;

#endif
