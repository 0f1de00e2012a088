/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ONNX operators that make, move, cut and repeat tensors. */
#include "graph/onnx_build.h"

/* A node with the first inputs of the file's node, as far as it has some. */
static struct vrs_node with_inputs(const struct vrs_onnx_node *node, enum vrs_op op, int max)
{
	int32_t in[VRS_NODE_MAX_INPUTS];
	int count = 0;

	for (; count < max && count < vrs_onnx_inputs(node); count++)
		in[count] = vrs_onnx_input(node, count);
	return vrs_node_of(op, node->name, count, in);
}

static enum vrs_status emit(const struct vrs_onnx_node *node, struct vrs_node *made)
{
	return vrs_onnx_done(vrs_onnx_emit(node, made, 0));
}

enum vrs_status vrs_onnx_build_plain(const struct vrs_onnx_node *node)
{
	struct vrs_node made = with_inputs(node, (enum vrs_op)node->op->code, node->op->inputs);

	return emit(node, &made);
}

/* A list attribute as a constant; -1 when it is absent, or a negative status. */
static int32_t list_attribute(const struct vrs_onnx_node *node, const char *name)
{
	int64_t values[VRS_MAX_RANK];
	int count = vrs_onnx_ints(node, name, values, VRS_MAX_RANK);

	return count >= 0 ? vrs_onnx_i64s(node, count, values) : -1;
}

static int dim_attribute(const struct vrs_onnx_node *node, const char *name, int or_else)
{
	int64_t dim = vrs_onnx_int(node, name, or_else);

	return (int)(dim < -VRS_MAX_RANK ? -VRS_MAX_RANK : dim > VRS_MAX_RANK ? VRS_MAX_RANK : dim);
}

static enum vrs_status build_shape(const struct vrs_onnx_node *node)
{
	struct vrs_node made = with_inputs(node, VRS_OP_SHAPE, 1);

	made.u.shape.start = dim_attribute(node, "start", 0);
	made.u.shape.end = dim_attribute(node, "end", VRS_MAX_RANK);
	return emit(node, &made);
}

static enum vrs_status build_size(const struct vrs_onnx_node *node)
{
	int32_t shape = vrs_onnx_shape(node, vrs_onnx_input(node, 0), 0, VRS_MAX_RANK);
	struct vrs_node made = vrs_node_of(VRS_OP_REDUCE, node->name, 1, &shape);

	made.u.reduce.op = VRS_REDUCE_PROD;
	return emit(node, &made);
}

static enum vrs_status build_gather(const struct vrs_onnx_node *node)
{
	struct vrs_node made = with_inputs(node, VRS_OP_GATHER, 2);

	VRS_TRY(vrs_onnx_axis(node, 0, &made.u.gather.axis));
	return emit(node, &made);
}

/* More inputs than a node of the graph takes: groups are joined first. */
static enum vrs_status build_concat(const struct vrs_onnx_node *node)
{
	int count = vrs_onnx_inputs(node), axis, done = 0;
	int32_t joined = -1;

	VRS_TRY(vrs_onnx_axis(node, 1, &axis));
	if (count == 1)
		return vrs_onnx_alias(node, vrs_onnx_input(node, 0), 0);
	while (done < count) {
		struct vrs_node made;

		vrs_node_init(&made, VRS_OP_CONCAT, node->name);
		made.u.concat.axis = axis;
		if (joined >= 0)
			made.in[made.inputs++] = joined;
		while (made.inputs < VRS_NODE_MAX_INPUTS && done < count)
			made.in[made.inputs++] = vrs_onnx_input(node, done++);
		VRS_TRY(vrs_onnx_done(joined = vrs_onnx_emit(node, &made, done == count ? 0 : -1)));
	}
	return VRS_OK;
}

/* Until opset 9 the lists are attributes. */
static enum vrs_status build_slice(const struct vrs_onnx_node *node)
{
	static const char *const names[] = {"starts", "ends", "axes"};
	struct vrs_node made = with_inputs(node, VRS_OP_SLICE, node->opset < 10 ? 1 : 5);

