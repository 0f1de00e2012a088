/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Graph rewrites that are exact in real arithmetic and save work on the CPU backend.  They change the order of sums (errors of a few
 * ulp), so the reference backend does not use them.
 *
 * 1. resize, then 1x1 convolution  ->  1x1 convolution, then resize, when the resize enlarges: fewer pixels to multiply, and the weights of an
 *    interpolation sum to one, so that bias and constants pass through it.
 * 2. global average of a sum  ->  sum of global averages, when nobody else reads the sum: the large tensor is never made.
 * 3. global average of a map enlarged by whole numbers  ->  global average of the map: with half-pixel centres every input pixel has the same
 *    weight in the sum of the outputs (at the borders the clamped neighbour makes up for the missing one).
 * 4. multiplication by one factor a channel, then 1x1 convolution  ->  the convolution with scaled weights.
 * 5. a map times one factor a channel, plus an enlarged map  ->  the resize with a scaled residual (node->scale of a resize, in the plan's copy
 *    of the graph only, is the factor on its residual).
 */
#include "backend/cpu/plan/cpu_plan_steps.h"

#include "graph/eval.h"

static int count_readers(const struct vrs_graph *graph, int32_t tensor)
{
	int readers = 0;
	for (int32_t i = 0; i < graph->node_count; i++) {
		const struct vrs_node *node = &graph->nodes[i];
		if (node->dead)
			continue;
		for (int k = 0; k < node->inputs; k++)
			readers += node->in[k] == tensor;
		readers += (node->residual == tensor) + (node->scale == tensor);
	}
	for (int32_t i = 0; i < graph->output_count; i++)
		readers += graph->outputs[i] == tensor;
	return readers;
}

/* The node that makes a tensor which only one node reads, if it is of kind op and has no epilogue; NULL otherwise. */
static struct vrs_node *plain_producer(struct vrs_graph *graph, int32_t tensor, enum vrs_op op)
{
	int32_t producer = tensor >= 0 ? graph->tensors[tensor].producer : -1;
	if (producer < 0)
		return NULL;
	struct vrs_node *node = &graph->nodes[producer];
	if (node->dead || node->op != op || node->act != VRS_ACT_NONE || node->residual >= 0 || count_readers(graph, tensor) != 1)
		return NULL;
	return node;
}

static bool is_pointwise(const struct vrs_graph *graph, const struct vrs_node *node)
{
	const struct vrs_window *w = &node->u.window;
	return node->op == VRS_OP_CONV && !node->dead && !vrs_node_is_depthwise(graph, node) && w->groups == 1 && w->kernel_h == 1 && w->kernel_w == 1 &&
	       w->stride_h == 1 && w->stride_w == 1 && !w->pad_top && !w->pad_left && !w->pad_bottom && !w->pad_right;
}

/* The nodes swap their work and keep their places: the first becomes the convolution, the second the resize with the epilogue. */
static void swap_resize(struct vrs_graph *graph, struct vrs_node *conv)
{
	struct vrs_node *resize = plain_producer(graph, conv->in[0], VRS_OP_RESIZE);
	if (!resize || resize->inputs < 1 || resize->u.resize.nearest || resize->u.resize.coord == VRS_COORD_TF_CROP_AND_RESIZE)
		return;
	const struct vrs_graph_tensor *in = &graph->tensors[resize->in[0]], *out = &graph->tensors[conv->out];
	struct vrs_graph_tensor *middle = &graph->tensors[resize->out];
	if (in->rank != 4 || in->dims[1] * in->dims[2] >= out->dims[1] * out->dims[2])
		return;
	struct vrs_node first = *conv, second = *resize;
	first.in[0] = resize->in[0];
	first.out = resize->out;
	first.act = VRS_ACT_NONE;
	first.residual = -1;
	second.in[0] = resize->out;
	second.out = conv->out;
	second.act = conv->act;
	second.act_lo = conv->act_lo;
	second.act_hi = conv->act_hi;
	second.residual = conv->residual;
	second.residual_before = conv->residual_before;
	middle->dims[1] = in->dims[1];
	middle->dims[2] = in->dims[2];
	middle->dims[3] = out->dims[3];
	*resize = first;
	*conv = second;
}

static bool same_shape(const struct vrs_graph_tensor *a, const struct vrs_graph_tensor *b)
{
	bool same = a->rank == b->rank;
	for (int i = 0; same && i < a->rank; i++)
		same = a->dims[i] == b->dims[i];
	return same;
}

