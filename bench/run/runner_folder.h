/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result folder of a runner: locked while it measures, with frames/, mattes/ and work/ in it. */
#ifndef VRS_BENCH_RUNNER_FOLDER_H
#define VRS_BENCH_RUNNER_FOLDER_H

#include "bench/run/runner_state.h"

/*
 * Create and lock the folder of the options, with its parts. Without one nothing is opened. VRS_EEXIST: it holds a result and neither resume nor
 * overwrite is set, or another measurement writes to it; VRS_ENOTFOUND: nothing to resume; VRS_ELIMIT: a name is too long; VRS_EIO.
 */
enum vrs_status vrs_runner_folder_open(struct vrs_runner *runner, const struct vrs_runner_options *options, struct vrs_error *err);
/* Unlock; parts that nothing was written to go away. */
void vrs_runner_folder_close(struct vrs_runner *runner);
/* Remove the files of an older result. */
void vrs_runner_folder_remove_results(const struct vrs_runner *runner);
/* FOLDER/part/name. Children run in the same folder as we do, so relative names mean the same. VRS_ELIMIT: too long. */
enum vrs_status vrs_runner_folder_file(const struct vrs_runner *runner, const char *part, const char *name, char path[VRS_PATH_MAX]);
/* Empty work/: a crashed child leaves its unfinished video behind. */
void vrs_runner_folder_clear_work(const struct vrs_runner *runner);

#endif