	for (int k = 0; k < 3 && node->opset < 10; k++) {
		made.in[1 + k] = list_attribute(node, names[k]);
		if (made.in[1 + k] == -1 && k < 2)
			return vrs_fail(node->build->err, VRS_EFORMAT, "it has no %s", names[k]);
		made.inputs = 4;
	}
	for (int i = 1; i < 3; i++)
		if (made.in[i] == -1)
			return vrs_onnx_need(node, i, &made.in[i]);
	return emit(node, &made);
}

/* Elements first..last-1 of an axis, given as I64 lists of one. */
static int32_t cut(const struct vrs_onnx_node *node, int32_t x, int64_t axis, int32_t first, int32_t last, int output)
{
	return vrs_onnx_plain(node, VRS_OP_SLICE, 4, (const int32_t[]){x, first, last, vrs_onnx_i64s(node, 1, &axis)}, output);
}

/* Parts of ceil(size / count) elements; the size may be open, so that this is arithmetic for later. */
static enum vrs_status split_evenly(const struct vrs_onnx_node *node, int32_t x, int axis, int64_t count)
{
	int32_t size = vrs_onnx_shape(node, x, axis, axis == -1 ? VRS_MAX_RANK : axis + 1), chunk, id = 0;
	int64_t less = count - 1;

	chunk = vrs_onnx_binary(node, VRS_ADD, size, vrs_onnx_i64s(node, 1, &less), -1);
	chunk = vrs_onnx_binary(node, VRS_DIV, chunk, vrs_onnx_i64s(node, 1, &count), -1);
	for (int64_t i = 0; i < count && id >= 0; i++) {
		int64_t next = i + 1;
		int32_t first = vrs_onnx_binary(node, VRS_MUL, chunk, vrs_onnx_i64s(node, 1, &i), -1);
		int32_t last = vrs_onnx_binary(node, VRS_MUL, chunk, vrs_onnx_i64s(node, 1, &next), -1);

		id = cut(node, x, axis, first, last, (int)i);
	}
	return vrs_onnx_done(id);
}

static enum vrs_status split_sizes(const struct vrs_onnx_node *node, int32_t x, int axis, const int64_t *sizes, size_t count)
{
	int64_t at = 0;
	int32_t id = 0;

	if (count != node->proto->n_output)
		return vrs_fail(node->build->err, VRS_EFORMAT, "%zu sizes for %zu outputs", count, node->proto->n_output);
	for (size_t i = 0; i < count && id >= 0; i++) {
		int64_t next = sizes[i] >= 0 && sizes[i] <= INT64_MAX - at ? at + sizes[i] : -1;

		if (next < 0)
			return vrs_fail(node->build->err, VRS_EFORMAT, "a part of %lld elements", (long long)sizes[i]);
		id = cut(node, x, axis, vrs_onnx_i64s(node, 1, &at), vrs_onnx_i64s(node, 1, &next), (int)i);
		at = next;
	}
	return vrs_onnx_done(id);
}

/* Sizes that the network computes: each part starts where the one before it ends. */
static enum vrs_status split_computed(const struct vrs_onnx_node *node, int32_t x, int axis, int32_t sizes)
{
	int32_t at = vrs_onnx_i64s(node, 1, &(int64_t){0}), id = 0;

	for (int64_t i = 0; i < (int64_t)node->proto->n_output && id >= 0; i++) {
		int64_t next = i + 1;
		int32_t size = cut(node, sizes, 0, vrs_onnx_i64s(node, 1, &i), vrs_onnx_i64s(node, 1, &next), -1);
		int32_t end = vrs_onnx_binary(node, VRS_ADD, at, size, -1);

		id = cut(node, x, axis, at, end, (int)i);
		at = end;
	}
	return vrs_onnx_done(id);
}

static enum vrs_status build_split(const struct vrs_onnx_node *node)
{
	const struct vrs_graph_tensor *sizes = NULL;
	int64_t listed[64];
	int32_t x = vrs_onnx_input(node, 0), list = node->opset >= 13 ? vrs_onnx_input(node, 1) : -1;
	int axis, count = node->opset < 13 ? vrs_onnx_ints(node, "split", listed, 64) : -1;

