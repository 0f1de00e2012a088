/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shapes of all activations for the current input sizes, and the concrete pads of SAME windows. */
#include <math.h>
#include <string.h>

#include "graph/eval.h"
#include "graph/model_limits.h"
#include "graph/passes.h"

#define NODE_FAIL(err, status, graph, node, fmt, ...) \
	vrs_fail(err, status, "node %d (%s %s): " fmt, (int)((node) - (graph)->nodes), vrs_op_name((node)->op), (node)->name, __VA_ARGS__)

struct shape {
	int rank;
	int64_t dims[VRS_MAX_RANK];
};

static struct shape shape_of(const struct vrs_graph *graph, int32_t id)
{
	struct shape s = { .rank = graph->tensors[id].rank };

	memcpy(s.dims, graph->tensors[id].dims, sizeof s.dims);
	return s;
}

static enum vrs_status want_rank(const struct vrs_graph *graph, const struct vrs_node *node, const struct shape *x, int rank, struct vrs_error *err)
{
	if (x->rank != rank)
		return NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "the input has %d dimensions, %d are expected", x->rank, rank);
	return VRS_OK;
}

/*
 * One axis of a window.  SAME as in TensorFlow: out = ceil(in / stride), the total padding max((out - 1) * stride + extent - in, 0) is
 * split with the odd pixel at the end.  Returns the output size, below 1 when the kernel does not fit.
 */
static int64_t window_axis(int64_t in, int kernel, int stride, int dilation, bool same, int *pad_before, int *pad_after)
{
	int64_t extent = (int64_t)(kernel - 1) * dilation + 1;

	if (same) {
		int64_t out = (in + stride - 1) / stride;
		int64_t total = (out - 1) * stride + extent - in;

		total = total > 0 ? total : 0;
		*pad_before = (int)(total / 2);
		*pad_after = (int)(total - total / 2);
		return out;
	}
	if (in + *pad_before + *pad_after < extent)
		return 0;
	return (in + *pad_before + *pad_after - extent) / stride + 1;
}

/* The same for a transposed convolution: SAME gives in * stride, the pads cut (in - 1) * stride + kernel down to it. */
static int64_t deconv_axis(int64_t in, int extent, int stride, bool same, int *pad_before, int *pad_after)
{
	int64_t full = (in - 1) * stride + extent;

	if (same) {
		int64_t total = full - in * stride;

		total = total > 0 ? total : 0;
		*pad_before = (int)(total / 2);
		*pad_after = (int)(total - total / 2);
		return in * stride;
	}
	return full - *pad_before - *pad_after;
}

static enum vrs_status infer_window(struct vrs_graph *graph, struct vrs_node *node, struct shape *y, struct vrs_error *err)
{
	struct vrs_window *w = &node->u.window;
	struct shape x = shape_of(graph, node->in[0]);
	enum vrs_status status = want_rank(graph, node, &x, 4, err);

	if (status != VRS_OK)
		return status;
	*y = x;
	if (node->op == VRS_OP_DECONV) {
		y->dims[1] = deconv_axis(x.dims[1], (w->kernel_h - 1) * w->dilation_h + 1, w->stride_h, w->same, &w->pad_top, &w->pad_bottom);
		y->dims[2] = deconv_axis(x.dims[2], (w->kernel_w - 1) * w->dilation_w + 1, w->stride_w, w->same, &w->pad_left, &w->pad_right);
	} else {
		y->dims[1] = window_axis(x.dims[1], w->kernel_h, w->stride_h, w->dilation_h, w->same, &w->pad_top, &w->pad_bottom);
		y->dims[2] = window_axis(x.dims[2], w->kernel_w, w->stride_w, w->dilation_w, w->same, &w->pad_left, &w->pad_right);
	}
	if (y->dims[1] < 1 || y->dims[2] < 1)
		return NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "a %dx%d kernel does not fit an input of %lldx%lld", w->kernel_w, w->kernel_h,
				 (long long)x.dims[2], (long long)x.dims[1]);
	return VRS_OK;
}

static enum vrs_status infer_conv(struct vrs_graph *graph, struct vrs_node *node, struct shape *y, struct vrs_error *err)
{
	const struct vrs_graph_tensor *weights = &graph->tensors[node->in[1]];
	enum vrs_status status = vrs_node_check_weights(graph, (int32_t)(node - graph->nodes), err);
	int64_t channels;
	bool depthwise = vrs_node_is_depthwise(graph, node);
	int64_t wanted;

