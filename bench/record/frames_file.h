/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Side file of one run: the times of every measured frame, so that any estimator can be computed again.  Written frame by frame while the run goes
 * on and read the same way: a day of frames is never in memory.
 *
 * Little-endian: "VRSFRAM2", uint32 stages, uint32 reserved (0), uint64 frames; then per frame int64 index, uint64 intended_ns,
 * uint64 start_ns[stages], uint64 end_ns[stages], all since the job began.  "VRSFRAM1" has no intended_ns; decoding began then.
 */
#ifndef VRS_BENCH_FRAMES_FILE_H
#define VRS_BENCH_FRAMES_FILE_H

#include <stdio.h>

#include <vrseg/pipeline.h>

#include "base/file.h"
#include "bench/record/result.h"

#define VRS_FRAMES_MAX 20000000     /* of one file: 60 hours at 90 FPS */
#define VRS_FRAME_POOL_MAX 500000   /* intervals in memory: two hours at 60 FPS */

/* Appends to a temporary file beside path; only a commit makes the file appear. path "": a nameless file that can only be read back. */
struct vrs_frames_writer {
	FILE *out;                  /* NULL: not open */
	char path[VRS_PATH_MAX];
	struct vrs_temp_file temp;  /* which is that of path */
	uint64_t count;
	bool failed;
	int cause; /* errno of what failed */
};

enum vrs_status vrs_frames_writer_open(struct vrs_frames_writer *ret_writer, const char *path, struct vrs_error *err);
/* A failure is kept for the commit. */
void vrs_frames_writer_add(struct vrs_frames_writer *writer, const struct vrs_frame_times *times);
/* Complete the file and close it. VRS_EIO, VRS_ENOSPC, VRS_ELIMIT. */
enum vrs_status vrs_frames_writer_commit(struct vrs_frames_writer *writer, struct vrs_error *err);
/* Close and forget what was written; nothing happens when it is not open. */
void vrs_frames_writer_discard(struct vrs_frames_writer *writer);

/* Reads frame after frame. */
struct vrs_frames_reader {
	FILE *in;                   /* NULL: not open */
	char path[VRS_PATH_MAX];
	uint64_t count, next, last_end_ns;
	bool has_intended, borrowed; /* borrowed: the stream is a writer's */
};

/* VRS_ENOTFOUND, VRS_EIO; VRS_EFORMAT names the byte that is wrong. */
enum vrs_status vrs_frames_reader_open(struct vrs_frames_reader *ret_reader, const char *path, struct vrs_error *err);
/* What a writer has written so far, before its commit; nothing may be added while the reader is open. */
enum vrs_status vrs_frames_reader_of_writer(struct vrs_frames_reader *ret_reader, struct vrs_frames_writer *writer, struct vrs_error *err);
/* The next frame; VRS_END after the last one; VRS_EFORMAT, VRS_EIO. */
enum vrs_status vrs_frames_reader_next(struct vrs_frames_reader *reader, struct vrs_frame_times *ret_times, struct vrs_error *err);
enum vrs_status vrs_frames_reader_rewind(struct vrs_frames_reader *reader, struct vrs_error *err);
void vrs_frames_reader_close(struct vrs_frames_reader *reader);

/* Completion intervals of all ok runs of a case, run after run; the first VRS_FRAME_POOL_MAX of them where there are more. */
struct vrs_frame_pool {
	double *interval_ms;
	long count;
	long *run_starts;   /* index of the first interval of each run */
	int runs;
	bool cut;           /* there were more */
};
/* A result file may come from anywhere: the name of a side file must not lead out of its folder. "": false. */
bool vrs_frames_name_is_inside(const char *name);
/* Runs whose file is missing or damaged are left out. VRS_ENOMEM only. */
enum vrs_status vrs_frame_pool_load(struct vrs_frame_pool *ret_pool, const struct vrs_case_result *c, const char *dir);
void vrs_frame_pool_fini(struct vrs_frame_pool *pool);

#endif
