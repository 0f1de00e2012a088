/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Side file of one run: the times of every measured frame, so that any estimator can be computed again.
 *
 * Little-endian: "VRSFRAM1", uint32 stages, uint32 reserved (0), uint64 frames; then per frame int64 index, uint64 start_ns[stages],
 * uint64 end_ns[stages], all since the job began.
 */
#ifndef VRS_BENCH_FRAMES_FILE_H
#define VRS_BENCH_FRAMES_FILE_H

#include <vrseg/pipeline.h>

#include "bench/result.h"

#define VRS_FRAMES_MAX 4000000 /* of one file: 18 hours at 60 FPS */

enum vrs_status vrs_frames_write(const char *path, const struct vrs_frame_times *frames, size_t count, struct vrs_error *err);
/* Read and check; *ret_frames is freed with vrs_free. VRS_EFORMAT names the byte that is wrong. */
enum vrs_status vrs_frames_read(const char *path, struct vrs_frame_times **ret_frames, size_t *ret_count, struct vrs_error *err);

/* Completion intervals of all ok runs of a case, run after run. */
struct vrs_frame_pool {
	double *interval_ms;
	long count;
	long *run_starts;   /* index of the first interval of each run */
	int runs;
};
/* Runs whose file is missing or damaged are left out. VRS_ENOMEM only. */
enum vrs_status vrs_frame_pool_load(struct vrs_frame_pool *ret_pool, const struct vrs_case_result *c, const char *dir);
void vrs_frame_pool_fini(struct vrs_frame_pool *pool);

#endif
