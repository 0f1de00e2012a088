/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The profile of a whole job, apart from the headline numbers: the default case runs in pairs with and without a Chrome trace and timed operators,
 * in alternating order, so that what profiling costs is measured and stated beside what it shows.  None of these runs is in any other figure.
 */
#ifndef VRS_BENCH_PROFILE_RUN_H
#define VRS_BENCH_PROFILE_RUN_H

#include "bench/run/runner.h"

#define VRS_PROFILE_FOLDER "profile"   /* in the result folder: trace.json, job.bin, job.tsv */

/*
 * Fill result->profile_run of the default case, or the first one that ran. Nothing happens when none did. A pair whose run fails is left out; when
 * all do, `reason` says why. VRS_ESTOPPED on request; VRS_EIO, VRS_ENOMEM.
 */
enum vrs_status vrs_profile_run(struct vrs_runner *runner, int pairs, struct vrs_error *err);
/* Overhead over pairs of FPS, in percent: median, least and most. A pair with a value that is not above 0 is left out; returns the pairs used. */
int vrs_profile_overhead(const double *plain_fps, const double *profiled_fps, int pairs, double *ret_median, double *ret_low, double *ret_high);

#endif