	VRS_TRY(vrs_onnx_axis(node, 0, &axis));
	if (count == 64)
		return vrs_onnx_unsupported(node, "%d parts", count);
	if (count > 0)
		return split_sizes(node, x, axis, listed, (size_t)count);
	if (list < 0 && vrs_onnx_int(node, "num_outputs", (int64_t)node->proto->n_output) != (int64_t)node->proto->n_output)
		return vrs_fail(node->build->err, VRS_EFORMAT, "num_outputs is not its number of outputs, %zu", node->proto->n_output);
	if (list < 0)
		return split_evenly(node, x, axis, (int64_t)node->proto->n_output);
	sizes = vrs_onnx_constant(node, list);
	if (sizes == NULL || sizes->dtype != VRS_I64)
		return split_computed(node, x, axis, list);
	return split_sizes(node, x, axis, sizes->data, vrs_tensor_elements(sizes));
}

static enum vrs_status build_transpose(const struct vrs_onnx_node *node)
{
	int64_t perm[VRS_MAX_RANK];
	int32_t x = vrs_onnx_input(node, 0);
	int given = vrs_onnx_ints(node, "perm", perm, VRS_MAX_RANK), order[VRS_MAX_RANK] = {0}, rank = vrs_onnx_rank(node, x);

	if (given < 0 && rank < 0)
		return vrs_onnx_unsupported(node, "a number of dimensions that is not known");
	if (given >= 0 && rank >= 0 && given != rank)
		return vrs_fail(node->build->err, VRS_EFORMAT, "a permutation of %d for %d dimensions", given, rank);
	rank = given >= 0 ? given : rank;
	for (int i = 0; i < rank; i++)
		order[i] = given < 0 ? rank - 1 - i : perm[i] >= 0 && perm[i] < VRS_MAX_RANK ? (int)perm[i] : -1;
	return vrs_onnx_done(vrs_onnx_transpose(node, x, order, rank, 0));
}

/* The code is the kind of view; the axes of two kinds are an attribute until opset 12. */
static enum vrs_status build_view(const struct vrs_onnx_node *node)
{
	enum vrs_view kind = (enum vrs_view)node->op->code;
	bool attribute = kind != VRS_VIEW_SHAPE && node->opset < 13;
	struct vrs_node made = with_inputs(node, VRS_OP_RESHAPE, attribute ? 1 : 2);

	if (attribute) {
		made.in[1] = list_attribute(node, "axes");
		made.inputs = made.in[1] != -1 ? 2 : 1;
	}
	made.u.view.kind = kind;
	made.u.view.allow_zero = vrs_onnx_int(node, "allowzero", 0) != 0;
	if (kind != VRS_VIEW_SQUEEZE && made.in[1] == -1)
		return vrs_fail(node->build->err, VRS_EFORMAT, "its new shape is left out");
	return emit(node, &made);
}

static enum vrs_status build_flatten(const struct vrs_onnx_node *node)
{
	struct vrs_node made = with_inputs(node, VRS_OP_RESHAPE, 1);

	made.u.view.kind = VRS_VIEW_FLATTEN;
	VRS_TRY(vrs_onnx_axis(node, 1, &made.u.view.axis));
	return emit(node, &made);
}

const struct vrs_onnx_op vrs_onnx_shape_ops[] = {
	{"Shape", 7, 21, 1, build_shape, 0},
	{"Size", 7, 21, 1, build_size, 0},
	{"Range", 11, 21, 3, vrs_onnx_build_plain, VRS_OP_RANGE},
	{"Gather", 7, 21, 2, build_gather, 0},
	{"Concat", 7, 21, VRS_ONNX_ALL, build_concat, 0},
	{"Split", 7, 21, 1, build_split, 0},
	{"Slice", 7, 21, 1, build_slice, 0},
	{"Transpose", 7, 21, 1, build_transpose, 0},
	{"Reshape", 7, 21, 1, build_view, VRS_VIEW_SHAPE},
	{"Squeeze", 7, 21, 1, build_view, VRS_VIEW_SQUEEZE},
	{"Unsqueeze", 7, 21, 1, build_view, VRS_VIEW_UNSQUEEZE},
	{"Flatten", 7, 21, 1, build_flatten, 0},
	{"Expand", 8, 21, 2, vrs_onnx_build_plain, VRS_OP_EXPAND},
	{"Tile", 7, 21, 2, vrs_onnx_build_plain, VRS_OP_TILE},
	{0},
};
