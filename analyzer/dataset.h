/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results as an analysis wants them: loaded from a file or a result folder, cases found by axis. */
#ifndef VRS_ANALYZER_DATASET_H
#define VRS_ANALYZER_DATASET_H

#include <stddef.h>

#include "bench/record/result.h"

/*
 * Load results.json, or the one inside a folder.  *ret_folder (size bytes) becomes the folder that holds it.
 * Statuses of vrs_result_read; VRS_EFORMAT, too, where comparisons are not what the runs say; VRS_ENOTFOUND names what was looked for.  Destroy with
 * vrs_result_destroy.
 */
enum vrs_status vrs_dataset_load(struct vrs_result **ret_result, const char *path, char *ret_folder, size_t size, struct vrs_error *err);

/* What a sweep varies. */
enum vrs_axis { VRS_AXIS_RESOLUTION, VRS_AXIS_BATCH, VRS_AXIS_PRECISION, VRS_AXIS_THREADS, VRS_AXIS_COUNT };

/* "resolution", "batch", ... */
const char *vrs_axis_name(enum vrs_axis axis);
/* Value of a case on an axis as text: "3840x1920", "2", "fp16", "1". */
void vrs_axis_value(const struct vrs_case_result *c, enum vrs_axis axis, char *buf, size_t size);
/*
 * The cases that differ from the default case on this axis alone (and the default itself), ordered along the axis; cases without a good run are
 * left out.  Returns their number, at most max; below 2 there is nothing to compare.
 */
int vrs_axis_cases(const struct vrs_result *result, enum vrs_axis axis, const struct vrs_case_result **ret_cases, int max);
/* The default case; NULL when it was not part of the sweep. */
const struct vrs_case_result *vrs_default_case(const struct vrs_result *result);

/* The CPU of the recorded environment: model name ("" when not known) and the CPUs that runs could use (0: not known). */
void vrs_dataset_cpu(const struct vrs_result *result, char *ret_model, size_t size, int *ret_allowed);

#endif
