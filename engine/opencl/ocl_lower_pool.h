/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Averages over whole maps, for the operators that begin with one. */
#ifndef VRS_OPENCL_OCL_LOWER_POOL_H
#define VRS_OPENCL_OCL_LOWER_POOL_H

#include "opencl/ocl_plan.h"

/* Is it the average over all pixels of each channel: a global average, or a pool with one window that is the map? */
bool vrs_ocl_is_global_avg(const struct vrs_ocl_plan *plan, const struct vrs_node *node);
/*
 * The pixels of each channel of a map added up in chunks, on the whole device: the step, and how many chunks there are.  The sums are scratch,
 * [N][chunks][C]; index of the value or a negative status.
 */
int32_t vrs_ocl_chunk_sums(struct vrs_ocl_plan *plan, const struct vrs_node *node, int64_t *ret_chunks, struct vrs_error *err);

#endif
