/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shapes of reshape in all its kinds. */
#include "graph/model_limits.h"
#include "graph/shape_infer.h"

enum vrs_status vrs_resolve_ints(const struct vrs_graph *graph, const struct vrs_node *node, int k, int max, int64_t *ret_values, int *ret_count,
				 struct vrs_error *err)
{
	const struct vrs_graph_tensor *in = vrs_operand(graph, node, k);
	size_t count = vrs_tensor_elements(in);

	if (in->data == NULL)
		return VRS_NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "its input %d (%.60s) is not known before the network runs", k, in->name);
	if ((in->dtype != VRS_I64 && in->dtype != VRS_I32) || in->rank > 1 || count > (size_t)max)
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "its input %d (%.60s) is no list of at most %d integers", k, in->name, max);
	for (size_t i = 0; i < count; i++)
		ret_values[i] = vrs_load_i64(in->dtype, in->data, i);
	*ret_count = (int)count;
	return VRS_OK;
}

int vrs_wrap_axis(int64_t axis, int rank)
{
	axis = axis < 0 ? axis + rank : axis;
	return axis >= 0 && axis < rank ? (int)axis : -1;
}

enum vrs_status vrs_resolve_axes(const struct vrs_graph *graph, const struct vrs_node *node, int k, int rank, uint32_t *ret_mask,
				 struct vrs_error *err)
{
	int64_t values[VRS_MAX_RANK];
	uint32_t mask = 0;
	int count;

	VRS_TRY(vrs_resolve_ints(graph, node, k, VRS_MAX_RANK, values, &count, err));
	for (int i = 0; i < count; i++) {
		int axis = vrs_wrap_axis(values[i], rank);

		if (axis < 0 || (mask & 1u << axis))
			return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "axis %lld of %d dimensions, or one that comes twice", (long long)values[i], rank);
		mask |= 1u << axis;
	}
	*ret_mask = mask;
	return VRS_OK;
}

/* Dims of the shape that a network asks for: 0 copies, -1 takes the rest. */
static enum vrs_status infer_shape(const struct vrs_graph *graph, struct vrs_node *node, const struct vrs_shape *x, struct vrs_shape *y,
				   struct vrs_error *err)
{
	const int64_t *dims = node->u.view.dims;
	int64_t have = (int64_t)vrs_tensor_elements(&graph->tensors[node->in[0]]), known = 1;
	int rest = -1, open = 0;

	if (vrs_operand(graph, node, 1) != NULL)
		VRS_TRY(vrs_resolve_ints(graph, node, 1, VRS_MAX_RANK, node->u.view.dims, &node->u.view.rank, err));
	y->rank = node->u.view.rank;
	for (int i = 0; i < y->rank; i++) {
		if (dims[i] < -1)
			return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "new size %lld", (long long)dims[i]);
		y->dims[i] = dims[i] != 0 || node->u.view.allow_zero ? dims[i] : i < x->rank ? x->dims[i] : 1;
		if (dims[i] == -1)
			rest = i, open++;
		else if (known > 0 && y->dims[i] > VRS_MODEL_MAX_ELEMENTS / known)
			return VRS_NODE_FAIL(err, VRS_ELIMIT, graph, node, "the new shape has more than %lld elements", (long long)VRS_MODEL_MAX_ELEMENTS);
		else
			known *= y->dims[i];
	}
	if (open > 1)
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "%d sizes are left open", open);
	if (rest >= 0)
		y->dims[rest] = known > 0 ? have / known : 0;
	if (known * (rest >= 0 ? y->dims[rest] : 1) != have)
		return VRS_NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "%lld elements do not fit the new shape; this input size does not fit the network",
				     (long long)have);
	return VRS_OK;
}

static enum vrs_status infer_squeeze(const struct vrs_graph *graph, struct vrs_node *node, const struct vrs_shape *x, struct vrs_shape *y,
				     struct vrs_error *err)
{
	uint32_t mask = node->u.view.axes;

	if (vrs_operand(graph, node, 1) != NULL)
		VRS_TRY(vrs_resolve_axes(graph, node, 1, x->rank, &mask, err));
	node->u.view.axes = mask;
	for (int i = 0; i < x->rank; i++) {
		if (mask & 1u << i && x->dims[i] != 1)
			return VRS_NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "dimension %d is %lld, not 1; this input size does not fit the network", i,
					     (long long)x->dims[i]);
		if (!(mask & 1u << i) && (mask != 0 || x->dims[i] != 1))
			y->dims[y->rank++] = x->dims[i];
	}
	return VRS_OK;
}

static enum vrs_status infer_unsqueeze(const struct vrs_graph *graph, struct vrs_node *node, const struct vrs_shape *x, struct vrs_shape *y,
				       struct vrs_error *err)
{
	const struct vrs_graph_tensor *axes = vrs_operand(graph, node, 1);
	int from = 0;

	y->rank = x->rank + (axes != NULL ? (int)(vrs_tensor_elements(axes) & 0xff) : __builtin_popcount(node->u.view.axes));
	if (y->rank > VRS_MAX_RANK)
		return VRS_NODE_FAIL(err, VRS_ELIMIT, graph, node, "%d dimensions, more than %d", y->rank, VRS_MAX_RANK);
	if (axes != NULL)
		VRS_TRY(vrs_resolve_axes(graph, node, 1, y->rank, &node->u.view.axes, err));
	for (int i = 0; i < y->rank; i++)
		if (node->u.view.axes & 1u << i)
			y->dims[i] = 1;
		else if (from < x->rank)
			y->dims[i] = x->dims[from++];
	if (from != x->rank)
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "its axes (%x) are outside %d dimensions", (unsigned)node->u.view.axes, y->rank);
	return VRS_OK;
}

static enum vrs_status infer_flatten(const struct vrs_graph *graph, struct vrs_node *node, const struct vrs_shape *x, struct vrs_shape *y,
				     struct vrs_error *err)
{
	int axis = node->u.view.axis < 0 ? node->u.view.axis + x->rank : node->u.view.axis;

	if (axis < 0 || axis > x->rank)
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "axis %d of %d dimensions", node->u.view.axis, x->rank);
	y->rank = 2;
	y->dims[0] = y->dims[1] = 1;
	for (int i = 0; i < x->rank; i++)
		y->dims[i >= axis] *= x->dims[i];
	return VRS_OK;
}

enum vrs_status vrs_infer_view(struct vrs_graph *graph, struct vrs_node *node, struct vrs_shape *y, struct vrs_error *err)
{
	struct vrs_shape x = vrs_shape_of(graph, node->in[0]);

	switch (node->u.view.kind) {
	case VRS_VIEW_SHAPE: return infer_shape(graph, node, &x, y, err);
	case VRS_VIEW_SQUEEZE: return infer_squeeze(graph, node, &x, y, err);
	case VRS_VIEW_UNSQUEEZE: return infer_unsqueeze(graph, node, &x, y, err);
	case VRS_VIEW_FLATTEN: break;
	}
	return infer_flatten(graph, node, &x, y, err);
}
