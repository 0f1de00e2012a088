/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Convolutions and pools.  Operators along one dimension become maps of height 1. */
#include <string.h>

#include "graph/model_limits.h"
#include "graph/onnx_build.h"

/* Number of spatial dims; 0: they are none of 1 and 2, and the list of what is not supported says so. */
static int spatial_dims(const struct vrs_onnx_node *node, int32_t x, int or_else)
{
	int rank = vrs_onnx_rank(node, x), spatial = rank >= 0 ? rank - 2 : or_else;

	if (spatial == 1 || spatial == 2)
		return spatial;
	(void)vrs_onnx_unsupported(node, "%d spatial dimensions; 1 and 2 are supported", spatial);
	return 0;
}

/* As far as the checks of windows look: larger values are refused there. */
static int bounded(int64_t value)
{
	return value < -1 ? -1 : value > VRS_MODEL_MAX_WINDOW ? VRS_MODEL_MAX_WINDOW + 1 : (int)value;
}

/* An attribute with one value for each spatial dim (times two: starts, then ends), for height and width; heights of 1-D windows get or_else. */
static void read_pairs(const struct vrs_onnx_node *node, const char *name, int spatial, int sets, int or_else, int *ret_values)
{
	int64_t values[4];
	int count = vrs_onnx_ints(node, name, values, 4);

	for (int i = 0; i < 2 * sets; i++)
		ret_values[i] = or_else;
	for (int set = 0; set < sets && count >= sets * spatial; set++)
		for (int i = 0; i < spatial; i++)
			ret_values[set * 2 + 2 - spatial + i] = bounded(values[set * spatial + i]);
}

/* Strides, dilations and padding; the kernel too if the attribute is there. */
static enum vrs_status read_window(const struct vrs_onnx_node *node, int spatial, struct vrs_window *w)
{
	int pair[2], pads[4];

	read_pairs(node, "kernel_shape", spatial, 1, 1, pair);
	w->kernel_h = pair[0];
	w->kernel_w = pair[1];
	read_pairs(node, "strides", spatial, 1, 1, pair);
	w->stride_h = pair[0];
	w->stride_w = pair[1];
	read_pairs(node, "dilations", spatial, 1, 1, pair);
	w->dilation_h = pair[0];
	w->dilation_w = pair[1];
	w->lower = vrs_onnx_is(node, "auto_pad", "SAME_LOWER", "NOTSET");
	w->same = w->lower || vrs_onnx_is(node, "auto_pad", "SAME_UPPER", "NOTSET");
	if (!w->same && !vrs_onnx_is(node, "auto_pad", "NOTSET", "NOTSET"))
		return vrs_onnx_is(node, "auto_pad", "VALID", "NOTSET") ? VRS_OK : vrs_onnx_unsupported(node, "this kind of auto_pad");
	read_pairs(node, "pads", spatial, 2, 0, pads);
	if (w->same)
		return VRS_OK;
	if (pads[0] < 0 || pads[1] < 0 || pads[2] < 0 || pads[3] < 0)
		return vrs_onnx_unsupported(node, "negative padding");
	w->pad_top = pads[0];
	w->pad_left = pads[1];
	w->pad_bottom = pads[2];
	w->pad_right = pads[3];
	return VRS_OK;
}

/* Float map [N][H][W][C] from [N][C][H][W] or [N][C][L]. */
static int32_t enter_map(const struct vrs_onnx_node *node, int32_t x, int spatial)
{
	x = vrs_onnx_cast(node, x, VRS_F32, -1);
	if (spatial == 1)
		x = vrs_onnx_reshape(node, x, 4, (const int64_t[]){0, 0, 1, -1}, -1);
	return vrs_onnx_to_map(node, x);
}

/* And back, to the type of the node's input. */
static int32_t leave_map(const struct vrs_onnx_node *node, int32_t y, int spatial, enum vrs_dtype type, int output)
{
	int last = vrs_onnx_type_of(node, y) == type ? output : -1;

	y = vrs_onnx_from_map(node, y, spatial == 2 ? last : -1);
	if (spatial == 1)
		y = vrs_onnx_reshape(node, y, 3, (const int64_t[]){0, 0, -1}, last);
	return last == output ? y : vrs_onnx_cast(node, y, type, output);
}

