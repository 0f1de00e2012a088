/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ways to compute convolutions, timed on a device.  They are built in groups, each a small program with a time limit of its own: a driver that
 * refuses one, or compiles slowly, costs a group and not all of them.
 */
#ifndef VRS_OPENCL_OCL_TRIALS_H
#define VRS_OPENCL_OCL_TRIALS_H

#include "opencl/ocl_context.h"
#include "opencl/ocl_conv.h"

/* A convolution with the ways to compute it, and what came out. */
struct vrs_ocl_trial {
	int32_t node;              /* of the graph */
	int tiles;
	struct vrs_ocl_tile tile[VRS_OCL_MAX_TILES];
	bool counts[VRS_OCL_MAX_TILES]; /* it is to be timed */
	double seconds[VRS_OCL_MAX_TILES]; /* out: the best of some repeats; 0: not timed, or the device refuses it */
	bool done;                 /* out: all that counts was tried */
	int32_t first[VRS_OCL_MAX_TILES], steps[VRS_OCL_MAX_TILES]; /* of each way in the plan of its group */
};

/* Of a group. */
struct vrs_ocl_trial_limits {
	size_t kernels;            /* no further convolution joins a group that has so many */
	double seconds;            /* the compiler is given up after this time */
	size_t max_group;          /* work-items in a group; 0: as many as the device takes */
};

#define VRS_OCL_TRIAL_KERNELS 20   /* PoCL builds so many in about 3 s, and compiles them at their first run in about 7 s (two cores of a Zen 4) */
#define VRS_OCL_TRIAL_SECONDS 60.0

#define VRS_OCL_TRIAL_LIMITS ((struct vrs_ocl_trial_limits){.kernels = VRS_OCL_TRIAL_KERNELS, .seconds = VRS_OCL_TRIAL_SECONDS})

/* The device within the limits. */
struct vrs_ocl_caps vrs_ocl_trial_caps(const struct vrs_ocl_context *context, const struct vrs_ocl_trial_limits *limits);
/*
 * Time a group: the first of `count` trials (at least one), as many as fit.  *ret_taken of them are in it, whatever the status; of these done and
 * seconds are written.  The context must have been opened with profiling.
 *
 * VRS_ESTOPPED: the program was asked to end; trials that were through are done.  VRS_EDEVICE (the compiler refuses the group or has not finished in
 * time, or a convolution runs in none of its ways), VRS_ELIMIT, VRS_ENOMEM (the group needs more memory than there is), VRS_EUNSUPPORTED: a smaller
 * group, or the next one, may still work.
 */
enum vrs_status vrs_ocl_trials_run(struct vrs_ocl_trial *const *trials, size_t count, size_t *ret_taken, struct vrs_ocl_context *context,
				   const struct vrs_graph *graph, const struct vrs_session_options *options,
				   const struct vrs_ocl_trial_limits *limits, struct vrs_error *err);

#endif
