/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the modes of vrbench share: the state of one run of the program, and the modes themselves, one file each.  Messages go through vrs_log,
 * tables and verdicts to program->out.
 */
#ifndef VRS_BENCH_MODES_BENCH_PROGRAM_H
#define VRS_BENCH_MODES_BENCH_PROGRAM_H

#include <stdio.h>

#include <vrseg/config.h>

#include "bench/modes/bench_args.h"
#include "bench/modes/bench_metrics.h"
#include "bench/modes/bench_progress.h"

struct vrs_bench_program {
	struct vrs_bench_args args;
	struct vrs_config *config;
	struct vrs_bench_progress progress;
	struct vrs_bench_metrics *metrics; /* NULL: none are wanted */
	FILE *out;              /* standard output */
	char command[1024];     /* for the record */
	char folder[24];        /* of a comparison that has no --output-dir */
	int exit_code;          /* of a verdict or of --fail-on; 0: none */
	int failure_code;       /* instead of that of a failed status; 0: none */
};

/* --net-only */
enum vrs_status vrs_bench_mode_net_only(struct vrs_bench_program *program, struct vrs_error *err);
/* --versus */
enum vrs_status vrs_bench_mode_versus(struct vrs_bench_program *program, struct vrs_error *err);
/* --calibrate, and --calibration, which prints what is stored */
enum vrs_status vrs_bench_mode_calibrate(struct vrs_bench_program *program, struct vrs_error *err);
enum vrs_status vrs_bench_mode_calibration(struct vrs_bench_program *program, struct vrs_error *err);
/* Sweeps, soaks, --techniques; with --resume whatever the folder holds. */
enum vrs_status vrs_bench_mode_measure(struct vrs_bench_program *program, struct vrs_error *err);

/* `vrbench system show|tune|reset`: what disturbs measurements in the operating system. True for it. */
bool vrs_system_mode_requested(int argc, char **argv);
/*
 * Do it. With `tune ... -- COMMAND` the command runs in the tuned system, everything is put back when it has ended in whatever way, and its exit
 * code is *ret_exit; otherwise *ret_exit is not touched. VRS_ECONFIG: wrong usage; else what vrseg/system_settings.h says.
 */
enum vrs_status vrs_system_mode(int argc, char **argv, FILE *out, int *ret_exit, struct vrs_error *err);

/* Measure and judge an A/A on a runner that was created with options, or resumes one. VRS_ESTOPPED: everything that was measured is saved. */
enum vrs_status vrs_bench_run_calibrate(struct vrs_bench_program *program, struct vrs_runner *runner, const struct vrs_runner_options *options,
					struct vrs_error *err);

/* results.json and recommended.yaml, and profiles where they are asked for. complete: every planned run was made. */
enum vrs_status vrs_bench_write_record(struct vrs_bench_program *program, struct vrs_runner *runner, const char *folder, bool complete,
				       struct vrs_error *err);
/* The record, tables on program->out, graphs. Graphs are the only part that may fail without harm. */
enum vrs_status vrs_bench_write_outputs(struct vrs_bench_program *program, struct vrs_runner *runner, const char *folder, bool complete,
					struct vrs_error *err);

/* Options of a runner as the flags ask for, with the progress line; pointers stay the program's. */
struct vrs_runner_options vrs_bench_program_options(struct vrs_bench_program *program);
/* The status of a measurement; VRS_ESTOPPED and those that may pass with the sentence that says how to go on. */
enum vrs_status vrs_bench_unfinished(enum vrs_status status, const char *folder, struct vrs_error *err);

#endif