/* *ret_weights with two kernel dims as F32, whose dims are known. */
static enum vrs_status enter_weights(const struct vrs_onnx_node *node, int spatial, int32_t *ret_weights,
				     bool *ret_known)
{
	int32_t id = *ret_weights;

	*ret_known = vrs_onnx_rank(node, id) == spatial + 2;
	if (!*ret_known)
		return vrs_onnx_unsupported(node, "weights of %d dimensions for a map of %d", vrs_onnx_rank(node, id), spatial + 2);
	id = vrs_onnx_cast(node, id, VRS_F32, -1);
	if (spatial == 1)
		id = vrs_onnx_reshape(node, id, 4, (const int64_t[]){0, 0, 1, -1}, -1);
	*ret_weights = id;
	*ret_known = id >= 0 && vrs_onnx_rank(node, id) == 4;
	return vrs_onnx_done(id);
}

/* OIHW to OHWI; a depthwise convolution's [O][1][KH][KW] to [KH][KW][O]. */
static int32_t conv_weights(const struct vrs_onnx_node *node, int32_t id, const int64_t *dims, int groups)
{
	if (groups == 1 || dims[1] != 1)
		return vrs_onnx_transpose(node, id, (const int[]){0, 2, 3, 1}, 4, -1);
	id = vrs_onnx_reshape(node, id, 3, (const int64_t[]){dims[0], dims[2], dims[3]}, -1);
	return vrs_onnx_transpose(node, id, (const int[]){1, 2, 0}, 3, -1);
}

/* I, O / groups, KH, KW to O, KH, KW, I / groups. */
static int32_t deconv_weights(const struct vrs_onnx_node *node, int32_t id, const int64_t *dims, int groups)
{
	if (groups == 1)
		return vrs_onnx_transpose(node, id, (const int[]){1, 2, 3, 0}, 4, -1);
	id = vrs_onnx_reshape(node, id, 5, (const int64_t[]){groups, dims[0] / groups, dims[1], dims[2], dims[3]}, -1);
	id = vrs_onnx_transpose(node, id, (const int[]){0, 2, 3, 4, 1}, 5, -1);
	return vrs_onnx_reshape(node, id, 4, (const int64_t[]){groups * dims[1], dims[2], dims[3], dims[0] / groups}, -1);
}

static enum vrs_status read_output_size(const struct vrs_onnx_node *node, int spatial, struct vrs_window *w)
{
	int64_t shape[4];
	int more[2], count = vrs_onnx_ints(node, "output_shape", shape, 4);

	read_pairs(node, "output_padding", spatial, 1, 0, more);
	w->more_h = more[0];
	w->more_w = more[1];
	if (count <= 0)
		return VRS_OK;
	if (count != spatial && count != spatial + 2)
		return vrs_onnx_unsupported(node, "an output_shape of %d values", count);
	w->out_h = spatial == 2 ? bounded(shape[count - 2]) : 1;
	w->out_w = bounded(shape[count - 1]);
	w->lower = !w->same || w->lower;
	return VRS_OK;
}

/* The window and the weights of a convolution; *ret_known false: reported as not supported. */
static enum vrs_status read_convolution(const struct vrs_onnx_node *node, int32_t weights, int spatial,
					struct vrs_node *made, bool *ret_known)
{
	int64_t groups = vrs_onnx_int(node, "group", 1), dims[4];

	VRS_TRY(read_window(node, spatial, &made->u.window));
	VRS_TRY(enter_weights(node, spatial, &weights, ret_known));
	if (!*ret_known)
		return VRS_OK;
	memcpy(dims, vrs_onnx_known(node, weights)->dims, sizeof dims);
	if (groups < 1 || groups > VRS_MODEL_MAX_DIM || dims[0] % groups != 0)
		return vrs_fail(node->build->err, VRS_EFORMAT, "%lld groups for %lld channels", (long long)groups, (long long)dims[0]);
	made->u.window.groups = (int)groups;
	made->u.window.kernel_h = bounded(dims[2]);
	made->u.window.kernel_w = bounded(dims[3]);
	if (made->op == VRS_OP_DECONV)
		VRS_TRY(read_output_size(node, spatial, &made->u.window));
	made->in[1] = made->op == VRS_OP_CONV ? conv_weights(node, weights, dims, (int)groups) :
						deconv_weights(node, weights, dims, (int)groups);
	return vrs_onnx_done(made->in[1]);
}

