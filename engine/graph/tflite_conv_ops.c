/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Convolutions of TFLite: plain, depthwise, transposed; matrices. */
#include <string.h>

#include "graph/tflite_ops.h"

/* Padding and strides are fields 0 to 2 of both kinds' options; the activation is field `fused`, the dilations are the two behind it. */
static enum vrs_status read_options(struct vrs_tflite_build *build, const struct vrs_tflite_op *op, struct vrs_node *node, int fused)
{
	struct vrs_fb *fb = &build->file.fb;
	struct vrs_window *win = &node->u.window;

	VRS_TRY(vrs_tflite_set_padding(build, win, vrs_fb_i8(fb, &op->options, 0, 0)));
	win->stride_w = vrs_fb_i32(fb, &op->options, 1, 0);
	win->stride_h = vrs_fb_i32(fb, &op->options, 2, 0);
	VRS_TRY(vrs_tflite_set_fused(build, node, vrs_fb_i8(fb, &op->options, fused, 0)));
	win->dilation_w = vrs_fb_i32(fb, &op->options, fused + 1, 1);
	win->dilation_h = vrs_fb_i32(fb, &op->options, fused + 2, 1);
	return VRS_OK;
}

enum vrs_status vrs_tflite_lower_conv(struct vrs_tflite_build *build, const struct vrs_tflite_op *op)
{
	const struct vrs_graph_tensor *x, *w;
	struct vrs_node node;
	struct vrs_window *win = &node.u.window;

	VRS_TRY(vrs_tflite_begin(build, op, VRS_OP_CONV, 2, true, &node));
	node.inputs = 3;
	VRS_TRY(vrs_tflite_input(build, op, 2, &node.in[2]));
	VRS_TRY(read_options(build, op, &node, 3));
	x = &build->graph.tensors[node.in[0]];
	w = &build->graph.tensors[node.in[1]];
	win->kernel_h = (int)w->dims[1]; /* at most the file's size; the range is checked by vrs_node_validate */
	win->kernel_w = (int)w->dims[2];
	if (w->dims[3] < 1 || x->dims[3] % w->dims[3] != 0)
		return vrs_fail(build->err, VRS_EFORMAT, "its input has %lld channels, its weights are for %lld", (long long)x->dims[3], (long long)w->dims[3]);
	win->groups = (int)(x->dims[3] / w->dims[3]); /* grouped convolutions have no option of their own */
	return vrs_tflite_emit(build, op, &node);
}

/* The weights [1][KH][KW][O] lose their first dimension; the data is shared. */
static enum vrs_status depthwise_weights(struct vrs_tflite_build *build, int32_t *id)
{
	struct vrs_graph_tensor w = build->graph.tensors[*id];

	if (w.dims[0] != 1 || w.data == NULL)
		return vrs_fail(build->err, VRS_EUNSUPPORTED, "its weights are not a constant [1, height, width, channels]");
	w.rank = 3;
	memmove(w.dims, w.dims + 1, 3 * sizeof *w.dims);
	*id = vrs_graph_add_tensor(&build->graph, &w);
	return vrs_tflite_added(build, *id);
}

enum vrs_status vrs_tflite_lower_depthwise(struct vrs_tflite_build *build, const struct vrs_tflite_op *op)
{
	struct vrs_node node;
	struct vrs_window *win = &node.u.window;
	const struct vrs_graph_tensor *w;

	VRS_TRY(vrs_tflite_begin(build, op, VRS_OP_CONV, 2, true, &node));
	node.inputs = 3;
	VRS_TRY(depthwise_weights(build, &node.in[1]));
	VRS_TRY(vrs_tflite_input(build, op, 2, &node.in[2]));
	VRS_TRY(read_options(build, op, &node, 4));
	w = &build->graph.tensors[node.in[1]];
	win->kernel_h = (int)w->dims[0];
	win->kernel_w = (int)w->dims[1];
	win->groups = (int)build->graph.tensors[node.in[0]].dims[3]; /* the multiplier follows from O / I */
	return vrs_tflite_emit(build, op, &node);
}

/* Fill the window of a transposed convolution from its weights [O][KH][KW][I]. */
static void deconv_window(const struct vrs_tflite_build *build, struct vrs_node *node, int stride_h, int stride_w)
{
	const struct vrs_graph_tensor *w = &build->graph.tensors[node->in[1]];

	node->u.window.kernel_h = (int)w->dims[1];
	node->u.window.kernel_w = (int)w->dims[2];
	node->u.window.stride_h = stride_h;
	node->u.window.stride_w = stride_w;
}

/* The stored output shape is checked against ours when the node is emitted. */
enum vrs_status vrs_tflite_lower_transpose_conv(struct vrs_tflite_build *build, const struct vrs_tflite_op *op)
{
	struct vrs_fb *fb = &build->file.fb;
	struct vrs_node node;
	int64_t shape[4];
	int count;