	if (status == VRS_OK)
		status = infer_window(graph, node, y, err);
	if (status != VRS_OK)
		return status;
	channels = y->dims[3];
	wanted = depthwise ? node->u.window.groups : weights->dims[3] * node->u.window.groups;
	if (channels != wanted)
		return NODE_FAIL(err, VRS_EFORMAT, graph, node, "the input has %lld channels, the weights are for %lld", (long long)channels, (long long)wanted);
	y->dims[3] = depthwise ? weights->dims[2] : weights->dims[0];
	return VRS_OK;
}

static enum vrs_status infer_global_avg(const struct vrs_graph *graph, const struct vrs_node *node, struct shape *y, struct vrs_error *err)
{
	*y = shape_of(graph, node->in[0]);
	y->dims[1] = y->dims[2] = 1;
	return want_rank(graph, node, y, 4, err);
}

static enum vrs_status infer_resize(const struct vrs_graph *graph, const struct vrs_node *node, struct shape *y, struct vrs_error *err)
{
	struct shape x = shape_of(graph, node->in[0]);
	enum vrs_status status = want_rank(graph, node, &x, 4, err);

	if (status != VRS_OK)
		return status;
	*y = x;
	/* The small term takes up the rounding of a scale such as 144 / 9. */
	y->dims[1] = node->u.resize.scale_h != 0 ? (int64_t)floor((double)x.dims[1] * node->u.resize.scale_h + 1e-6) : node->u.resize.out_h;
	y->dims[2] = node->u.resize.scale_w != 0 ? (int64_t)floor((double)x.dims[2] * node->u.resize.scale_w + 1e-6) : node->u.resize.out_w;
	if (y->dims[1] < 1 || y->dims[2] < 1)
		return NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "the input of %lldx%lld is too small to be scaled", (long long)x.dims[2],
				 (long long)x.dims[1]);
	return VRS_OK;
}

static enum vrs_status infer_binary(const struct vrs_graph *graph, const struct vrs_node *node, struct shape *y, struct vrs_error *err)
{
	struct shape a = shape_of(graph, node->in[0]), b = shape_of(graph, node->in[1]);

	y->rank = a.rank > b.rank ? a.rank : b.rank;
	for (int i = 0; i < y->rank; i++) {
		int ia = i - (y->rank - a.rank), ib = i - (y->rank - b.rank);
		int64_t da = ia >= 0 ? a.dims[ia] : 1, db = ib >= 0 ? b.dims[ib] : 1;

		if (da != db && da != 1 && db != 1)
			return NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "the inputs have %lld and %lld values in dimension %d; this input size does not "
					 "fit the network", (long long)da, (long long)db, i);
		y->dims[i] = da > db ? da : db;
	}
	return VRS_OK;
}

static enum vrs_status infer_concat(const struct vrs_graph *graph, const struct vrs_node *node, struct shape *y, struct vrs_error *err)
{
	int axis = node->u.concat.axis;

	*y = shape_of(graph, node->in[0]);
	if (axis < 0 || axis >= y->rank)
		return NODE_FAIL(err, VRS_EFORMAT, graph, node, "axis %d of %d dimensions", axis, y->rank);
	for (int i = 1; i < node->inputs; i++) {
		struct shape x = shape_of(graph, node->in[i]);

		if (x.rank != y->rank)
			return NODE_FAIL(err, VRS_EFORMAT, graph, node, "input %d has %d dimensions, input 0 has %d", i, x.rank, y->rank);
		for (int k = 0; k < y->rank; k++)
			if (k != axis && x.dims[k] != y->dims[k])
				return NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "input %d has %lld values in dimension %d, input 0 has %lld; this input "
						 "size does not fit the network", i, (long long)x.dims[k], k, (long long)y->dims[k]);
		y->dims[axis] += x.dims[axis];
	}
	return VRS_OK;
}

/* The new dims, from the resolved tensor or from the node. */
static enum vrs_status view_dims(const struct vrs_graph *graph, struct vrs_node *node, struct vrs_error *err)
{
	const struct vrs_graph_tensor *shape = node->inputs > 1 && node->in[1] >= 0 ? &graph->tensors[node->in[1]] : NULL;

