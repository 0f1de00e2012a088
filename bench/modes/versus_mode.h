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

struct vrs_versus_request {
	int max_pairs;            /* looks beyond are not reached; default VRS_VERDICT_MAX_PAIRS */
	bool explain;
};

/* Add the cases of A and B, or find them where the measurement is resumed. */
enum vrs_status vrs_versus_add_sides(struct vrs_runner *runner, int width, int height, int ret_indices[2], struct vrs_error *err);
/* Measure until a look decides. The runner was created with options.versus, or resumes such a measurement; cases are added here. */
enum vrs_status vrs_versus_measure(struct vrs_runner *runner, int width, int height, const struct vrs_versus_request *request,
				   struct vrs_comparison *ret_headline, struct vrs_compare_details *ret_details, struct vrs_error *err);
/* Table, derivation when asked for, and the verdict as the last line. */
enum vrs_status vrs_versus_report(struct vrs_runner *runner, const struct vrs_comparison *headline, const struct vrs_compare_details *details,
				  const struct vrs_versus_request *request, FILE *out);

#endif
