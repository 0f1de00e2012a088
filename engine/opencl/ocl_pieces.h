/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pieces of the channels of a map, each made by a formula from channels of other maps, as steps of one kernel (kernels/pieces.cl). */
#ifndef VRS_OPENCL_OCL_PIECES_H
#define VRS_OPENCL_OCL_PIECES_H

#include "opencl/ocl_formula.h"

#define VRS_OCL_MAX_PIECES 12

/* What a piece reads: channels of the pixels of a tensor, pixel for pixel or resized on the way. */
struct vrs_ocl_view {
	int32_t tensor;
	int64_t pitch, first;      /* channels of its pixels, and the first that is read */
	bool single;               /* one value that all share; the others are not used */
	const struct vrs_node *resize; /* NULL: pixel for pixel */
};

struct vrs_ocl_piece {
	int64_t channels;
	struct vrs_ocl_formula formula; /* of the views in the order of its inputs; no nodes: the one view as it is */
	struct vrs_ocl_view views[VRS_OCL_FORMULA_INPUTS];
	int view_count;
};

struct vrs_ocl_pieces {
	int64_t pixels, pitch;     /* of the map, all pictures; its channels */
	struct vrs_ocl_piece piece[VRS_OCL_MAX_PIECES];
	int count;
};

/* The steps that make the output of a node of its pieces, in their order: one, or more where a kernel would have too many arguments. */
enum vrs_status vrs_ocl_pieces_steps(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct vrs_ocl_pieces *pieces,
				     struct vrs_error *err);

#endif
