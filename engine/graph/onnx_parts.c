/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph/onnx_parts.h"

#include <string.h>

enum vrs_status vrs_onnx_need(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int i, int32_t *ret_id)
{
	*ret_id = vrs_onnx_input(build, node, i);
	if (*ret_id < 0)
		return vrs_fail(vrs_onnx_error(build), VRS_EFORMAT, "its input %d is missing", i);
	return VRS_OK;
}

const struct vrs_graph_tensor *vrs_onnx_known(struct vrs_onnx_build *build, int32_t tensor)
{
	return vrs_onnx_rank(build, tensor) >= 0 ? &vrs_onnx_graph(build)->tensors[tensor] : NULL;
}

enum vrs_dtype vrs_onnx_type_of(struct vrs_onnx_build *build, int32_t tensor)
{
	const struct vrs_graph_tensor *known = vrs_onnx_known(build, tensor);

	return known != NULL ? known->dtype : VRS_F32;
}

int32_t vrs_onnx_reshape(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t x, int rank, const int64_t *dims, int output)
{
	struct vrs_node made;

	if (x < 0)
		return x;
	vrs_node_init(&made, VRS_OP_RESHAPE, node->name);
	made.inputs = 1;
	made.in[0] = x;
	made.u.view.kind = VRS_VIEW_SHAPE;
	made.u.view.rank = rank;
	memcpy(made.u.view.dims, dims, (size_t)rank * sizeof *dims);
	return vrs_onnx_emit(build, node, &made, output);
}

int32_t vrs_onnx_reshape_to(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t x, int32_t shape, int output)
{
	struct vrs_node made;

	if (x < 0 || shape < 0)
		return x < 0 ? x : shape;
	vrs_node_init(&made, VRS_OP_RESHAPE, node->name);
	made.inputs = 2;
	made.in[0] = x;
	made.in[1] = shape;
	made.u.view.kind = VRS_VIEW_SHAPE;
	return vrs_onnx_emit(build, node, &made, output);
}

int32_t vrs_onnx_reshape_like(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t x, int32_t like, int output)
{
	return x < 0 ? x : vrs_onnx_reshape_to(build, node, x, vrs_onnx_shape(build, node, like, 0, VRS_MAX_RANK), output);
}

int32_t vrs_onnx_shape(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t x, int start, int end)
{
	struct vrs_node made;

	if (x < 0)
		return x;
	vrs_node_init(&made, VRS_OP_SHAPE, node->name);
	made.inputs = 1;
	made.in[0] = x;
	made.u.shape.start = start;
	made.u.shape.end = end;
	return vrs_onnx_emit(build, node, &made, -1);
}

int32_t vrs_onnx_binary(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, enum vrs_binary op, int32_t a, int32_t b, int output)
{
	struct vrs_node made;

	if (a < 0 || b < 0)
		return a < 0 ? a : b;
	vrs_node_init(&made, VRS_OP_BINARY, node->name);
	made.inputs = 2;
	made.in[0] = a;
	made.in[1] = b;
	made.u.binary.op = op;
	return vrs_onnx_emit(build, node, &made, output);
}

int32_t vrs_onnx_unary(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, enum vrs_act act, float lo, float hi, int32_t x, int output)
{
	struct vrs_node made;

	if (x < 0)
		return x;
	vrs_node_init(&made, VRS_OP_UNARY, node->name);
	made.inputs = 1;
	made.in[0] = x;
	made.act = act;
	made.act_lo = lo;
	made.act_hi = hi;
	return vrs_onnx_emit(build, node, &made, output);
}

int32_t vrs_onnx_cast(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t x, enum vrs_dtype to, int output)
{
	struct vrs_node made;

	if (x < 0 || (output < 0 && vrs_onnx_type_of(build, x) == to))
		return x;
	vrs_node_init(&made, VRS_OP_CAST, node->name);
	made.inputs = 1;
	made.in[0] = x;
	made.u.cast.to = to;
	return vrs_onnx_emit(build, node, &made, output);
}

int32_t vrs_onnx_reduce(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, enum vrs_reduce op, int32_t x, uint32_t axes, int output)
{
	struct vrs_node made;

	if (x < 0)
		return x;
	vrs_node_init(&made, VRS_OP_REDUCE, node->name);
	made.inputs = 1;
	made.in[0] = x;
	made.u.reduce.op = op;
	made.u.reduce.axes = axes;
	made.u.reduce.keep_dims = true;
	return vrs_onnx_emit(build, node, &made, output);
}

int32_t vrs_onnx_concat(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int axis, const int32_t *ids, int count)
{
	struct vrs_node made;

	vrs_node_init(&made, VRS_OP_CONCAT, node->name);
	made.inputs = count;
	made.u.concat.axis = axis;
	for (int i = 0; i < count; i++) {
		if (ids[i] < 0)
			return ids[i];
		made.in[i] = ids[i];
	}
	return vrs_onnx_emit(build, node, &made, -1);
}

int32_t vrs_onnx_scalar(struct vrs_onnx_build *build, float value)
{
	return vrs_onnx_const(build, VRS_F32, 0, NULL, &value);
}

int32_t vrs_onnx_i64s(struct vrs_onnx_build *build, int count, const int64_t *values)
{
	const int64_t length = count;

	return vrs_onnx_const(build, VRS_I64, 1, &length, values);
}
