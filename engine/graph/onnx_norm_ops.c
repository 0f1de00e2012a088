/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Normalisations and softmax. */
#include "graph/import_try.h"
#include "graph/onnx_parts.h"

/* A value per channel, to be combined with [N][C] and `spatial` more dims. */
static int32_t per_channel(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t values, int spatial)
{
	int64_t dims[VRS_MAX_RANK] = {-1, 1, 1, 1, 1, 1, 1, 1};

	return vrs_onnx_reshape(build, node, values, 1 + spatial, dims, -1);
}

/* Rank of the first input, of at least `least` dims; 0: reported as not supported. */
static int rank_of(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t x, int least)
{
	int rank = vrs_onnx_rank(build, x);

	if (rank >= least)
		return rank;
	(void)vrs_onnx_unsupported(build, node, rank < 0 ? "an input of unknown shape" : "an input of %d dimensions", rank);
	return 0;
}

/* 1 / sqrt(variance + epsilon) */
static int32_t inverse_deviation(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t variance, float epsilon, int output)
{
	int32_t root = vrs_onnx_unary(build, node, VRS_ACT_SQRT, 0, 0, vrs_onnx_unary(build, node, VRS_ACT_LINEAR, 1, epsilon, variance, -1), -1);

	return vrs_onnx_unary(build, node, VRS_ACT_RECIPROCAL, 0, 0, root, output);
}

/* y = x * factor + (bias - mean * factor), factor = scale / sqrt(variance + epsilon): constants as a rule, so that a convolution takes them up. */
static enum vrs_status build_batch_norm(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	int32_t in[5], factor, shift, y;
	enum vrs_dtype type = VRS_F32;
	int rank;

	for (int i = 0; i < 5; i++) {
		VRS_TRY(vrs_onnx_need(build, node, i, &in[i]));
		if (i == 0)
			type = vrs_onnx_type_of(build, in[0]);
		VRS_TRY(vrs_onnx_done(in[i] = vrs_onnx_cast(build, node, in[i], VRS_F32, -1)));
	}
	if (vrs_onnx_int(node, "training_mode", 0) != 0 || vrs_onnx_has_output(node, 1))
		return vrs_onnx_unsupported(build, node, "training_mode (statistics of a batch)");
	if (vrs_onnx_int(node, "spatial", 1) == 0)
		return vrs_onnx_unsupported(build, node, "attribute spatial = 0");
	rank = rank_of(build, node, in[0], 2);
	if (rank == 0)
		return VRS_OK;
	factor = vrs_onnx_binary(build, node, VRS_MUL, in[1], inverse_deviation(build, node, in[4], vrs_onnx_float(node, "epsilon", 1e-5F), -1), -1);
	shift = vrs_onnx_binary(build, node, VRS_SUB, in[2], vrs_onnx_binary(build, node, VRS_MUL, in[3], factor, -1), -1);
	factor = per_channel(build, node, factor, rank - 2);
	shift = per_channel(build, node, shift, rank - 2);
	y = vrs_onnx_binary(build, node, VRS_MUL, in[0], factor, -1);
	y = vrs_onnx_binary(build, node, VRS_ADD, y, shift, vrs_onnx_slot(type));
	return vrs_onnx_done(type == VRS_F32 ? y : vrs_onnx_cast(build, node, y, type, 0));
}

/* Instance norm of [N][C]...; groups 0: each channel by itself.  Other ranks than 4 pass as [N][C][1][rest]. */
static int32_t normalise_map(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t x, int32_t scale, int32_t bias, int groups,
			     int output)
{
	int rank = vrs_onnx_rank(build, x);
	struct vrs_node made;
	int32_t y = x;

	vrs_node_init(&made, VRS_OP_INSTANCE_NORM, node->name);
	made.inputs = 3;
	made.in[1] = scale;
	made.in[2] = bias;
	made.u.norm.groups = groups;
	made.u.norm.epsilon = vrs_onnx_float(node, "epsilon", 1e-5F);
	if (rank != 4)
		y = vrs_onnx_reshape(build, node, y, 4, (const int64_t[]){0, 0, 1, -1}, -1);
	made.in[0] = y < 0 ? y : vrs_onnx_to_map(build, node, y);
	if (made.in[0] < 0 || scale < 0 || bias < 0)
		return made.in[0] < 0 ? made.in[0] : scale < 0 ? scale : bias;
	y = vrs_onnx_emit(build, node, &made, -1);
	y = y < 0 ? y : vrs_onnx_from_map(build, node, y, rank == 4 ? output : -1);
	return rank == 4 ? y : vrs_onnx_reshape_like(build, node, y, x, output);
}

