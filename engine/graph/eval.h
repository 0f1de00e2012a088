/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The operators of the IR in plain C with sums in double: their meaning, which every backend is compared with, and how constants are folded.
 * op_rules.c names the function of each operator; elements of every type are read and written in eval_element.c.
 */
#ifndef VRS_GRAPH_EVAL_H
#define VRS_GRAPH_EVAL_H

#include "graph/ir.h"

/* Dense data of one node's operands, typed as the tensors of the graph say. */
struct vrs_eval {
	const struct vrs_graph *graph;    /* concrete */
	const struct vrs_node *node;
	const void *in[VRS_NODE_MAX_INPUTS]; /* NULL: input left out */
	const void *residual, *scale;     /* NULL: none */
	void *out;
};

/* Compute one live node whose shapes are inferred. Thread-safe; allocates nothing. */
void vrs_node_eval(const struct vrs_eval *e);
/* Point e at values[tensor id] of every operand of node. */
struct vrs_eval vrs_eval_from_values(const struct vrs_graph *graph, const struct vrs_node *node, void *const *values);

/*
 * Coordinates of a resize along height (axis 0) or width (1), from `in` to `out` pixels.  source: place of output pixel i in the input, not
 * clamped; inside: false where TF_CROP_AND_RESIZE takes the extrapolation value.  pair: the two neighbours and the weight of the second, for
 * nearest (weight 0) and linear interpolation.
 */
struct vrs_resize_axis {
	const struct vrs_resize *resize;
	int axis;
	int64_t in, out;
};
void vrs_resize_pair(const struct vrs_resize_axis *axis, int64_t i, int64_t *low, int64_t *high, double *weight);
/* Does it take two neighbours an axis at most, and no value from outside? Then vrs_resize_pair tells all. */
bool vrs_resize_is_pair(const struct vrs_resize *resize);

/*
 * All taps of output pixel i of any resize: places in the input and their weights, unless places is NULL.  Returns their number; 0: the extrapolation
 * value is taken.
 */
int vrs_resize_taps(const struct vrs_resize_axis *axis, int64_t i, int32_t *places, float *weights);
/* Place in a dimension of n that place i of a padded one, perhaps outside, takes its value from; -1: the fill value. */
int64_t vrs_pad_source(enum vrs_pad_mode mode, int64_t i, int64_t n);

/* Elements as numbers.  Loads: integers beyond 2^53 lose bits in _f64; stores: to nearest even for floats, wrapped for integers. */
double vrs_load_f64(enum vrs_dtype dtype, const void *data, size_t i);
int64_t vrs_load_i64(enum vrs_dtype dtype, const void *data, size_t i);
void vrs_store_f64(enum vrs_dtype dtype, void *data, size_t i, double value); /* floats; integers take the truncated value, saturated */
void vrs_store_i64(enum vrs_dtype dtype, void *data, size_t i, int64_t value);
bool vrs_dtype_is_float(enum vrs_dtype dtype);

/* Axes that a reduction really takes away; the dims first..last-1 that a shape node lists. */
static inline uint32_t vrs_reduce_axes(const struct vrs_node *node, int rank)
{
	uint32_t all = (1u << rank) - 1;

	return node->u.reduce.axes != 0 ? node->u.reduce.axes & all : node->u.reduce.keep_if_empty ? 0 : all;
}

static inline int vrs_clamp_dim(int dim, int rank)
{
	dim = dim < 0 ? dim + rank : dim;
	return dim < 0 ? 0 : dim > rank ? rank : dim;
}

static inline void vrs_shape_range(const struct vrs_node *node, int rank, int *first, int *last)
{
	*first = vrs_clamp_dim(node->u.shape.start, rank);
	*last = vrs_clamp_dim(node->u.shape.end, rank);
	*last = *last > *first ? *last : *first;
}

#endif
