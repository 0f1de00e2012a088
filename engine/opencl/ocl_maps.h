/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What operators on maps [N][H][W][C] share: windows, and how work-items share channels and pixels. */
#ifndef VRS_OPENCL_OCL_MAPS_H
#define VRS_OPENCL_OCL_MAPS_H

#include "opencl/ocl_plan.h"

#define VRS_OCL_GROUP 64 /* work-items of a group, unless a kernel gains by more */

/* A map cut into chunks of pixels, and work-items of a group across channels and, the rest, across pixels of a chunk. */
struct vrs_ocl_sharing {
	int lanes, across;         /* work-items of a group, and of them across channels; powers of two */
	int64_t chunk, chunks;     /* pixels, at least 1; number of chunks, at least 1 */
};

/* Largest power of two that is at most n; 1 for n < 1. */
int vrs_ocl_power_at_most(int64_t n);
/* Work-items of a group for kernels that need a power of two: `wanted`, or as many as the device takes. */
int vrs_ocl_lanes(const struct vrs_ocl_plan *plan, int wanted);
/*
 * Elements that a work-item takes at once from rows of `count`: 4 where they divide so, else 1.  The template finds VEC, V (float4 or float),
 * LDV(name, p, i) and STV(name, p, i, v), which read and write VEC elements of the argument `name`, and EPILOGUEV(v, i) for vrs_ocl_epilogue.
 */
int vrs_ocl_map_vector(struct vrs_ocl_plan *plan, int64_t count);
/* So that all channels of a map of so many pixels are read once, by enough groups for a large device. */
struct vrs_ocl_sharing vrs_ocl_share_map(const struct vrs_ocl_plan *plan, int64_t pixels, int64_t channels);
/*
 * Ends a step that shares maps: defines LANES, ACROSS and those of vrs_ocl_map_vector; groups along the channels, chunks, batch are the dims of its
 * work-items.  Statuses of vrs_ocl_step_end.
 */
enum vrs_status vrs_ocl_sharing_end(struct vrs_ocl_plan *plan, const struct vrs_ocl_sharing *sharing, int64_t channels, int64_t batch,
				    struct vrs_error *err);
/* Ends a step of n work-items that need no group. Statuses of vrs_ocl_step_end. */
enum vrs_status vrs_ocl_map_end(struct vrs_ocl_plan *plan, size_t n, struct vrs_error *err);
/* KERNEL_H, KERNEL_W, STRIDE_H, .., DILATION_H, .., PAD_TOP, PAD_LEFT, PAD_BOTTOM, PAD_RIGHT of a window. */
void vrs_ocl_map_window(struct vrs_ocl_plan *plan, const struct vrs_window *window);
/* Values of a float constant; NULL: computed, or left out (tensor < 0). */
const float *vrs_ocl_constant(const struct vrs_ocl_plan *plan, int32_t tensor);

#endif
