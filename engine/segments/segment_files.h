/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What lies in the work folder of an output that is made in segments: checkpoint.json, segment-000000.part .., segment-000000.past ..; and what
 * worker processes are making, segment-000000.part.MARK and segment-000000.part.MARK.trace, with a random number that no other run has.  A worker
 * has no lease: what it makes gets the name of the segment from the process that has.
 */
#ifndef VRS_SEGMENTS_SEGMENT_FILES_H
#define VRS_SEGMENTS_SEGMENT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/work_folder.h"

#define VRS_CHECKPOINT_NAME "checkpoint.json"

/* Path of a segment file; false when it is too long. */
bool vrs_segment_file(const struct vrs_work_folder *folder, int number, char *ret_path, size_t size);
/* The same of a file of a worker process of the run with this mark. */
bool vrs_segment_worker_file(const struct vrs_work_folder *folder, int number, uint64_t mark, char *ret_path, size_t size);
bool vrs_segment_worker_trace(const struct vrs_work_folder *folder, int number, uint64_t mark, char *ret_path, size_t size);
/* The same of the file for what the next segment needs. */
bool vrs_segment_past_file(const struct vrs_work_folder *folder, int number, char *ret_path, size_t size);
/*
 * A hash by which a segment file is recognised again, above 0: of all of it up to 1 GiB, else of as many bytes in blocks that are spread over it.
 * Statuses of vrs_file_open, VRS_EIO.
 */
enum vrs_status vrs_segment_file_hash(const char *path, int64_t *ret_hash, struct vrs_error *err) VRS_MUST_CHECK;
/* Remove what worker processes of a run that was killed have left; the lease is ours. */
void vrs_segment_files_clean(const struct vrs_work_folder *folder);
/* Remove the segment files and the checkpoint; the lease stays. False, with a warning for each: some stay. */
bool vrs_segment_files_clear(const struct vrs_work_folder *folder);

#endif
