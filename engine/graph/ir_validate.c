/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Structural checks of a graph: ids, ranks, order, attribute ranges.  Everything after them (inference, passes, backends) may index freely. */
#include <math.h>

#include "graph/model_limits.h"
#include "graph/op_rules.h"

static bool is_activation(const struct vrs_graph *graph, int32_t id)
{
	return id >= 0 && id < graph->tensor_count && graph->tensors[id].data == NULL;
}

static enum vrs_status check_tensor(const struct vrs_graph *graph, int32_t id, struct vrs_error *err)
{
	const struct vrs_graph_tensor *tensor = &graph->tensors[id];
	int64_t elements = 1, bound = 1; /* bound: as if no size were 0, so that a pass may reorder them */

	if (tensor->rank < 0 || tensor->rank > VRS_MAX_RANK)
		return vrs_fail(err, VRS_EFORMAT, "tensor %d (%s) has %d dimensions; 0..%d are possible", (int)id, tensor->name, tensor->rank, VRS_MAX_RANK);
	for (int i = 0; i < tensor->rank; i++) {
		if (tensor->dims[i] == -1 && tensor->data == NULL && tensor->producer < 0)
			continue; /* an open size of an input: vrs_graph_infer insists on a number */
		if (tensor->dims[i] < 0)
			return vrs_fail(err, VRS_EFORMAT, "tensor %d (%s) has the size %lld in dimension %d", (int)id, tensor->name,
					(long long)tensor->dims[i], i);
		if (tensor->dims[i] > VRS_MODEL_MAX_DIM)
			return vrs_fail(err, VRS_ELIMIT, "tensor %d (%s) has the size %lld in dimension %d, more than %lld", (int)id, tensor->name,
					(long long)tensor->dims[i], i, (long long)VRS_MODEL_MAX_DIM);
		elements *= tensor->dims[i];
		bound *= tensor->dims[i] > 0 ? tensor->dims[i] : 1; /* at most 2^31 * 2^24 before the check */
		if (bound > VRS_MODEL_MAX_ELEMENTS)
			return vrs_fail(err, VRS_ELIMIT, "tensor %d (%s) has more than %lld elements", (int)id, tensor->name,
					(long long)VRS_MODEL_MAX_ELEMENTS);
	}
	if (tensor->data != NULL && tensor->data_bytes != (size_t)elements * vrs_dtype_size(tensor->dtype))
		return vrs_fail(err, VRS_EFORMAT, "constant %d (%s) has %zu bytes, its shape needs %zu", (int)id, tensor->name, tensor->data_bytes,
				(size_t)elements * vrs_dtype_size(tensor->dtype));
	return VRS_OK;
}

static bool is_pool(enum vrs_op op)
{
	return op == VRS_OP_POOL_MAX || op == VRS_OP_POOL_AVG || op == VRS_OP_POOL_INDEX;
}

static enum vrs_status check_window(const struct vrs_graph *graph, const struct vrs_node *node, struct vrs_error *err)
{
	const struct vrs_window *w = &node->u.window;
	const int positive[] = {w->kernel_h, w->kernel_w, w->stride_h, w->stride_w, w->dilation_h, w->dilation_w};
	const int pads[] = {w->pad_top, w->pad_left, w->pad_bottom, w->pad_right};
	const int64_t reach_h = (int64_t)(w->kernel_h - 1) * w->dilation_h, reach_w = (int64_t)(w->kernel_w - 1) * w->dilation_w;

	for (size_t i = 0; i < sizeof positive / sizeof *positive; i++)
		if (positive[i] < 1 || positive[i] > VRS_MODEL_MAX_WINDOW)
			return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "kernel, stride or dilation %d is outside 1..%d", positive[i], VRS_MODEL_MAX_WINDOW);
	for (size_t i = 0; i < sizeof pads / sizeof *pads; i++)
		if (pads[i] < 0 || pads[i] > VRS_MODEL_MAX_WINDOW)
			return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "padding %d is outside 0..%d", pads[i], VRS_MODEL_MAX_WINDOW);
	if (w->groups < 1)
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "%d groups", w->groups);
	if (w->more_h < 0 || w->more_h > VRS_MODEL_MAX_WINDOW || w->more_w < 0 || w->more_w > VRS_MODEL_MAX_WINDOW || w->out_h < 0 || w->out_w < 0 ||
	    w->out_h > VRS_MODEL_MAX_DIM || w->out_w > VRS_MODEL_MAX_DIM)
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "output padding %dx%d, output size %dx%d", w->more_w, w->more_h, w->out_w, w->out_h);
	if (reach_h >= VRS_MODEL_MAX_DIM || reach_w >= VRS_MODEL_MAX_DIM)
		return VRS_NODE_FAIL(err, VRS_ELIMIT, graph, node, "a %dx%d kernel with dilation %dx%d reaches further than %lld pixels", w->kernel_w, w->kernel_h,
				     w->dilation_w, w->dilation_h, (long long)VRS_MODEL_MAX_DIM);
	/* Every window must see at least one pixel. */
	if (is_pool(node->op) && !w->same && (w->pad_top > reach_h || w->pad_bottom > reach_h || w->pad_left > reach_w || w->pad_right > reach_w))
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "padding as large as the %dx%d window", w->kernel_h, w->kernel_w);
	return VRS_OK;
}

