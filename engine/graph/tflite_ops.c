/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * TFLite operators as nodes of the graph IR.  To add an operator: write a function lower_x that reads its options (field numbers of the
 * schema's XOptions table), builds nodes and emits them; add its row to the table at the end.  Families have files of their own.
 */
#include "graph/tflite_ops.h"

#include <string.h>


static struct vrs_fb *reader(struct vrs_tflite_build *build)
{
	return &build->file.fb;
}

enum vrs_status vrs_tflite_set_fused(struct vrs_tflite_build *build, struct vrs_node *node, int fused)
{
	switch (fused) {
	case 0: node->act = VRS_ACT_NONE; return VRS_OK;
	case 1: node->act = VRS_ACT_RELU; return VRS_OK;
	case 2:
		node->act = VRS_ACT_CLIP;
		node->act_lo = -1;
		node->act_hi = 1;
		return VRS_OK;
	case 3: node->act = VRS_ACT_RELU6; return VRS_OK;
	case 4: node->act = VRS_ACT_TANH; return VRS_OK;
	default: return vrs_fail(build->err, VRS_EUNSUPPORTED, "its fused activation %d is not supported", fused);
	}
}

enum vrs_status vrs_tflite_emit_then_act(struct vrs_tflite_build *build, const struct vrs_tflite_op *op, struct vrs_node *node, int fused)
{
	struct vrs_node act;

	if (fused == 0)
		return vrs_tflite_emit(build, op, node);
	vrs_node_init(&act, VRS_OP_UNARY, NULL);
	VRS_TRY(vrs_tflite_set_fused(build, &act, fused));
	VRS_TRY(vrs_tflite_emit_part(build, node, &act.in[0]));
	act.inputs = 1;
	return vrs_tflite_emit(build, op, &act);
}

enum vrs_status vrs_tflite_need(struct vrs_tflite_build *build, const struct vrs_tflite_op *op, uint32_t k, int32_t *ret_id)
{
	VRS_TRY(vrs_tflite_input(build, op, k, ret_id));
	return *ret_id >= 0 ? VRS_OK : vrs_fail(build->err, VRS_EFORMAT, "its input %u is missing", (unsigned)k);
}

enum vrs_status vrs_tflite_need_map(struct vrs_tflite_build *build, const struct vrs_tflite_op *op, uint32_t k, int32_t *ret_id)
{
	VRS_TRY(vrs_tflite_need(build, op, k, ret_id));
	if (build->graph.tensors[*ret_id].rank != 4)
		return vrs_fail(build->err, VRS_EUNSUPPORTED, "its input %u has %d dimensions, 4 are expected", (unsigned)k,
				build->graph.tensors[*ret_id].rank);
	return VRS_OK;
}

enum vrs_status vrs_tflite_begin(struct vrs_tflite_build *build, const struct vrs_tflite_op *op, enum vrs_op kind, int inputs, bool maps,
				 struct vrs_node *ret_node)
{
	vrs_node_init(ret_node, kind, NULL);
	ret_node->inputs = inputs;
	for (int k = 0; k < inputs; k++)
		VRS_TRY((maps ? vrs_tflite_need_map : vrs_tflite_need)(build, op, (uint32_t)k, &ret_node->in[k]));
	return VRS_OK;
}

enum vrs_status vrs_tflite_set_padding(struct vrs_tflite_build *build, struct vrs_window *window, int padding)
{
	window->same = padding == 0; /* enum Padding: SAME, VALID */
	return padding == 0 || padding == 1 ? VRS_OK : vrs_fail(build->err, VRS_EFORMAT, "its padding kind %d does not exist", padding);
}

static enum vrs_status lower_pool(struct vrs_tflite_build *build, const struct vrs_tflite_op *op)
{
	bool average = op->code->builtin == VRS_TFLITE_AVERAGE_POOL_2D;
	struct vrs_fb *fb = reader(build);
	const struct vrs_graph_tensor *x;
	struct vrs_node node;
	struct vrs_window *win = &node.u.window;
	int fused = vrs_fb_i8(fb, &op->options, 5, 0);

	VRS_TRY(vrs_tflite_begin(build, op, average ? VRS_OP_POOL_AVG : VRS_OP_POOL_MAX, 1, true, &node));
	VRS_TRY(vrs_tflite_set_padding(build, win, vrs_fb_i8(fb, &op->options, 0, 0)));
	win->stride_w = vrs_fb_i32(fb, &op->options, 1, 0);
	win->stride_h = vrs_fb_i32(fb, &op->options, 2, 0);
	win->kernel_w = vrs_fb_i32(fb, &op->options, 3, 0);
	win->kernel_h = vrs_fb_i32(fb, &op->options, 4, 0);
	x = &build->graph.tensors[node.in[0]];
	/* A window over the whole map that gives one value means "the mean of the map", at any input size. */
	if (average && win->kernel_h == x->dims[1] && win->kernel_w == x->dims[2] &&
	    (!win->same || (win->stride_h >= win->kernel_h && win->stride_w >= win->kernel_w))) {
		node.op = VRS_OP_GLOBAL_AVG;
		memset(&node.u, 0, sizeof node.u);
	}
	return vrs_tflite_emit_then_act(build, op, &node, fused);
}

static enum vrs_status lower_mean(struct vrs_tflite_build *build, const struct vrs_tflite_op *op)
{
	const int32_t to_row[] = {0, -1};
	bool keep = vrs_fb_i8(reader(build), &op->options, 0, 0) != 0;
	struct vrs_node node, reshape;
	int64_t axes[VRS_MAX_RANK];
	int count;
	unsigned seen = 0;

	VRS_TRY(vrs_tflite_begin(build, op, VRS_OP_GLOBAL_AVG, 1, true, &node));
	VRS_TRY(vrs_tflite_ints(build, op, 1, axes, VRS_MAX_RANK, &count));
	for (int i = 0; i < count; i++) {
		int64_t axis = axes[i] < 0 ? axes[i] + 4 : axes[i];

		seen |= axis >= 0 && axis < 4 ? 1u << axis : 1u;
	}
	if (seen != (1u << 1 | 1u << 2))
		return vrs_fail(build->err, VRS_EUNSUPPORTED, "only the mean over height and width is supported");
	if (keep)
		return vrs_tflite_emit(build, op, &node);
	vrs_node_init(&reshape, VRS_OP_RESHAPE, NULL);
	reshape.inputs = 2;
	VRS_TRY(vrs_tflite_emit_part(build, &node, &reshape.in[0]));
	VRS_TRY(vrs_tflite_shape(build, to_row, 2, &reshape.in[1]));
	return vrs_tflite_emit(build, op, &reshape);
}

static enum vrs_status lower_resize(struct vrs_tflite_build *build, const struct vrs_tflite_op *op)
{
	bool nearest = op->code->builtin == VRS_TFLITE_RESIZE_NEAREST_NEIGHBOR;
	int field = nearest ? 0 : 2; /* the bilinear table begins with two deprecated fields */
	const struct vrs_graph_tensor *x;
	struct vrs_node node;
	int64_t size[2];
	int count;

	VRS_TRY(vrs_tflite_begin(build, op, VRS_OP_RESIZE, 1, true, &node));
	VRS_TRY(vrs_tflite_ints(build, op, 1, size, 2, &count));
	if (count != 2 || size[0] < 1 || size[1] < 1)
		return vrs_fail(build->err, VRS_EFORMAT, "its size is not a height and a width");
	node.u.resize.nearest = nearest;
	node.u.resize.align_corners = vrs_fb_i8(reader(build), &op->options, field, 0) != 0;
	node.u.resize.half_pixel = vrs_fb_i8(reader(build), &op->options, field + 1, 0) != 0;
	x = &build->graph.tensors[node.in[0]];
	/* Sizes become scales; from a single row or column no scale can be told, there vrs_graph_set_input adapts the size. */
	node.u.resize.out_h = size[0];
	node.u.resize.out_w = size[1];
	node.u.resize.scale_h = x->dims[1] > 1 ? (double)size[0] / (double)x->dims[1] : 0;
	node.u.resize.scale_w = x->dims[2] > 1 ? (double)size[1] / (double)x->dims[2] : 0;
	return vrs_tflite_emit(build, op, &node);
}

static enum vrs_status lower_binary(struct vrs_tflite_build *build, const struct vrs_tflite_op *op)
{
	static const struct {
		int32_t builtin;
		enum vrs_binary op;
		bool fused;
	} rows[] = {
		{VRS_TFLITE_ADD, VRS_ADD, true}, {VRS_TFLITE_SUB, VRS_SUB, true},      {VRS_TFLITE_MUL, VRS_MUL, true},
		{VRS_TFLITE_DIV, VRS_DIV, true}, {VRS_TFLITE_MINIMUM, VRS_MIN, false}, {VRS_TFLITE_MAXIMUM, VRS_MAX, false},
	};
	struct vrs_node node;

	VRS_TRY(vrs_tflite_begin(build, op, VRS_OP_BINARY, 2, false, &node));
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (rows[i].builtin != op->code->builtin)
			continue;
		node.u.binary.op = rows[i].op;
		if (rows[i].fused)
			VRS_TRY(vrs_tflite_set_fused(build, &node, vrs_fb_i8(reader(build), &op->options, 0, 0)));
	}
	return vrs_tflite_emit(build, op, &node);
}

