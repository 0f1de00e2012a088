/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One row an operator: what validation, inference, evaluation, passes and messages know of it.  To add an operator: its row in op_rules.c, its shape
 * in shape_infer_*.c, its meaning in eval_*.c.
 */
#ifndef VRS_GRAPH_OP_RULES_H
#define VRS_GRAPH_OP_RULES_H

#include "graph/eval.h"

/* Writes the shape of the output, which begins as zeros, and whatever it resolves into node->u. */
typedef enum vrs_status vrs_infer_fn(struct vrs_graph *graph, struct vrs_node *node, struct vrs_shape *y, struct vrs_error *err);
/* Computes the output, which has elements. */
typedef void vrs_eval_fn(const struct vrs_eval *e);

struct vrs_op_rule {
	const char *name;
	int min_inputs, max_inputs;
	int first_value;           /* inputs from this one on are sizes, scales, axes: inference needs their values */
	int layout_inputs;         /* so many are data in the layout of the node, which a transposition can pass; the others are attributes */
	bool takes_nothing;        /* may meet tensors without elements; the others divide by sizes, or look at a first pixel */
	vrs_infer_fn *infer;
	vrs_eval_fn *eval;
};

extern const struct vrs_op_rule vrs_op_rules[VRS_OP_COUNT];

/* shape_infer_*.c: maps of four dims; a new size; any rank. */
vrs_infer_fn vrs_infer_conv, vrs_infer_window, vrs_infer_global_avg, vrs_infer_instance_norm;
vrs_infer_fn vrs_infer_resize;
vrs_infer_fn vrs_infer_pad, vrs_infer_matmul, vrs_infer_softmax, vrs_infer_layer_norm, vrs_infer_quant;
vrs_infer_fn vrs_infer_view, vrs_infer_same, vrs_infer_broadcast, vrs_infer_concat, vrs_infer_transpose, vrs_infer_slice, vrs_infer_gather,
	vrs_infer_expand, vrs_infer_tile;
vrs_infer_fn vrs_infer_reduce, vrs_infer_arg, vrs_infer_dims, vrs_infer_range;

/* eval_*.c */
vrs_eval_fn vrs_eval_conv, vrs_eval_deconv, vrs_eval_pool, vrs_eval_global_avg, vrs_eval_resize, vrs_eval_instance_norm;
vrs_eval_fn vrs_eval_binary, vrs_eval_unary, vrs_eval_cast, vrs_eval_where, vrs_eval_quant, vrs_eval_matmul, vrs_eval_layer_norm, vrs_eval_softmax,
	vrs_eval_reduce, vrs_eval_arg_reduce;
vrs_eval_fn vrs_eval_concat, vrs_eval_pad, vrs_eval_reshape, vrs_eval_transpose, vrs_eval_slice, vrs_eval_gather, vrs_eval_expand, vrs_eval_tile,
	vrs_eval_shape, vrs_eval_range;

#endif