/* Weights and bias are floats whose shapes agree with each other and with the window. */
enum vrs_status vrs_node_check_weights(const struct vrs_graph *graph, int32_t id, struct vrs_error *err)
{
	const struct vrs_node *node = &graph->nodes[id];
	const struct vrs_graph_tensor *weights = &graph->tensors[node->in[1]];
	const struct vrs_window *w = &node->u.window;
	bool depthwise = weights->rank == 3 && node->op == VRS_OP_CONV;
	int64_t out_channels, kernel_h, kernel_w;

	if (weights->dtype != VRS_F32)
		return VRS_NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "weights (%s) are not float32", weights->name);
	if (weights->rank != 4 && !depthwise)
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "weights (%s) have %d dimensions", weights->name, weights->rank);
	out_channels = depthwise ? weights->dims[2] : weights->dims[0];
	kernel_h = depthwise ? weights->dims[0] : weights->dims[1];
	kernel_w = depthwise ? weights->dims[1] : weights->dims[2];
	if (kernel_h != w->kernel_h || kernel_w != w->kernel_w)
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "weights are %lldx%lld, the window is %dx%d", (long long)kernel_h, (long long)kernel_w,
				 w->kernel_h, w->kernel_w);
	if (out_channels % w->groups != 0)
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "%lld output channels in %d groups", (long long)out_channels, w->groups);
	if (node->in[2] >= 0) {
		const struct vrs_graph_tensor *bias = &graph->tensors[node->in[2]];

		if (bias->dtype != VRS_F32 || (int64_t)vrs_tensor_elements(bias) != out_channels)
			return VRS_NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "bias (%s) is not %lld float32 values", bias->name,
					 (long long)out_channels);
	}
	return VRS_OK;
}

static enum vrs_status check_axis(const struct vrs_graph *graph, const struct vrs_node *node, int axis, struct vrs_error *err)
{
	if (axis < -VRS_MAX_RANK || axis > VRS_MAX_RANK)
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "axis %d", axis);
	return VRS_OK;
}

static enum vrs_status check_resize(const struct vrs_graph *graph, const struct vrs_node *node, struct vrs_error *err)
{
	const struct vrs_resize *r = &node->u.resize;
	bool resolved = node->inputs > 1 && node->in[1] >= 0;

	if (!(r->scale_h >= 0 && r->scale_h <= 4096 && r->scale_w >= 0 && r->scale_w <= 4096))
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "scale %g x %g is outside 0..4096", r->scale_h, r->scale_w);
	if (!resolved && ((r->scale_h == 0 && r->out_h < 1) || (r->scale_w == 0 && r->out_w < 1)))
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "output size %lldx%lld", (long long)r->out_h, (long long)r->out_w);
	if ((unsigned)r->coord >= VRS_COORD_COUNT || (unsigned)r->round > VRS_ROUND_DOWN_CEIL || (unsigned)r->policy > VRS_POLICY_NOT_SMALLER ||
	    (r->nearest && r->cubic) || r->entries < 0 || r->entries > VRS_MAX_RANK || (r->policy != VRS_POLICY_STRETCH && !resolved) ||
	    !isfinite(r->cubic_a))
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "contradicting kinds of interpolation (%d, %d)", (int)r->coord, (int)r->round);
	for (int i = 0; i < 4; i++)
		if (r->entry[i] < -1 || r->entry[i] >= VRS_MAX_RANK || (node->inputs > 1 && r->entry[i] >= r->entries))
			return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "place %d of %d sizes", r->entry[i], r->entries);
	return VRS_OK;
}

