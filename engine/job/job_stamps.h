/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether a job's files stay what they were while it runs: its input, and what options name that pictures are made of.  They are known by device,
 * inode, size and time of change; nothing is read but playlists, for what they name.  Networks need none of this, since a job reads them once, nor
 * do devices, pipes and streams.  An input that is a playlist without an end changes with each segment, its old ones are removed, and none of it
 * comes again: nothing of it is compared.
 */
#ifndef VRS_JOB_JOB_STAMPS_H
#define VRS_JOB_JOB_STAMPS_H

#include <stdint.h>

#include <vrseg/options.h>

#include "job/job_content.h"

struct vrs_job_stamps {
	char input[VRS_PATH_MAX]; /* "": nothing of it is compared */
	bool grows;               /* the input is a playlist without an end (vrs_live_list_is) */
	uint64_t of_input, of_files[VRS_JOB_CONTENT_MAX]; /* 0: no file of that name */
};

/* To be taken before any of the files is opened. */
void vrs_job_stamps_take(struct vrs_job_stamps *ret, const char *input, const struct vrs_settings *settings);
/* VRS_EIO with the name of a file that is another one by now. */
enum vrs_status vrs_job_stamps_check(const struct vrs_job_stamps *stamps, const struct vrs_settings *settings, struct vrs_error *err);

#endif