	if (shape == NULL)
		return VRS_OK;
	if (shape->data == NULL || vrs_dtype_is_float(shape->dtype) || shape->rank > 1 || vrs_tensor_elements(shape) > VRS_MAX_RANK)
		return NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "the new shape (%s) is not known before the network runs, or has more than %d values",
				 shape->name, VRS_MAX_RANK);
	node->u.view.rank = (int)vrs_tensor_elements(shape);
	for (int i = 0; i < node->u.view.rank; i++) {
		node->u.view.dims[i] = vrs_load_i64(shape->dtype, shape->data, (size_t)i);
		if (node->u.view.kind == VRS_VIEW_SHAPE && node->u.view.dims[i] < -1)
			return NODE_FAIL(err, VRS_EFORMAT, graph, node, "new size %lld", (long long)node->u.view.dims[i]);
	}
	return VRS_OK;
}

static enum vrs_status infer_reshape(const struct vrs_graph *graph, struct vrs_node *node, struct shape *y, struct vrs_error *err)
{
	const int64_t *dims = node->u.view.dims;
	struct shape x = shape_of(graph, node->in[0]);
	int64_t have = (int64_t)vrs_tensor_elements(&graph->tensors[node->in[0]]), known = 1;
	int rest = -1, open = 0;
	enum vrs_status status = view_dims(graph, node, err);

	if (status != VRS_OK)
		return status;
	y->rank = node->u.view.rank;
	for (int i = 0; i < y->rank; i++) {
		y->dims[i] = dims[i] != 0 || node->u.view.allow_zero ? dims[i] : i < x.rank ? x.dims[i] : 1;
		if (dims[i] == -1)
			rest = i, open++;
		else if (y->dims[i] > 0 && y->dims[i] > VRS_MODEL_MAX_ELEMENTS / known)
			return NODE_FAIL(err, VRS_ELIMIT, graph, node, "the new shape has more than %lld elements", (long long)VRS_MODEL_MAX_ELEMENTS);
		else
			known *= y->dims[i];
	}
	if (open > 1)
		return NODE_FAIL(err, VRS_EFORMAT, graph, node, "%d sizes are left open", open);
	if (rest >= 0 && known > 0)
		y->dims[rest] = have / known;
	if (known * (rest >= 0 ? y->dims[rest] : 1) != have)
		return NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "%lld elements do not fit the new shape; this input size does not fit the network",
				 (long long)have);
	return VRS_OK;
}

static enum vrs_status infer_transpose(const struct vrs_graph *graph, const struct vrs_node *node, struct shape *y, struct vrs_error *err)
{
	struct shape x = shape_of(graph, node->in[0]);
	unsigned seen = 0;

	*y = x;
	for (int i = 0; i < x.rank; i++) {
		int from = node->u.transpose.perm[i];

		if (from < 0 || from >= x.rank || (seen & 1u << from))
			return NODE_FAIL(err, VRS_EFORMAT, graph, node, "dimension %d of %d is not a permutation", from, x.rank);
		seen |= 1u << from;
		y->dims[i] = x.dims[from];
	}
	return VRS_OK;
}

static void infer_pad(const struct vrs_graph *graph, const struct vrs_node *node, struct shape *y)
{
	*y = shape_of(graph, node->in[0]);
	for (int i = 0; i < y->rank; i++)
		y->dims[i] += node->u.pad.before[i] + node->u.pad.after[i];
}

static enum vrs_status infer_shape(struct vrs_graph *graph, struct vrs_node *node, struct shape *y, struct vrs_error *err)
{
	switch (node->op) {
	case VRS_OP_CONV:
	case VRS_OP_DECONV: return infer_conv(graph, node, y, err);
	case VRS_OP_POOL_MAX:
	case VRS_OP_POOL_AVG: return infer_window(graph, node, y, err);
	case VRS_OP_GLOBAL_AVG: return infer_global_avg(graph, node, y, err);
	case VRS_OP_RESIZE: return infer_resize(graph, node, y, err);
	case VRS_OP_BINARY: return infer_binary(graph, node, y, err);
	case VRS_OP_CONCAT: return infer_concat(graph, node, y, err);
	case VRS_OP_RESHAPE: return infer_reshape(graph, node, y, err);
	case VRS_OP_PAD: infer_pad(graph, node, y); return VRS_OK;
	case VRS_OP_SOFTMAX:
		*y = shape_of(graph, node->in[0]);
		return y->rank >= 1 ? VRS_OK : NODE_FAIL(err, VRS_EFORMAT, graph, node, "the input has no axis (%d dimensions)", y->rank);
	case VRS_OP_UNARY: *y = shape_of(graph, node->in[0]); return VRS_OK;
	case VRS_OP_TRANSPOSE: return infer_transpose(graph, node, y, err);
	case VRS_OP_MATMUL:
	case VRS_OP_SLICE:
	case VRS_OP_GATHER:
	case VRS_OP_EXPAND:
	case VRS_OP_TILE:
	case VRS_OP_REDUCE:
	case VRS_OP_ARG_REDUCE:
	case VRS_OP_CAST:
	case VRS_OP_WHERE:
	case VRS_OP_SHAPE:
	case VRS_OP_RANGE:
	case VRS_OP_LAYER_NORM:
	case VRS_OP_INSTANCE_NORM:
	case VRS_OP_QUANTIZE:
	case VRS_OP_DEQUANTIZE:
	case VRS_OP_COUNT: break;
	}
	return NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "operator %d has no shape rule", (int)node->op);
}

