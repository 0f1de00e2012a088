/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where what vrtune found for a job is kept: in the folder "tuned" of the user's cache, one file for each machine, build, network, kind of video and
 * set of options that are set.
 */
#ifndef VRS_MODES_AUTO_TUNE_FILES_H
#define VRS_MODES_AUTO_TUNE_FILES_H

#include "modes/program.h"

struct vrs_tuned_files {
	char file[VRS_PATH_MAX];    /* what was found */
	char job[VRS_PATH_MAX];     /* what vrtune starts from, while it runs */
	char runs[VRS_PATH_MAX];    /* folder of a search that is not decided */
	char others[VRS_PATH_MAX];  /* found for the same kind of job on another machine or device, or by another build; "": nothing */
};

/*
 * Name the files of a job.  VRS_END: there can be no such job, as it will say itself; VRS_ELIMIT: the cache's path is too long; VRS_EIO: something
 * cannot be read now; VRS_ENOMEM, and the statuses of vrs_machine_detect and vrs_cache_path.
 */
enum vrs_status vrs_tuned_files_name(const struct vrs_program_state *program, struct vrs_tuned_files *ret, struct vrs_error *err);
/* Is a value of a file one that was found, and not what somebody has set for this job? */
bool vrs_tuned_is_found(const struct vrs_program_state *program, const struct vrs_option *row, const struct vrs_config *found);

#endif
