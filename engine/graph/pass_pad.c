/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Explicit zero padding, as exporters write it in front of strided convolutions, becomes the pads of the convolution. */
#include "base/assert.h"
#include "graph/eval.h"
#include "graph/pass_edit.h"

/* Padding of height and width only, with zeros. */
static bool is_zero_border(const struct vrs_graph *graph, const struct vrs_node *pad)
{
	const struct vrs_graph_tensor *out = &graph->tensors[pad->out];

	if (pad->op != VRS_OP_PAD || pad->u.pad.mode != VRS_PAD_CONSTANT || out->rank != 4 || vrs_load_f64(out->dtype, pad->u.pad.fill, 0) != 0)
		return false;
	for (int i = 1; i <= 2; i++)
		if (pad->u.pad.before[i] < 0 || pad->u.pad.after[i] < 0)
			return false;
	return pad->u.pad.before[0] == 0 && pad->u.pad.after[0] == 0 && pad->u.pad.before[3] == 0 && pad->u.pad.after[3] == 0;
}

/* The sum stays below the kernel's extent, so that every window still sees the map. */
static bool fits(int own, int64_t more, int kernel, int dilation)
{
	return own + more <= (int64_t)(kernel - 1) * dilation;
}

static bool try_merge(const struct vrs_node *pad, struct vrs_node *conv)
{
	struct vrs_window *w = &conv->u.window;
	const int64_t *before = pad->u.pad.before, *after = pad->u.pad.after;

	if (w->same || !fits(w->pad_top, before[1], w->kernel_h, w->dilation_h) || !fits(w->pad_bottom, after[1], w->kernel_h, w->dilation_h) ||
	    !fits(w->pad_left, before[2], w->kernel_w, w->dilation_w) || !fits(w->pad_right, after[2], w->kernel_w, w->dilation_w))
		return false;
	w->pad_top += (int)before[1];
	w->pad_bottom += (int)after[1];
	w->pad_left += (int)before[2];
	w->pad_right += (int)after[2];
	conv->in[0] = pad->in[0];
	VRS_ASSERT(w->pad_top >= 0 && w->pad_bottom >= 0 && w->pad_left >= 0 && w->pad_right >= 0);
	return true;
}

static enum vrs_status merge(struct vrs_graph *graph, const int32_t *uses, struct vrs_node *conv, struct vrs_error *err)
{
	struct vrs_node *pad = conv->op == VRS_OP_CONV ? vrs_producer(graph, conv->in[0]) : NULL;

	(void)err;
	if (pad != NULL && uses[conv->in[0]] == 1 && is_zero_border(graph, pad) && graph->tensors[pad->in[0]].data == NULL && try_merge(pad, conv))
		pad->dead = true;
	return VRS_OK;
}

enum vrs_status vrs_pass_pad(struct vrs_graph *graph, struct vrs_error *err)
{
	return vrs_rewrite_nodes(graph, merge, err);
}
