/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * TFLite operators as nodes of the graph IR.  To add an operator: write a function lower_x that reads its options (field numbers of the
 * schema's XOptions table), builds nodes and emits them; add its row to the table at the end.
 */
#include <string.h>

#include "graph/tflite_import.h"

#define TRY(call) \
	do { \
		enum vrs_status try_status = (call); \
		if (try_status != VRS_OK) \
			return try_status; \
	} while (0)

static struct vrs_fb *reader(struct vrs_tflite_build *build)
{
	return &build->file.fb;
}

/* enum ActivationFunctionType of the schema. */
static enum vrs_status set_fused(struct vrs_tflite_build *build, struct vrs_node *node, int fused)
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

/* Emit a node without epilogue of its own: a fused activation becomes a unary node behind it. */
static enum vrs_status emit_then_act(struct vrs_tflite_build *build, const struct vrs_tflite_op *op, struct vrs_node *node, int fused)
{
	struct vrs_node act;

	if (fused == 0)
		return vrs_tflite_emit(build, op, node);
	vrs_node_init(&act, VRS_OP_UNARY, NULL);
	TRY(set_fused(build, &act, fused));
	TRY(vrs_tflite_emit_part(build, node, &act.in[0]));
	act.inputs = 1;
	return vrs_tflite_emit(build, op, &act);
}

/* Input k, which must be present; its tensor in *ret_tensor (valid until the next tensor is added). */
static enum vrs_status need(struct vrs_tflite_build *build, const struct vrs_tflite_op *op, uint32_t k, int32_t *ret_id)
{
	TRY(vrs_tflite_input(build, op, k, ret_id));
	return *ret_id >= 0 ? VRS_OK : vrs_fail(build->err, VRS_EFORMAT, "its input %u is missing", (unsigned)k);
}

/* The same for an activation or constant with four dimensions. */
static enum vrs_status need_map(struct vrs_tflite_build *build, const struct vrs_tflite_op *op, uint32_t k, int32_t *ret_id)
{
	TRY(need(build, op, k, ret_id));
	if (build->graph.tensors[*ret_id].rank != 4)
		return vrs_fail(build->err, VRS_EUNSUPPORTED, "its input %u has %d dimensions, 4 are expected", (unsigned)k,
				build->graph.tensors[*ret_id].rank);
	return VRS_OK;
}

static enum vrs_status set_padding(struct vrs_tflite_build *build, struct vrs_window *window, int padding)
{
	window->same = padding == 0; /* enum Padding: SAME, VALID */
	return padding == 0 || padding == 1 ? VRS_OK : vrs_fail(build->err, VRS_EFORMAT, "its padding kind %d does not exist", padding);
}

/* ---- convolutions ---- */

static enum vrs_status lower_conv(struct vrs_tflite_build *build, const struct vrs_tflite_op *op)
{
	struct vrs_fb *fb = reader(build);
	const struct vrs_graph_tensor *x, *w;
	struct vrs_node node;
	struct vrs_window *win = &node.u.window;

	vrs_node_init(&node, VRS_OP_CONV, NULL);
	node.inputs = 3;
	TRY(need_map(build, op, 0, &node.in[0]));
	TRY(need_map(build, op, 1, &node.in[1]));
	TRY(vrs_tflite_input(build, op, 2, &node.in[2]));
	TRY(set_padding(build, win, vrs_fb_i8(fb, &op->options, 0, 0)));
	win->stride_w = vrs_fb_i32(fb, &op->options, 1, 0);
	win->stride_h = vrs_fb_i32(fb, &op->options, 2, 0);
	TRY(set_fused(build, &node, vrs_fb_i8(fb, &op->options, 3, 0)));
	win->dilation_w = vrs_fb_i32(fb, &op->options, 4, 1);
	win->dilation_h = vrs_fb_i32(fb, &op->options, 5, 1);
	x = &build->graph.tensors[node.in[0]];
	w = &build->graph.tensors[node.in[1]];
	win->kernel_h = (int)w->dims[1]; /* at most the file's size; the range is checked by vrs_node_validate */
	win->kernel_w = (int)w->dims[2];
	if (x->dims[3] % w->dims[3] != 0)
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
	return *id >= 0 ? VRS_OK : vrs_fail(build->err, (enum vrs_status)*id, "too many tensors, or out of memory");
}

static enum vrs_status lower_depthwise(struct vrs_tflite_build *build, const struct vrs_tflite_op *op)
{
	struct vrs_fb *fb = reader(build);
	struct vrs_node node;
	struct vrs_window *win = &node.u.window;
	const struct vrs_graph_tensor *w;

	vrs_node_init(&node, VRS_OP_CONV, NULL);
	node.inputs = 3;
	TRY(need_map(build, op, 0, &node.in[0]));
	TRY(need_map(build, op, 1, &node.in[1]));
	TRY(depthwise_weights(build, &node.in[1]));
	TRY(vrs_tflite_input(build, op, 2, &node.in[2]));
	TRY(set_padding(build, win, vrs_fb_i8(fb, &op->options, 0, 0)));
	win->stride_w = vrs_fb_i32(fb, &op->options, 1, 0);
	win->stride_h = vrs_fb_i32(fb, &op->options, 2, 0);
	TRY(set_fused(build, &node, vrs_fb_i8(fb, &op->options, 4, 0)));
	win->dilation_w = vrs_fb_i32(fb, &op->options, 5, 1);
	win->dilation_h = vrs_fb_i32(fb, &op->options, 6, 1);
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
static enum vrs_status lower_transpose_conv(struct vrs_tflite_build *build, const struct vrs_tflite_op *op)
{
	struct vrs_fb *fb = reader(build);
	struct vrs_node node;
	int64_t shape[4];
	int count;

	vrs_node_init(&node, VRS_OP_DECONV, NULL);
	node.inputs = 3;
	TRY(vrs_tflite_ints(build, op, 0, shape, 4, &count));
	TRY(need_map(build, op, 1, &node.in[1]));
	TRY(need_map(build, op, 2, &node.in[0]));
	TRY(vrs_tflite_input(build, op, 3, &node.in[2]));
	TRY(set_padding(build, &node.u.window, vrs_fb_i8(fb, &op->options, 0, 0)));
	deconv_window(build, &node, vrs_fb_i32(fb, &op->options, 2, 0), vrs_fb_i32(fb, &op->options, 1, 0));
	TRY(set_fused(build, &node, vrs_fb_i8(fb, &op->options, 3, 0)));
	TRY(vrs_tflite_emit(build, op, &node));
	for (int i = 0; i < 4; i++)
		if (count != 4 || shape[i] != build->graph.tensors[node.out].dims[i])
			return vrs_fail(build->err, VRS_EUNSUPPORTED, "its output size is not the natural one of its stride and kernel");
	return VRS_OK;
}

/*
 * MediaPipe's custom operator: inputs x, weights [O][KH][KW][I], bias; options are three little-endian integers: padding (1 same,
 * 2 valid), stride_w, stride_h.
 */
static enum vrs_status lower_transpose_conv_bias(struct vrs_tflite_build *build, const struct vrs_tflite_op *op)
{
	struct vrs_node node;
	int32_t options[3];

	vrs_node_init(&node, VRS_OP_DECONV, NULL);
	node.inputs = 3;
	TRY(need_map(build, op, 0, &node.in[0]));
	TRY(need_map(build, op, 1, &node.in[1]));
	TRY(vrs_tflite_input(build, op, 2, &node.in[2]));
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
static enum vrs_status lower_fully_connected(struct vrs_tflite_build *build, const struct vrs_tflite_op *op)
{
	const int32_t to_map[] = { 0, 1, 1, -1 }, to_row[] = { 0, -1 };
	struct vrs_fb *fb = reader(build);
	struct vrs_graph_tensor w;
	struct vrs_node in, conv, out;

	vrs_node_init(&in, VRS_OP_RESHAPE, "fully_connected.in");
	vrs_node_init(&conv, VRS_OP_CONV, "fully_connected");
	vrs_node_init(&out, VRS_OP_RESHAPE, NULL);
	in.inputs = out.inputs = 2;
	conv.inputs = 3;
	TRY(need(build, op, 0, &in.in[0]));
	TRY(need(build, op, 1, &conv.in[1]));
	TRY(vrs_tflite_input(build, op, 2, &conv.in[2]));
	TRY(set_fused(build, &conv, vrs_fb_i8(fb, &op->options, 0, 0)));
	w = build->graph.tensors[conv.in[1]];
	if (build->graph.tensors[in.in[0]].rank != 2 || w.rank != 2 || w.data == NULL || vrs_fb_i8(fb, &op->options, 1, 0) != 0)
		return vrs_fail(build->err, VRS_EUNSUPPORTED, "only a matrix with constant weights of two dimensions is supported");
	w.rank = 4;
	w.dims[3] = w.dims[1];
	w.dims[1] = w.dims[2] = 1;
	conv.in[1] = vrs_graph_add_tensor(&build->graph, &w);
	if (conv.in[1] < 0)
		return vrs_fail(build->err, (enum vrs_status)conv.in[1], "too many tensors, or out of memory");
	TRY(vrs_tflite_shape(build, to_map, 4, &in.in[1]));
	TRY(vrs_tflite_shape(build, to_row, 2, &out.in[1]));
	TRY(vrs_tflite_emit_part(build, &in, &conv.in[0]));
	TRY(vrs_tflite_emit_part(build, &conv, &out.in[0]));
	return vrs_tflite_emit(build, op, &out);
}

/* ---- pooling, resizing ---- */

static enum vrs_status lower_pool(struct vrs_tflite_build *build, const struct vrs_tflite_op *op)
{
	bool average = op->code->builtin == VRS_TFLITE_AVERAGE_POOL_2D;
	struct vrs_fb *fb = reader(build);
	const struct vrs_graph_tensor *x;
	struct vrs_node node;
	struct vrs_window *win = &node.u.window;
	int fused = vrs_fb_i8(fb, &op->options, 5, 0);

	vrs_node_init(&node, average ? VRS_OP_POOL_AVG : VRS_OP_POOL_MAX, NULL);
	node.inputs = 1;
	TRY(need_map(build, op, 0, &node.in[0]));
	TRY(set_padding(build, win, vrs_fb_i8(fb, &op->options, 0, 0)));
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
	return emit_then_act(build, op, &node, fused);
}

static enum vrs_status lower_mean(struct vrs_tflite_build *build, const struct vrs_tflite_op *op)
{
	const int32_t to_row[] = { 0, -1 };
	bool keep = vrs_fb_bool(reader(build), &op->options, 0, false);
	struct vrs_node node, reshape;
	int64_t axes[VRS_MAX_RANK];
	int count;
	unsigned seen = 0;

	vrs_node_init(&node, VRS_OP_GLOBAL_AVG, NULL);
	node.inputs = 1;
	TRY(need_map(build, op, 0, &node.in[0]));
	TRY(vrs_tflite_ints(build, op, 1, axes, VRS_MAX_RANK, &count));
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
	TRY(vrs_tflite_emit_part(build, &node, &reshape.in[0]));
	TRY(vrs_tflite_shape(build, to_row, 2, &reshape.in[1]));
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

	vrs_node_init(&node, VRS_OP_RESIZE, NULL);
	node.inputs = 1;
	TRY(need_map(build, op, 0, &node.in[0]));
	TRY(vrs_tflite_ints(build, op, 1, size, 2, &count));
	if (count != 2 || size[0] < 1 || size[1] < 1)
		return vrs_fail(build->err, VRS_EFORMAT, "its size is not a height and a width");
	node.u.resize.nearest = nearest;
	node.u.resize.align_corners = vrs_fb_bool(reader(build), &op->options, field, false);
	node.u.resize.half_pixel = vrs_fb_bool(reader(build), &op->options, field + 1, false);
	x = &build->graph.tensors[node.in[0]];
	/* Sizes become scales; from a single row or column no scale can be told, there vrs_graph_set_input adapts the size. */
	node.u.resize.out_h = size[0];
	node.u.resize.out_w = size[1];
	node.u.resize.scale_h = x->dims[1] > 1 ? (double)size[0] / (double)x->dims[1] : 0;
	node.u.resize.scale_w = x->dims[2] > 1 ? (double)size[1] / (double)x->dims[2] : 0;
	return vrs_tflite_emit(build, op, &node);
}

/* ---- element-wise ---- */

static enum vrs_status lower_binary(struct vrs_tflite_build *build, const struct vrs_tflite_op *op)
{
	static const struct {
		int32_t builtin;
		enum vrs_binary op;
		bool fused;
	} rows[] = {
		{ VRS_TFLITE_ADD, VRS_ADD, true }, { VRS_TFLITE_SUB, VRS_SUB, true },      { VRS_TFLITE_MUL, VRS_MUL, true },
		{ VRS_TFLITE_DIV, VRS_DIV, true }, { VRS_TFLITE_MINIMUM, VRS_MIN, false }, { VRS_TFLITE_MAXIMUM, VRS_MAX, false },
	};
	struct vrs_node node;

	vrs_node_init(&node, VRS_OP_BINARY, NULL);
	node.inputs = 2;
	TRY(need(build, op, 0, &node.in[0]));
	TRY(need(build, op, 1, &node.in[1]));
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (rows[i].builtin != op->code->builtin)
			continue;
		node.u.binary.op = rows[i].op;
		if (rows[i].fused)
			TRY(set_fused(build, &node, vrs_fb_i8(reader(build), &op->options, 0, 0)));
	}
	return vrs_tflite_emit(build, op, &node);
}

static enum vrs_status lower_unary(struct vrs_tflite_build *build, const struct vrs_tflite_op *op)
{
	struct vrs_node node;

	vrs_node_init(&node, VRS_OP_UNARY, NULL);
	node.inputs = 1;
	TRY(need(build, op, 0, &node.in[0]));
	switch (op->code->builtin) {
	case VRS_TFLITE_RELU: node.act = VRS_ACT_RELU; break;
	case VRS_TFLITE_RELU6: node.act = VRS_ACT_RELU6; break;
	case VRS_TFLITE_RELU_N1_TO_1: TRY(set_fused(build, &node, 2)); break;
	case VRS_TFLITE_LOGISTIC: node.act = VRS_ACT_SIGMOID; break;
	case VRS_TFLITE_TANH: node.act = VRS_ACT_TANH; break;
	case VRS_TFLITE_HARD_SWISH: node.act = VRS_ACT_HSWISH; break;
	case VRS_TFLITE_LEAKY_RELU:
		node.act = VRS_ACT_LEAKY;
		node.act_lo = vrs_fb_f32(reader(build), &op->options, 0, 0);
		break;
	default: return vrs_fail(build->err, VRS_EINTERNAL, "operator %d is no activation", (int)op->code->builtin);
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
	TRY(need(build, op, 0, &id));
	build->map[to] = id;
	return VRS_OK;
}

/* ---- shape ---- */

static enum vrs_status lower_concat(struct vrs_tflite_build *build, const struct vrs_tflite_op *op)
{
	int fused = vrs_fb_i8(reader(build), &op->options, 1, 0);
	struct vrs_node node;
	int rank;

	vrs_node_init(&node, VRS_OP_CONCAT, NULL);
	if (op->inputs.count > VRS_NODE_MAX_INPUTS)
		return vrs_fail(build->err, VRS_EUNSUPPORTED, "it joins %u tensors, at most %d are supported", (unsigned)op->inputs.count, VRS_NODE_MAX_INPUTS);
	node.inputs = (int)op->inputs.count;
	for (int i = 0; i < node.inputs; i++)
		TRY(need(build, op, (uint32_t)i, &node.in[i]));
	rank = build->graph.tensors[node.in[0]].rank;
	node.u.concat.axis = vrs_fb_i32(reader(build), &op->options, 0, 0);
	if (node.u.concat.axis < 0 && node.u.concat.axis >= -rank)
		node.u.concat.axis += rank;
	return emit_then_act(build, op, &node, fused);
}

static enum vrs_status lower_pad(struct vrs_tflite_build *build, const struct vrs_tflite_op *op)
{
	int64_t pads[2 * VRS_MAX_RANK];
	struct vrs_node node;
	int count;

	vrs_node_init(&node, VRS_OP_PAD, NULL);
	node.inputs = 1;
	TRY(need(build, op, 0, &node.in[0]));
	TRY(vrs_tflite_ints(build, op, 1, pads, 2 * VRS_MAX_RANK, &count));
	if (count != 2 * build->graph.tensors[node.in[0]].rank)
		return vrs_fail(build->err, VRS_EFORMAT, "it has %d paddings for %d dimensions", count, build->graph.tensors[node.in[0]].rank);
	for (int i = 0; i < count / 2; i++) {
		node.u.pad.before[i] = pads[2 * i];
		node.u.pad.after[i] = pads[2 * i + 1];
	}
	if (op->code->builtin == VRS_TFLITE_PADV2) {
		int32_t value;

		TRY(need(build, op, 2, &value));
		if (build->graph.tensors[value].data == NULL || build->graph.tensors[value].dtype != VRS_F32)
			return vrs_fail(build->err, VRS_EUNSUPPORTED, "its padding value is not a float constant");
		node.u.pad.value = *(const float *)build->graph.tensors[value].data;
	}
	return vrs_tflite_emit(build, op, &node);
}

/*
 * A stored shape holds for one batch and size.  Dims equal to the input's at the same place from the left become 0 ("copy"); dims equal
 * from the right stay constant; if exactly one dim lies between them it becomes -1, so that [N,H,W,C] -> [N,HW,C] fits every N, H and W.
 */
static void general_shape(const struct vrs_graph_tensor *x, const int64_t *wanted, int count, int32_t *dims)
{
	int head = 0, tail = 0;

	while (head < count && head < x->rank && wanted[head] == x->dims[head])
		head++;
	while (tail < count - head && tail < x->rank - head && wanted[count - 1 - tail] == x->dims[x->rank - 1 - tail])
		tail++;
	for (int i = 0; i < count; i++)
		dims[i] = i < head ? 0 : (int32_t)wanted[i];
	if (count - head - tail == 1)
		dims[head] = -1;
}

static enum vrs_status emit_reshape(struct vrs_tflite_build *build, const struct vrs_tflite_op *op, int32_t x, int64_t *wanted, int count)
{
	const struct vrs_graph_tensor *from = &build->graph.tensors[x];
	int64_t have = (int64_t)vrs_tensor_elements(from), known = 1;
	int32_t dims[VRS_MAX_RANK];
	struct vrs_node node;
	int rest = -1;

	for (int i = 0; i < count; i++) {
		if (wanted[i] == -1 && rest < 0)
			rest = i;
		else if (wanted[i] < 1 || wanted[i] > have || (known *= wanted[i]) > have) /* have is at most 2^31 */
			return vrs_fail(build->err, VRS_EFORMAT, "its new shape does not fit %lld values", (long long)have);
	}
	if (rest >= 0)
		wanted[rest] = have / known;
	general_shape(from, wanted, count, dims);
	vrs_node_init(&node, VRS_OP_RESHAPE, NULL);
	node.inputs = 2;
	node.in[0] = x;
	TRY(vrs_tflite_shape(build, dims, count, &node.in[1]));
	return vrs_tflite_emit(build, op, &node);
}

static enum vrs_status lower_reshape(struct vrs_tflite_build *build, const struct vrs_tflite_op *op)
{
	struct vrs_fb_vector stored = vrs_fb_vector(reader(build), &op->options, 0, 4, VRS_MAX_RANK);
	int64_t wanted[VRS_MAX_RANK];
	int count = (int)stored.count;
	int32_t x;

	TRY(need(build, op, 0, &x));
	if (op->inputs.count > 1)
		TRY(vrs_tflite_ints(build, op, 1, wanted, VRS_MAX_RANK, &count));
	else
		for (int i = 0; i < count; i++)
			wanted[i] = vrs_fb_vector_i32(reader(build), &stored, (uint32_t)i);
	return emit_reshape(build, op, x, wanted, count);
}

static enum vrs_status lower_squeeze(struct vrs_tflite_build *build, const struct vrs_tflite_op *op)
{
	struct vrs_fb_vector axes = vrs_fb_vector(reader(build), &op->options, 0, 4, VRS_MAX_RANK);
	const struct vrs_graph_tensor *from;
	int64_t wanted[VRS_MAX_RANK];
	unsigned drop = 0;
	int count = 0;
	int32_t x;

	TRY(need(build, op, 0, &x));
	from = &build->graph.tensors[x];
	for (uint32_t i = 0; i < axes.count; i++) {
		int32_t axis = vrs_fb_vector_i32(reader(build), &axes, i);

		axis += axis < 0 ? from->rank : 0;
		if (axis < 0 || axis >= from->rank || from->dims[axis] != 1)
			return vrs_fail(build->err, VRS_EFORMAT, "dimension %d cannot be removed", (int)axis);
		drop |= 1u << axis;
	}
	for (int i = 0; i < from->rank; i++)
		if (axes.count == 0 ? from->dims[i] != 1 : (drop >> i & 1) == 0)
			wanted[count++] = from->dims[i];
	return emit_reshape(build, op, x, wanted, count);
}

static enum vrs_status lower_softmax(struct vrs_tflite_build *build, const struct vrs_tflite_op *op)
{
	float beta = vrs_fb_f32(reader(build), &op->options, 0, 0);
	struct vrs_node node;

	vrs_node_init(&node, VRS_OP_SOFTMAX, NULL);
	node.inputs = 1;
	TRY(need(build, op, 0, &node.in[0]));
	if (beta != 1.0f)
		return vrs_fail(build->err, VRS_EUNSUPPORTED, "its beta is %g; only 1 is supported", (double)beta);
	return vrs_tflite_emit(build, op, &node);
}

vrs_tflite_lower_fn vrs_tflite_lower(const struct vrs_tflite_code *code)
{
	switch (code->builtin) {
	case VRS_TFLITE_CONV_2D: return lower_conv;
	case VRS_TFLITE_DEPTHWISE_CONV_2D: return lower_depthwise;
	case VRS_TFLITE_TRANSPOSE_CONV: return lower_transpose_conv;
	case VRS_TFLITE_FULLY_CONNECTED: return lower_fully_connected;
	case VRS_TFLITE_AVERAGE_POOL_2D:
	case VRS_TFLITE_MAX_POOL_2D: return lower_pool;
	case VRS_TFLITE_MEAN: return lower_mean;
	case VRS_TFLITE_RESIZE_BILINEAR:
	case VRS_TFLITE_RESIZE_NEAREST_NEIGHBOR: return lower_resize;
	case VRS_TFLITE_ADD:
	case VRS_TFLITE_SUB:
	case VRS_TFLITE_MUL:
	case VRS_TFLITE_DIV:
	case VRS_TFLITE_MINIMUM:
	case VRS_TFLITE_MAXIMUM: return lower_binary;
	case VRS_TFLITE_RELU:
	case VRS_TFLITE_RELU6:
	case VRS_TFLITE_RELU_N1_TO_1:
	case VRS_TFLITE_LOGISTIC:
	case VRS_TFLITE_TANH:
	case VRS_TFLITE_HARD_SWISH:
	case VRS_TFLITE_LEAKY_RELU: return lower_unary;
	case VRS_TFLITE_DEQUANTIZE: return lower_dequantize;
	case VRS_TFLITE_CONCATENATION: return lower_concat;
	case VRS_TFLITE_PAD:
	case VRS_TFLITE_PADV2: return lower_pad;
	case VRS_TFLITE_RESHAPE: return lower_reshape;
	case VRS_TFLITE_SQUEEZE: return lower_squeeze;
	case VRS_TFLITE_SOFTMAX: return lower_softmax;
	case VRS_TFLITE_CUSTOM: return strcmp(code->custom, "Convolution2DTransposeBias") == 0 ? lower_transpose_conv_bias : NULL;
	default: return NULL;
	}
}