static enum vrs_status check_attributes(const struct vrs_graph *graph, int32_t id, const struct vrs_node *node, struct vrs_error *err)
{
	switch (node->op) {
	case VRS_OP_CONV:
	case VRS_OP_DECONV:
		VRS_TRY(check_window(graph, node, err));
		return graph->tensors[node->in[1]].data != NULL ? vrs_node_check_weights(graph, id, err) : VRS_OK;
	case VRS_OP_POOL_MAX:
	case VRS_OP_POOL_AVG:
	case VRS_OP_POOL_INDEX:
		return check_window(graph, node, err);
	case VRS_OP_RESIZE: return check_resize(graph, node, err);
	case VRS_OP_BINARY:
		if ((unsigned)node->u.binary.op >= VRS_BINARY_COUNT)
			return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "unknown operation %d", (int)node->u.binary.op);
		return VRS_OK;
	case VRS_OP_PAD:
		for (int i = 0; i < VRS_MAX_RANK; i++)
			if (node->u.pad.before[i] < -VRS_MODEL_MAX_DIM || node->u.pad.before[i] > VRS_MODEL_MAX_DIM ||
			    node->u.pad.after[i] < -VRS_MODEL_MAX_DIM || node->u.pad.after[i] > VRS_MODEL_MAX_DIM)
				return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "padding above %lld", (long long)VRS_MODEL_MAX_DIM);
		if ((unsigned)node->u.pad.mode > VRS_PAD_WRAP)
			return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "unknown kind of padding %d", (int)node->u.pad.mode);
		return VRS_OK;
	case VRS_OP_LAYER_NORM:
	case VRS_OP_INSTANCE_NORM:
		if (!(node->u.norm.epsilon >= 0) || isinf(node->u.norm.epsilon) || node->u.norm.groups < 0 ||
		    (node->op == VRS_OP_INSTANCE_NORM && (node->in[1] < 0 || node->in[2] < 0)))
			return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "epsilon %g, %d groups, or a missing input", (double)node->u.norm.epsilon,
					 node->u.norm.groups);
		return check_axis(graph, node, node->u.norm.axis, err);
	case VRS_OP_QUANTIZE:
	case VRS_OP_DEQUANTIZE:
		if (node->in[1] < 0 || (unsigned)node->u.quant.to >= VRS_DTYPE_COUNT)
			return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "no scale, or unknown type %d", (int)node->u.quant.to);
		return check_axis(graph, node, node->u.quant.axis, err);
	case VRS_OP_RESHAPE:
		if ((unsigned)node->u.view.kind > VRS_VIEW_FLATTEN || node->u.view.rank < 0 || node->u.view.rank > VRS_MAX_RANK)
			return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "unknown kind %d of reshape, or %d dimensions", (int)node->u.view.kind, node->u.view.rank);
		return check_axis(graph, node, node->u.view.axis, err);
	case VRS_OP_CONCAT:
		for (int i = 0; i < node->inputs; i++)
			if (node->in[i] < 0)
				return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "input %d is left out", i);
		return check_axis(graph, node, node->u.concat.axis, err);
	case VRS_OP_ARG_REDUCE: return check_axis(graph, node, node->u.arg.axis, err);
	case VRS_OP_REDUCE:
		if ((unsigned)node->u.reduce.op >= VRS_REDUCE_COUNT)
			return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "unknown operation %d", (int)node->u.reduce.op);
		return VRS_OK;
	case VRS_OP_CAST:
		if ((unsigned)node->u.cast.to >= VRS_DTYPE_COUNT)
			return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "unknown type %d", (int)node->u.cast.to);
		return VRS_OK;
	case VRS_OP_SLICE:
		if (node->inputs == 2)
			return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "starts without ends (%d inputs)", node->inputs);
		return VRS_OK;
	case VRS_OP_GATHER:
		return check_axis(graph, node, node->u.concat.axis, err);
	default:
		return VRS_OK;
	}
}

static bool takes_residual(enum vrs_op op)
{
	return op == VRS_OP_CONV || op == VRS_OP_DECONV || op == VRS_OP_BINARY;
}

static enum vrs_status check_epilogue(const struct vrs_graph *graph, const struct vrs_node *node, struct vrs_error *err)
{
	if ((unsigned)node->act >= VRS_ACT_COUNT)
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "unknown activation %d", (int)node->act);
	if (node->act != VRS_ACT_NONE && node->op != VRS_OP_UNARY && !takes_residual(node->op))
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "this operator has no activation (%s)", vrs_act_name(node->act));
	if (node->residual != -1 && !takes_residual(node->op))
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "this operator has no residual (%d)", (int)node->residual);
	if (isnan(node->act_lo) || isnan(node->act_hi) || (node->act == VRS_ACT_CLIP && node->act_lo > node->act_hi))
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "activation range %g..%g", (double)node->act_lo, (double)node->act_hi);
	if (node->residual != -1 && !is_activation(graph, node->residual))
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "residual %d is not an activation", (int)node->residual);
	if (node->scale != -1 && (node->op != VRS_OP_CONV || !is_activation(graph, node->scale)))
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "scale %d is not an activation, or this is no convolution", (int)node->scale);
	return VRS_OK;
}

