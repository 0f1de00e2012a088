/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profiles of the networks of a sweep: after the runs, each different network call of its cases is timed alone once. */
#ifndef VRS_BENCH_PROFILE_SWEEP_H
#define VRS_BENCH_PROFILE_SWEEP_H

#include <vrseg/config.h>

#include "bench/record/result.h"
#include "bench/run/net_only.h"

/* Options of a network alone as settings ask for. The strings stay the settings'. */
struct vrs_net_only_options vrs_net_only_options_from(const struct vrs_settings *settings);
/*
 * Fill result->profiles. Cases that never ran are left out; cases whose network calls are the same share a profile. seconds is measured for each.
 * VRS_ESTOPPED keeps what is complete; VRS_ENOMEM, VRS_ECONFIG and the statuses of vrs_net_only_run.
 */
enum vrs_status vrs_profile_sweep(struct vrs_result *result, const struct vrs_config *base, double seconds, struct vrs_error *err);

#endif
