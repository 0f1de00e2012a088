/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_shapes.h"

#include <string.h>

#include "base/assert.h"

void vrs_ocl_walk_init(struct vrs_ocl_walk *ret_walk, const struct vrs_graph_tensor *y)
{
	memset(ret_walk, 0, sizeof *ret_walk);
	ret_walk->rank = y->rank;
	memcpy(ret_walk->dims, y->dims, sizeof ret_walk->dims);
}

void vrs_ocl_walk_add(struct vrs_ocl_walk *walk, const struct vrs_graph_tensor *x)
{
	int64_t *step = walk->step[walk->operands++], stride = 1;

	VRS_ASSERT(walk->operands <= VRS_OCL_WALK_OPERANDS && x->rank <= walk->rank);
	for (int k = x->rank - 1, to = walk->rank - 1; k >= 0; k--, to--) {
		step[to] = x->dims[k] == 1 ? 0 : stride;
		stride *= x->dims[k];
	}
}

/* May dim k and the one inside it, k + 1, be one? */
static bool joins(const struct vrs_ocl_walk *walk, int k)
{
	for (int o = 0; o < walk->operands; o++)
		if (walk->step[o][k] != walk->step[o][k + 1] * walk->dims[k + 1])
			return false;
	return true;
}

/* Dim k goes; those inside it move up. */
static void remove_dim(struct vrs_ocl_walk *walk, int k)
{
	for (int to = k; to < walk->rank - 1; to++) {
		walk->dims[to] = walk->dims[to + 1];
		for (int o = 0; o < walk->operands; o++)
			walk->step[o][to] = walk->step[o][to + 1];
	}
	walk->rank--;
}

void vrs_ocl_walk_merge(struct vrs_ocl_walk *walk)
{
	if (walk->rank == 0) {
		walk->rank = 1;
		walk->dims[0] = 1;
	}
	for (int k = walk->rank - 1; k >= 0; k--)
		if (walk->dims[k] == 1 && walk->rank > 1)
			remove_dim(walk, k);
	for (int k = walk->rank - 2; k >= 0; k--)
		if (joins(walk, k)) {
			walk->dims[k + 1] *= walk->dims[k];
			remove_dim(walk, k);
		}
}
