/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small nodes that builders of larger operators are made of. */
#include <string.h>

#include "graph/onnx_build.h"

int32_t vrs_onnx_plain(const struct vrs_onnx_node *node, enum vrs_op op, int inputs, const int32_t *in, int output)
{
	struct vrs_node made = vrs_node_of(op, node->name, inputs, in);

	return vrs_onnx_emit(node, &made, output);
}

int32_t vrs_onnx_reshape(const struct vrs_onnx_node *node, int32_t x, int rank, const int64_t *dims, int output)
{
	struct vrs_node made = vrs_node_of(VRS_OP_RESHAPE, node->name, 1, &x);

	made.u.view.rank = rank;
	memcpy(made.u.view.dims, dims, (size_t)rank * sizeof *dims);
	return vrs_onnx_emit(node, &made, output);
}

int32_t vrs_onnx_reshape_like(const struct vrs_onnx_node *node, int32_t x, int32_t like, int output)
{
	return x < 0 ? x : vrs_onnx_plain(node, VRS_OP_RESHAPE, 2, (const int32_t[]){x, vrs_onnx_shape(node, like, 0, VRS_MAX_RANK)}, output);
}

int32_t vrs_onnx_shape(const struct vrs_onnx_node *node, int32_t x, int start, int end)
{
	struct vrs_node made = vrs_node_of(VRS_OP_SHAPE, node->name, 1, &x);

	made.u.shape.start = start;
	made.u.shape.end = end;
	return vrs_onnx_emit(node, &made, -1);
}

int32_t vrs_onnx_binary(const struct vrs_onnx_node *node, enum vrs_binary op, int32_t a, int32_t b, int output)
{
	struct vrs_node made = vrs_node_of(VRS_OP_BINARY, node->name, 2, (const int32_t[]){a, b});

	made.u.binary.op = op;
	return vrs_onnx_emit(node, &made, output);
}

int32_t vrs_onnx_unary(const struct vrs_onnx_node *node, enum vrs_act act, float lo, float hi, int32_t x, int output)
{
	struct vrs_node made = vrs_node_of(VRS_OP_UNARY, node->name, 1, &x);

	made.act = act;
	made.act_lo = lo;
	made.act_hi = hi;
	return vrs_onnx_emit(node, &made, output);
}

int32_t vrs_onnx_cast(const struct vrs_onnx_node *node, int32_t x, enum vrs_dtype to, int output)
{
	struct vrs_node made = vrs_node_of(VRS_OP_CAST, node->name, 1, &x);

	if (x < 0 || (output < 0 && vrs_onnx_type_of(node, x) == to))
		return x;
	made.u.cast.to = to;
	return vrs_onnx_emit(node, &made, output);
}

int32_t vrs_onnx_reduce(const struct vrs_onnx_node *node, enum vrs_reduce op, int32_t x, uint32_t axes, int output)
{
	struct vrs_node made = vrs_node_of(VRS_OP_REDUCE, node->name, 1, &x);

	made.u.reduce.op = op;
	made.u.reduce.axes = axes;
	made.u.reduce.keep_dims = true;
	return vrs_onnx_emit(node, &made, output);
}

int32_t vrs_onnx_transpose(const struct vrs_onnx_node *node, int32_t tensor, const int *perm, int rank, int output)
{
	struct vrs_node made = vrs_node_of(VRS_OP_TRANSPOSE, node->name, 1, &tensor);

	for (int i = 0; i < rank && i < VRS_MAX_RANK; i++)
		made.u.transpose.perm[i] = perm[i];
	return vrs_onnx_emit(node, &made, output);
}

static int32_t permute_map(const struct vrs_onnx_node *node, int32_t tensor, const int *perm, int output)
{
	int rank = vrs_onnx_rank(node, tensor);
	enum vrs_status status = VRS_OK;
	int32_t id;

	if (rank < 0 || rank == 4)
		return vrs_onnx_transpose(node, tensor, perm, 4, output);
	(void)vrs_onnx_unsupported(node, "a map with %d dimensions (%.40s); only four are supported", rank, node->build->graph.tensors[tensor].name);
	id = vrs_onnx_add_unknown(node->build, node->name);
	if (id >= 0 && output >= 0)
		status = vrs_onnx_alias(node, id, output);
	return status == VRS_OK ? id : (int32_t)status;
}

int32_t vrs_onnx_to_map(const struct vrs_onnx_node *node, int32_t tensor)
{
	return permute_map(node, tensor, (const int[]){0, 2, 3, 1}, -1);
}

int32_t vrs_onnx_from_map(const struct vrs_onnx_node *node, int32_t tensor, int output)
{
	return permute_map(node, tensor, (const int[]){0, 3, 1, 2}, output);
}

int32_t vrs_onnx_scalar(const struct vrs_onnx_node *node, float value)
{
	return vrs_onnx_const(node, VRS_F32, 0, NULL, &value);
}

int32_t vrs_onnx_i64s(const struct vrs_onnx_node *node, int count, const int64_t *values)
{
	return vrs_onnx_const(node, VRS_I64, 1, &(int64_t){count}, values);
}
