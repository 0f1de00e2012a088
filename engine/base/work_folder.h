/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The hidden folder beside an output, DIR/.NAME.vrseg, that all unfinished work on it lies in, under a lease: two runs do not write one output.
 * Whoever has the lease may remove what is there.
 */
#ifndef VRS_BASE_WORK_FOLDER_H
#define VRS_BASE_WORK_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include <vrseg/status.h>

#include "base/lease.h"

#define VRS_WORK_OUTPUT "output" /* a temporary file for this name in the folder becomes the output */
#define VRS_WORK_MADE "made"     /* the output of a run that was killed, while the next one works: as long as there is no other */

struct vrs_work_folder {
	char path[PATH_MAX];
	struct vrs_lease *lease; /* NULL: not open */
};

/* Only its path. VRS_ELIMIT. */
enum vrs_status vrs_work_folder_name(struct vrs_work_folder *folder, const char *output, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * Make the folder, take its lease, and remove temporary files of runs that were killed.  VRS_EEXIST: another run has it; VRS_ENOSPC; VRS_EIO: also
 * where the folder is a symbolic link or belongs to a stranger; VRS_ELIMIT.  Release with vrs_work_folder_close.
 */
enum vrs_status vrs_work_folder_open(struct vrs_work_folder *folder, const char *output, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * True if the output is what a file in the folder (VRS_WORK_OUTPUT, VRS_WORK_MADE) or beside it (DIR/.NAME.vrseg.made) is, too: a run was killed when
 * it had made it and not yet removed its own work.
 */
bool vrs_work_folder_has_made(const struct vrs_work_folder *folder, const char *output);
/* The same by the name of the output alone. */
bool vrs_work_folder_made(const char *output);
/* The output is there and all else has gone: remove the names by which vrs_work_folder_has_made knows it. */
void vrs_work_folder_forget_output(const struct vrs_work_folder *folder);
/* Remove the files whose names match a pattern (fnmatch). False, with a warning for each: some stay. */
bool vrs_work_folder_remove(const struct vrs_work_folder *folder, const char *pattern);
/* Give the lease back, and remove the folder if nothing else lies in it. Fine when it is not open. */
void vrs_work_folder_close(struct vrs_work_folder *folder);
/*
 * The output is there and all else has gone: close the folder, and after it remove the last name by which vrs_work_folder_has_made knows the output,
 * so that whoever is killed in between is followed by the next run.  Where something could not be removed, the name stays, by which the same command
 * clears it away; `cleared` says whether all else has gone.  Where another has taken over nothing is removed.  Fine when it is not open.
 */
void vrs_work_folder_finish(struct vrs_work_folder *folder, const char *output, bool cleared);

#endif