	vrs_node_init(&node, VRS_OP_DECONV, NULL);
	node.inputs = 3;
	VRS_TRY(vrs_tflite_ints(build, op, 0, shape, 4, &count));
	VRS_TRY(vrs_tflite_need_map(build, op, 1, &node.in[1]));
	VRS_TRY(vrs_tflite_need_map(build, op, 2, &node.in[0]));
	VRS_TRY(vrs_tflite_input(build, op, 3, &node.in[2]));
	VRS_TRY(vrs_tflite_set_padding(build, &node.u.window, vrs_fb_i8(fb, &op->options, 0, 0)));
	deconv_window(build, &node, vrs_fb_i32(fb, &op->options, 2, 0), vrs_fb_i32(fb, &op->options, 1, 0));
	VRS_TRY(vrs_tflite_set_fused(build, &node, vrs_fb_i8(fb, &op->options, 3, 0)));
	VRS_TRY(vrs_tflite_emit(build, op, &node));
	for (int i = 0; i < 4; i++)
		if (count != 4 || shape[i] != build->graph.tensors[node.out].dims[i])
			return vrs_fail(build->err, VRS_EUNSUPPORTED, "its output size is not the natural one of its stride and kernel");
	return VRS_OK;
}

/*
 * MediaPipe's custom operator: inputs x, weights [O][KH][KW][I], bias; options are three little-endian integers: padding (1 same,
 * 2 valid), stride_w, stride_h.
 */
enum vrs_status vrs_tflite_lower_transpose_conv_bias(struct vrs_tflite_build *build, const struct vrs_tflite_op *op)
{
	struct vrs_node node;
	int32_t options[3];

	VRS_TRY(vrs_tflite_begin(build, op, VRS_OP_DECONV, 2, true, &node));
	node.inputs = 3;
	VRS_TRY(vrs_tflite_input(build, op, 2, &node.in[2]));
	if (op->custom.count < sizeof options)
		return vrs_fail(build->err, VRS_EFORMAT, "its options have %u bytes, %zu are expected", (unsigned)op->custom.count, sizeof options);
	memcpy(options, build->file.fb.data + op->custom.at, sizeof options);
	if (options[0] != 1 && options[0] != 2)
		return vrs_fail(build->err, VRS_EFORMAT, "its padding kind %d does not exist", (int)options[0]);
	node.u.window.same = options[0] == 1;
	deconv_window(build, &node, options[2], options[1]);
	return vrs_tflite_emit(build, op, &node);
}

/* x [N][I] times weights [O][I]: a 1x1 convolution between two reshapes. */
enum vrs_status vrs_tflite_lower_fully_connected(struct vrs_tflite_build *build, const struct vrs_tflite_op *op)
{
	const int32_t to_map[] = {0, 1, 1, -1}, to_row[] = {0, -1};
	struct vrs_fb *fb = &build->file.fb;
	struct vrs_graph_tensor w;
	struct vrs_node in, conv, out;

	vrs_node_init(&in, VRS_OP_RESHAPE, "fully_connected.in");
	vrs_node_init(&conv, VRS_OP_CONV, "fully_connected");
	vrs_node_init(&out, VRS_OP_RESHAPE, NULL);
	in.inputs = out.inputs = 2;
	conv.inputs = 3;
	VRS_TRY(vrs_tflite_need(build, op, 0, &in.in[0]));
	VRS_TRY(vrs_tflite_need(build, op, 1, &conv.in[1]));
	VRS_TRY(vrs_tflite_input(build, op, 2, &conv.in[2]));
	VRS_TRY(vrs_tflite_set_fused(build, &conv, vrs_fb_i8(fb, &op->options, 0, 0)));
	w = build->graph.tensors[conv.in[1]];
	if (build->graph.tensors[in.in[0]].rank != 2 || w.rank != 2 || w.data == NULL || vrs_fb_i8(fb, &op->options, 1, 0) != 0)
		return vrs_fail(build->err, VRS_EUNSUPPORTED, "only a matrix with constant weights of two dimensions is supported");
	w.rank = 4;
	w.dims[3] = w.dims[1];
	w.dims[1] = w.dims[2] = 1;
	VRS_TRY(vrs_tflite_added(build, conv.in[1] = vrs_graph_add_tensor(&build->graph, &w)));
	VRS_TRY(vrs_tflite_shape(build, to_map, 4, &in.in[1]));
	VRS_TRY(vrs_tflite_shape(build, to_row, 2, &out.in[1]));
	VRS_TRY(vrs_tflite_emit_part(build, &in, &conv.in[0]));
	VRS_TRY(vrs_tflite_emit_part(build, &conv, &out.in[0]));
	return vrs_tflite_emit(build, op, &out);
}