enum vrs_status vrs_onnx_convolve(const struct vrs_onnx_node *node, enum vrs_op op, const int32_t in[3], int output,
				  int32_t *ret_id)
{
	enum vrs_dtype type = vrs_onnx_type_of(node, in[0]);
	int spatial = spatial_dims(node, in[0], vrs_onnx_rank(node, in[1]) - 2);
	struct vrs_node made;
	bool known;

	*ret_id = -1;
	vrs_node_init(&made, op, node->name);
	if (spatial == 0)
		return VRS_OK;
	VRS_TRY(read_convolution(node, in[1], spatial, &made, &known));
	if (!known)
		return VRS_OK;
	made.inputs = 3;
	made.in[0] = enter_map(node, in[0], spatial);
	made.in[2] = vrs_onnx_cast(node, in[2], VRS_F32, -1);
	*ret_id = leave_map(node, vrs_onnx_emit(node, &made, -1), spatial, type, output);
	return vrs_onnx_done(*ret_id);
}

/* The code is VRS_OP_CONV or VRS_OP_DECONV. */
static enum vrs_status build_convolution(const struct vrs_onnx_node *node)
{
	int32_t y;

	return vrs_onnx_convolve(node, (enum vrs_op)node->op->code,
				 (const int32_t[]){vrs_onnx_input(node, 0), vrs_onnx_input(node, 1), vrs_onnx_input(node, 2)}, 0, &y);
}

/* What is common to pools: the node with its window, its map as input; spatial dims (0: not supported, which is reported). */
static enum vrs_status read_pool(const struct vrs_onnx_node *node, int *ret_spatial, struct vrs_node *made)
{
	int64_t kernel[8];
	int32_t x = vrs_onnx_input(node, 0);
	int count = vrs_onnx_ints(node, "kernel_shape", kernel, 8);

	vrs_node_init(made, (enum vrs_op)node->op->code, node->name);
	if (count < 1)
		return vrs_fail(node->build->err, VRS_EFORMAT, "its kernel_shape is missing");
	*ret_spatial = spatial_dims(node, x, count);
	if (*ret_spatial == 0)
		return VRS_OK;
	if (count != *ret_spatial)
		return vrs_fail(node->build->err, VRS_EFORMAT, "a kernel_shape of %d values for %d spatial dimensions", count, *ret_spatial);
	made->u.window.ceil = vrs_onnx_int(node, "ceil_mode", 0) != 0;
	VRS_TRY(read_window(node, *ret_spatial, &made->u.window));
	made->inputs = 1;
	return vrs_onnx_done(made->in[0] = enter_map(node, x, *ret_spatial));
}

/* Largest or average values; of the largest also their places. */
static enum vrs_status build_pool(const struct vrs_onnx_node *node)
{
	enum vrs_dtype type = vrs_onnx_type_of(node, vrs_onnx_input(node, 0));
	struct vrs_node made;
	int spatial;

	VRS_TRY(read_pool(node, &spatial, &made));
	if (spatial == 0)
		return VRS_OK;
	made.u.window.count_pad = made.op == VRS_OP_POOL_AVG && vrs_onnx_int(node, "count_include_pad", 0) != 0;
	VRS_TRY(vrs_onnx_done(leave_map(node, vrs_onnx_emit(node, &made, -1), spatial, type, 0)));
	if (made.op == VRS_OP_POOL_AVG || !vrs_onnx_has_output(node, 1))
		return VRS_OK;
	made.op = VRS_OP_POOL_INDEX;
	made.u.window.column_major = vrs_onnx_int(node, "storage_order", 0) != 0;
	return vrs_onnx_done(leave_map(node, vrs_onnx_emit(node, &made, -1), spatial, VRS_I64, 1));
}

