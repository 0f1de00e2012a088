/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shapes of paddings, matrix products, layer norms and quantisation: tensors of any rank. */
#include "graph/model_limits.h"
#include "graph/shape_infer.h"

/* The pads of a resolved tensor: first those before each axis, then those after. */
static enum vrs_status read_pads(const struct vrs_graph *graph, struct vrs_node *node, int rank, struct vrs_error *err)
{
	const struct vrs_graph_tensor *pads = vrs_operand(graph, node, 1), *axes = vrs_operand(graph, node, 3);
	int64_t count = axes != NULL ? (int64_t)vrs_tensor_elements(axes) : rank;

	if (pads->data == NULL || (axes != NULL && axes->data == NULL))
		return VRS_NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "its padding (%s) is not known before the network runs", pads->name);
	if (count > rank || (int64_t)vrs_tensor_elements(pads) != 2 * count)
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "%zu paddings for %lld of %d dimensions", vrs_tensor_elements(pads), (long long)count, rank);
	memset(node->u.pad.before, 0, sizeof node->u.pad.before);
	memset(node->u.pad.after, 0, sizeof node->u.pad.after);
	for (int64_t i = 0; i < count; i++) {
		int axis = vrs_wrap_axis(axes != NULL ? vrs_load_i64(axes->dtype, axes->data, (size_t)i) : i, rank);
		int64_t before = vrs_load_i64(pads->dtype, pads->data, (size_t)i), after = vrs_load_i64(pads->dtype, pads->data, (size_t)(count + i));

		if (axis < 0 || before < -VRS_MODEL_MAX_DIM || before > VRS_MODEL_MAX_DIM || after < -VRS_MODEL_MAX_DIM || after > VRS_MODEL_MAX_DIM)
			return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "padding %lld, %lld of dimension %d", (long long)before, (long long)after, axis);
		node->u.pad.before[axis] = before;
		node->u.pad.after[axis] = after;
	}
	return VRS_OK;
}

enum vrs_status vrs_infer_pad(struct vrs_graph *graph, struct vrs_node *node, struct vrs_shape *y, struct vrs_error *err)
{
	const struct vrs_graph_tensor *value = vrs_operand(graph, node, 2);

	*y = vrs_shape_of(graph, node->in[0]);
	if (vrs_operand(graph, node, 1) != NULL)
		VRS_TRY(read_pads(graph, node, y->rank, err));
	if (value != NULL && (value->data == NULL || vrs_tensor_elements(value) != 1))
		return VRS_NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "its fill value (%s) is not one constant", value->name);
	if (value != NULL)
		memcpy(node->u.pad.fill, value->data, vrs_dtype_size(value->dtype)); /* of the type of x, see vrs_node_check_types */
	for (int i = 0; i < y->rank; i++) {
		int64_t in = y->dims[i];

		y->dims[i] += node->u.pad.before[i] + node->u.pad.after[i];
		if (y->dims[i] < 0 || (in == 0 && y->dims[i] > 0 && node->u.pad.mode != VRS_PAD_CONSTANT))
			return VRS_NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "dimension %d of %lld cannot be padded by %lld, %lld", i, (long long)in,
					     (long long)node->u.pad.before[i], (long long)node->u.pad.after[i]);
	}
	return VRS_OK;
}

/* One operand as a matrix of rows x columns with leading dims; vectors get a dim of 1 that the result does not keep. */
struct matrix {
	struct vrs_shape lead;
	int64_t rows, columns;
	bool vector;
};

static struct matrix matrix_of(const struct vrs_shape *x, bool left, bool transpose)
{
	struct matrix m = {.vector = x->rank == 1};
	int64_t last = x->dims[x->rank - 1], above = x->rank > 1 ? x->dims[x->rank - 2] : 1;

	if (m.vector) {
		m.rows = left ? 1 : last;
		m.columns = left ? last : 1;
		return m;
	}
	m.rows = transpose ? last : above;
	m.columns = transpose ? above : last;
	m.lead = *x;
	m.lead.rank = x->rank - 2;
	return m;
}

enum vrs_status vrs_infer_matmul(struct vrs_graph *graph, struct vrs_node *node, struct vrs_shape *y, struct vrs_error *err)
{
	struct vrs_shape xa = vrs_shape_of(graph, node->in[0]), xb = vrs_shape_of(graph, node->in[1]);
	struct matrix a, b;

