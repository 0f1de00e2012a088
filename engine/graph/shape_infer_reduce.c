/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shapes of reductions and of operators that make lists of numbers. */
#include <math.h>

#include "graph/model_limits.h"
#include "graph/shape_infer.h"

static void drop_axes(const struct vrs_shape *x, uint32_t mask, bool keep, struct vrs_shape *y)
{
	y->rank = 0;
	for (int i = 0; i < x->rank; i++)
		if (!(mask & 1u << i))
			y->dims[y->rank++] = x->dims[i];
		else if (keep)
			y->dims[y->rank++] = 1;
}

enum vrs_status vrs_infer_reduce(struct vrs_graph *graph, struct vrs_node *node, struct vrs_shape *y, struct vrs_error *err)
{
	struct vrs_shape x = vrs_shape_of(graph, node->in[0]);

	if (vrs_operand(graph, node, 1) != NULL)
		VRS_TRY(vrs_resolve_axes(graph, node, 1, x.rank, &node->u.reduce.axes, err));
	if (node->u.reduce.axes >> x.rank != 0)
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "axes %x of %d dimensions", (unsigned)node->u.reduce.axes, x.rank);
	drop_axes(&x, vrs_reduce_axes(node, x.rank), node->u.reduce.keep_dims, y);
	return VRS_OK;
}

enum vrs_status vrs_infer_arg(struct vrs_graph *graph, struct vrs_node *node, struct vrs_shape *y, struct vrs_error *err)
{
	struct vrs_shape x = vrs_shape_of(graph, node->in[0]);
	int axis = vrs_wrap_axis(node->u.arg.axis, x.rank);

	if (axis < 0)
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "axis %d of %d dimensions", node->u.arg.axis, x.rank);
	node->u.arg.axis = axis;
	drop_axes(&x, 1u << axis, node->u.arg.keep_dims, y);
	return VRS_OK;
}

enum vrs_status vrs_infer_dims(struct vrs_graph *graph, struct vrs_node *node, struct vrs_shape *y, struct vrs_error *err)
{
	int rank = graph->tensors[node->in[0]].rank, first, last;

	(void)err;
	vrs_shape_range(node, rank, &first, &last);
	y->rank = 1;
	y->dims[0] = last - first;
	return VRS_OK;
}

/* ceil((limit - start) / delta), at least 0. */
enum vrs_status vrs_infer_range(struct vrs_graph *graph, struct vrs_node *node, struct vrs_shape *y, struct vrs_error *err)
{
	double values[3], count;

	for (int k = 0; k < 3; k++) {
		const struct vrs_graph_tensor *in = &graph->tensors[node->in[k]];

		if (in->data == NULL)
			return VRS_NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "its input %d (%.60s) is not known before the network runs", k, in->name);
		if (vrs_tensor_elements(in) != 1)
			return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "its input %d (%.60s) is not one number", k, in->name);
		values[k] = vrs_load_f64(in->dtype, in->data, 0);
	}
	count = ceil((values[1] - values[0]) / values[2]);
	if (!(fabs(count) <= (double)VRS_MODEL_MAX_DIM))
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "numbers from %g to %g in steps of %g", values[0], values[1], values[2]);
	y->rank = 1;
	y->dims[0] = count > 0 ? (int64_t)count : 0;
	return VRS_OK;
}
