/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shapes of operators that move or repeat elements. */
#include "graph/model_limits.h"
#include "graph/shape_infer.h"

enum vrs_status vrs_infer_same(struct vrs_graph *graph, struct vrs_node *node, struct vrs_shape *y, struct vrs_error *err)
{
	(void)err; /* nothing here can fail */
	*y = vrs_shape_of(graph, node->in[0]);
	return VRS_OK;
}

enum vrs_status vrs_infer_concat(struct vrs_graph *graph, struct vrs_node *node, struct vrs_shape *y, struct vrs_error *err)
{
	int axis;

	*y = vrs_shape_of(graph, node->in[0]);
	axis = vrs_wrap_axis(node->u.concat.axis, y->rank);
	if (axis < 0)
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "axis %d of %d dimensions", node->u.concat.axis, y->rank);
	node->u.concat.axis = axis;
	for (int i = 1; i < node->inputs; i++) {
		struct vrs_shape x = vrs_shape_of(graph, node->in[i]);

		if (x.rank != y->rank)
			return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "input %d has %d dimensions, input 0 has %d", i, x.rank, y->rank);
		for (int k = 0; k < y->rank; k++)
			if (k != axis && x.dims[k] != y->dims[k])
				return VRS_NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "input %d has %lld values in dimension %d, input 0 has %lld; this input "
						     "size does not fit the network", i, (long long)x.dims[k], k, (long long)y->dims[k]);
		y->dims[axis] += x.dims[axis];
	}
	return VRS_OK;
}

enum vrs_status vrs_infer_transpose(struct vrs_graph *graph, struct vrs_node *node, struct vrs_shape *y, struct vrs_error *err)
{
	struct vrs_shape x = vrs_shape_of(graph, node->in[0]);
	unsigned seen = 0;

	*y = x;
	for (int i = 0; i < x.rank; i++) {
		int from = node->u.transpose.perm[i];

		if (from < 0 || from >= x.rank || (seen & 1u << from))
			return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "dimension %d of %d is not a permutation", from, x.rank);
		seen |= 1u << from;
		y->dims[i] = x.dims[from];
	}
	return VRS_OK;
}

static int64_t clamp(int64_t x, int64_t lo, int64_t hi)
{
	return x < lo ? lo : x > hi ? hi : x;
}

/* One axis as in numpy: negative positions count from the end, then both are clamped to where a step can still read. Returns the count. */
static int64_t slice_axis(int64_t n, int64_t start, int64_t end, int64_t step, int64_t *ret_start)
{
	*ret_start = 0;
	if (n == 0)
		return 0;
	start = start < 0 ? clamp(start, -n - 1, 0) + n : start;
	end = end < 0 ? clamp(end, -n - 1, 0) + n : end;
	if (step > 0) {
		start = clamp(start, 0, n);
		end = clamp(end, 0, n);
		*ret_start = start;
		return end > start ? (end - start - 1) / step + 1 : 0;
	}
	start = clamp(start, 0, n - 1);
	end = clamp(end, -1, n - 1);
	*ret_start = start;
	return start > end ? (start - end - 1) / -step + 1 : 0;
}

/* Starts, ends, axes and steps given as tensors. */
static enum vrs_status resolve_slice(struct vrs_graph *graph, struct vrs_node *node, struct vrs_shape *y, struct vrs_error *err)
{
	int64_t values[4][VRS_MAX_RANK];
	int counts[4] = {0};
	uint32_t seen = 0;

	for (int k = 0; k < 4; k++) {
		bool given = vrs_operand(graph, node, k + 1) != NULL;

		if (given)
			VRS_TRY(vrs_resolve_ints(graph, node, k + 1, VRS_MAX_RANK, values[k], &counts[k], err));
		if (given ? counts[k] != counts[0] : k < 2)
			return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "%d starts, but %d values in the next list", counts[0], counts[k]);
	}
	for (int i = 0; i < y->rank; i++) {
		node->u.slice.start[i] = 0;
		node->u.slice.step[i] = 1;
	}
	for (int i = 0; i < counts[0]; i++) {
		int axis = vrs_wrap_axis(counts[2] > 0 ? values[2][i] : i, y->rank);
		int64_t step = counts[3] > 0 ? clamp(values[3][i], -VRS_MODEL_MAX_DIM, VRS_MODEL_MAX_DIM) : 1; /* more leaves any dimension, too */

		if (axis < 0 || step == 0 || (seen & 1u << axis))
			return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "axis %d with step %lld of %d dimensions", axis, (long long)step, y->rank);
		seen |= 1u << axis;
		node->u.slice.step[axis] = step;
		y->dims[axis] = slice_axis(y->dims[axis], values[0][i], values[1][i], step, &node->u.slice.start[axis]);
	}
	return VRS_OK;
}

enum vrs_status vrs_infer_slice(struct vrs_graph *graph, struct vrs_node *node, struct vrs_shape *y, struct vrs_error *err)
{
	struct vrs_shape x = vrs_shape_of(graph, node->in[0]);

