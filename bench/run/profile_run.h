/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Profiles, after the runs.  That of a whole job, apart from the headline numbers: the default case runs in pairs with and without a Chrome trace and
 * timed operators, in alternating order, so that what profiling costs is measured and stated beside what it shows.  None of these runs is in any
 * other figure.  Those of networks: each different network call of the cases is timed alone once, or that of the default
 * case on a device.
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
/*
 * Fill result->profiles. Cases that never ran are left out; cases whose network calls are the same share a profile. seconds is measured for each.
 * VRS_ESTOPPED keeps what is complete; VRS_ENOMEM, VRS_ECONFIG and the statuses of vrs_net_only_run.
 */
enum vrs_status vrs_profile_sweep(struct vrs_result *result, const struct vrs_config *base, double seconds, struct vrs_error *err);
/*
 * Of the default case, or the first that ran: where a device ran its network, what the device did in a call (the sums of a profile, without its
 * operators), for the rules about devices.  Nothing where it is known already, or the network ran on the host.  A device that fails is told, and
 * costs no more than these rules.  VRS_ESTOPPED.
 */
enum vrs_status vrs_profile_device(struct vrs_result *result, const struct vrs_config *base, double seconds);
/* Overhead over pairs of FPS, in percent: median, least and most. A pair with a value that is not above 0 is left out; returns the pairs used. */
int vrs_profile_overhead(const double *plain_fps, const double *profiled_fps, int pairs, double *ret_median, double *ret_low, double *ret_high);

#endif