/* (sum of |x|^p)^(1/p): the sum is the average over all places of the window, padded ones too, times their number. */
static enum vrs_status build_lp_pool(const struct vrs_onnx_node *node)
{
	enum vrs_dtype type = vrs_onnx_type_of(node, vrs_onnx_input(node, 0));
	float p = (float)vrs_onnx_int(node, "p", 2);
	struct vrs_node made;
	int spatial;
	int32_t x;

	VRS_TRY(read_pool(node, &spatial, &made));
	if (spatial == 0 || p < 1 || made.u.window.ceil)
		return spatial == 0 ? VRS_OK : vrs_onnx_unsupported(node, "p = %g or ceil_mode", (double)p);
	made.u.window.count_pad = true;
	x = vrs_onnx_unary(node, VRS_ACT_ABS, 0, 0, made.in[0], -1);
	made.in[0] = vrs_onnx_binary(node, VRS_POW, x, vrs_onnx_scalar(node, p), -1);
	x = vrs_onnx_emit(node, &made, -1);
	x = vrs_onnx_unary(node, VRS_ACT_LINEAR, (float)made.u.window.kernel_h * (float)made.u.window.kernel_w, 0, x, -1);
	x = vrs_onnx_binary(node, VRS_POW, x, vrs_onnx_scalar(node, 1 / p), -1);
	return vrs_onnx_done(leave_map(node, x, spatial, type, 0));
}

/* A number for all of height, width (and depth): dims 2 and up. */
static enum vrs_status reduce_pixels(const struct vrs_onnx_node *node, enum vrs_reduce op)
{
	int32_t x = vrs_onnx_input(node, 0);
	int rank = vrs_onnx_rank(node, x);

	if (rank >= 0 && rank < 3)
		return vrs_onnx_unsupported(node, "an input of %d dimensions", rank);
	return vrs_onnx_done(vrs_onnx_reduce(node, op, x, ((1u << (rank < 0 ? 4 : rank)) - 1) & ~3u, 0));
}

/* Of floats in four dims a node of its own; the code is the reduction that it else is. */
static enum vrs_status build_global(const struct vrs_onnx_node *node)
{
	enum vrs_reduce op = (enum vrs_reduce)node->op->code;
	int32_t x = vrs_onnx_input(node, 0);

	if (op != VRS_REDUCE_MEAN || vrs_onnx_rank(node, x) != 4 || vrs_onnx_type_of(node, x) != VRS_F32)
		return reduce_pixels(node, op);
	x = vrs_onnx_plain(node, VRS_OP_GLOBAL_AVG, 1, (const int32_t[]){enter_map(node, x, 2)}, -1);
	return vrs_onnx_done(leave_map(node, x, 2, VRS_F32, 0));
}

static enum vrs_status build_global_lp(const struct vrs_onnx_node *node)
{
	int64_t p = vrs_onnx_int(node, "p", 2);

	if (p != 1 && p != 2)
		return vrs_onnx_unsupported(node, "p = %lld", (long long)p);
	return reduce_pixels(node, p == 1 ? VRS_REDUCE_L1 : VRS_REDUCE_L2);
}

const struct vrs_onnx_op vrs_onnx_window_ops[] = {
	{"Conv", 7, 21, 2, build_convolution, VRS_OP_CONV},
	{"ConvTranspose", 7, 21, 2, build_convolution, VRS_OP_DECONV},
	{"MaxPool", 7, 21, 1, build_pool, VRS_OP_POOL_MAX},
	{"AveragePool", 7, 21, 1, build_pool, VRS_OP_POOL_AVG},
	{"LpPool", 7, 21, 1, build_lp_pool, VRS_OP_POOL_AVG},
	{"GlobalAveragePool", 7, 21, 1, build_global, VRS_REDUCE_MEAN},
	{"GlobalMaxPool", 7, 21, 1, build_global, VRS_REDUCE_MAX},
	{"GlobalLpPool", 7, 21, 1, build_global_lp, 0},
	{0},
};
