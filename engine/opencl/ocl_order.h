/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What decides the last bits of a device's results besides its name and driver. */
#ifndef VRS_OPENCL_OCL_ORDER_H
#define VRS_OPENCL_OCL_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What decides in which order a device adds (ocl_tiles.c, ocl_lower_reduce.c, ocl_fuse_se.c), as one hash.  Nothing that a limit of the process
 * changes may be part of it, nor decide.  Thread-safe.
 */
struct vrs_ocl_order {
	bool is_cpu;               /* compute_units decide nothing there */
	int compute_units;
	size_t max_group, max_items[3], local_bytes;
};
uint64_t vrs_ocl_order_hash(const struct vrs_ocl_order *order);

#endif
