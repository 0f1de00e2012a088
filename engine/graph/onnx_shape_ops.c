/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ONNX operators that make, move, cut and repeat tensors. */
#include <string.h>

#include "graph/eval.h"
#include "graph/onnx_build.h"
#include "graph/onnx_parts.h"

/* A node with all inputs of the file's node, as far as the operator has some. */
static enum vrs_status take_inputs(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, struct vrs_node *made, enum vrs_op op,
				   int need, int max)
{
	vrs_node_init(made, op, node->name);
	for (int i = 0; i < max && i < vrs_onnx_inputs(node); i++) {
		made->in[i] = vrs_onnx_input(build, node, i);
		made->inputs = i + 1;
	}
	for (int i = 0; i < need; i++)
		if (made->in[i] < 0)
			return vrs_fail(vrs_onnx_error(build), VRS_EFORMAT, "its input %d is left out", i);
	return VRS_OK;
}

/* An axis attribute; whether it fits the rank is told when shapes are inferred. */
static enum vrs_status read_axis(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int64_t or_else, int *ret)
{
	int64_t axis = vrs_onnx_int(node, "axis", or_else);

	if (axis < -VRS_MAX_RANK || axis > VRS_MAX_RANK)
		return vrs_fail(vrs_onnx_error(build), VRS_EFORMAT, "axis %lld", (long long)axis);
	*ret = (int)axis;
	return VRS_OK;
}

static enum vrs_status emit(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, struct vrs_node *made)
{
	return vrs_onnx_done(vrs_onnx_emit(build, node, made, 0));
}

/* A list attribute as a constant; id, or -1 when it is absent (ret_status VRS_OK) or on failure. */
static int32_t list_attribute(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, const char *name, enum vrs_status *ret_status)
{
	int64_t values[VRS_MAX_RANK];
	int count = vrs_onnx_ints(node, name, values, VRS_MAX_RANK);
	int32_t id = count >= 0 ? vrs_onnx_i64s(build, count, values) : -1;

	*ret_status = count >= 0 ? vrs_onnx_done(id) : VRS_OK;
	return id;
}

static enum vrs_status build_shape(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	int64_t start = vrs_onnx_int(node, "start", 0), end = vrs_onnx_int(node, "end", VRS_MAX_RANK);
	struct vrs_node made;
	enum vrs_status status = take_inputs(build, node, &made, VRS_OP_SHAPE, 1, 1);

	if (status != VRS_OK)
		return status;
	made.u.shape.start = (int)(start < -VRS_MAX_RANK ? -VRS_MAX_RANK : start > VRS_MAX_RANK ? VRS_MAX_RANK : start);
	made.u.shape.end = (int)(end < -VRS_MAX_RANK ? -VRS_MAX_RANK : end > VRS_MAX_RANK ? VRS_MAX_RANK : end);
	return emit(build, node, &made);
}

static enum vrs_status build_size(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	struct vrs_node made;
	int32_t x = -1;
	enum vrs_status status = vrs_onnx_need(build, node, 0, &x);

	if (status != VRS_OK)
		return status;
	vrs_node_init(&made, VRS_OP_REDUCE, node->name);
	made.inputs = 1;
	made.in[0] = vrs_onnx_shape(build, node, x, 0, VRS_MAX_RANK);
	made.u.reduce.op = VRS_REDUCE_PROD;
	return made.in[0] >= 0 ? emit(build, node, &made) : vrs_onnx_done(made.in[0]);
}

static enum vrs_status build_range(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	struct vrs_node made;
	enum vrs_status status = take_inputs(build, node, &made, VRS_OP_RANGE, 3, 3);

	return status == VRS_OK ? emit(build, node, &made) : status;
}

static enum vrs_status build_gather(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	struct vrs_node made;
	enum vrs_status status = take_inputs(build, node, &made, VRS_OP_GATHER, 2, 2);

	if (status == VRS_OK)
		status = read_axis(build, node, 0, &made.u.gather.axis);
	return status == VRS_OK ? emit(build, node, &made) : status;
}

/* More inputs than a node of the graph takes: groups are joined first. */
static enum vrs_status build_concat(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	int count = vrs_onnx_inputs(node), axis = 0, done = 0;
	int32_t joined = -1;
	enum vrs_status status = read_axis(build, node, 1, &axis);

	while (done < count && status == VRS_OK) {
		struct vrs_node made;
		bool last;

		vrs_node_init(&made, VRS_OP_CONCAT, node->name);
		made.u.concat.axis = axis;
		if (joined >= 0)
			made.in[made.inputs++] = joined;
		for (; made.inputs < VRS_NODE_MAX_INPUTS && done < count && status == VRS_OK; done++)
			status = vrs_onnx_need(build, node, done, &made.in[made.inputs++]);
		last = done == count;
		if (status != VRS_OK)
			return status;
		if (last && made.inputs == 1)
			return vrs_onnx_alias(build, node, made.in[0], 0);
		joined = vrs_onnx_emit(build, node, &made, last ? 0 : -1);
		status = vrs_onnx_done(joined);
	}
	return status == VRS_OK && count == 0 ? vrs_fail(vrs_onnx_error(build), VRS_EFORMAT, "it has no inputs") : status;
}

