/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shapes of convolutions, pools and other operators on maps [N][H][W][C], and the concrete pads of SAME windows. */
#include "graph/model_limits.h"
#include "graph/shape_infer.h"

static enum vrs_status want_map(const struct vrs_graph *graph, const struct vrs_node *node, const struct vrs_shape *x, struct vrs_error *err)
{
	if (x->rank != 4)
		return VRS_NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "the input has %d dimensions, 4 are expected", x->rank);
	if (graph->tensors[node->in[0]].dtype != VRS_F32)
		return VRS_NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "the input is %s, not float32", vrs_dtype_name(graph->tensors[node->in[0]].dtype));
	return VRS_OK;
}

/* Share the total padding between both ends: an odd pixel at the end, with `lower` at the start.  Too much is left for check_pads to refuse. */
static void split_padding(int64_t total, bool lower, int *pad_before, int *pad_after)
{
	const int64_t most = 2 * ((int64_t)VRS_MODEL_MAX_WINDOW + 1);
	int64_t all = total < 0 ? 0 : total < most ? total : most, half = all / 2, rest = all - half;

	*pad_before = (int)(lower ? rest : half);
	*pad_after = (int)(lower ? half : rest);
}

/*
 * One axis of a window.  SAME as in TensorFlow: out = ceil(in / stride), the total padding is max((out - 1) * stride + extent - in, 0).
 * ceil rounds the number of steps up, but a last window that would start behind the map is dropped.  Returns the
 * output size, below 1 when the kernel does not fit.
 */
static int64_t window_axis(const struct vrs_window *w, int64_t in, int64_t extent, int stride, int *pad_before, int *pad_after)
{
	int64_t room, out;

	if (w->same) {
		out = (in + stride - 1) / stride;
		split_padding((out - 1) * stride + extent - in, w->lower, pad_before, pad_after);
		return out;
	}
	room = in + *pad_before + *pad_after - extent;
	if (room < 0)
		return 0;
	out = (room + (w->ceil ? stride - 1 : 0)) / stride + 1;
	return w->ceil && (out - 1) * stride >= in + *pad_before ? out - 1 : out;
}

/* The same for a transposed convolution: SAME gives in * stride, the pads cut (in - 1) * stride + extent down to it. */
static int64_t deconv_axis(const struct vrs_window *w, int64_t in, int64_t extent, int stride, int more, int asked, int *pad_before, int *pad_after)
{
	int64_t full = (in - 1) * stride + extent + more, out = asked > 0 ? asked : in * stride;

	if (w->same || asked > 0) {
		split_padding(full - out, w->lower, pad_before, pad_after);
		return out;
	}
	return full - *pad_before - *pad_after;
}

/* Pads that a size asks for are held to the limit of those that a file gives. */
static enum vrs_status check_pads(const struct vrs_graph *graph, const struct vrs_node *node, struct vrs_error *err)
{
	const struct vrs_window *w = &node->u.window;

	if (w->pad_top > VRS_MODEL_MAX_WINDOW || w->pad_bottom > VRS_MODEL_MAX_WINDOW || w->pad_left > VRS_MODEL_MAX_WINDOW ||
	    w->pad_right > VRS_MODEL_MAX_WINDOW)
		return VRS_NODE_FAIL(err, VRS_ELIMIT, graph, node, "a %dx%d kernel with dilation %dx%d needs more than %d pixels of padding", w->kernel_w,
				     w->kernel_h, w->dilation_w, w->dilation_h, VRS_MODEL_MAX_WINDOW);
	return VRS_OK;
}

enum vrs_status vrs_infer_window(struct vrs_graph *graph, struct vrs_node *node, struct vrs_shape *y, struct vrs_error *err)
{
	struct vrs_window *w = &node->u.window;
	struct vrs_shape x = vrs_shape_of(graph, node->in[0]);
	int64_t extent_h = (int64_t)(w->kernel_h - 1) * w->dilation_h + 1, extent_w = (int64_t)(w->kernel_w - 1) * w->dilation_w + 1;

	VRS_TRY(want_map(graph, node, &x, err));
	*y = x;
	if (node->op == VRS_OP_DECONV) {
		y->dims[1] = deconv_axis(w, x.dims[1], extent_h, w->stride_h, w->more_h, w->out_h, &w->pad_top, &w->pad_bottom);
		y->dims[2] = deconv_axis(w, x.dims[2], extent_w, w->stride_w, w->more_w, w->out_w, &w->pad_left, &w->pad_right);
	} else {
		y->dims[1] = window_axis(w, x.dims[1], extent_h, w->stride_h, &w->pad_top, &w->pad_bottom);
		y->dims[2] = window_axis(w, x.dims[2], extent_w, w->stride_w, &w->pad_left, &w->pad_right);
	}
	if (y->dims[1] < 1 || y->dims[2] < 1)
		return VRS_NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "a %dx%d kernel does not fit an input of %lldx%lld", w->kernel_w, w->kernel_h,
				     (long long)x.dims[2], (long long)x.dims[1]);
	return check_pads(graph, node, err);
}

enum vrs_status vrs_infer_conv(struct vrs_graph *graph, struct vrs_node *node, struct vrs_shape *y, struct vrs_error *err)
{
	const struct vrs_graph_tensor *weights = &graph->tensors[node->in[1]];
	bool depthwise = vrs_node_is_depthwise(graph, node);
	int64_t wanted;

	VRS_TRY(vrs_node_check_weights(graph, (int32_t)(node - graph->nodes), err));
	VRS_TRY(vrs_infer_window(graph, node, y, err));
	wanted = depthwise ? node->u.window.groups : weights->dims[3] * node->u.window.groups;
	if (y->dims[3] != wanted)
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "the input has %lld channels, the weights are for %lld", (long long)y->dims[3],
				     (long long)wanted);
	y->dims[3] = depthwise ? weights->dims[2] : weights->dims[0];
	return VRS_OK;
}

enum vrs_status vrs_infer_global_avg(struct vrs_graph *graph, struct vrs_node *node, struct vrs_shape *y, struct vrs_error *err)
{
	*y = vrs_shape_of(graph, node->in[0]);
	VRS_TRY(want_map(graph, node, y, err));
	y->dims[1] = y->dims[2] = 1;
	return VRS_OK;
}

enum vrs_status vrs_infer_instance_norm(struct vrs_graph *graph, struct vrs_node *node, struct vrs_shape *y, struct vrs_error *err)
{
	int groups = node->u.norm.groups;

	*y = vrs_shape_of(graph, node->in[0]);
	VRS_TRY(want_map(graph, node, y, err));
	if (groups > 0 && y->dims[3] % groups != 0)
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "%lld channels in %d groups", (long long)y->dims[3], groups);
	return vrs_check_factors(graph, node, y->dims[3], err);
}