static enum vrs_status read_three(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t in[3], enum vrs_dtype *ret_type)
{
	for (int i = 0; i < 3; i++) {
		VRS_TRY(vrs_onnx_need(build, node, i, &in[i]));
		if (i == 0)
			*ret_type = vrs_onnx_type_of(build, in[0]);
		VRS_TRY(vrs_onnx_done(in[i] = vrs_onnx_cast(build, node, in[i], VRS_F32, -1)));
	}
	return VRS_OK;
}

static enum vrs_status build_instance_norm(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	enum vrs_dtype type = VRS_F32;
	int32_t in[3], y;

	VRS_TRY(read_three(build, node, in, &type));
	if (rank_of(build, node, in[0], 3) == 0)
		return VRS_OK;
	y = normalise_map(build, node, in[0], in[1], in[2], 0, vrs_onnx_slot(type));
	return vrs_onnx_done(type == VRS_F32 ? y : vrs_onnx_cast(build, node, y, type, 0));
}

/* Opset 18 has one scale and bias a group: each value is repeated for the channels of the group. */
static int32_t spread(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t values, int64_t groups, int64_t channels)
{
	struct vrs_node made;

	values = vrs_onnx_reshape(build, node, values, 2, (const int64_t[]){groups, 1}, -1);
	if (values < 0)
		return values;
	vrs_node_init(&made, VRS_OP_EXPAND, node->name);
	made.inputs = 2;
	made.in[0] = values;
	made.in[1] = vrs_onnx_i64s(build, 2, (const int64_t[]){groups, channels / groups});
	if (made.in[1] < 0)
		return made.in[1];
	return vrs_onnx_reshape(build, node, vrs_onnx_emit(build, node, &made, -1), 1, (const int64_t[]){channels}, -1);
}

static enum vrs_status build_group_norm(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	int64_t groups = vrs_onnx_int(node, "num_groups", 0), channels;
	enum vrs_dtype type = VRS_F32;
	int32_t in[3], y;

	VRS_TRY(read_three(build, node, in, &type));
	if (rank_of(build, node, in[0], 3) == 0)
		return VRS_OK;
	channels = vrs_onnx_known(build, in[0])->dims[1];
	if (groups < 1 || channels < 1 || channels % groups != 0)
		return vrs_fail(vrs_onnx_error(build), VRS_EFORMAT, "%lld groups for %lld channels", (long long)groups, (long long)channels);
	for (int i = 1; i < 3 && node->opset < 21 && groups != channels; i++)
		in[i] = spread(build, node, in[i], groups, channels);
	y = normalise_map(build, node, in[0], in[1], in[2], (int)groups, vrs_onnx_slot(type));
	return vrs_onnx_done(type == VRS_F32 ? y : vrs_onnx_cast(build, node, y, type, 0));
}

/* The outputs Mean and InvStdDev, which inference hardly ever wants. */
static enum vrs_status layer_statistics(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t x, int axis, float epsilon)
{
	int rank = vrs_onnx_rank(build, x);
	uint32_t axes;
	int32_t mean, rest;

	if (!vrs_onnx_has_output(node, 1) && !vrs_onnx_has_output(node, 2))
		return VRS_OK;
	if (rank < 0 || axis + rank < 0 || axis >= rank)
		return vrs_onnx_unsupported(build, node, "mean and deviation along axis %d of %d dimensions", axis, rank);
	axis = axis < 0 ? axis + rank : axis;
	axes = ((1u << rank) - 1) & ~((1u << axis) - 1);
	mean = vrs_onnx_reduce(build, node, VRS_REDUCE_MEAN, x, axes, 1);
	if (!vrs_onnx_has_output(node, 2))
		return vrs_onnx_done(mean);
	rest = vrs_onnx_binary(build, node, VRS_SUB, x, mean, -1);
	rest = vrs_onnx_reduce(build, node, VRS_REDUCE_MEAN, vrs_onnx_binary(build, node, VRS_MUL, rest, rest, -1), axes, -1);
	return vrs_onnx_done(inverse_deviation(build, node, rest, epsilon, 2));
}