static enum vrs_status lower_unary(struct vrs_tflite_build *build, const struct vrs_tflite_op *op)
{
	struct vrs_node node;

	VRS_TRY(vrs_tflite_begin(build, op, VRS_OP_UNARY, 1, false, &node));
	switch (op->code->builtin) {
	case VRS_TFLITE_RELU: node.act = VRS_ACT_RELU; break;
	case VRS_TFLITE_RELU6: node.act = VRS_ACT_RELU6; break;
	case VRS_TFLITE_RELU_N1_TO_1: VRS_TRY(vrs_tflite_set_fused(build, &node, 2)); break;
	case VRS_TFLITE_LOGISTIC: node.act = VRS_ACT_SIGMOID; break;
	case VRS_TFLITE_TANH: node.act = VRS_ACT_TANH; break;
	case VRS_TFLITE_HARD_SWISH: node.act = VRS_ACT_HSWISH; break;
	case VRS_TFLITE_LEAKY_RELU:
		node.act = VRS_ACT_LEAKY;
		node.act_lo = vrs_fb_f32(reader(build), &op->options, 0, 0);
		break;
	default: return vrs_fail(build->err, VRS_EINTERNAL, "operator %d is not an activation", (int)op->code->builtin);
	}
	return vrs_tflite_emit(build, op, &node);
}