	*y = x;
	if (node->inputs > 1)
		return resolve_slice(graph, node, y, err);
	*y = vrs_shape_of(graph, node->out); /* made by a pass, which has set the counts */
	for (int i = 0; i < x.rank; i++) {
		int64_t first = node->u.slice.start[i], step = node->u.slice.step[i], last;

		if (y->rank != x.rank || first < 0 || step < -VRS_MODEL_MAX_DIM || step > VRS_MODEL_MAX_DIM || y->dims[i] < 0 || y->dims[i] > x.dims[i])
			return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "part from %lld of dimension %d", (long long)first, i);
		last = first + (y->dims[i] - 1) * step;
		if (y->dims[i] > 0 && (first >= x.dims[i] || last < 0 || last >= x.dims[i]))
			return VRS_NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "part from %lld to %lld of %lld; this input size does not fit the network",
					     (long long)first, (long long)last, (long long)x.dims[i]);
	}
	return VRS_OK;
}

enum vrs_status vrs_infer_gather(struct vrs_graph *graph, struct vrs_node *node, struct vrs_shape *y, struct vrs_error *err)
{
	struct vrs_shape x = vrs_shape_of(graph, node->in[0]), indices = vrs_shape_of(graph, node->in[1]);
	int axis = vrs_wrap_axis(node->u.gather.axis, x.rank);

	if (axis < 0)
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "axis %d of %d dimensions", node->u.gather.axis, x.rank);
	if (x.rank - 1 + indices.rank > VRS_MAX_RANK)
		return VRS_NODE_FAIL(err, VRS_ELIMIT, graph, node, "%d dimensions, more than %d", x.rank - 1 + indices.rank, VRS_MAX_RANK);
	if (x.dims[axis] == 0 && vrs_tensor_elements(&graph->tensors[node->in[1]]) > 0)
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "dimension %d of its input has no elements", axis);
	node->u.gather.axis = axis;
	for (int i = 0; i < axis; i++)
		y->dims[y->rank++] = x.dims[i];
	for (int i = 0; i < indices.rank; i++)
		y->dims[y->rank++] = indices.dims[i];
	for (int i = axis + 1; i < x.rank; i++)
		y->dims[y->rank++] = x.dims[i];
	return VRS_OK;
}

/* Broadcast y with b. */
static enum vrs_status broadcast(const struct vrs_graph *graph, const struct vrs_node *node, const struct vrs_shape *b, struct vrs_shape *y,
			      struct vrs_error *err)
{
	struct vrs_shape a = *y;

	y->rank = a.rank > b->rank ? a.rank : b->rank;
	for (int i = 0; i < y->rank; i++) {
		int ia = i - (y->rank - a.rank), ib = i - (y->rank - b->rank);
		int64_t da = ia >= 0 ? a.dims[ia] : 1, db = ib >= 0 ? b->dims[ib] : 1;

		if (da != db && da != 1 && db != 1)
			return VRS_NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "the inputs have %lld and %lld values in dimension %d; this input size does not "
					     "fit the network", (long long)da, (long long)db, i);
		y->dims[i] = da == 1 ? db : da;
	}
	return VRS_OK;
}

/* Broadcasting of all inputs: binary and where. */
enum vrs_status vrs_infer_broadcast(struct vrs_graph *graph, struct vrs_node *node, struct vrs_shape *y, struct vrs_error *err)
{
	*y = vrs_shape_of(graph, node->in[0]);
	for (int k = 1; k < node->inputs; k++) {
		struct vrs_shape in = vrs_shape_of(graph, node->in[k]);

		VRS_TRY(broadcast(graph, node, &in, y, err));
	}
	return VRS_OK;
}

enum vrs_status vrs_infer_expand(struct vrs_graph *graph, struct vrs_node *node, struct vrs_shape *y, struct vrs_error *err)
{
	struct vrs_shape to = {0};

	VRS_TRY(vrs_resolve_ints(graph, node, 1, VRS_MAX_RANK, to.dims, &to.rank, err));
	*y = vrs_shape_of(graph, node->in[0]);
	return broadcast(graph, node, &to, y, err);
}

enum vrs_status vrs_infer_tile(struct vrs_graph *graph, struct vrs_node *node, struct vrs_shape *y, struct vrs_error *err)
{
	int64_t repeats[VRS_MAX_RANK];
	int count;

	VRS_TRY(vrs_resolve_ints(graph, node, 1, VRS_MAX_RANK, repeats, &count, err));
	*y = vrs_shape_of(graph, node->in[0]);
	if (count != y->rank)
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "%d repeats for %d dimensions", count, y->rank);
	for (int i = 0; i < y->rank; i++) {
		if (repeats[i] < 0 || repeats[i] > VRS_MODEL_MAX_DIM)
			return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "%lld repeats", (long long)repeats[i]);
		y->dims[i] *= repeats[i];
	}
	return VRS_OK;
}