static enum vrs_status build_slice(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	static const char *const names[] = {"starts", "ends", "axes"};
	struct vrs_node made;
	enum vrs_status status = take_inputs(build, node, &made, VRS_OP_SLICE, node->opset < 10 ? 1 : 3, node->opset < 10 ? 1 : 5);

	for (int k = 0; k < 3 && node->opset < 10 && status == VRS_OK; k++) {
		made.in[1 + k] = list_attribute(build, node, names[k], &status);
		if (made.in[1 + k] < 0 && k < 2 && status == VRS_OK)
			return vrs_fail(vrs_onnx_error(build), VRS_EFORMAT, "it has no %s", names[k]);
		made.inputs = 4;
	}
	return status == VRS_OK ? emit(build, node, &made) : status;
}

/* Elements first..last-1 of an axis, given as I64 lists of one. */
static int32_t cut(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t x, int64_t axis, int32_t first, int32_t last, int output)
{
	int32_t axes = vrs_onnx_i64s(build, 1, &axis);
	struct vrs_node made;

	if (first < 0 || last < 0 || axes < 0)
		return first < 0 ? first : last < 0 ? last : axes;
	vrs_node_init(&made, VRS_OP_SLICE, node->name);
	made.inputs = 4;
	made.in[0] = x;
	made.in[1] = first;
	made.in[2] = last;
	made.in[3] = axes;
	return vrs_onnx_emit(build, node, &made, output);
}

/* Parts of ceil(size / count) elements; the size may be open, so that this is arithmetic for later. */
static enum vrs_status split_evenly(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t x, int axis, int64_t count)
{
	int32_t size = vrs_onnx_shape(build, node, x, axis, axis == -1 ? VRS_MAX_RANK : axis + 1), chunk, id = 0;
	int64_t less = count - 1;

	chunk = vrs_onnx_binary(build, node, VRS_ADD, size, vrs_onnx_i64s(build, 1, &less), -1);
	chunk = vrs_onnx_binary(build, node, VRS_DIV, chunk, vrs_onnx_i64s(build, 1, &count), -1);
	for (int64_t i = 0; i < count && id >= 0; i++) {
		int64_t next = i + 1;
		int32_t first = vrs_onnx_binary(build, node, VRS_MUL, chunk, vrs_onnx_i64s(build, 1, &i), -1);
		int32_t last = vrs_onnx_binary(build, node, VRS_MUL, chunk, vrs_onnx_i64s(build, 1, &next), -1);

		id = cut(build, node, x, axis, first, last, (int)i);
	}
	return vrs_onnx_done(id);
}

static enum vrs_status split_sizes(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t x, int axis, const int64_t *sizes,
				   size_t count)
{
	int64_t at = 0;
	int32_t id = 0;

	if (count != node->proto->n_output)
		return vrs_fail(vrs_onnx_error(build), VRS_EFORMAT, "%zu sizes for %zu outputs", count, node->proto->n_output);
	for (size_t i = 0; i < count && id >= 0; i++) {
		int64_t next = sizes[i] >= 0 && sizes[i] <= INT64_MAX - at ? at + sizes[i] : -1;

		if (next < 0)
			return vrs_fail(vrs_onnx_error(build), VRS_EFORMAT, "a part of %lld elements", (long long)sizes[i]);
		id = cut(build, node, x, axis, vrs_onnx_i64s(build, 1, &at), vrs_onnx_i64s(build, 1, &next), (int)i);
		at = next;
	}
	return vrs_onnx_done(id);
}

/* Sizes that the network computes: each part starts where the one before it ends. */
static enum vrs_status split_computed(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t x, int axis, int32_t sizes)
{
	int64_t zero = 0;
	int32_t at = vrs_onnx_i64s(build, 1, &zero), id = 0;

	for (int64_t i = 0; i < (int64_t)node->proto->n_output && id >= 0; i++) {
		int64_t next = i + 1;
		int32_t size = cut(build, node, sizes, 0, vrs_onnx_i64s(build, 1, &i), vrs_onnx_i64s(build, 1, &next), -1);
		int32_t end = vrs_onnx_binary(build, node, VRS_ADD, at, size, -1);

		id = cut(build, node, x, axis, at, end, (int)i);
		at = end;
	}
	return vrs_onnx_done(id);
}

