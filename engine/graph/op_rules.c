/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph/op_rules.h"

#define MANY VRS_NODE_MAX_INPUTS

const struct vrs_op_rule vrs_op_rules[VRS_OP_COUNT] = {
	[VRS_OP_CONV] = {"conv", 2, 3, MANY, 0, false, vrs_infer_conv, vrs_eval_conv},
	[VRS_OP_DECONV] = {"deconv", 2, 3, MANY, 0, false, vrs_infer_conv, vrs_eval_deconv},
	[VRS_OP_POOL_MAX] = {"pool_max", 1, 1, MANY, 0, false, vrs_infer_window, vrs_eval_pool},
	[VRS_OP_POOL_AVG] = {"pool_avg", 1, 1, MANY, 0, false, vrs_infer_window, vrs_eval_pool},
	[VRS_OP_GLOBAL_AVG] = {"global_avg", 1, 1, MANY, 0, false, vrs_infer_global_avg, vrs_eval_global_avg},
	[VRS_OP_RESIZE] = {"resize", 1, 3, 1, 0, false, vrs_infer_resize, vrs_eval_resize},
	[VRS_OP_BINARY] = {"binary", 2, 2, MANY, 2, true, vrs_infer_broadcast, vrs_eval_binary},
	[VRS_OP_UNARY] = {"unary", 1, 1, MANY, 1, true, vrs_infer_same, vrs_eval_unary},
	[VRS_OP_CONCAT] = {"concat", 1, MANY, MANY, MANY, true, vrs_infer_concat, vrs_eval_concat},
	[VRS_OP_SOFTMAX] = {"softmax", 1, 1, MANY, 1, false, vrs_infer_softmax, vrs_eval_softmax},
	[VRS_OP_PAD] = {"pad", 1, 4, 1, 1, false, vrs_infer_pad, vrs_eval_pad},
	[VRS_OP_RESHAPE] = {"reshape", 1, 2, 1, 0, true, vrs_infer_view, vrs_eval_reshape},
	[VRS_OP_MATMUL] = {"matmul", 2, 2, MANY, 0, false, vrs_infer_matmul, vrs_eval_matmul},
	[VRS_OP_TRANSPOSE] = {"transpose", 1, 1, MANY, 0, true, vrs_infer_transpose, vrs_eval_transpose},
	[VRS_OP_SLICE] = {"slice", 1, 5, 1, 1, true, vrs_infer_slice, vrs_eval_slice},
	[VRS_OP_GATHER] = {"gather", 2, 2, MANY, 1, true, vrs_infer_gather, vrs_eval_gather},
	[VRS_OP_EXPAND] = {"expand", 2, 2, 1, 1, true, vrs_infer_expand, vrs_eval_expand},
	[VRS_OP_TILE] = {"tile", 2, 2, 1, 1, true, vrs_infer_tile, vrs_eval_tile},
	[VRS_OP_REDUCE] = {"reduce", 1, 2, 1, 1, true, vrs_infer_reduce, vrs_eval_reduce},
	[VRS_OP_ARG_REDUCE] = {"arg_reduce", 1, 1, MANY, 1, false, vrs_infer_arg, vrs_eval_arg_reduce},
	[VRS_OP_CAST] = {"cast", 1, 1, MANY, 1, true, vrs_infer_same, vrs_eval_cast},
	[VRS_OP_WHERE] = {"where", 3, 3, MANY, 3, true, vrs_infer_broadcast, vrs_eval_where},
	[VRS_OP_SHAPE] = {"shape", 1, 1, MANY, 0, true, vrs_infer_dims, vrs_eval_shape},
	[VRS_OP_RANGE] = {"range", 3, 3, 0, 0, false, vrs_infer_range, vrs_eval_range},
	[VRS_OP_LAYER_NORM] = {"layer_norm", 1, 3, MANY, 1, false, vrs_infer_layer_norm, vrs_eval_layer_norm},
	[VRS_OP_INSTANCE_NORM] = {"instance_norm", 3, 3, MANY, 0, false, vrs_infer_instance_norm, vrs_eval_instance_norm},
	[VRS_OP_QUANTIZE] = {"quantize", 2, 3, MANY, 1, false, vrs_infer_quant, vrs_eval_quant},
	[VRS_OP_DEQUANTIZE] = {"dequantize", 2, 3, MANY, 1, false, vrs_infer_quant, vrs_eval_quant},
	[VRS_OP_POOL_INDEX] = {"pool_index", 1, 1, MANY, 0, false, vrs_infer_window, vrs_eval_pool},
};

const char *vrs_op_name(enum vrs_op op)
{
	return (unsigned)op < VRS_OP_COUNT ? vrs_op_rules[op].name : "unknown";
}

bool vrs_node_needs_value(const struct vrs_node *node, int k)
{
	return k >= vrs_op_rules[node->op].first_value && k < node->inputs;
}

struct vrs_eval vrs_eval_from_values(const struct vrs_graph *graph, const struct vrs_node *node, void *const *values)
{
	struct vrs_eval e = {.graph = graph, .node = node, .out = values[node->out]};

	for (int i = 0; i < node->inputs; i++)
		e.in[i] = node->in[i] >= 0 ? values[node->in[i]] : NULL;
	e.residual = node->residual >= 0 ? values[node->residual] : NULL;
	e.scale = node->scale >= 0 ? values[node->scale] : NULL;
	return e;
}

void vrs_node_eval(const struct vrs_eval *e)
{
	if (vrs_tensor_elements(&e->graph->tensors[e->node->out]) != 0)
		vrs_op_rules[e->node->op].eval(e);
}
