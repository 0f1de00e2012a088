/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Batch normalisation and its relatives: constants that scale or shift the channels before or behind a convolution become part of its weights
 * and bias.  Behind: (w x + b) * s + t = (w s) x + (b s + t), s and t by output channel.  Before: w (x * s) = (w s) x, s by input channel, also
 * with zero padding, since 0 * s = 0; w (x + t) = w x + sum(w t) only without padding.
 */
#include "base/assert.h"
#include "base/mem.h"
#include "graph/pass_edit.h"

struct pass {
	struct vrs_graph *graph;
	const int32_t *uses;       /* of tensors when the pass began */
	int32_t first_own;         /* tensors from here on are weights and biases of one convolution each, made by own_weights */
	struct vrs_error *err;
};

/* y = x * mul + add (or, reversed, add - x), by channel. */
struct affine {
	const struct vrs_graph_tensor *constant;
	int32_t x;
	enum vrs_binary op;
	bool reversed;             /* the constant is the left operand */
};

/* One value, or one a channel of a map: a constant whose only dim that is not 1 is the last. */
static bool is_channel_constant(const struct vrs_graph *graph, int32_t id, int64_t channels)
{
	const struct vrs_graph_tensor *t = &graph->tensors[id];
	int64_t n = (int64_t)vrs_tensor_elements(t);

	return t->data != NULL && t->dtype == VRS_F32 && t->rank <= 4 && (n == 1 || (n == channels && t->rank > 0 && t->dims[t->rank - 1] == channels));
}

/* Is the node arithmetic of a map with a channel constant, and nothing else? */
static bool match(const struct vrs_graph *graph, const struct vrs_node *node, struct affine *ret_affine)
{
	const struct vrs_graph_tensor *y = &graph->tensors[node->out];

	if (node->dead || node->op != VRS_OP_BINARY || node->u.binary.op > VRS_DIV || node->residual >= 0 || y->rank != 4 || y->dtype != VRS_F32)
		return false;
	for (int k = 0; k < 2; k++) {
		if (!is_channel_constant(graph, node->in[1 - k], y->dims[3]) || graph->tensors[node->in[k]].data != NULL ||
		    !vrs_same_shape(graph, node->in[k], node->out) || (k == 1 && node->u.binary.op == VRS_DIV))
			continue;
		*ret_affine = (struct affine){&graph->tensors[node->in[1 - k]], node->in[k], node->u.binary.op, k == 1};
		return true;
	}
	return false;
}

static double value_at(const struct affine *a, int64_t channel)
{
	const float *values = a->constant->data;

	VRS_ASSERT(vrs_tensor_elements(a->constant) == 1 || (size_t)channel < vrs_tensor_elements(a->constant));
	return (double)values[vrs_tensor_elements(a->constant) == 1 ? 0 : channel];
}

static double factor_at(const struct affine *a, int64_t channel)
{
	switch (a->op) {
	case VRS_MUL: return value_at(a, channel);
	case VRS_DIV: return 1.0 / value_at(a, channel);
	case VRS_SUB: return a->reversed ? -1.0 : 1.0;
	default: return 1.0;
	}
}

static double term_at(const struct affine *a, int64_t channel)
{
	if (a->op == VRS_ADD || (a->op == VRS_SUB && a->reversed))
		return value_at(a, channel);
	return a->op == VRS_SUB ? -value_at(a, channel) : 0;
}

static bool has_constant_weights(const struct vrs_graph *graph, const struct vrs_node *node)
{
	if (node->op != VRS_OP_CONV && node->op != VRS_OP_DECONV)
		return false;
	return graph->tensors[node->in[1]].data != NULL && (node->inputs < 3 || node->in[2] < 0 || graph->tensors[node->in[2]].data != NULL);
}

/* Copies of weights and bias that may be written; a bias of zeros where there was none. */
static enum vrs_status copy_weights(const struct pass *pass, struct vrs_node *conv)
{
	struct vrs_graph *graph = pass->graph;
	const struct vrs_graph_tensor *w = &graph->tensors[conv->in[1]];
	int64_t channels = vrs_node_is_depthwise(graph, conv) ? w->dims[2] : w->dims[0];
	const void *old_bias = conv->inputs > 2 && conv->in[2] >= 0 ? graph->tensors[conv->in[2]].data : NULL;
	int32_t weights = vrs_graph_add_const(graph, w->name, VRS_F32, w->rank, w->dims, w->data), bias = -1;

	if (weights >= 0)
		bias = vrs_graph_add_const(graph, graph->tensors[weights].name, VRS_F32, 1, &channels, old_bias);
	if (weights < 0 || bias < 0)
		return vrs_fail(pass->err, (enum vrs_status)(weights < 0 ? weights : bias), "out of memory, or too many tensors, while weights are folded");
	conv->in[1] = weights;
	conv->in[2] = bias;
	conv->inputs = 3;
	return VRS_OK;
}

/* Weights and bias to write: those of an earlier step, else copies.  *ret_weights is NULL where the accounts of model_limits.h are spent. */
static enum vrs_status own_weights(const struct pass *pass, struct vrs_node *conv, float **ret_weights, float **ret_bias)
{
	struct vrs_graph *graph = pass->graph;
	size_t count = vrs_tensor_elements(&graph->tensors[conv->in[1]]);
	bool owned = conv->in[1] >= pass->first_own;

