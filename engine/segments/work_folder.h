/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The hidden folder beside an output that is made in segments: DIR/.NAME.vrseg with checkpoint.json, segment-000000.part .., and a lock, so
 * that two runs do not write one output.
 */
#ifndef VRS_SEGMENTS_WORK_FOLDER_H
#define VRS_SEGMENTS_WORK_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include <vrseg/options.h>
#include <vrseg/status.h>

struct vrs_work_folder {
	char path[VRS_PATH_MAX];
	char checkpoint[VRS_PATH_MAX];
	int lock; /* -1: none */
};

/* Make the folder and take its lock. VRS_EEXIST: another run has it; VRS_EIO, VRS_ELIMIT. Release with vrs_work_folder_close. */
enum vrs_status vrs_work_folder_open(struct vrs_work_folder *folder, const char *output, struct vrs_error *err) VRS_MUST_CHECK;
/* Path of a segment file; false when it is too long. */
bool vrs_work_folder_segment(const struct vrs_work_folder *folder, int number, char *ret_path, size_t size);
/* Remove the segment files and the checkpoint; the lock stays. */
void vrs_work_folder_clear(const struct vrs_work_folder *folder);
/* Give the lock back, and remove the folder with everything of ours (remove), or only if it is empty. */
void vrs_work_folder_close(struct vrs_work_folder *folder, bool remove);

#endif