/* float16 constants were widened when they were read, so DEQUANTIZE is a second name for the same tensor. */
static enum vrs_status lower_dequantize(struct vrs_tflite_build *build, const struct vrs_tflite_op *op)
{
	int32_t from = vrs_fb_vector_i32(reader(build), &op->inputs, 0), to = vrs_fb_vector_i32(reader(build), &op->outputs, 0), id;

	if (from < 0 || build->file.tensors[from].data == NULL || build->file.tensors[from].type != VRS_TFLITE_F16)
		return vrs_fail(build->err, VRS_EUNSUPPORTED, "only float16 constants can be widened; quantised networks are not supported");
	if (build->map[to] >= 0 || build->file.tensors[to].data != NULL)
		return vrs_fail(build->err, VRS_EFORMAT, "its output is a constant or already computed");
	VRS_TRY(vrs_tflite_need(build, op, 0, &id));
	build->map[to] = id;
	return VRS_OK;
}

static enum vrs_status lower_softmax(struct vrs_tflite_build *build, const struct vrs_tflite_op *op)
{
	float beta = vrs_fb_f32(reader(build), &op->options, 0, 0);
	struct vrs_node node;

	VRS_TRY(vrs_tflite_begin(build, op, VRS_OP_SOFTMAX, 1, false, &node));
	if (beta != 1.0f)
		return vrs_fail(build->err, VRS_EUNSUPPORTED, "its beta is %g; only 1 is supported", (double)beta);
	return vrs_tflite_emit(build, op, &node);
}

static const struct {
	int32_t builtin;
	vrs_tflite_lower_fn *lower;
} lowerings[] = {
	{VRS_TFLITE_CONV_2D, vrs_tflite_lower_conv},
	{VRS_TFLITE_DEPTHWISE_CONV_2D, vrs_tflite_lower_depthwise},
	{VRS_TFLITE_TRANSPOSE_CONV, vrs_tflite_lower_transpose_conv},
	{VRS_TFLITE_FULLY_CONNECTED, vrs_tflite_lower_fully_connected},
	{VRS_TFLITE_AVERAGE_POOL_2D, lower_pool}, {VRS_TFLITE_MAX_POOL_2D, lower_pool},
	{VRS_TFLITE_MEAN, lower_mean},
	{VRS_TFLITE_RESIZE_BILINEAR, lower_resize}, {VRS_TFLITE_RESIZE_NEAREST_NEIGHBOR, lower_resize},
	{VRS_TFLITE_ADD, lower_binary}, {VRS_TFLITE_SUB, lower_binary}, {VRS_TFLITE_MUL, lower_binary}, {VRS_TFLITE_DIV, lower_binary},
	{VRS_TFLITE_MINIMUM, lower_binary}, {VRS_TFLITE_MAXIMUM, lower_binary},
	{VRS_TFLITE_RELU, lower_unary}, {VRS_TFLITE_RELU6, lower_unary}, {VRS_TFLITE_RELU_N1_TO_1, lower_unary}, {VRS_TFLITE_LOGISTIC, lower_unary},
	{VRS_TFLITE_TANH, lower_unary}, {VRS_TFLITE_HARD_SWISH, lower_unary}, {VRS_TFLITE_LEAKY_RELU, lower_unary},
	{VRS_TFLITE_DEQUANTIZE, lower_dequantize},
	{VRS_TFLITE_CONCATENATION, vrs_tflite_lower_concat},
	{VRS_TFLITE_PAD, vrs_tflite_lower_pad}, {VRS_TFLITE_PADV2, vrs_tflite_lower_pad},
	{VRS_TFLITE_RESHAPE, vrs_tflite_lower_reshape}, {VRS_TFLITE_SQUEEZE, vrs_tflite_lower_squeeze},
	{VRS_TFLITE_SOFTMAX, lower_softmax},
};

vrs_tflite_lower_fn *vrs_tflite_lower(const struct vrs_tflite_code *code)
{
	for (size_t i = 0; i < sizeof lowerings / sizeof *lowerings; i++)
		if (lowerings[i].builtin == code->builtin)
			return lowerings[i].lower;
	return code->builtin == VRS_TFLITE_CUSTOM && strcmp(code->custom, "Convolution2DTransposeBias") == 0 ? vrs_tflite_lower_transpose_conv_bias : NULL;
}
