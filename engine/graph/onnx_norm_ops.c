/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Normalisations and softmax. */
#include "graph/onnx_build.h"

/* A value per channel, to be combined with [N][C] and `spatial` more dims. */
static int32_t per_channel(const struct vrs_onnx_node *node, int32_t values, int spatial)
{
	int64_t dims[VRS_MAX_RANK] = {-1, 1, 1, 1, 1, 1, 1, 1};

	return vrs_onnx_reshape(node, values, 1 + spatial, dims, -1);
}

/* Rank of the first input, of at least `least` dims; 0: reported as not supported. */
static int rank_of(const struct vrs_onnx_node *node, int32_t x, int least)
{
	int rank = vrs_onnx_rank(node, x);

	if (rank >= least)
		return rank;
	(void)vrs_onnx_unsupported(node, rank < 0 ? "an input of unknown shape" : "an input of %d dimensions", rank);
	return 0;
}

/* The first inputs as floats, and the type of the very first; -1 in the place of one that is left out. */
static enum vrs_status read_inputs(const struct vrs_onnx_node *node, int count, int32_t *in, enum vrs_dtype *ret_type)
{
	*ret_type = vrs_onnx_type_of(node, vrs_onnx_input(node, 0));
	for (int i = 0; i < count; i++) {
		in[i] = vrs_onnx_cast(node, vrs_onnx_input(node, i), VRS_F32, -1);
		if (in[i] < -1)
			return (enum vrs_status)in[i];
	}
	return VRS_OK;
}

/* 1 / sqrt(variance + epsilon) */
static int32_t inverse_deviation(const struct vrs_onnx_node *node, int32_t variance, float epsilon, int output)
{
	int32_t root = vrs_onnx_unary(node, VRS_ACT_SQRT, 0, 0, vrs_onnx_unary(node, VRS_ACT_LINEAR, 1, epsilon, variance, -1), -1);

	return vrs_onnx_unary(node, VRS_ACT_RECIPROCAL, 0, 0, root, output);
}

/* y = x * factor + (bias - mean * factor), factor = scale / sqrt(variance + epsilon): constants as a rule, so that a convolution takes them up. */
static enum vrs_status build_batch_norm(const struct vrs_onnx_node *node)
{
	int32_t in[5], factor, shift, y;
	enum vrs_dtype type;
	int rank;

	VRS_TRY(read_inputs(node, 5, in, &type));
	if (vrs_onnx_int(node, "training_mode", 0) != 0 || vrs_onnx_has_output(node, 1))
		return vrs_onnx_unsupported(node, "training_mode (statistics of a batch)");
	if (vrs_onnx_int(node, "spatial", 1) == 0)
		return vrs_onnx_unsupported(node, "attribute spatial = 0");
	rank = rank_of(node, in[0], 2);
	if (rank == 0)
		return VRS_OK;
	factor = vrs_onnx_binary(node, VRS_MUL, in[1], inverse_deviation(node, in[4], vrs_onnx_float(node, "epsilon", 1e-5F), -1), -1);
	shift = vrs_onnx_binary(node, VRS_SUB, in[2], vrs_onnx_binary(node, VRS_MUL, in[3], factor, -1), -1);
	factor = per_channel(node, factor, rank - 2);
	shift = per_channel(node, shift, rank - 2);
	y = vrs_onnx_binary(node, VRS_MUL, in[0], factor, -1);
	y = vrs_onnx_binary(node, VRS_ADD, y, shift, vrs_onnx_slot(type));
	return vrs_onnx_done_as(node, y, type);
}

/* Instance norm of [N][C]...; groups 0: each channel by itself.  Other ranks than 4 pass as [N][C][1][rest]. */
static int32_t normalise_map(const struct vrs_onnx_node *node, int32_t x, int32_t scale, int32_t bias, int groups, int output)
{
	int rank = vrs_onnx_rank(node, x);
	int32_t y = rank == 4 ? x : vrs_onnx_reshape(node, x, 4, (const int64_t[]){0, 0, 1, -1}, -1);
	struct vrs_node made = vrs_node_of(VRS_OP_INSTANCE_NORM, node->name, 3, (const int32_t[]){vrs_onnx_to_map(node, y), scale, bias});

	made.u.norm.groups = groups;
	made.u.norm.epsilon = vrs_onnx_float(node, "epsilon", 1e-5F);
	y = vrs_onnx_from_map(node, vrs_onnx_emit(node, &made, -1), rank == 4 ? output : -1);
	return rank == 4 ? y : vrs_onnx_reshape_like(node, y, x, output);
}

static enum vrs_status build_instance_norm(const struct vrs_onnx_node *node)
{
	enum vrs_dtype type;
	int32_t in[3], y;

	VRS_TRY(read_inputs(node, 3, in, &type));
	if (rank_of(node, in[0], 3) == 0)
		return VRS_OK;
	y = normalise_map(node, in[0], in[1], in[2], 0, vrs_onnx_slot(type));
	return vrs_onnx_done_as(node, y, type);
}