/* A residual has the shape of the output, a scale one value for each input channel of each batch element. */
static enum vrs_status check_extras(const struct vrs_graph *graph, const struct vrs_node *node, const struct shape *y, struct vrs_error *err)
{
	if (node->residual >= 0) {
		struct shape r = shape_of(graph, node->residual);

		if (r.rank != y->rank || memcmp(r.dims, y->dims, (size_t)y->rank * sizeof *r.dims) != 0)
			return NODE_FAIL(err, VRS_EFORMAT, graph, node, "the residual (%s) has another shape than the output", graph->tensors[node->residual].name);
	}
	if (node->scale >= 0) {
		struct shape s = shape_of(graph, node->scale), x = shape_of(graph, node->in[0]);

		if (s.rank != 4 || s.dims[0] != x.dims[0] || s.dims[1] != 1 || s.dims[2] != 1 || s.dims[3] != x.dims[3])
			return NODE_FAIL(err, VRS_EFORMAT, graph, node, "the channel factor (%s) does not fit the input", graph->tensors[node->scale].name);
	}
	return VRS_OK;
}

static bool size_is_possible(int rank, const int64_t *dims)
{
	int64_t elements = 1;

	for (int i = 0; i < rank; i++) {
		if (dims[i] < 0 || dims[i] > VRS_MODEL_MAX_DIM || dims[i] * elements > VRS_MODEL_MAX_ELEMENTS)
			return false;
		elements *= dims[i];
	}
	return true;
}

static enum vrs_status check_size(const struct vrs_graph *graph, const struct vrs_node *node, const struct shape *y, struct vrs_error *err)
{
	if (!size_is_possible(y->rank, y->dims))
		return NODE_FAIL(err, VRS_ELIMIT, graph, node, "the output would have more than %lld values in a dimension or %lld elements",
				 (long long)VRS_MODEL_MAX_DIM, (long long)VRS_MODEL_MAX_ELEMENTS);
	return VRS_OK;
}

/* Type of the output. */
static enum vrs_dtype infer_dtype(const struct vrs_graph *graph, const struct vrs_node *node)
{
	switch (node->op) {
	case VRS_OP_CAST: return node->u.cast.to;
	case VRS_OP_SHAPE:
	case VRS_OP_ARG_REDUCE: return VRS_I64;
	case VRS_OP_BINARY: return node->u.binary.op >= VRS_EQUAL ? VRS_BOOL : graph->tensors[node->in[0]].dtype;
	case VRS_OP_WHERE: return graph->tensors[node->in[1]].dtype;
	case VRS_OP_QUANTIZE: return node->inputs > 2 && node->in[2] >= 0 ? graph->tensors[node->in[2]].dtype : VRS_U8;
	case VRS_OP_DEQUANTIZE: return graph->tensors[node->in[1]].dtype;
	default: return graph->tensors[node->in[0]].dtype;
	}
}

enum vrs_status vrs_node_infer(struct vrs_graph *graph, int32_t id, struct vrs_error *err)
{
	struct vrs_node *node = &graph->nodes[id];
	struct shape y = { 0 };
	enum vrs_status status = infer_shape(graph, node, &y, err);

