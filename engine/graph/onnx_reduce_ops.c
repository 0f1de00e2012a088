/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ONNX reductions. */
#include "graph/onnx_build.h"

static enum vrs_status build_reduce(const struct vrs_onnx_node *node)
{
	enum vrs_reduce op = (enum vrs_reduce)node->op->code;
	bool axes_input = node->opset >= (op == VRS_REDUCE_SUM ? 13 : 18); /* before, they are an attribute */
	int32_t in[2] = {vrs_onnx_input(node, 0), axes_input ? vrs_onnx_input(node, 1) : -1};
	int64_t axes[VRS_MAX_RANK];
	int count = axes_input ? 0 : vrs_onnx_ints(node, "axes", axes, VRS_MAX_RANK);
	bool is_bool = vrs_onnx_type_of(node, in[0]) == VRS_BOOL;
	struct vrs_node made;

	if (count > 0)
		VRS_TRY(vrs_onnx_done(in[1] = vrs_onnx_i64s(node, count, axes)));
	if (is_bool) /* truth values count as 0 and 1 (opset 20): the largest is "or", the smallest "and" */
		in[0] = vrs_onnx_cast(node, in[0], VRS_U8, -1);
	made = vrs_node_of(VRS_OP_REDUCE, node->name, in[1] >= 0 ? 2 : 1, in);
	made.u.reduce.op = op;
	made.u.reduce.keep_dims = vrs_onnx_int(node, "keepdims", 1) != 0;
	made.u.reduce.keep_if_empty = axes_input && vrs_onnx_int(node, "noop_with_empty_axes", 0) != 0;
	if (!is_bool)
		return vrs_onnx_done(vrs_onnx_emit(node, &made, 0));
	return vrs_onnx_done(vrs_onnx_cast(node, vrs_onnx_emit(node, &made, -1), VRS_BOOL, 0));
}

/* The code tells if the smallest value is wanted. */
static enum vrs_status build_arg(const struct vrs_onnx_node *node)
{
	struct vrs_node made = vrs_node_of(VRS_OP_ARG_REDUCE, node->name, 1, (const int32_t[]){vrs_onnx_input(node, 0)});

	VRS_TRY(vrs_onnx_axis(node, 0, &made.u.arg.axis));
	made.u.arg.smallest = node->op->code != 0;
	made.u.arg.last = vrs_onnx_int(node, "select_last_index", 0) != 0;
	made.u.arg.keep_dims = vrs_onnx_int(node, "keepdims", 1) != 0;
	return vrs_onnx_done(vrs_onnx_emit(node, &made, 0));
}

const struct vrs_onnx_op vrs_onnx_reduce_ops[] = {
	{"ReduceMean", 7, 21, 1, build_reduce, VRS_REDUCE_MEAN},
	{"ReduceSum", 7, 21, 1, build_reduce, VRS_REDUCE_SUM},
	{"ReduceMax", 7, 21, 1, build_reduce, VRS_REDUCE_MAX},
	{"ReduceMin", 7, 21, 1, build_reduce, VRS_REDUCE_MIN},
	{"ReduceProd", 7, 21, 1, build_reduce, VRS_REDUCE_PROD},
	{"ReduceL1", 7, 21, 1, build_reduce, VRS_REDUCE_L1},
	{"ReduceL2", 7, 21, 1, build_reduce, VRS_REDUCE_L2},
	{"ReduceSumSquare", 7, 21, 1, build_reduce, VRS_REDUCE_SUM_SQUARE},
	{"ReduceLogSum", 7, 21, 1, build_reduce, VRS_REDUCE_LOG_SUM},
	{"ReduceLogSumExp", 7, 21, 1, build_reduce, VRS_REDUCE_LOG_SUM_EXP},
	{"ArgMax", 7, 21, 1, build_arg, 0},
	{"ArgMin", 7, 21, 1, build_arg, 1},
	{0},
};