/* Opset 18 has one scale and bias a group: each value is repeated for the channels of the group. */
static int32_t spread(const struct vrs_onnx_node *node, int32_t values, int64_t groups, int64_t channels)
{
	int32_t column = vrs_onnx_reshape(node, values, 2, (const int64_t[]){groups, 1}, -1);
	int32_t shape = vrs_onnx_i64s(node, 2, (const int64_t[]){groups, channels / groups});

	values = vrs_onnx_plain(node, VRS_OP_EXPAND, 2, (const int32_t[]){column, shape}, -1);
	return vrs_onnx_reshape(node, values, 1, (const int64_t[]){channels}, -1);
}

static enum vrs_status build_group_norm(const struct vrs_onnx_node *node)
{
	int64_t groups = vrs_onnx_int(node, "num_groups", 0), channels;
	enum vrs_dtype type;
	int32_t in[3], y;

	VRS_TRY(read_inputs(node, 3, in, &type));
	if (rank_of(node, in[0], 3) == 0)
		return VRS_OK;
	channels = vrs_onnx_known(node, in[0])->dims[1];
	if (groups < 1 || channels < 1 || channels % groups != 0)
		return vrs_fail(node->build->err, VRS_EFORMAT, "%lld groups for %lld channels", (long long)groups, (long long)channels);
	for (int i = 1; i < 3 && node->opset < 21 && groups != channels; i++)
		in[i] = spread(node, in[i], groups, channels);
	y = normalise_map(node, in[0], in[1], in[2], (int)groups, vrs_onnx_slot(type));
	return vrs_onnx_done_as(node, y, type);
}

/* The outputs Mean and InvStdDev, which inference hardly ever wants. */
static enum vrs_status layer_statistics(const struct vrs_onnx_node *node, int32_t x, int axis, float epsilon)
{
	int rank = vrs_onnx_rank(node, x);
	uint32_t axes;
	int32_t mean, rest;

	if (!vrs_onnx_has_output(node, 1) && !vrs_onnx_has_output(node, 2))
		return VRS_OK;
	if (rank < 0 || axis + rank < 0 || axis >= rank)
		return vrs_onnx_unsupported(node, "mean and deviation along axis %d of %d dimensions", axis, rank);
	axis = axis < 0 ? axis + rank : axis;
	axes = ((1u << rank) - 1) & ~((1u << axis) - 1);
	mean = vrs_onnx_reduce(node, VRS_REDUCE_MEAN, x, axes, 1);
	if (!vrs_onnx_has_output(node, 2))
		return vrs_onnx_done(mean);
	rest = vrs_onnx_binary(node, VRS_SUB, x, mean, -1);
	rest = vrs_onnx_reduce(node, VRS_REDUCE_MEAN, vrs_onnx_binary(node, VRS_MUL, rest, rest, -1), axes, -1);
	return vrs_onnx_done(inverse_deviation(node, rest, epsilon, 2));
}

static enum vrs_status build_layer_norm(const struct vrs_onnx_node *node)
{
	struct vrs_node made;
	enum vrs_dtype type;

	vrs_node_init(&made, VRS_OP_LAYER_NORM, node->name);
	VRS_TRY(vrs_onnx_axis(node, -1, &made.u.norm.axis));
	VRS_TRY(read_inputs(node, 3, made.in, &type));
	made.inputs = 3;
	made.u.norm.epsilon = vrs_onnx_float(node, "epsilon", 1e-5F);
	VRS_TRY(vrs_onnx_done_as(node, vrs_onnx_emit(node, &made, vrs_onnx_slot(type)), type));
	return layer_statistics(node, made.in[0], made.u.norm.axis, made.u.norm.epsilon);
}

/* (x - mean) / (sqrt(mean of squares - squared mean) + 1e-9), as the function body of the operator has it. */
static enum vrs_status build_mean_variance(const struct vrs_onnx_node *node)
{
	int64_t axes[VRS_MAX_RANK] = {0, 2, 3};
	int32_t x = vrs_onnx_input(node, 0), mean, squares, deviation;
	int count = vrs_onnx_ints(node, "axes", axes, VRS_MAX_RANK), rank = rank_of(node, x, 1);
	uint32_t mask = 0;

	for (int i = 0; i < (count < 0 ? 3 : count) && rank != 0; i++) {
		int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];

		if (axis < 0 || axis >= rank)
			return vrs_fail(node->build->err, VRS_EFORMAT, "axis %lld of %d dimensions", (long long)axis, rank);
		mask |= 1u << axis;
	}
	if (rank == 0)
		return VRS_OK;
	mean = vrs_onnx_reduce(node, VRS_REDUCE_MEAN, x, mask, -1);
	squares = vrs_onnx_reduce(node, VRS_REDUCE_MEAN, vrs_onnx_binary(node, VRS_MUL, x, x, -1), mask, -1);
	deviation = vrs_onnx_binary(node, VRS_SUB, squares, vrs_onnx_binary(node, VRS_MUL, mean, mean, -1), -1);
	deviation = vrs_onnx_unary(node, VRS_ACT_LINEAR, 1, 1e-9F, vrs_onnx_unary(node, VRS_ACT_SQRT, 0, 0, deviation, -1), -1);
	return vrs_onnx_done(vrs_onnx_binary(node, VRS_DIV, vrs_onnx_binary(node, VRS_SUB, x, mean, -1), deviation, 0));
}