	*ret_weights = NULL;
	if ((!owned && !vrs_graph_has_room(graph, 2 * count * sizeof(float))) || !vrs_graph_may_work(graph, count)) /* no more biases than weights */
		return VRS_OK;
	if (!owned)
		VRS_TRY(copy_weights(pass, conv));
	VRS_ASSERT(conv->inputs == 3 && conv->in[1] >= pass->first_own && conv->in[2] >= pass->first_own);
	/* The graph owns what copy_weights has stored, and nobody else reads it. */
	*ret_weights = (float *)(uintptr_t)graph->tensors[conv->in[1]].data;
	*ret_bias = (float *)(uintptr_t)graph->tensors[conv->in[2]].data;
	return VRS_OK;
}

static enum vrs_status fold_behind(const struct pass *pass, struct vrs_node *conv, struct vrs_node *node, struct affine a)
{
	struct vrs_graph *graph = pass->graph;
	bool depthwise = vrs_node_is_depthwise(graph, conv);
	struct vrs_graph_tensor constant = *a.constant; /* the array of tensors may move */
	int64_t out = graph->tensors[conv->out].dims[3], count;
	float *weights, *bias;

	VRS_TRY(own_weights(pass, conv, &weights, &bias));
	if (weights == NULL)
		return VRS_OK;
	a.constant = &constant;
	count = (int64_t)vrs_tensor_elements(&graph->tensors[conv->in[1]]);
	for (int64_t i = 0; i < count; i++)
		weights[i] = (float)((double)weights[i] * factor_at(&a, depthwise ? i % out : i / (count / out)));
	for (int64_t o = 0; o < out; o++)
		bias[o] = (float)((double)bias[o] * factor_at(&a, o) + term_at(&a, o));
	conv->act = node->act;
	conv->act_lo = node->act_lo;
	conv->act_hi = node->act_hi;
	vrs_take_output(graph, conv, node);
	return VRS_OK;
}

/* Input channel that weight i of a convolution multiplies, and its output channel. */
static void channels_of(const struct vrs_graph *graph, const struct vrs_node *conv, int64_t i, int64_t *ret_in, int64_t *ret_out)
{
	const struct vrs_graph_tensor *w = &graph->tensors[conv->in[1]];

	if (vrs_node_is_depthwise(graph, conv)) {
		*ret_out = i % w->dims[2];
		*ret_in = *ret_out / (w->dims[2] / conv->u.window.groups);
		return;
	}
	*ret_out = i / (w->dims[1] * w->dims[2] * w->dims[3]);
	*ret_in = *ret_out / (w->dims[0] / conv->u.window.groups) * w->dims[3] + i % w->dims[3];
}

static enum vrs_status fold_before(const struct pass *pass, struct vrs_node *conv, struct vrs_node *node, struct affine a)
{
	struct vrs_graph *graph = pass->graph;
	struct vrs_graph_tensor constant = *a.constant;
	int64_t outs = graph->tensors[conv->out].dims[3], count;
	double *shift = vrs_calloc((size_t)outs, sizeof *shift);
	float *weights = NULL, *bias;
	enum vrs_status status = shift == NULL ? vrs_fail_nomem(pass->err) : own_weights(pass, conv, &weights, &bias);

	if (status != VRS_OK || weights == NULL) {
		vrs_free(shift);
		return status;
	}
	a.constant = &constant;
	count = (int64_t)vrs_tensor_elements(&graph->tensors[conv->in[1]]);
	for (int64_t i = 0; i < count; i++) {
		int64_t in, out;

		channels_of(graph, conv, i, &in, &out);
		shift[out] += (double)weights[i] * term_at(&a, in);
		weights[i] = (float)((double)weights[i] * factor_at(&a, in));
	}
	for (int64_t o = 0; o < outs; o++)
		bias[o] = (float)((double)bias[o] + shift[o]);
	vrs_free(shift);
	conv->in[0] = a.x;
	node->dead = true;
	return VRS_OK;
}

static bool has_pads(const struct vrs_window *w)
{
	return w->pad_top || w->pad_left || w->pad_bottom || w->pad_right;
}

/* A sum in front of a transposed convolution reaches border pixels by fewer taps; products pass everything. */
static bool passes_before(const struct vrs_node *conv, const struct affine *a)
{
	bool product = a->op == VRS_MUL || a->op == VRS_DIV;

	return conv->op == VRS_OP_CONV && conv->scale < 0 && (product || !has_pads(&conv->u.window));
}

static enum vrs_status try_node(const struct pass *pass, struct vrs_node *node)
{
	struct vrs_graph *graph = pass->graph;
	struct affine a;

	if (match(graph, node, &a) && pass->uses[a.x] == 1) {
		struct vrs_node *conv = vrs_producer(graph, a.x);

		if (conv != NULL && has_constant_weights(graph, conv) && conv->act == VRS_ACT_NONE && conv->residual < 0)
			return fold_behind(pass, conv, node, a);
	}
	while (!node->dead && has_constant_weights(graph, node) && pass->uses[node->in[0]] == 1) { /* scale and shift are two nodes */
		struct vrs_node *before = vrs_producer(graph, node->in[0]);

		if (before == NULL || before->act != VRS_ACT_NONE || !match(graph, before, &a) || !passes_before(node, &a))
			break;
		VRS_TRY(fold_before(pass, node, before, a));
		if (!before->dead)
			break;
	}
	return VRS_OK;
}

enum vrs_status vrs_pass_affine(struct vrs_graph *graph, struct vrs_error *err)
{
	int32_t *uses = vrs_count_uses(graph);
	const struct pass pass = {.graph = graph, .uses = uses, .first_own = graph->tensor_count, .err = err};
	enum vrs_status status = uses != NULL ? VRS_OK : vrs_fail_nomem(err);

	for (int32_t i = 0; i < graph->node_count && status == VRS_OK; i++)
		if (!graph->nodes[i].dead)
			status = try_node(&pass, &graph->nodes[i]);
	vrs_free(uses);
	return status;
}