static enum vrs_status build_split(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	const struct vrs_graph_tensor *sizes = NULL;
	int64_t listed[64];
	int32_t x = -1, list = node->opset >= 13 ? vrs_onnx_input(build, node, 1) : -1;
	int axis = 0, count = node->opset < 13 ? vrs_onnx_ints(node, "split", listed, 64) : -1;
	enum vrs_status status = vrs_onnx_need(build, node, 0, &x);

	if (status == VRS_OK)
		status = read_axis(build, node, 0, &axis);
	if (status != VRS_OK)
		return status;
	if (count == 64)
		return vrs_onnx_unsupported(build, node, "%d parts", count);
	if (count > 0)
		return split_sizes(build, node, x, axis, listed, (size_t)count);
	if (list < 0 && vrs_onnx_int(node, "num_outputs", (int64_t)node->proto->n_output) != (int64_t)node->proto->n_output)
		return vrs_fail(vrs_onnx_error(build), VRS_EFORMAT, "num_outputs is not its number of outputs, %zu", node->proto->n_output);
	if (list < 0)
		return split_evenly(build, node, x, axis, (int64_t)node->proto->n_output);
	sizes = vrs_onnx_constant(build, list);
	if (sizes == NULL || sizes->dtype != VRS_I64)
		return split_computed(build, node, x, axis, list);
	return split_sizes(build, node, x, axis, sizes->data, vrs_tensor_elements(sizes));
}

static enum vrs_status build_transpose(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	int64_t perm[VRS_MAX_RANK];
	int given = vrs_onnx_ints(node, "perm", perm, VRS_MAX_RANK), order[VRS_MAX_RANK] = {0}, rank;
	int32_t x = -1;
	enum vrs_status status = vrs_onnx_need(build, node, 0, &x);

	if (status != VRS_OK)
		return status;
	rank = vrs_onnx_rank(build, x);
	if (given < 0 && rank < 0)
		return vrs_onnx_unsupported(build, node, "a number of dimensions that is not known");
	if (given >= 0 && rank >= 0 && given != rank)
		return vrs_fail(vrs_onnx_error(build), VRS_EFORMAT, "a permutation of %d for %d dimensions", given, rank);
	rank = given >= 0 ? given : rank;
	for (int i = 0; i < rank; i++)
		order[i] = given < 0 ? rank - 1 - i : perm[i] >= 0 && perm[i] < VRS_MAX_RANK ? (int)perm[i] : -1;
	return vrs_onnx_done(vrs_onnx_transpose(build, node, x, order, rank, 0));
}

static enum vrs_status build_view(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, enum vrs_view kind, bool axes)
{
	struct vrs_node made;
	enum vrs_status status = take_inputs(build, node, &made, VRS_OP_RESHAPE, 1, axes && node->opset < 13 ? 1 : 2);

	if (status == VRS_OK && axes && node->opset < 13) {
		made.in[1] = list_attribute(build, node, "axes", &status);
		made.inputs = made.in[1] >= 0 ? 2 : 1;
	}
	made.u.view.kind = kind;
	made.u.view.allow_zero = vrs_onnx_int(node, "allowzero", 0) != 0;
	if (status == VRS_OK && kind != VRS_VIEW_SQUEEZE && made.in[1] < 0)
		return vrs_fail(vrs_onnx_error(build), VRS_EFORMAT, "its new shape is left out");
	return status == VRS_OK ? emit(build, node, &made) : status;
}

static enum vrs_status build_reshape(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	return build_view(build, node, VRS_VIEW_SHAPE, false);
}

static enum vrs_status build_squeeze(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	return build_view(build, node, VRS_VIEW_SQUEEZE, true);
}

static enum vrs_status build_unsqueeze(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	return build_view(build, node, VRS_VIEW_UNSQUEEZE, true);
}

static enum vrs_status build_flatten(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	struct vrs_node made;
	enum vrs_status status = take_inputs(build, node, &made, VRS_OP_RESHAPE, 1, 1);

	made.u.view.kind = VRS_VIEW_FLATTEN;
	if (status == VRS_OK)
		status = read_axis(build, node, 1, &made.u.view.axis);
	return status == VRS_OK ? emit(build, node, &made) : status;
}

static enum vrs_status build_expand(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	bool tile = strcmp(node->proto->op_type, "Tile") == 0;
	struct vrs_node made;
	enum vrs_status status = take_inputs(build, node, &made, tile ? VRS_OP_TILE : VRS_OP_EXPAND, 2, 2);

	return status == VRS_OK ? emit(build, node, &made) : status;
}

const struct vrs_onnx_op vrs_onnx_shape_ops[] = {
	{"Shape", 7, 21, build_shape},
	{"Size", 7, 21, build_size},           {"Range", 11, 21, build_range},       {"Gather", 7, 21, build_gather},
	{"Concat", 7, 21, build_concat},       {"Split", 7, 21, build_split},        {"Slice", 7, 21, build_slice},
	{"Transpose", 7, 21, build_transpose}, {"Reshape", 7, 21, build_reshape},    {"Squeeze", 7, 21, build_squeeze},
	{"Unsqueeze", 7, 21, build_unsqueeze}, {"Flatten", 7, 21, build_flatten},    {"Expand", 8, 21, build_expand},
	{"Tile", 7, 21, build_expand},         {NULL, 0, 0, NULL},
};