	if (status != VRS_OK || (status = check_size(graph, node, &y, err)) != VRS_OK || (status = check_extras(graph, node, &y, err)) != VRS_OK)
		return status;
	graph->tensors[node->out].rank = y.rank;
	graph->tensors[node->out].dtype = infer_dtype(graph, node);
	memcpy(graph->tensors[node->out].dims, y.dims, sizeof y.dims);
	return VRS_OK;
}

enum vrs_status vrs_graph_infer(struct vrs_graph *graph, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;

	for (int32_t i = 0; i < graph->node_count && status == VRS_OK; i++)
		if (!graph->nodes[i].dead && (status = vrs_node_infer(graph, i, err)) == VRS_OK)
			status = vrs_node_fold(graph, i, err);
	return status;
}

/*
 * Resizes to a fixed size (imported where the source is a single pixel, so that no scale can be told) follow the picture: a network that
 * spreads a global mean over its 16x16 map at 256x256 needs 32x32 at 512x512.
 */
static void follow_size(int64_t *out, int64_t old_size, int64_t new_size)
{
	if (old_size > 0 && new_size > 0 && *out <= VRS_MODEL_MAX_DIM && *out * new_size % old_size == 0)
		*out = *out * new_size / old_size;
}

static void follow_input(struct vrs_graph *graph, const struct shape *old, int64_t height, int64_t width)
{
	for (int32_t i = 0; i < graph->node_count; i++) {
		struct vrs_node *node = &graph->nodes[i];

		if (node->op != VRS_OP_RESIZE)
			continue;
		if (node->u.resize.scale_h == 0)
			follow_size(&node->u.resize.out_h, old->dims[graph->nchw ? 2 : 1], height);
		if (node->u.resize.scale_w == 0)
			follow_size(&node->u.resize.out_w, old->dims[graph->nchw ? 3 : 2], width);
	}
}

enum vrs_status vrs_graph_set_dims(struct vrs_graph *graph, int index, int rank, const int64_t *dims, struct vrs_error *err)
{
	struct vrs_graph_tensor *input;

	if (index < 0 || index >= graph->input_count)
		return vrs_fail(err, VRS_EINVAL, "the network has no input %d", index);
	input = &graph->tensors[graph->inputs[index]];
	if (rank != input->rank)
		return vrs_fail(err, VRS_EINVAL, "input %s has %d dimensions, not %d", input->name, input->rank, rank);
	if (!size_is_possible(rank, dims))
		return vrs_fail(err, VRS_ELIMIT, "input %s: a size is negative, or above %lld elements in all", input->name, (long long)VRS_MODEL_MAX_ELEMENTS);
	for (int i = 0; i < rank; i++)
		input->dims[i] = dims[i];
	return VRS_OK;
}

enum vrs_status vrs_graph_set_input(struct vrs_graph *graph, int64_t batch, int64_t height, int64_t width, struct vrs_error *err)
{
	const struct vrs_graph_tensor *first;
	struct shape old;

	if (graph->input_count < 1)
		return height == 0 && width == 0 ? vrs_graph_infer(graph, err) : vrs_fail(err, VRS_EINVAL, "the network has no input");
	first = &graph->tensors[graph->inputs[0]];
	if (batch < 0 || height < 0 || width < 0 || batch > VRS_MODEL_MAX_DIM || height > VRS_MODEL_MAX_DIM || width > VRS_MODEL_MAX_DIM)
		return vrs_fail(err, VRS_EINVAL, "an input of %lld x %lldx%lld is not possible", (long long)batch, (long long)width, (long long)height);
	if ((height != 0 || width != 0) && first->rank != 4)
		return vrs_fail(err, VRS_EUNSUPPORTED, "the input of the network is not a picture (%d dimensions)", first->rank);
	old = shape_of(graph, graph->inputs[0]);
	for (int i = 0; i < graph->input_count; i++) {
		struct vrs_graph_tensor *input = &graph->tensors[graph->inputs[i]];

		if (batch != 0 && input->rank > 0)
			input->dims[0] = batch;
		if (i == 0 && height != 0)
			input->dims[graph->nchw ? 2 : 1] = height;
		if (i == 0 && width != 0)
			input->dims[graph->nchw ? 3 : 2] = width;
		if (!size_is_possible(input->rank, input->dims))
			return vrs_fail(err, VRS_ELIMIT, "the input would have more than %lld elements", (long long)VRS_MODEL_MAX_ELEMENTS);
	}
	if (old.rank == 4)
		follow_input(graph, &old, height, width);
	return vrs_graph_infer(graph, err);
}
