/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a node to the function of its operator. */
#include <string.h>

#include "graph/eval_ops.h"

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
	if (vrs_tensor_elements(vrs_eval_out(e)) == 0)
		return;
	switch (e->node->op) {
	case VRS_OP_CONV: vrs_eval_conv(e); return;
	case VRS_OP_DECONV: vrs_eval_deconv(e); return;
	case VRS_OP_POOL_MAX:
	case VRS_OP_POOL_AVG:
	case VRS_OP_POOL_INDEX: vrs_eval_pool(e); return;
	case VRS_OP_GLOBAL_AVG: vrs_eval_global_avg(e); return;
	case VRS_OP_RESIZE: vrs_eval_resize(e); return;
	case VRS_OP_BINARY: vrs_eval_binary(e); return;
	case VRS_OP_UNARY: vrs_eval_unary(e); return;
	case VRS_OP_CONCAT: vrs_eval_concat(e); return;
	case VRS_OP_SOFTMAX: vrs_eval_softmax(e); return;
	case VRS_OP_PAD: vrs_eval_pad(e); return;
	case VRS_OP_RESHAPE:
		memcpy(e->out, e->in[0], vrs_tensor_elements(vrs_eval_out(e)) * vrs_dtype_size(vrs_eval_out(e)->dtype));
		return;
	case VRS_OP_TRANSPOSE: vrs_eval_transpose(e); return;
	case VRS_OP_MATMUL: vrs_eval_matmul(e); return;
	case VRS_OP_LAYER_NORM: vrs_eval_layer_norm(e); return;
	case VRS_OP_INSTANCE_NORM: vrs_eval_instance_norm(e); return;
	case VRS_OP_QUANTIZE: vrs_eval_quantize(e); return;
	case VRS_OP_DEQUANTIZE: vrs_eval_dequantize(e); return;
	case VRS_OP_SLICE: vrs_eval_slice(e); return;
	case VRS_OP_GATHER: vrs_eval_gather(e); return;
	case VRS_OP_EXPAND: vrs_eval_expand(e); return;
	case VRS_OP_TILE: vrs_eval_tile(e); return;
	case VRS_OP_REDUCE: vrs_eval_reduce(e); return;
	case VRS_OP_ARG_REDUCE: vrs_eval_arg_reduce(e); return;
	case VRS_OP_CAST: vrs_eval_cast(e); return;
	case VRS_OP_WHERE: vrs_eval_where(e); return;
	case VRS_OP_SHAPE: vrs_eval_shape(e); return;
	case VRS_OP_RANGE: vrs_eval_range(e); return;
	case VRS_OP_COUNT: return; /* vrs_node_infer refuses them */
	}
}
