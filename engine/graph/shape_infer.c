/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shapes of all activations for the current input sizes, and the concrete pads of SAME windows. */
#include "graph/shape_infer.h"

#include "graph/eval.h"
#include "graph/model_limits.h"
#include "graph/passes.h"
#include "graph/type_rules.h"

static enum vrs_status infer_shape(struct vrs_graph *graph, struct vrs_node *node, struct vrs_shape *y, struct vrs_error *err)
{
	switch (node->op) {
	case VRS_OP_CONV:
	case VRS_OP_DECONV: return vrs_infer_conv(graph, node, y, err);
	case VRS_OP_POOL_MAX:
	case VRS_OP_POOL_AVG:
	case VRS_OP_POOL_INDEX: return vrs_infer_window(graph, node, y, err);
	case VRS_OP_GLOBAL_AVG: return vrs_infer_global_avg(graph, node, y, err);
	case VRS_OP_RESIZE: return vrs_infer_resize(graph, node, y, err);
	case VRS_OP_INSTANCE_NORM: return vrs_infer_instance_norm(graph, node, y, err);
	case VRS_OP_LAYER_NORM: return vrs_infer_layer_norm(graph, node, y, err);
	case VRS_OP_MATMUL: return vrs_infer_matmul(graph, node, y, err);
	case VRS_OP_QUANTIZE:
	case VRS_OP_DEQUANTIZE: return vrs_infer_quant(graph, node, y, err);
	case VRS_OP_BINARY:
	case VRS_OP_WHERE: return vrs_infer_broadcast(graph, node, y, err);
	case VRS_OP_CONCAT: return vrs_infer_concat(graph, node, y, err);
	case VRS_OP_RESHAPE: return vrs_infer_view(graph, node, y, err);
	case VRS_OP_PAD: return vrs_infer_pad(graph, node, y, err);
	case VRS_OP_SOFTMAX:
		*y = vrs_shape_of(graph, node->in[0]);
		return y->rank >= 1 ? VRS_OK : VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "the input has no axis (%d dimensions)", y->rank);
	case VRS_OP_UNARY:
	case VRS_OP_CAST: *y = vrs_shape_of(graph, node->in[0]); return VRS_OK;
	case VRS_OP_TRANSPOSE: return vrs_infer_transpose(graph, node, y, err);
	case VRS_OP_SLICE: return vrs_infer_slice(graph, node, y, err);
	case VRS_OP_GATHER: return vrs_infer_gather(graph, node, y, err);
	case VRS_OP_EXPAND: return vrs_infer_expand(graph, node, y, err);
	case VRS_OP_TILE: return vrs_infer_tile(graph, node, y, err);
	case VRS_OP_REDUCE: return vrs_infer_reduce(graph, node, y, err);
	case VRS_OP_ARG_REDUCE: return vrs_infer_arg(graph, node, y, err);
	case VRS_OP_SHAPE: return vrs_infer_dims(graph, node, y, err);
	case VRS_OP_RANGE: return vrs_infer_range(graph, node, y, err);
	case VRS_OP_COUNT: break;
	}
	return VRS_NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "operator %d has no shape rule", (int)node->op);
}

/* A residual has the shape of the output, a scale one value for each input channel of each batch element. */
static enum vrs_status check_extras(const struct vrs_graph *graph, const struct vrs_node *node, const struct vrs_shape *y, struct vrs_error *err)
{
	if (node->residual >= 0) {
		struct vrs_shape r = vrs_shape_of(graph, node->residual);

		if (r.rank != y->rank || memcmp(r.dims, y->dims, (size_t)y->rank * sizeof *r.dims) != 0)
			return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "the residual (%s) has another shape than the output", graph->tensors[node->residual].name);
	}
	if (node->scale >= 0) {
		struct vrs_shape s = vrs_shape_of(graph, node->scale), x = vrs_shape_of(graph, node->in[0]);

		if (s.rank != 4 || s.dims[0] != x.dims[0] || s.dims[1] != 1 || s.dims[2] != 1 || s.dims[3] != x.dims[3])
			return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "the channel factor (%s) does not fit the input", graph->tensors[node->scale].name);
	}
	return VRS_OK;
}

