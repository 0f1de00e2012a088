/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Squeeze-excitation: conv1x1(x * s) with s = [N,1,1,C].  A 1x1 convolution can multiply its weights by s once per picture (C * O products)
 * instead of reading and writing the whole map (H * W * C).
 */
#include "base/assert.h"
#include "graph/pass_edit.h"

static bool is_pointwise(const struct vrs_graph *graph, const struct vrs_node *node)
{
	const struct vrs_window *w = &node->u.window;

	return node->op == VRS_OP_CONV && !vrs_node_is_depthwise(graph, node) && w->groups == 1 && w->kernel_h == 1 && w->kernel_w == 1;
}

/* s is one factor for each picture and channel of x. */
static bool is_channel_factor(const struct vrs_graph *graph, int32_t s, int32_t x)
{
	const struct vrs_graph_tensor *ts = &graph->tensors[s], *tx = &graph->tensors[x];

	return ts->data == NULL && tx->data == NULL && ts->rank == 4 && tx->rank == 4 && ts->dims[0] == tx->dims[0] && ts->dims[1] == 1 &&
	       ts->dims[2] == 1 && ts->dims[3] == tx->dims[3];
}

static enum vrs_status merge(struct vrs_graph *graph, const int32_t *uses, struct vrs_node *conv, struct vrs_error *err)
{
	struct vrs_node *mul = is_pointwise(graph, conv) && conv->scale < 0 ? vrs_producer(graph, conv->in[0]) : NULL;
	int side;

	(void)err;
	if (mul == NULL || uses[conv->in[0]] != 1 || !vrs_is_plain_binary(mul, VRS_MUL))
		return VRS_OK;
	side = is_channel_factor(graph, mul->in[1], mul->in[0]) ? 1 : is_channel_factor(graph, mul->in[0], mul->in[1]) ? 0 : -1;
	if (side < 0)
		return VRS_OK;
	VRS_ASSERT(graph->tensors[mul->in[side]].dims[3] == graph->tensors[mul->out].dims[3]);
	conv->scale = mul->in[side];
	conv->in[0] = mul->in[1 - side];
	mul->dead = true;
	return VRS_OK;
}

enum vrs_status vrs_pass_se_scale(struct vrs_graph *graph, struct vrs_error *err)
{
	return vrs_rewrite_nodes(graph, merge, err);
}
