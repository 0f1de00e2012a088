/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What resizes share with kernels that resize on the way (ocl_pieces.c). */
#ifndef VRS_OPENCL_OCL_LOWER_RESIZE_H
#define VRS_OPENCL_OCL_LOWER_RESIZE_H

#include "opencl/ocl_plan.h"

/*
 * Values of a node that vrs_resize_is_pair holds for: places [rows + columns][2], the two neighbours of every output row, then of every output
 * column; weights [rows + columns], of the second one.  VRS_OK or VRS_ENOMEM.
 */
enum vrs_status vrs_ocl_resize_tables(struct vrs_ocl_plan *plan, const struct vrs_node *node, int32_t *ret_places, int32_t *ret_weights);

#endif