	if (xa.rank < 1 || xb.rank < 1)
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "operands of %d and %d dimensions", xa.rank, xb.rank);
	if (graph->tensors[node->in[0]].dtype != VRS_F32 || graph->tensors[node->in[1]].dtype != VRS_F32)
		return VRS_NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "operands of %s and %s, not float32", vrs_dtype_name(graph->tensors[node->in[0]].dtype),
				     vrs_dtype_name(graph->tensors[node->in[1]].dtype));
	a = matrix_of(&xa, true, node->u.matmul.transpose_a);
	b = matrix_of(&xb, false, node->u.matmul.transpose_b);
	if (a.columns != b.rows)
		return VRS_NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "a matrix of %lld columns times one of %lld rows; this input size does not fit "
				     "the network", (long long)a.columns, (long long)b.rows);
	y->rank = a.lead.rank > b.lead.rank ? a.lead.rank : b.lead.rank;
	for (int i = 0; i < y->rank; i++) {
		int ia = i - (y->rank - a.lead.rank), ib = i - (y->rank - b.lead.rank);
		int64_t da = ia >= 0 ? a.lead.dims[ia] : 1, db = ib >= 0 ? b.lead.dims[ib] : 1;

		if (da != db && da != 1 && db != 1)
			return VRS_NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "the operands have %lld and %lld matrices in dimension %d", (long long)da,
					     (long long)db, i);
		y->dims[i] = da == 1 ? db : da;
	}
	if (!a.vector)
		y->dims[y->rank++] = a.rows;
	if (!b.vector)
		y->dims[y->rank++] = b.columns;
	return VRS_OK;
}

enum vrs_status vrs_infer_softmax(struct vrs_graph *graph, struct vrs_node *node, struct vrs_shape *y, struct vrs_error *err)
{
	*y = vrs_shape_of(graph, node->in[0]);
	return y->rank >= 1 ? VRS_OK : VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "the input has no axis (%d dimensions)", y->rank);
}

enum vrs_status vrs_check_factors(const struct vrs_graph *graph, const struct vrs_node *node, int64_t count, struct vrs_error *err)
{
	for (int k = 1; k <= 2; k++) {
		const struct vrs_graph_tensor *factor = vrs_operand(graph, node, k);

		if (factor != NULL && (factor->dtype != VRS_F32 || (int64_t)vrs_tensor_elements(factor) != count))
			return VRS_NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "%s (%s) is not %lld float32 values", k == 1 ? "the scale" : "the bias",
					     factor->name, (long long)count);
	}
	return VRS_OK;
}

enum vrs_status vrs_infer_layer_norm(struct vrs_graph *graph, struct vrs_node *node, struct vrs_shape *y, struct vrs_error *err)
{
	int axis;
	int64_t count = 1;

	*y = vrs_shape_of(graph, node->in[0]);
	axis = vrs_wrap_axis(node->u.norm.axis, y->rank);
	if (axis < 0 || graph->tensors[node->in[0]].dtype != VRS_F32)
		return VRS_NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "axis %d of %d dimensions of %s (float32 is expected)", node->u.norm.axis, y->rank,
				     vrs_dtype_name(graph->tensors[node->in[0]].dtype));
	for (int i = axis; i < y->rank; i++)
		count *= y->dims[i];
	return vrs_check_factors(graph, node, count, err);
}

/* One scale, or one for each place along the axis; the zero points are as many.  One scale has no axis: whatever the file says becomes 0. */
enum vrs_status vrs_infer_quant(struct vrs_graph *graph, struct vrs_node *node, struct vrs_shape *y, struct vrs_error *err)
{
	const struct vrs_graph_tensor *scale = &graph->tensors[node->in[1]], *zero = vrs_operand(graph, node, 2);
	int axis;

	*y = vrs_shape_of(graph, node->in[0]);
	axis = vrs_wrap_axis(node->u.quant.axis, y->rank);
	if (!vrs_dtype_is_float(scale->dtype) || (vrs_tensor_elements(scale) != 1 &&
						  (scale->rank != 1 || axis < 0 || scale->dims[0] != y->dims[axis])))
		return VRS_NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "the scale (%s) is neither one number nor one for each place along axis %d; "
				     "quantisation in blocks is not supported", scale->name, node->u.quant.axis);
	if (zero != NULL && vrs_tensor_elements(zero) != vrs_tensor_elements(scale))
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "%zu zero points for %zu scales", vrs_tensor_elements(zero), vrs_tensor_elements(scale));
	if (vrs_tensor_elements(scale) == 1)
		node->u.quant.axis = 0;
	return VRS_OK;
}
