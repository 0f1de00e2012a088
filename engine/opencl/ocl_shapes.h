/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How operands lie against the elements of an output: steps along its dims, as kernels that broadcast or move need them. */
#ifndef VRS_OPENCL_OCL_SHAPES_H
#define VRS_OPENCL_OCL_SHAPES_H

#include "graph/ir.h"

#define VRS_OCL_WALK_OPERANDS 4

struct vrs_ocl_walk {
	int rank, operands;
	int64_t dims[VRS_MAX_RANK];                            /* of the output, outermost first */
	int64_t step[VRS_OCL_WALK_OPERANDS][VRS_MAX_RANK];     /* elements from place to place; 0 where the operand repeats */
};

/* The dims of an output, no operands yet. */
void vrs_ocl_walk_init(struct vrs_ocl_walk *ret_walk, const struct vrs_graph_tensor *y);
/* A dense operand, its dims aligned with the output's at the end; dims of 1 repeat. */
void vrs_ocl_walk_add(struct vrs_ocl_walk *walk, const struct vrs_graph_tensor *x);
/* Leave dims of 1 out and join neighbours that every operand, and the dense output, walk through as one. At least one dim stays. */
void vrs_ocl_walk_merge(struct vrs_ocl_walk *walk);

#endif
