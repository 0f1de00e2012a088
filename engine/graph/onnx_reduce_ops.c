/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ONNX reductions. */
#include <string.h>

#include "graph/onnx_build.h"
#include "graph/onnx_parts.h"

static const struct {
	const char *type;
	enum vrs_reduce op;
	int axes_input;              /* first opset where the axes are an input */
} reductions[] = {
	{"ReduceMean", VRS_REDUCE_MEAN, 18},        {"ReduceSum", VRS_REDUCE_SUM, 13},           {"ReduceMax", VRS_REDUCE_MAX, 18},
	{"ReduceMin", VRS_REDUCE_MIN, 18},          {"ReduceProd", VRS_REDUCE_PROD, 18},         {"ReduceL1", VRS_REDUCE_L1, 18},
	{"ReduceL2", VRS_REDUCE_L2, 18},            {"ReduceSumSquare", VRS_REDUCE_SUM_SQUARE, 18}, {"ReduceLogSum", VRS_REDUCE_LOG_SUM, 18},
	{"ReduceLogSumExp", VRS_REDUCE_LOG_SUM_EXP, 18},
};

static enum vrs_status build_reduce(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	struct vrs_node made;
	int64_t axes[VRS_MAX_RANK];
	size_t i = 0;
	int count;

	while (strcmp(node->proto->op_type, reductions[i].type) != 0)
		i++; /* the table below names no others */
	vrs_node_init(&made, VRS_OP_REDUCE, node->name);
	made.inputs = 1;
	made.in[0] = vrs_onnx_input(build, node, 0);
	made.u.reduce.op = reductions[i].op;
	made.u.reduce.keep_dims = vrs_onnx_int(node, "keepdims", 1) != 0;
	made.u.reduce.keep_if_empty = node->opset >= reductions[i].axes_input && vrs_onnx_int(node, "noop_with_empty_axes", 0) != 0;
	if (node->opset >= reductions[i].axes_input) {
		made.in[1] = vrs_onnx_input(build, node, 1);
		made.inputs = made.in[1] >= 0 ? 2 : 1;
	} else if ((count = vrs_onnx_ints(node, "axes", axes, VRS_MAX_RANK)) > 0) {
		made.inputs = 2;
		made.in[1] = vrs_onnx_i64s(build, count, axes);
		if (made.in[1] < 0)
			return vrs_onnx_done(made.in[1]);
	}
	if (made.in[0] < 0 || vrs_onnx_type_of(build, made.in[0]) != VRS_BOOL)
		return vrs_onnx_done(vrs_onnx_emit(build, node, &made, 0));
	/* Truth values count as 0 and 1 (opset 20): the largest is "or", the smallest "and". */
	made.in[0] = vrs_onnx_cast(build, node, made.in[0], VRS_U8, -1);
	return vrs_onnx_done(made.in[0] < 0 ? made.in[0] : vrs_onnx_cast(build, node, vrs_onnx_emit(build, node, &made, -1), VRS_BOOL, 0));
}

static enum vrs_status build_arg(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	int64_t axis = vrs_onnx_int(node, "axis", 0);
	struct vrs_node made;

	if (axis < -VRS_MAX_RANK || axis >= VRS_MAX_RANK)
		return vrs_fail(vrs_onnx_error(build), VRS_EFORMAT, "axis %lld", (long long)axis);
	vrs_node_init(&made, VRS_OP_ARG_REDUCE, node->name);
	made.inputs = 1;
	made.in[0] = vrs_onnx_input(build, node, 0);
	made.u.arg.axis = (int)axis;
	made.u.arg.smallest = strcmp(node->proto->op_type, "ArgMin") == 0;
	made.u.arg.last = vrs_onnx_int(node, "select_last_index", 0) != 0;
	made.u.arg.keep_dims = vrs_onnx_int(node, "keepdims", 1) != 0;
	return vrs_onnx_done(vrs_onnx_emit(build, node, &made, 0));
}

const struct vrs_onnx_op vrs_onnx_reduce_ops[] = {
	{"ReduceMean", 7, 21, build_reduce},      {"ReduceSum", 7, 21, build_reduce},    {"ReduceMax", 7, 21, build_reduce},
	{"ReduceMin", 7, 21, build_reduce},       {"ReduceProd", 7, 21, build_reduce},   {"ReduceL1", 7, 21, build_reduce},
	{"ReduceL2", 7, 21, build_reduce},        {"ReduceSumSquare", 7, 21, build_reduce}, {"ReduceLogSum", 7, 21, build_reduce},
	{"ReduceLogSumExp", 7, 21, build_reduce}, {"ArgMax", 7, 21, build_arg},          {"ArgMin", 7, 21, build_arg},
	{NULL, 0, 0, NULL},
};
