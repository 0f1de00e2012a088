/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A resize works on each channel by weights that sum to one, a 1x1 convolution on each pixel, so the two change places without changing the
 * result (the bias included).  Behind an enlargement the convolution has scale_h * scale_w times the pixels; in front of it, it has few.
 */
#include "base/mem.h"
#include "graph/passes.h"

/* Cost of one resized value in multiply-adds: four loads and three blends, bound by memory. */
#define RESIZE_COST 8.0

static bool is_plain_pointwise(const struct vrs_graph *graph, const struct vrs_node *node)
{
	const struct vrs_window *w = &node->u.window;

	return node->op == VRS_OP_CONV && !vrs_node_is_depthwise(graph, node) && w->groups == 1 && w->kernel_h == 1 && w->kernel_w == 1 &&
	       w->stride_h == 1 && w->stride_w == 1 && w->pad_top + w->pad_left + w->pad_bottom + w->pad_right == 0 && node->act == VRS_ACT_NONE &&
	       node->residual < 0 && node->scale < 0;
}

static bool is_cheaper(const struct vrs_graph *graph, const struct vrs_node *resize, const struct vrs_node *conv)
{
	const struct vrs_graph_tensor *small = &graph->tensors[resize->in[0]], *large = &graph->tensors[conv->out];
	double in = (double)small->dims[3], out = (double)large->dims[3];
	double few = (double)(small->dims[1] * small->dims[2]), many = (double)(large->dims[1] * large->dims[2]);

	return few * in * out + many * out * RESIZE_COST < many * in * out + many * in * RESIZE_COST;
}

static enum vrs_status exchange(struct vrs_graph *graph, int32_t resize_at, int32_t conv_at, struct vrs_error *err)
{
	struct vrs_node resize = graph->nodes[resize_at], conv = graph->nodes[conv_at];
	int32_t between = resize.out, last = conv.out;
	enum vrs_status status;

	conv.in[0] = resize.in[0];
	conv.out = between;
	resize.in[0] = between;
	resize.out = last;
	graph->nodes[resize_at] = conv;
	graph->nodes[conv_at] = resize;
	graph->tensors[between].producer = resize_at;
	graph->tensors[last].producer = conv_at;
	status = vrs_node_infer(graph, resize_at, err);
	return status == VRS_OK ? vrs_node_infer(graph, conv_at, err) : status;
}

enum vrs_status vrs_pass_resize_conv(struct vrs_graph *graph, struct vrs_error *err)
{
	int32_t *count = vrs_count_uses(graph);
	enum vrs_status status = VRS_OK;

	if (count == NULL)
		return vrs_fail(err, VRS_ENOMEM, "out of memory");
	for (int32_t i = 0; i < graph->node_count && status == VRS_OK; i++) {
		const struct vrs_node *conv = &graph->nodes[i], *resize;

		if (conv->dead || !is_plain_pointwise(graph, conv) || count[conv->in[0]] != 1)
			continue;
		resize = vrs_producer(graph, conv->in[0]);
		if (resize != NULL && resize->op == VRS_OP_RESIZE && graph->tensors[resize->in[0]].data == NULL && is_cheaper(graph, resize, conv))
			status = exchange(graph, (int32_t)(resize - graph->nodes), i, err);
	}
	vrs_free(count);
	return status;
}
