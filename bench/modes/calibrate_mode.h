/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `vrbench --calibrate`: the same configuration against itself in 20 rounds, then one long run (FOLDER/soak), and the stored entry that later
 * measurements take their margins and permissions from (bench/judge/noise_record.h).  Folder, journal and --resume are those of an A/B.
 */
#ifndef VRS_BENCH_CALIBRATE_MODE_H
#define VRS_BENCH_CALIBRATE_MODE_H

#include <stdio.h>

#include "bench/judge/noise_record.h"
#include "bench/judge/verdict.h"
#include "bench/run/runner.h"

#define VRS_CALIBRATE_LABEL "the same configuration (A/A)"

/*
 * Measure, compute and store; prints tables and the verdict of the A/A as the last line.  The runner was created with options.versus of label
 * VRS_CALIBRATE_LABEL, or resumes such a measurement; options are those that it was created with.  INVALID is not stored.
 */
enum vrs_status vrs_calibrate(struct vrs_runner *runner, const struct vrs_runner_options *options, FILE *out, struct vrs_comparison *ret_headline,
			      struct vrs_error *err);

#endif
