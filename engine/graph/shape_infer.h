/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the shape rules of shape_infer*.c share; op_rules.c names the rule of each operator. */
#ifndef VRS_GRAPH_SHAPE_INFER_H
#define VRS_GRAPH_SHAPE_INFER_H

#include <string.h>

#include "graph/op_rules.h"

static inline struct vrs_shape vrs_shape_of(const struct vrs_graph *graph, int32_t id)
{
	struct vrs_shape s = {.rank = graph->tensors[id].rank};

	memcpy(s.dims, graph->tensors[id].dims, sizeof s.dims);
	return s;
}

/* Input k of a node; NULL when it is left out. */
static inline const struct vrs_graph_tensor *vrs_operand(const struct vrs_graph *graph, const struct vrs_node *node, int k)
{
	return k < node->inputs && node->in[k] >= 0 ? &graph->tensors[node->in[k]] : NULL;
}

/* Is no size negative or above a limit of model_limits.h, each and all together? */
bool vrs_dims_possible(int rank, const int64_t *dims);

/* A size that keeps its ratio to the picture, where that gives a whole number; input_sizes.c. */
int64_t vrs_follow_size(int64_t size, int64_t old_size, int64_t new_size);

/*
 * shape_infer_view.c. Input k, which is given, as at most max integers: it must be constant. Axes as a bit mask. Axis counted from either end;
 * -1: outside.
 */
enum vrs_status vrs_resolve_ints(const struct vrs_graph *graph, const struct vrs_node *node, int k, int max, int64_t *ret_values, int *ret_count,
				 struct vrs_error *err);
enum vrs_status vrs_resolve_axes(const struct vrs_graph *graph, const struct vrs_node *node, int k, int rank, uint32_t *ret_mask,
				 struct vrs_error *err);
int vrs_wrap_axis(int64_t axis, int rank);
/* shape_infer_resize.c: height and width of the region from a constant of two values for each of r->entries dims. */
void vrs_resize_set_region(struct vrs_resize *r, const struct vrs_graph_tensor *roi);
/* shape_infer_math.c: inputs 1 and 2 of a norm, where they are given, are `count` floats. VRS_EUNSUPPORTED. */
enum vrs_status vrs_check_factors(const struct vrs_graph *graph, const struct vrs_node *node, int64_t count, struct vrs_error *err);

#endif