/* Whether tensor id is known before node `at` runs: constant, graph input (producer -1) or made by an earlier live node. */
static bool is_ready(const struct vrs_graph *graph, int32_t id, int32_t at)
{
	int32_t producer = graph->tensors[id].producer;

	return producer == -1 || (producer >= 0 && producer < at && !graph->nodes[producer].dead);
}

static enum vrs_status check_order(const struct vrs_graph *graph, int32_t id, const struct vrs_node *node, struct vrs_error *err)
{
	const int32_t extra[] = {node->residual, node->scale};

	for (int i = 0; i < node->inputs + 2; i++) {
		int32_t in = i < node->inputs ? node->in[i] : extra[i - node->inputs];

		if (in == -1 && (i >= node->inputs || i >= vrs_op_rules[node->op].min_inputs))
			continue;
		if (in < 0 || in >= graph->tensor_count)
			return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "input %d is tensor %d, which does not exist", i, (int)in);
		if (!is_ready(graph, in, id))
			return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "input %d (%s) is not computed before it is used", i, graph->tensors[in].name);
	}
	if (!is_activation(graph, node->out) || graph->tensors[node->out].producer != id)
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "output %d is not a tensor of its own", (int)node->out);
	return VRS_OK;
}

static enum vrs_status check_ends(const struct vrs_graph *graph, struct vrs_error *err)
{
	const int max = (int)(sizeof graph->inputs / sizeof *graph->inputs);

	if (graph->input_count < 0 || graph->input_count > max || graph->output_count < 1 || graph->output_count > max)
		return vrs_fail(err, VRS_EFORMAT, "the network has %d inputs and %d outputs; at most %d of each and one output are possible",
				(int)graph->input_count, (int)graph->output_count, max);
	for (int i = 0; i < graph->input_count; i++)
		if (!is_activation(graph, graph->inputs[i]) || graph->tensors[graph->inputs[i]].producer != -1)
			return vrs_fail(err, VRS_EFORMAT, "input %d of the network is a constant or computed", i);
	for (int i = 0; i < graph->output_count; i++) {
		int32_t id = graph->outputs[i];

		if (!is_activation(graph, id) || graph->tensors[id].producer < 0 || graph->tensors[id].producer >= graph->node_count ||
		    graph->nodes[graph->tensors[id].producer].dead)
			return vrs_fail(err, VRS_EFORMAT, "output %d of the network is not computed by any node", i);
	}
	return VRS_OK;
}

/* Activations without producer are graph inputs; anything else would be read without ever being written. */
static bool is_input(const struct vrs_graph *graph, int32_t id)
{
	for (int i = 0; i < graph->input_count; i++)
		if (graph->inputs[i] == id)
			return true;
	return false;
}

enum vrs_status vrs_node_validate(const struct vrs_graph *graph, int32_t id, struct vrs_error *err)
{
	const struct vrs_node *node = &graph->nodes[id];

	if ((unsigned)node->op >= VRS_OP_COUNT)
		return vrs_fail(err, VRS_EFORMAT, "node %d (%s): unknown operator %d", (int)id, node->name, (int)node->op);
	if (node->inputs < vrs_op_rules[node->op].min_inputs || node->inputs > vrs_op_rules[node->op].max_inputs)
		return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "%d inputs", node->inputs);
	VRS_TRY(check_order(graph, id, node, err));
	VRS_TRY(check_attributes(graph, id, node, err));
	VRS_TRY(check_epilogue(graph, node, err));
	for (int i = 0; i < node->inputs; i++) {
		const struct vrs_graph_tensor *in = node->in[i] >= 0 ? &graph->tensors[node->in[i]] : NULL;

		if (in != NULL && in->data == NULL && in->producer < 0 && !is_input(graph, node->in[i]))
			return VRS_NODE_FAIL(err, VRS_EFORMAT, graph, node, "input %d (%s) is computed by no node", i, in->name);
	}
	return VRS_OK;
}

enum vrs_status vrs_graph_validate(const struct vrs_graph *graph, struct vrs_error *err)
{
	VRS_TRY(check_ends(graph, err));
	for (int32_t i = 0; i < graph->tensor_count; i++)
		VRS_TRY(check_tensor(graph, i, err));
	for (int32_t i = 0; i < graph->node_count; i++)
		if (!graph->nodes[i].dead)
			VRS_TRY(vrs_node_validate(graph, i, err));
	return VRS_OK;
}
