/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A sweep: axes around a default case, and the list of cases that comes out.
 *
 * one-at-a-time (--all)   the default, each axis alone from it, and resolution x precision
 * product (--full)        every combination
 *
 * Axis values come from the command line, from a sweep file (configs/sweeps/NAME.yaml), or are the built-in defaults.
 */
#ifndef VRS_BENCH_SWEEP_H
#define VRS_BENCH_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/plan/bench_input.h"
#include "bench/plan/case.h"
#include "bench/record/frame_recorder.h"

#define VRS_SWEEP_MAX_AXES 12
#define VRS_SWEEP_MAX_VALUES 64
#define VRS_SWEEP_MAX_CASES 4096
/* Keys of the axes that are no options: the size of the clip, the scope and the mode of the measurement. */
#define VRS_SWEEP_RESOLUTION "resolution"
#define VRS_SWEEP_SCOPE "scope"
#define VRS_SWEEP_MODE "mode"
/* Names of resolutions, for messages. */
#define VRS_SWEEP_SIZES "1080p, 1440p, 4k, 6k, 8k, vr4k, vr8k or own"

struct vrs_axis {
	char key[VRS_NAME_MAX];            /* canonical key, or one of the three above */
	char name[32];                     /* "resolution", "batch", "precision", "threads", else the key */
	bool with_own;                     /* built-in values: the base's own value is one of the cases, whether it is among them or not */
	int count;
	char values[VRS_SWEEP_MAX_VALUES][64];
};

enum vrs_sweep_mode { VRS_SWEEP_ONE_AT_A_TIME, VRS_SWEEP_PRODUCT };

struct vrs_sweep {
	enum vrs_sweep_mode mode;
	bool cross_precision;              /* one-at-a-time: also resolution x precision */
	int axis_count;
	struct vrs_axis axes[VRS_SWEEP_MAX_AXES];
	const char *filter, *skip;         /* POSIX extended expressions on ids; NULL: none */
};

/*
 * Set an axis from a list. Numbers take "a,b,c", "a-b*m" and "a:b:s"; resolutions take WIDTHxHEIGHT and VRS_SWEEP_SIZES; scopes
 * end_to_end, pipeline_no_io, net_only; modes offline, live@HZ; other options take a comma-separated list. VRS_ECONFIG with a sentence.
 */
enum vrs_status vrs_sweep_set(struct vrs_sweep *sweep, const char *key, const char *list, struct vrs_error *err);
const struct vrs_axis *vrs_sweep_axis(const struct vrs_sweep *sweep, const char *key);
/* Remove an axis; nothing happens when there is none. */
void vrs_sweep_drop(struct vrs_sweep *sweep, const char *key);
/*
 * The axes of --all: resolution, batch, precision, threads with their built-in values, to which vrs_sweep_cases adds the base's own where it is
 * another; axes that are set already stay.
 */
enum vrs_status vrs_sweep_defaults(struct vrs_sweep *sweep, const struct vrs_bench_input *input, struct vrs_error *err);
/* The small set of --quick: the clip's own size and 1920x960 or so, few values of the other axes; else as vrs_sweep_defaults. */
enum vrs_status vrs_sweep_quick(struct vrs_sweep *sweep, const struct vrs_bench_input *input, struct vrs_error *err);
/* The path of a sweep file: a name in configs/sweeps, or a path as it is. VRS_ECONFIG: there is none. */
enum vrs_status vrs_sweep_find(const char *name, char path[VRS_PATH_MAX], struct vrs_error *err);
/* Read "mode" and "axes" of configs/sweeps/NAME.yaml or of a file. */
enum vrs_status vrs_sweep_load(struct vrs_sweep *sweep, const char *name_or_path, struct vrs_error *err);
/*
 * The cases, the default first. The default takes the first value of a named axis that does not hold the base's own; it is the clip's own size where
 * the resolution axis has it. Cases come once each, in order of importance. *ret_cases is freed with vrs_free.
 * VRS_ECONFIG: a bad expression, or nothing is left; VRS_ELIMIT: more than VRS_SWEEP_MAX_CASES.
 */
enum vrs_status vrs_sweep_cases(const struct vrs_sweep *sweep, const struct vrs_config *base, const struct vrs_bench_input *input,
				struct vrs_case **ret_cases, int *ret_count, struct vrs_error *err);

/* Frames a second of decode, network and encode, guessed: about 22 at 3840x1920 on two processors. */
double vrs_sweep_guess_fps(int width, int height, int cpus);
/* Seconds that one run of a case takes, estimated from its pixels: start, warm-up, measured part. */
double vrs_sweep_run_seconds(int width, int height, int cpus, const struct vrs_recorder_rules *rules);

#endif