static enum vrs_status build_layer_norm(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	int64_t axis = vrs_onnx_int(node, "axis", -1);
	enum vrs_dtype type = VRS_F32;
	struct vrs_node made;
	int32_t y;

	vrs_node_init(&made, VRS_OP_LAYER_NORM, node->name);
	for (int i = 0; i < 3; i++) {
		made.in[i] = vrs_onnx_input(build, node, i);
		if (i == 0)
			VRS_TRY(vrs_onnx_need(build, node, 0, &made.in[0]));
		if (i == 0)
			type = vrs_onnx_type_of(build, made.in[0]);
		if (made.in[i] >= 0)
			VRS_TRY(vrs_onnx_done(made.in[i] = vrs_onnx_cast(build, node, made.in[i], VRS_F32, -1)));
	}
	made.inputs = 3;
	made.u.norm.axis = axis < -VRS_MAX_RANK || axis > VRS_MAX_RANK ? VRS_MAX_RANK : (int)axis; /* refused by inference */
	made.u.norm.epsilon = vrs_onnx_float(node, "epsilon", 1e-5F);
	y = vrs_onnx_emit(build, node, &made, vrs_onnx_slot(type));
	VRS_TRY(vrs_onnx_done(type == VRS_F32 ? y : vrs_onnx_cast(build, node, y, type, 0)));
	return layer_statistics(build, node, made.in[0], made.u.norm.axis, made.u.norm.epsilon);
}

/* (x - mean) / (sqrt(mean of squares - squared mean) + 1e-9), as the function body of the operator has it. */
static enum vrs_status build_mean_variance(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	int64_t axes[VRS_MAX_RANK] = {0, 2, 3};
	int32_t x, mean, squares, deviation;
	int count = vrs_onnx_ints(node, "axes", axes, VRS_MAX_RANK), rank;
	uint32_t mask = 0;

	VRS_TRY(vrs_onnx_need(build, node, 0, &x));
	rank = rank_of(build, node, x, 1);
	for (int i = 0; i < (count < 0 ? 3 : count) && rank != 0; i++) {
		int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];

		if (axis < 0 || axis >= rank)
			return vrs_fail(vrs_onnx_error(build), VRS_EFORMAT, "axis %lld of %d dimensions", (long long)axis, rank);
		mask |= 1u << axis;
	}
	if (rank == 0)
		return VRS_OK;
	mean = vrs_onnx_reduce(build, node, VRS_REDUCE_MEAN, x, mask, -1);
	squares = vrs_onnx_reduce(build, node, VRS_REDUCE_MEAN, vrs_onnx_binary(build, node, VRS_MUL, x, x, -1), mask, -1);
	deviation = vrs_onnx_binary(build, node, VRS_SUB, squares, vrs_onnx_binary(build, node, VRS_MUL, mean, mean, -1), -1);
	deviation = vrs_onnx_unary(build, node, VRS_ACT_LINEAR, 1, 1e-9F, vrs_onnx_unary(build, node, VRS_ACT_SQRT, 0, 0, deviation, -1), -1);
	return vrs_onnx_done(vrs_onnx_binary(build, node, VRS_DIV, vrs_onnx_binary(build, node, VRS_SUB, x, mean, -1), deviation, 0));
}

/*
 * x / (bias + alpha / size * sum of squares of `size` channels around each)^beta.  The sum is a pool along the channels of the map
 * [N][C][pixels][1], whose average counts the places beyond the channels too.
 */
static enum vrs_status build_lrn(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	int64_t size = vrs_onnx_int(node, "size", 1);
	struct vrs_node made;
	int32_t x, y;

	VRS_TRY(vrs_onnx_need(build, node, 0, &x));
	if (size < 1 || size > 1024)
		return vrs_fail(vrs_onnx_error(build), VRS_EFORMAT, "a size of %lld", (long long)size);
	vrs_node_init(&made, VRS_OP_POOL_AVG, node->name);
	y = vrs_onnx_binary(build, node, VRS_MUL, x, x, -1);
	made.inputs = 1;
	made.in[0] = vrs_onnx_reshape(build, node, y, 4, (const int64_t[]){0, 0, -1, 1}, -1);
	VRS_TRY(vrs_onnx_done(made.in[0]));
	made.u.window.kernel_h = (int)size;
	made.u.window.pad_top = (int)((size - 1) / 2);
	made.u.window.pad_bottom = (int)(size - 1 - (size - 1) / 2);
	made.u.window.count_pad = true;
	y = vrs_onnx_reshape_like(build, node, vrs_onnx_emit(build, node, &made, -1), x, -1);
	y = vrs_onnx_unary(build, node, VRS_ACT_LINEAR, vrs_onnx_float(node, "alpha", 1e-4F), vrs_onnx_float(node, "bias", 1), y, -1);
	y = vrs_onnx_binary(build, node, VRS_POW, y, vrs_onnx_scalar(build, vrs_onnx_float(node, "beta", 0.75F)), -1);
	return vrs_onnx_done(vrs_onnx_binary(build, node, VRS_DIV, x, y, 0));
}

