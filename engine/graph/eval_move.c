/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operators that only move elements, of any type. */
#include <string.h>

#include "graph/eval_ops.h"

void vrs_walk_init(struct vrs_walk *walk, const struct vrs_graph_tensor *shape)
{
	memset(walk->at, 0, sizeof walk->at);
	for (int i = 0; i < VRS_MAX_RANK; i++) {
		int k = i - (VRS_MAX_RANK - shape->rank);

		walk->dims[i] = k >= 0 ? shape->dims[k] : 1;
	}
}

void vrs_walk_next(struct vrs_walk *walk)
{
	for (int i = VRS_MAX_RANK - 1; i >= 0 && ++walk->at[i] == walk->dims[i]; i--)
		walk->at[i] = 0;
}

void vrs_walk_strides(const struct vrs_graph_tensor *tensor, int64_t strides[VRS_MAX_RANK])
{
	int64_t step = 1;

	for (int i = VRS_MAX_RANK - 1; i >= 0; i--) {
		int k = i - (VRS_MAX_RANK - tensor->rank);
		int64_t dim = k >= 0 ? tensor->dims[k] : 1;

		strides[i] = dim == 1 ? 0 : step;
		step *= dim;
	}
}

size_t vrs_walk_index(const struct vrs_walk *walk, const int64_t strides[VRS_MAX_RANK])
{
	int64_t index = 0;

	for (int i = 0; i < VRS_MAX_RANK; i++)
		index += walk->at[i] * strides[i];
	return (size_t)index;
}

/* Each input is outer blocks of (its axis x inner) values; the output interleaves the blocks. */
void vrs_eval_concat(const struct vrs_eval *e)
{
	const struct vrs_graph_tensor *y = vrs_eval_out(e);
	int axis = e->node->u.concat.axis;
	size_t outer = 1, inner = vrs_dtype_size(y->dtype), offset = 0;

	for (int i = 0; i < axis; i++)
		outer *= (size_t)y->dims[i];
	for (int i = axis + 1; i < y->rank; i++)
		inner *= (size_t)y->dims[i];
	for (int k = 0; k < e->node->inputs; k++) {
		size_t block = (size_t)vrs_eval_in(e, k)->dims[axis] * inner, row = (size_t)y->dims[axis] * inner;

		for (size_t i = 0; i < outer && block > 0; i++) /* an empty input may have no memory */
			memcpy((char *)e->out + i * row + offset, (const char *)e->in[k] + i * block, block);
		offset += block;
	}
}
