/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which way each convolution of a network is computed on a device, by timing the candidates of ocl_tiles.c there.  The default stays where the gain
 * is below 3 %.  Choices are kept in the cache folder for each build, device and driver (backend/plan_cache.h), so that a convolution is timed once;
 * one that would not be timed now is not taken from there.  Without options->program_cache none is read or written.
 */
#ifndef VRS_OPENCL_OCL_TUNE_H
#define VRS_OPENCL_OCL_TUNE_H

#include "opencl/ocl_context.h"
#include "opencl/ocl_trials.h"

#define VRS_OCL_TUNE_FAST_TILES 6 /* candidates that VRS_DEVICE_TUNE_FAST times, the default included; FULL times all */

struct vrs_ocl_tune_stats {
	int convolutions;          /* different ones of the network */
	int timed;                 /* of them now */
	int failed;                /* of them neither now nor before: their group failed */
	int changed;               /* of all, not the default */
};

/*
 * For each node of the graph the place of its tile among vrs_ocl_tile_candidates; 0: the default, and what is no convolution.  The caller frees
 * *ret_tiles (vrs_free).  With options->deterministic only ways of the default's algorithm count, which sum in the same order.  A way that the device
 * refuses is left out.  A group of trials that fails (ocl_trials.h; limits NULL: VRS_OCL_TRIAL_LIMITS) leaves the default to its
 * convolutions, after two in a row to all that follow; one warning says so.  What was timed is kept after each group, whatever follows.
 *
 * The context must have been opened with profiling.  VRS_EINVAL: it was not.  VRS_ESTOPPED: the program was asked to end; VRS_ENOMEM of the host.
 */
enum vrs_status vrs_ocl_tune(uint8_t **ret_tiles, struct vrs_ocl_tune_stats *ret_stats, struct vrs_ocl_context *context,
			     const struct vrs_graph *graph, const struct vrs_session_options *options, const struct vrs_ocl_trial_limits *limits,
			     struct vrs_error *err);

#endif
