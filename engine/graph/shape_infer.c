/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shapes of all activations for the current input sizes, and the concrete pads of SAME windows. */
#include "graph/shape_infer.h"

#include "graph/model_limits.h"
#include "graph/passes.h"
#include "graph/type_rules.h"

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
		int64_t size = dims[i] == 0 ? 1 : dims[i]; /* 0 counts as 1: a pass may reorder the sizes */
		if (size < 0 || size > VRS_MODEL_MAX_DIM || size * elements > VRS_MODEL_MAX_ELEMENTS)
			return false;
		elements *= size;
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

/* Input 0, and the weights of those that have some: nothing else is without elements there. */
static enum vrs_status check_empty(const struct vrs_graph *graph, const struct vrs_node *node, struct vrs_error *err)
{
	bool weights = node->op == VRS_OP_CONV || node->op == VRS_OP_DECONV || node->op == VRS_OP_MATMUL;

	for (int k = 0; k < node->inputs && k < (weights ? 2 : 1) && !vrs_op_rules[node->op].takes_nothing; k++)
		if (node->in[k] >= 0 && vrs_tensor_elements(&graph->tensors[node->in[k]]) == 0)
			return VRS_NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "input %d (%s) has no elements", k, graph->tensors[node->in[k]].name);
	return VRS_OK;
}

enum vrs_status vrs_node_infer(struct vrs_graph *graph, int32_t id, struct vrs_error *err)
{
	struct vrs_node *node = &graph->nodes[id];
	struct vrs_shape y = {0};

	VRS_TRY(vrs_node_check_types(graph, id, err));
	VRS_TRY(check_empty(graph, node, err));
	VRS_TRY(vrs_op_rules[node->op].infer(graph, node, &y, err));
	VRS_TRY(check_size(graph, node, &y, err));
	VRS_TRY(check_extras(graph, node, &y, err));
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

/* Sizes are known: what constants may take from here on, in bytes and in time. */
static void open_account(struct vrs_graph *graph)
{
	size_t inputs = 0;

	for (int i = 0; i < graph->input_count; i++)
		inputs += vrs_tensor_elements(&graph->tensors[graph->inputs[i]]) * vrs_dtype_size(graph->tensors[graph->inputs[i]].dtype);
	graph->const_limit = graph->const_bytes * (1 + VRS_SESSION_MAX_CONST_FACTOR) + inputs * VRS_SESSION_MAX_INPUT_FACTOR + VRS_SESSION_MIN_CONST_BYTES;
	graph->work = 0;
}

enum vrs_status vrs_graph_infer_count(struct vrs_graph *graph, int32_t *ret_nodes, struct vrs_error *err)
{
	enum vrs_status status = check_open(graph, err);
	int32_t i = 0;

	if (status == VRS_OK)
		open_account(graph);
	if (status == VRS_OK && graph->output_count > 0)
		status = vrs_pass_dead_code(graph, err);

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
