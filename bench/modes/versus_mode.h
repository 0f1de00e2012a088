/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `vrbench --versus`: rounds of two fresh processes in balanced order, looks at 8, 14 and 20 pairs, a table and a verdict.  Folder, journal and
 * --resume are those of a sweep.
 */
#ifndef VRS_BENCH_VERSUS_MODE_H
#define VRS_BENCH_VERSUS_MODE_H

#include <stdio.h>

#include "bench/judge/comparison.h"
#include "bench/run/runner.h"

/* Add the cases of A and B, or find them where the measurement is resumed. */
enum vrs_status vrs_versus_add_sides(struct vrs_runner *runner, int width, int height, int ret_indices[2], struct vrs_error *err);
/* Compare the sides by their runs so far; a side that failed or was disturbed makes it INVALID. Statuses of vrs_compare. */
enum vrs_status vrs_versus_judge(struct vrs_runner *runner, const int indices[2], struct vrs_comparison *ret_headline,
				 struct vrs_compare_details *ret_details, struct vrs_error *err);
/*
 * Measure until a look decides, at most max_pairs. The runner was created with options.versus, or resumes such a measurement; cases are added here.
 */
enum vrs_status vrs_versus_measure(struct vrs_runner *runner, int width, int height, int max_pairs, struct vrs_comparison *ret_headline,
				   struct vrs_compare_details *ret_details, struct vrs_error *err);
/*
 * Print what vranalyze says of a comparison that was judged, and what only this process knows: noise that widened the margin, and what gates cannot
 * see.  VRS_ENOMEM, VRS_EIO.
 */
enum vrs_status vrs_versus_report(const struct vrs_runner *runner, const struct vrs_compare_details *details, FILE *out);

#endif
