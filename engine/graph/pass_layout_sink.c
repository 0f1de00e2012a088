/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * op(P(x)) = P(op'(x)): which operators a transposition P can pass, and what becomes of their attributes.  Axis i of P(x) is axis P[i] of x.
 */
#include <string.h>

#include "graph/op_rules.h"
#include "graph/pass_layout.h"

static int axis_of(int axis, int rank)
{
	return axis < 0 ? axis + rank : axis;
}

/* P leaves the axes from `first` on where they are. */
static bool keeps_from(const struct vrs_perm *perm, int first)
{
	for (int i = first; i < perm->rank; i++)
		if (perm->at[i] != i)
			return false;
	return first >= 0;
}

static bool may_pass(const struct vrs_graph *graph, const struct vrs_node *node, const struct vrs_perm *perm)
{
	int rank = graph->tensors[node->out].rank;

	if (node->residual >= 0 || node->scale >= 0)
		return false;
	switch (node->op) {
	case VRS_OP_SOFTMAX: return keeps_from(perm, perm->rank - 1);
	case VRS_OP_LAYER_NORM: return keeps_from(perm, axis_of(node->u.norm.axis, perm->rank));
	case VRS_OP_GATHER: return graph->tensors[node->in[1]].rank == 1;
	case VRS_OP_REDUCE:
	case VRS_OP_ARG_REDUCE: return true;
	default: return rank == perm->rank;
	}
}

/* From the layout of maps to that of ONNX: what stands behind every map operator, and will meet its inverse before the next. */
static bool leaves_maps(const struct vrs_perm *perm)
{
	return perm->rank == 4 && perm->at[0] == 0 && perm->at[1] == 3 && perm->at[2] == 1 && perm->at[3] == 2;
}

/* Elements that are moved by transposes which make the operands; with `sure`, of those that nobody else reads. */
static int64_t gain_of(const struct vrs_layout *layout, const struct vrs_node *node, int data, bool sure)
{
	const struct vrs_graph *graph = layout->graph;
	int64_t gain = 0;

	for (int k = 0; k < data; k++) {
		const struct vrs_node *transpose = vrs_layout_transpose_of(graph, node->in[k]);
		bool counted = transpose == NULL, single = node->in[k] < layout->uses_count && layout->uses[node->in[k]] == 1;
		struct vrs_perm perm;

		for (int i = 0; i < k; i++)
			counted = counted || node->in[i] == node->in[k];
		if (counted || (sure && !single))
			continue;
		perm = vrs_perm_of(graph, transpose);
		if (!vrs_perm_is_free(&perm, graph->tensors[transpose->in[0]].dims))
			gain += (int64_t)vrs_tensor_elements(&graph->tensors[node->in[k]]);
	}
	return gain;
}

/* The permutation of the largest transposed operand; rank 0: none is. */
static struct vrs_perm choose_perm(const struct vrs_graph *graph, const struct vrs_node *node, int data)
{
	struct vrs_perm best = {0};
	size_t most = 0;

	for (int k = 0; k < data; k++) {
		const struct vrs_node *transpose = vrs_layout_transpose_of(graph, node->in[k]);
		size_t elements = transpose != NULL ? vrs_tensor_elements(&graph->tensors[node->in[k]]) : 0;

		if (elements > most) {
			most = elements;
			best = vrs_perm_of(graph, transpose);
		}
	}
	return best;
}

/* Broadcasting takes a single value in any layout; one of a batch of one is not single for more. */
static bool is_single(const struct vrs_graph *graph, const struct vrs_node *node, int32_t tensor)
{
	const struct vrs_graph_tensor *t = &graph->tensors[tensor];

	return (node->op == VRS_OP_BINARY || node->op == VRS_OP_WHERE) && t->data != NULL && vrs_tensor_elements(t) == 1;
}

static int64_t loss_of(struct vrs_layout *layout, const struct vrs_node *node, int data, const struct vrs_perm *inverse)
{
	int64_t loss = 0;

	for (int k = 0; k < data; k++) {
		const struct vrs_graph_tensor *tensor = &layout->graph->tensors[node->in[k]];

		if (is_single(layout->graph, node, node->in[k]) || tensor->data != NULL)
			continue;
		/* An operand of lower rank is made one of the full rank first, at no cost, and has no earlier copy. */
		loss += tensor->rank == inverse->rank ? vrs_layout_transposed_cost(layout, node->in[k], inverse) : (int64_t)vrs_tensor_elements(tensor);
	}
	return loss;
}

static bool pays(struct vrs_layout *layout, const struct vrs_node *node, int data, const struct vrs_perm *perm)
{
	struct vrs_perm inverse = vrs_perm_inverse(perm);
	bool home = leaves_maps(perm), sure = layout->careful || !home;
	int64_t gain = gain_of(layout, node, data, sure), loss = loss_of(layout, node, data, &inverse), in = 0;
	int64_t out = (int64_t)vrs_tensor_elements(&layout->graph->tensors[node->out]);

	for (int k = 0; k < data; k++)
		in += (int64_t)vrs_tensor_elements(&layout->graph->tensors[node->in[k]]);
	if (sure) /* other permutations only where that is less work at once: they would leave the layout of maps as gladly as reach it */
		return home ? loss + out <= gain : loss + out < gain;
	return loss <= gain && out <= 2 * in;
}

/* Operand in the layout of the sources: leading dims of 1 where it has fewer dims than the result. */
static int32_t turn_operand(struct vrs_layout *layout, const struct vrs_node *node, int32_t tensor, const struct vrs_perm *inverse)
{
	const struct vrs_graph_tensor *t = &layout->graph->tensors[tensor];
	int64_t dims[VRS_MAX_RANK];
	int lead = inverse->rank - t->rank;

	if (is_single(layout->graph, node, tensor))
		return tensor;
	for (int i = 0; i < inverse->rank; i++)
		dims[i] = i < lead ? 1 : t->dims[i - lead];
	if (lead > 0)
		tensor = vrs_layout_reshaped(layout, tensor, inverse->rank, dims);
	return tensor < 0 ? tensor : vrs_layout_transposed(layout, tensor, inverse);
}

/* What is left of P when axes (of P's result) are removed. */
static struct vrs_perm without_axes(const struct vrs_perm *perm, uint32_t axes)
{
	struct vrs_perm left = {0};

	for (int i = 0; i < perm->rank; i++) {
		int below = 0;

		if (axes & 1u << i)
			continue;
		for (int k = 0; k < perm->rank; k++)
			below += !(axes & 1u << k) && perm->at[k] < perm->at[i];
		left.at[left.rank++] = below;
	}
	return left;
}

static uint32_t reduced_axes(const struct vrs_node *node, int rank)
{
	if (node->op == VRS_OP_ARG_REDUCE)
		return 1u << axis_of(node->u.arg.axis, rank);
	if (node->u.reduce.axes != 0 || node->u.reduce.keep_if_empty)
		return node->u.reduce.axes;
	return (1u << rank) - 1;
}

/* Attributes of the node for its sources; the permutation that the result needs. */
static struct vrs_perm turn_attributes(struct vrs_node *node, const struct vrs_perm *perm)
{
	struct vrs_node old = *node;
	uint32_t axes;

	switch (node->op) {
	case VRS_OP_CONCAT:
	case VRS_OP_GATHER:
		node->u.concat.axis = perm->at[axis_of(old.u.concat.axis, perm->rank)];
		break;
	case VRS_OP_QUANTIZE:
	case VRS_OP_DEQUANTIZE:
		node->u.quant.axis = perm->at[axis_of(old.u.quant.axis, perm->rank)];
		break;
	case VRS_OP_SLICE:
		for (int i = 0; i < perm->rank; i++) {
			node->u.slice.start[perm->at[i]] = old.u.slice.start[i];
			node->u.slice.step[perm->at[i]] = old.u.slice.step[i];
		}
		node->inputs = 1;
		break;
	case VRS_OP_PAD:
		for (int i = 0; i < perm->rank; i++) {
			node->u.pad.before[perm->at[i]] = old.u.pad.before[i];
			node->u.pad.after[perm->at[i]] = old.u.pad.after[i];
		}
		node->in[1] = node->in[3] = -1;
		break;
	case VRS_OP_REDUCE:
	case VRS_OP_ARG_REDUCE:
		axes = reduced_axes(node, perm->rank);
		if (node->op == VRS_OP_ARG_REDUCE)
			node->u.arg.axis = perm->at[axis_of(old.u.arg.axis, perm->rank)];
		else
			node->u.reduce.axes = vrs_perm_axes(perm, axes);
		node->inputs = 1;
		if (!(node->op == VRS_OP_ARG_REDUCE ? old.u.arg.keep_dims : old.u.reduce.keep_dims))
			return without_axes(perm, axes);
		break;
	default: break;
	}
	return *perm;
}

/* The shape of an expansion, the repeats of a tiling: a new constant. */
static enum vrs_status turn_counts(struct vrs_layout *layout, struct vrs_node *node, const int64_t *dims, int rank)
{
	const struct vrs_graph_tensor *x = &layout->graph->tensors[node->in[0]];
	int64_t values[VRS_MAX_RANK] = {0}, count = rank;

	if (node->op != VRS_OP_EXPAND && node->op != VRS_OP_TILE)
		return VRS_OK;
	for (int i = 0; i < rank; i++)
		values[i] = node->op == VRS_OP_EXPAND ? dims[i] : dims[i] / x->dims[i];
	node->in[1] = vrs_graph_add_const(layout->graph, "counts", VRS_I64, 1, &count, values);
	return node->in[1] >= 0 ? VRS_OK : vrs_fail(layout->err, (enum vrs_status)node->in[1], "out of memory");
}

/* The node makes a new tensor, and a new transpose makes the old one of it. */
static enum vrs_status finish(struct vrs_layout *layout, int32_t id, struct vrs_node *node, const struct vrs_perm *perm)
{
	struct vrs_graph *graph = layout->graph;
	struct vrs_graph_tensor inner = graph->tensors[node->out];
	struct vrs_perm inverse = vrs_perm_inverse(perm);
	struct vrs_node transpose;
	int32_t made;

	vrs_perm_dims(&inverse, graph->tensors[node->out].dims, inner.dims);
	VRS_TRY(turn_counts(layout, node, inner.dims, perm->rank));
	made = vrs_graph_add_tensor(graph, &inner);
	transpose = vrs_node_of(VRS_OP_TRANSPOSE, node->name, 1, &made);
	transpose.out = node->out;
	memcpy(transpose.u.transpose.perm, perm->at, sizeof perm->at);
	node->out = made;
	made = made < 0 ? made : vrs_graph_add_node(graph, &transpose);
	if (made < 0)
		return vrs_fail(layout->err, (enum vrs_status)made, "out of memory, or too many nodes, while the layout is chosen");
	graph->nodes[id] = *node;
	graph->tensors[node->out].producer = id;
	return vrs_layout_note(layout, made);
}

/* A reshape of a transposed tensor, where the dims that it merges lie together in the source. */
static enum vrs_status sink_view(struct vrs_layout *layout, int32_t id, bool *ret_moved)
{
	struct vrs_node node = layout->graph->nodes[id];
	const struct vrs_node *transpose = vrs_layout_transpose_of(layout->graph, node.in[0]);
	const struct vrs_graph_tensor *x = &layout->graph->tensors[node.in[0]], *y = &layout->graph->tensors[node.out];
	struct vrs_perm perm, left = {0};
	int64_t dims[VRS_MAX_RANK] = {0}; /* attributes are compared as bytes, see pass_common.c */

	if (transpose == NULL)
		return VRS_OK;
	perm = vrs_perm_of(layout->graph, transpose);
	if (vrs_perm_is_free(&perm, layout->graph->tensors[transpose->in[0]].dims)) {
		left = vrs_perm_identity(y->rank);
		memcpy(dims, y->dims, sizeof dims);
	} else if (!vrs_layout_view(&perm, x->dims, x->rank, y->dims, y->rank, dims, &left) ||
		   ((layout->careful || !leaves_maps(&perm)) && gain_of(layout, &node, 1, true) == 0)) {
		return VRS_OK;
	}
	node.inputs = 1;
	node.in[0] = transpose->in[0];
	node.u.view.kind = VRS_VIEW_SHAPE;
	node.u.view.allow_zero = true;
	node.u.view.rank = y->rank;
	memcpy(node.u.view.dims, dims, sizeof dims);
	*ret_moved = true;
	if (vrs_perm_is_identity(&left)) {
		layout->graph->nodes[id] = node;
		return VRS_OK;
	}
	return finish(layout, id, &node, &left);
}

enum vrs_status vrs_layout_sink(struct vrs_layout *layout, int32_t id, bool *ret_moved)
{
	struct vrs_node node = layout->graph->nodes[id];
	int rule = vrs_op_rules[node.op].layout_inputs, data = rule < node.inputs ? rule : node.inputs;
	struct vrs_perm perm = choose_perm(layout->graph, &node, data), inverse;

	*ret_moved = false;
	if (node.op == VRS_OP_RESHAPE)
		return sink_view(layout, id, ret_moved);
	if (perm.rank == 0 || !may_pass(layout->graph, &node, &perm) || !pays(layout, &node, data, &perm))
		return VRS_OK;
	inverse = vrs_perm_inverse(&perm);
	for (int k = 0; k < data; k++) {
		node.in[k] = turn_operand(layout, &node, node.in[k], &inverse);
		if (node.in[k] < 0)
			return (enum vrs_status)node.in[k];
	}
	perm = turn_attributes(&node, &perm);
	*ret_moved = true;
	return finish(layout, id, &node, &perm);
}