static enum vrs_status split_average(struct vrs_graph *graph, int32_t id, struct vrs_error *err)
{
	struct vrs_node *average = &graph->nodes[id];
	const struct vrs_node *sum = plain_producer(graph, average->in[0], VRS_OP_BINARY);
	if (!sum || sum->u.binary.op != VRS_ADD || average->act != VRS_ACT_NONE || average->residual >= 0)
		return VRS_OK;
	int32_t a = sum->in[0], b = sum->in[1];
	if (!same_shape(&graph->tensors[a], &graph->tensors[b]) || graph->tensors[a].data || graph->tensors[b].data)
		return VRS_OK;
	struct vrs_graph_tensor small = graph->tensors[average->out];
	int32_t parts[2], sources[2] = {a, b};
	for (int i = 0; i < 2; i++) {
		parts[i] = vrs_graph_add_tensor(graph, &small);
		if (parts[i] < 0)
			return vrs_cpu_plan_no_memory(err);
		struct vrs_node node = graph->nodes[id];
		node.in[0] = sources[i];
		node.out = parts[i];
		int32_t made = vrs_graph_add_node(graph, &node);
		if (made < 0)
			return vrs_cpu_plan_no_memory(err);
		graph->tensors[parts[i]].producer = made;
	}
	average = &graph->nodes[id]; /* the array may have moved */
	graph->nodes[graph->tensors[average->in[0]].producer].dead = true;
	average->op = VRS_OP_BINARY;
	average->u.binary.op = VRS_ADD;
	average->inputs = 2;
	average->in[0] = parts[0];
	average->in[1] = parts[1];
	return VRS_OK;
}

static void average_before_resize(struct vrs_graph *graph, struct vrs_node *average)
{
	const struct vrs_graph_tensor *big = &graph->tensors[average->in[0]];
	if (big->producer < 0 || graph->nodes[big->producer].dead || graph->nodes[big->producer].op != VRS_OP_RESIZE)
		return;
	const struct vrs_node *resize = &graph->nodes[big->producer];
	const struct vrs_graph_tensor *small = &graph->tensors[resize->in[0]];
	bool plain = resize->act == VRS_ACT_NONE && resize->residual < 0 && vrs_resize_is_plain(&resize->u.resize) && resize->u.resize.half_pixel &&
		     !resize->u.resize.align_corners;
	if (plain && big->dims[1] % small->dims[1] == 0 && big->dims[2] % small->dims[2] == 0)
		average->in[0] = resize->in[0];
}

/* Is this [N or 1][1][1][C] for an input x of [N][H][W][C], whatever the batch? */
static bool is_channel_factor(const struct vrs_graph_tensor *s, const struct vrs_graph_tensor *x)
{
	return !s->data && s->rank == 4 && !s->batch_dims && x->rank == 4 && s->dims[0] == x->dims[0] && s->dims[1] == 1 && s->dims[2] == 1 &&
	       s->dims[3] == x->dims[3] && x->dims[1] * x->dims[2] > 1;
}

static void fold_scale(struct vrs_graph *graph, struct vrs_node *conv)
{
	struct vrs_node *mul = plain_producer(graph, conv->in[0], VRS_OP_BINARY);
	if (!mul || mul->u.binary.op != VRS_MUL || conv->scale >= 0)
		return;
	for (int i = 0; i < 2; i++) {
		int32_t x = mul->in[1 - i], s = mul->in[i];
		if (graph->tensors[x].data || !is_channel_factor(&graph->tensors[s], &graph->tensors[x]))
			continue;
		conv->in[0] = x;
		conv->scale = s;
		mul->dead = true;
		return;
	}
}

/* mul(x, s) with an enlarged map as residual. */
static void merge_into_resize(struct vrs_graph *graph, struct vrs_node *mul)
{
	bool simple = mul->act == VRS_ACT_NONE || mul->residual_before;
	if (mul->dead || mul->op != VRS_OP_BINARY || mul->u.binary.op != VRS_MUL || mul->residual < 0 || !simple)
		return;
	struct vrs_node *resize = plain_producer(graph, mul->residual, VRS_OP_RESIZE);
	if (!resize || resize->scale >= 0 || !vrs_resize_is_pair(&resize->u.resize))
		return;
	for (int i = 0; i < 2; i++) {
		int32_t x = mul->in[1 - i], s = mul->in[i];
		if (graph->tensors[x].data || !is_channel_factor(&graph->tensors[s], &graph->tensors[x]) ||
		    !same_shape(&graph->tensors[x], &graph->tensors[mul->out]))
			continue;
		resize->residual = x;
		resize->residual_before = true;
		resize->scale = s;
		resize->act = mul->act;
		resize->act_lo = mul->act_lo;
		resize->act_hi = mul->act_hi;
		resize->out = mul->out;
		graph->tensors[mul->out].producer = (int32_t)(resize - graph->nodes);
		mul->dead = true;
		return;
	}
}

enum vrs_status vrs_cpu_plan_rewrite(struct vrs_graph *graph, struct vrs_error *err)
{
	int32_t count = graph->node_count;
	for (int32_t i = 0; i < count; i++)
		if (is_pointwise(graph, &graph->nodes[i]))
			swap_resize(graph, &graph->nodes[i]);
	for (int32_t i = 0; i < count; i++) {
		if (graph->nodes[i].op != VRS_OP_GLOBAL_AVG || graph->nodes[i].dead)
			continue;
		enum vrs_status status = split_average(graph, i, err);
		if (status != VRS_OK)
			return status;
	}
	for (int32_t i = 0; i < graph->node_count; i++)
		if (graph->nodes[i].op == VRS_OP_GLOBAL_AVG && !graph->nodes[i].dead)
			average_before_resize(graph, &graph->nodes[i]);
	for (int32_t i = 0; i < count; i++) {
		if (is_pointwise(graph, &graph->nodes[i]))
			fold_scale(graph, &graph->nodes[i]);
		merge_into_resize(graph, &graph->nodes[i]);
	}
	return VRS_OK;
}
