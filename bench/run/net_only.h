/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The network alone: from a filled input tensor to a readable float output. Scope "net_only": no video, no preprocessing; never the headline.
 */
#ifndef VRS_BENCH_NET_ONLY_H
#define VRS_BENCH_NET_ONLY_H

#include <stdint.h>

#include <vrseg/config.h>
#include <vrseg/session.h>

#include "bench/record/net_profile.h"

struct vrs_net_only_options {
	const char *model;              /* manifest name or path of a network file */
	struct vrs_session_options session;
	double duration_seconds;        /* measured part, 0.01..86400 */
	long max_runs;                  /* ends the measured part before the duration does, and shortens the warm-up; 0: no limit */
};

struct vrs_net_only_result {
	double median_ms, min_ms, mean_ms, max_ms;
	double p90_ms, p95_ms, p99_ms;  /* NaN where the number of runs does not support them */
	long runs, warmup_runs;
	double load_ms, create_ms, first_ms; /* reading the network, making the session, first run */
	double warmup_seconds, cpu_seconds; /* cpu: of the process, in the measured part */
	double gmacs_per_second;        /* at the median */
	char model[64], backend[16], isa[16];
	char device[128], driver[128];  /* of a backend of devices; "" on the host */
	int64_t device_bytes, device_limit_bytes; /* memory of the device that the session holds, and may; 0: on the host */
	enum vrs_precision precision;   /* never AUTO */
	int threads, batch, width, height, steps;
	uint64_t macs;
	size_t arena_bytes, arena_lower_bound_bytes, weight_bytes, scratch_bytes;
	const char *calibration;        /* of int8 and mixed: "kept" or "synthetic", see net_inputs.h; else NULL */
	double output_mean;             /* over the last run: shows that something was computed */
};

/* Options as settings ask for, whose strings they keep. Statuses of vrs_precision_settle. */
enum vrs_status vrs_net_only_options_from(struct vrs_net_only_options *ret_options, const struct vrs_settings *settings, struct vrs_error *err);
/*
 * Run until the duration is over or a stop is requested; the input changes with every run. With options->session.profile the ceilings of the
 * machine are measured before and *ret_profile is filled, also if it then fails; the caller frees it (vrs_net_profile_fini). Profiling costs
 * time, so such figures are no headline; a backend without operations (null) gives an empty profile. ret_profile may be NULL.
 * Statuses of vrs_model_load, vrs_session_create and vrs_machine_ceilings; VRS_EINVAL; VRS_EINTERNAL when the output holds a value that is not
 * finite.
 */
enum vrs_status vrs_net_only_run(const struct vrs_net_only_options *options, struct vrs_net_only_result *ret, struct vrs_net_profile *ret_profile,
				 struct vrs_error *err);

#endif