/*
 * x / (bias + alpha / size * sum of squares of `size` channels around each)^beta.  The sum is a pool along the channels of the map
 * [N][C][pixels][1], whose average counts the places beyond the channels too.
 */
static enum vrs_status build_lrn(const struct vrs_onnx_node *node)
{
	int64_t size = vrs_onnx_int(node, "size", 1);
	int32_t x = vrs_onnx_input(node, 0), y = vrs_onnx_binary(node, VRS_MUL, x, x, -1);
	struct vrs_node made;

	if (size < 1 || size > 1024)
		return vrs_fail(node->build->err, VRS_EFORMAT, "a size of %lld", (long long)size);
	y = vrs_onnx_reshape(node, y, 4, (const int64_t[]){0, 0, -1, 1}, -1);
	made = vrs_node_of(VRS_OP_POOL_AVG, node->name, 1, &y);
	made.u.window.kernel_h = (int)size;
	made.u.window.pad_top = (int)((size - 1) / 2);
	made.u.window.pad_bottom = (int)(size - 1 - (size - 1) / 2);
	made.u.window.count_pad = true;
	y = vrs_onnx_reshape_like(node, vrs_onnx_emit(node, &made, -1), x, -1);
	y = vrs_onnx_unary(node, VRS_ACT_LINEAR, vrs_onnx_float(node, "alpha", 1e-4F), vrs_onnx_float(node, "bias", 1), y, -1);
	y = vrs_onnx_binary(node, VRS_POW, y, vrs_onnx_scalar(node, vrs_onnx_float(node, "beta", 0.75F)), -1);
	return vrs_onnx_done(vrs_onnx_binary(node, VRS_DIV, x, y, 0));
}

/* Along the last axis; the logarithm of it where the row says so. */
static int32_t softmax(const struct vrs_onnx_node *node, int32_t x, int output)
{
	struct vrs_node made = vrs_node_of(VRS_OP_SOFTMAX, node->name, 1, &x);

	made.u.softmax.log = node->op->code != 0;
	return vrs_onnx_emit(node, &made, output);
}

/* Over all dims from the axis on. */
static int32_t softmax_from(const struct vrs_onnx_node *node, int32_t x, int axis, int output)
{
	struct vrs_node flat = vrs_node_of(VRS_OP_RESHAPE, node->name, 1, &x);

	flat.u.view.kind = VRS_VIEW_FLATTEN;
	flat.u.view.axis = axis;
	return vrs_onnx_reshape_like(node, softmax(node, vrs_onnx_emit(node, &flat, -1), -1), x, output);
}

/* Since opset 13 along one axis, which is made the last; before, over all dims from the axis on. */
static enum vrs_status build_softmax(const struct vrs_onnx_node *node)
{
	int64_t axis = vrs_onnx_int(node, "axis", node->opset < 13 ? 1 : -1);
	int32_t x = vrs_onnx_input(node, 0), y;
	enum vrs_dtype type = vrs_onnx_type_of(node, x);
	int perm[VRS_MAX_RANK], rank = rank_of(node, x, 1), out = vrs_onnx_slot(type);

	if (rank == 0)
		return VRS_OK;
	axis = axis < 0 ? axis + rank : axis;
	if (axis < 0 || axis > rank || (axis == rank && node->opset >= 13))
		return vrs_fail(node->build->err, VRS_EFORMAT, "axis %lld of %d dimensions", (long long)axis, rank);
	VRS_TRY(vrs_onnx_done(x = vrs_onnx_cast(node, x, VRS_F32, -1)));
	for (int i = 0; i < rank; i++)
		perm[i] = i;
	if (axis == rank - 1) {
		y = softmax(node, x, out);
	} else if (node->opset < 13) {
		y = softmax_from(node, x, (int)axis, out);
	} else if (rank == 4 && axis == 1) {
		y = vrs_onnx_from_map(node, softmax(node, vrs_onnx_to_map(node, x), -1), out);
	} else {
		perm[axis] = rank - 1;
		perm[rank - 1] = (int)axis;
		y = softmax(node, vrs_onnx_transpose(node, x, perm, rank, -1), -1);
		y = vrs_onnx_transpose(node, y, perm, rank, out);
	}
	return vrs_onnx_done_as(node, y, type);
}

const struct vrs_onnx_op vrs_onnx_norm_ops[] = {
	{"BatchNormalization", 7, 21, 5, build_batch_norm, 0},
	{"InstanceNormalization", 7, 21, 3, build_instance_norm, 0},
	{"GroupNormalization", 18, 21, 3, build_group_norm, 0},
	{"LayerNormalization", 17, 21, 1, build_layer_norm, 0},
	{"MeanVarianceNormalization", 9, 21, 1, build_mean_variance, 0},
	{"LRN", 7, 21, 1, build_lrn, 0},
	{"Softmax", 7, 21, 1, build_softmax, 0},
	{"LogSoftmax", 7, 21, 1, build_softmax, 1},
	{0},
};