static int32_t softmax(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t x, bool logarithm, int output)
{
	struct vrs_node made;

	if (x < 0)
		return x;
	vrs_node_init(&made, VRS_OP_SOFTMAX, node->name);
	made.inputs = 1;
	made.in[0] = x;
	made.u.softmax.log = logarithm;
	return vrs_onnx_emit(build, node, &made, output);
}

/* Since opset 13 along one axis, which is made the last; before, over all dims from the axis on. */
static enum vrs_status build_soft(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, bool logarithm)
{
	int64_t axis = vrs_onnx_int(node, "axis", node->opset < 13 ? 1 : -1);
	int perm[VRS_MAX_RANK], rank, out;
	enum vrs_dtype type = VRS_F32;
	int32_t x, y;

	VRS_TRY(vrs_onnx_need(build, node, 0, &x));
	rank = rank_of(build, node, x, 1);
	if (rank == 0)
		return VRS_OK;
	axis = axis < 0 ? axis + rank : axis;
	if (axis < 0 || axis > rank || (axis == rank && node->opset >= 13))
		return vrs_fail(vrs_onnx_error(build), VRS_EFORMAT, "axis %lld of %d dimensions", (long long)axis, rank);
	type = vrs_onnx_type_of(build, x);
	out = vrs_onnx_slot(type);
	VRS_TRY(vrs_onnx_done(x = vrs_onnx_cast(build, node, x, VRS_F32, -1)));
	for (int i = 0; i < rank; i++)
		perm[i] = i;
	if (axis == rank - 1) {
		y = softmax(build, node, x, logarithm, out);
	} else if (node->opset < 13) {
		struct vrs_node flat;

		vrs_node_init(&flat, VRS_OP_RESHAPE, node->name);
		flat.inputs = 1;
		flat.in[0] = x;
		flat.u.view.kind = VRS_VIEW_FLATTEN;
		flat.u.view.axis = (int)axis;
		y = softmax(build, node, vrs_onnx_emit(build, node, &flat, -1), logarithm, -1);
		y = vrs_onnx_reshape_like(build, node, y, x, out);
	} else if (rank == 4 && axis == 1) {
		y = softmax(build, node, vrs_onnx_to_map(build, node, x), logarithm, -1);
		y = y < 0 ? y : vrs_onnx_from_map(build, node, y, out);
	} else {
		perm[axis] = rank - 1;
		perm[rank - 1] = (int)axis;
		y = softmax(build, node, vrs_onnx_transpose(build, node, x, perm, rank, -1), logarithm, -1);
		y = y < 0 ? y : vrs_onnx_transpose(build, node, y, perm, rank, out);
	}
	return vrs_onnx_done(type == VRS_F32 ? y : vrs_onnx_cast(build, node, y, type, 0));
}

static enum vrs_status build_softmax(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	return build_soft(build, node, false);
}

static enum vrs_status build_log_softmax(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	return build_soft(build, node, true);
}

const struct vrs_onnx_op vrs_onnx_norm_ops[] = {
	{"BatchNormalization", 7, 21, build_batch_norm},
	{"InstanceNormalization", 7, 21, build_instance_norm},
	{"GroupNormalization", 18, 21, build_group_norm},
	{"LayerNormalization", 17, 21, build_layer_norm},
	{"MeanVarianceNormalization", 9, 21, build_mean_variance},
	{"LRN", 7, 21, build_lrn},
	{"Softmax", 7, 21, build_softmax},
	{"LogSoftmax", 7, 21, build_log_softmax},
	{0},
};