bool vrs_dims_possible(int rank, const int64_t *dims)
{
	int64_t elements = 1;

	for (int i = 0; i < rank; i++) {
		if (dims[i] < 0 || dims[i] > VRS_MODEL_MAX_DIM || dims[i] * elements > VRS_MODEL_MAX_ELEMENTS)
			return false;
		elements *= dims[i];
	}
	return true;
}

static enum vrs_status check_size(const struct vrs_graph *graph, const struct vrs_node *node, const struct vrs_shape *y, struct vrs_error *err)
{
	if (!vrs_dims_possible(y->rank, y->dims))
		return VRS_NODE_FAIL(err, VRS_ELIMIT, graph, node, "the output would have more than %lld values in a dimension or %lld elements",
				 (long long)VRS_MODEL_MAX_DIM, (long long)VRS_MODEL_MAX_ELEMENTS);
	return VRS_OK;
}

/* Operators that may meet tensors without elements; the others divide by sizes, or look at a first pixel. */
static bool takes_nothing(enum vrs_op op)
{
	switch (op) {
	case VRS_OP_BINARY:
	case VRS_OP_UNARY:
	case VRS_OP_CONCAT:
	case VRS_OP_RESHAPE:
	case VRS_OP_TRANSPOSE:
	case VRS_OP_SLICE:
	case VRS_OP_GATHER:
	case VRS_OP_EXPAND:
	case VRS_OP_TILE:
	case VRS_OP_REDUCE:
	case VRS_OP_CAST:
	case VRS_OP_WHERE:
	case VRS_OP_SHAPE: return true;
	default: return false;
	}
}

/* Input 0, and the weights of those that have some: nothing else is without elements there. */
static enum vrs_status check_empty(const struct vrs_graph *graph, const struct vrs_node *node, struct vrs_error *err)
{
	bool weights = node->op == VRS_OP_CONV || node->op == VRS_OP_DECONV || node->op == VRS_OP_MATMUL;

	for (int k = 0; k < node->inputs && k < (weights ? 2 : 1) && !takes_nothing(node->op); k++)
		if (node->in[k] >= 0 && vrs_tensor_elements(&graph->tensors[node->in[k]]) == 0)
			return VRS_NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "input %d (%s) has no elements", k, graph->tensors[node->in[k]].name);
	return VRS_OK;
}

enum vrs_status vrs_node_infer(struct vrs_graph *graph, int32_t id, struct vrs_error *err)
{
	struct vrs_node *node = &graph->nodes[id];
	struct vrs_shape y = {0};
	enum vrs_status status = vrs_node_check_types(graph, id, err);

	if (status != VRS_OK || (status = check_empty(graph, node, err)) != VRS_OK || (status = infer_shape(graph, node, &y, err)) != VRS_OK ||
	    (status = check_size(graph, node, &y, err)) != VRS_OK || (status = check_extras(graph, node, &y, err)) != VRS_OK)
		return status;
	graph->tensors[node->out].rank = y.rank;
	graph->tensors[node->out].dtype = vrs_node_dtype(graph, node);
	memcpy(graph->tensors[node->out].dims, y.dims, sizeof y.dims);
	return VRS_OK;
}

static enum vrs_status check_open(const struct vrs_graph *graph, struct vrs_error *err)
{
	for (int i = 0; i < graph->input_count; i++) {
		const struct vrs_graph_tensor *input = &graph->tensors[graph->inputs[i]];

		for (int k = 0; k < input->rank; k++)
			if (input->dims[k] < 0)
				return vrs_fail(err, VRS_EUNSUPPORTED, "the network leaves the size of its input %s open (dimension %d of %d); give the size of "
						"the input", input->name, k + 1, input->rank);
	}
	return VRS_OK;
}

enum vrs_status vrs_graph_infer_count(struct vrs_graph *graph, int32_t *ret_nodes, struct vrs_error *err)
{
	enum vrs_status status = check_open(graph, err);
	int32_t i = 0;

	for (; i < graph->node_count && status == VRS_OK; i++)
		if (!graph->nodes[i].dead && (status = vrs_node_infer(graph, i, err)) == VRS_OK)
			status = vrs_node_fold(graph, i, err);
	*ret_nodes = status == VRS_OK || i == 0 ? i : i - 1;
	return status;
}

enum vrs_status vrs_graph_infer(struct vrs_graph *graph, struct vrs_error *err)
{
	int32_t nodes;

	return vrs_graph_infer_count(graph, &nodes, err);
}
