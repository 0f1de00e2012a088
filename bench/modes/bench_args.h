/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line of vrbench: what to measure, how long, where it goes. */
#ifndef VRS_BENCH_BENCH_ARGS_H
#define VRS_BENCH_BENCH_ARGS_H

#include <vrseg/config.h>

#include "bench/judge/verdict.h"
#include "bench/plan/sweep.h"
#include "bench/run/runner.h"

struct vrs_bench_args {
	bool all, full, quick;
	bool only_resolution, only_batch, only_precision, only_threads;
	const char *versus, *case_id;           /* an A/B; NULL: a sweep */
	double margin, slowdown, goal;       /* shares; 0: default or none */
	bool techniques;                     /* pairs of a file of techniques instead of axes */
	bool calibrate, calibration;         /* measure this machine's noise; print what is stored */
	bool explain;
	int decide_by;                       /* enum vrs_compare_by */
	int gates;                           /* enum vrs_gate_mode */
	unsigned fail_on;                    /* bits of enum vrs_fail_on */
	bool list, dry_run, dump_config, net_only, profile_ops, profile_run, no_graphs;
	const char *resolution, *batch, *precision, *threads, *streams, *input_size; /* lists; NULL: not given */
	const char *model, *backend, *device, *encoder, *layout; /* the same; of one value no axis */
	struct vrs_flag_texts set;           /* KEY=LIST */
	const char *sweep, *filter, *skip;
	const char *pin;                     /* processors; NULL: all that are allowed */
	const char *output_dir, *resume, *scope, *mode, *json;
	int64_t runs, seed, min_frames;      /* 0: default */
	double duration, warmup, timeout, budget, soak; /* seconds; 0: default */
	uint64_t memory_limit;               /* bytes; 0: default */
	const char *input;                   /* NULL: synthetic */
};

/* What --fail-on names: outcomes that give an exit code other than 0. */
enum vrs_fail_on {
	VRS_FAIL_ON_REGRESSION = 1 << 0,     /* 10 */
	VRS_FAIL_ON_INCONCLUSIVE = 1 << 1,   /* 11: of a sweep, a case whose interval missed --goal */
	VRS_FAIL_ON_INVALID = 1 << 2,        /* 12: noise gates */
	VRS_FAIL_ON_FAILED = 1 << 3,         /* 3: a case that failed or was skipped */
	VRS_FAIL_ON_DEFAULT = 1 << 4,        /* --fail-on was not given: comparisons and soaks exit by their verdict, sweeps with 0,
				      * or 3 where no case gave a figure */
};

extern const struct vrs_cli_spec vrs_bench_cli_spec;

/* After parsing: lists of one value go into config. VRS_ECONFIG on values that the options cannot have. */
enum vrs_status vrs_bench_args_finish(struct vrs_bench_args *args, struct vrs_config *config, struct vrs_error *err);
/* Options of the runner as the arguments ask for; pointers stay the arguments'. */
struct vrs_runner_options vrs_bench_runner_options(const struct vrs_bench_args *args, const struct vrs_settings *settings);
/* Exit code of an A/B under --fail-on; without it regressions, inconclusive and invalid results are told apart from 0. */
int vrs_bench_versus_exit(const struct vrs_bench_args *args, const struct vrs_comparison *headline);
/* Exit code of a sweep under --fail-on; without it 0, or 3 where no case gave a figure. */
int vrs_bench_sweep_exit(const struct vrs_bench_args *args, const struct vrs_result *result);
/* Cases of the axes that the arguments ask for; *ret_cases is the caller's (vrs_free). */
enum vrs_status vrs_bench_sweep(const struct vrs_bench_args *args, const struct vrs_runner *runner, struct vrs_case **ret_cases, int *ret_count,
				struct vrs_error *err);

#endif
