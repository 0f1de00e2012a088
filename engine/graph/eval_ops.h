/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operators by kind, for eval_dispatch.c. */
#ifndef VRS_GRAPH_EVAL_OPS_H
#define VRS_GRAPH_EVAL_OPS_H

#include "graph/eval.h"

void vrs_eval_conv(const struct vrs_eval *e);
void vrs_eval_deconv(const struct vrs_eval *e);
void vrs_eval_pool(const struct vrs_eval *e);
void vrs_eval_global_avg(const struct vrs_eval *e);
void vrs_eval_resize(const struct vrs_eval *e);
void vrs_eval_binary(const struct vrs_eval *e);
void vrs_eval_unary(const struct vrs_eval *e);
void vrs_eval_softmax(const struct vrs_eval *e);
void vrs_eval_concat(const struct vrs_eval *e);
void vrs_eval_transpose(const struct vrs_eval *e);
void vrs_eval_pad(const struct vrs_eval *e);
void vrs_eval_matmul(const struct vrs_eval *e);
void vrs_eval_layer_norm(const struct vrs_eval *e);
void vrs_eval_instance_norm(const struct vrs_eval *e);
void vrs_eval_quantize(const struct vrs_eval *e);
void vrs_eval_dequantize(const struct vrs_eval *e);
void vrs_eval_cast(const struct vrs_eval *e);
void vrs_eval_where(const struct vrs_eval *e);
void vrs_eval_reduce(const struct vrs_eval *e);
void vrs_eval_arg_reduce(const struct vrs_eval *e);
void vrs_eval_slice(const struct vrs_eval *e);
void vrs_eval_expand(const struct vrs_eval *e);
void vrs_eval_gather(const struct vrs_eval *e);
void vrs_eval_tile(const struct vrs_eval *e);
void vrs_eval_shape(const struct vrs_eval *e);
void vrs_eval_range(const struct vrs_eval *e);
double vrs_binary_apply(enum vrs_binary op, double a, double b);
/* Write y through the node's epilogue to element i of a float output. */
void vrs_eval_store(const struct vrs_eval *e, size_t i, double y);

static inline const struct vrs_graph_tensor *vrs_eval_in(const struct vrs_eval *e, int k)
{
	return &e->graph->tensors[e->node->in[k]];
}

static inline const struct vrs_graph_tensor *vrs_eval_out(const struct vrs_eval *e)
{
	return &e->graph->tensors[e->node->out];
}

/* Walking all elements of a shape: dims aligned at the end of VRS_MAX_RANK, missing ones 1; strides in elements, 0 where a dim of 1 repeats. */
struct vrs_walk {
	int64_t dims[VRS_MAX_RANK], at[VRS_MAX_RANK];
};
void vrs_walk_init(struct vrs_walk *walk, const struct vrs_graph_tensor *shape);
void vrs_walk_next(struct vrs_walk *walk);
void vrs_walk_strides(const struct vrs_graph_tensor *tensor, int64_t strides[VRS_MAX_RANK]);
size_t vrs_walk_index(const struct vrs_walk *walk, const int64_t strides[VRS_MAX_RANK]);

#endif
