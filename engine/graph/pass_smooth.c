/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * More activations that exporters spell out:
 *     x * tanh(softplus(x))                              -> mish(x)
 *     x * (1 + erf(x / sqrt 2)) * 0.5, in any order      -> gelu(x)
 *     clip to 0..6, clip from 0 on                       -> relu6(x), relu(x)
 *     prelu with one slope for all                       -> leaky relu
 * Only the last node of a pattern is rewritten; what it leaves without readers is dead code.
 */
#include <math.h>

#include "graph/passes.h"

/* A float constant whose values all equal its first; false: it is not that. */
static bool single_value(const struct vrs_graph *graph, int32_t id, double *ret_value)
{
	const struct vrs_graph_tensor *tensor = &graph->tensors[id];
	const float *values = tensor->data;
	size_t n = vrs_tensor_elements(tensor);

	if (values == NULL || tensor->dtype != VRS_F32 || n == 0)
		return false;
	for (size_t i = 1; i < n; i++)
		if (!(values[i] == values[0]))
			return false;
	*ret_value = (double)values[0];
	return true;
}

static const struct vrs_node *plain_binary(const struct vrs_graph *graph, int32_t id, enum vrs_binary op)
{
	const struct vrs_node *node = vrs_producer(graph, id);

	return node != NULL && node->op == VRS_OP_BINARY && node->u.binary.op == op && node->act == VRS_ACT_NONE && node->residual < 0 ? node : NULL;
}

/* The operand beside a constant near v; -1: it is not that. */
static int32_t beside(const struct vrs_graph *graph, const struct vrs_node *node, double v)
{
	double found;

	for (int k = 0; node != NULL && k < 2; k++)
		if (single_value(graph, node->in[1 - k], &found) && fabs(found - v) <= 1e-5 * fabs(v) && (k == 0 || node->u.binary.op != VRS_DIV))
			return node->in[k];
	return -1;
}

/* x when the tensor is act(x). */
static int32_t argument(const struct vrs_graph *graph, int32_t id, enum vrs_act act)
{
	const struct vrs_node *node = vrs_producer(graph, id);

	return node != NULL && node->op == VRS_OP_UNARY && node->act == act ? node->in[0] : -1;
}

static int32_t match_mish(const struct vrs_graph *graph, const struct vrs_node *node)
{
	for (int k = 0; k < 2; k++) {
		int32_t soft = argument(graph, node->in[k], VRS_ACT_TANH), x = soft >= 0 ? argument(graph, soft, VRS_ACT_SOFTPLUS) : -1;

		if (x >= 0 && x == node->in[1 - k])
			return x;
	}
	return -1;
}

/* x when the tensor is 1 + erf(x / sqrt 2). */
static int32_t match_erf(const struct vrs_graph *graph, int32_t id)
{
	int32_t erf = beside(graph, plain_binary(graph, id, VRS_ADD), 1), inner = erf >= 0 ? argument(graph, erf, VRS_ACT_ERF) : -1, x;

	if (inner < 0)
		return -1;
	x = beside(graph, plain_binary(graph, inner, VRS_DIV), 1.4142135623730951);
	return x >= 0 ? x : beside(graph, plain_binary(graph, inner, VRS_MUL), 0.7071067811865476);
}

/* The three factors x, 1 + erf(x / sqrt 2) and 0.5 in any order and grouping. */
static int32_t match_gelu(const struct vrs_graph *graph, const struct vrs_node *node)
{
	for (int k = 0; k < 2; k++) {
		const struct vrs_node *inner = plain_binary(graph, node->in[k], VRS_MUL);
		int32_t factors[3];
		double half;

		if (inner == NULL)
			continue;
		factors[0] = node->in[1 - k];
		factors[1] = inner->in[0];
		factors[2] = inner->in[1];
		for (int i = 0; i < 6; i++) { /* which is x, and which of the others is the half */
			int x = i / 2, other = (x + 1 + i % 2) % 3, last = 3 - x - other;

			if (single_value(graph, factors[last], &half) && fabs(half - 0.5) <= 1e-6 && factors[x] >= 0 &&
			    match_erf(graph, factors[other]) == factors[x])
				return factors[x];
		}
	}
	return -1;
}

static bool become(struct vrs_graph *graph, struct vrs_node *node, int32_t x, enum vrs_act act, double lo)
{
	if (x < 0 || graph->tensors[x].data != NULL || graph->tensors[x].dtype != VRS_F32 || !vrs_same_shape(graph, x, node->out))
		return false;
	node->op = VRS_OP_UNARY;
	node->inputs = 1;
	node->in[0] = x;
	node->in[1] = -1;
	node->act = act;
	node->act_lo = (float)lo;
	return true;
}

static void plain_clip(struct vrs_node *node)
{
	if (node->act != VRS_ACT_CLIP || node->act_lo != 0)
		return;
	if (node->act_hi == 6.0f)
		node->act = VRS_ACT_RELU6;
	else if (isinf(node->act_hi) || node->act_hi > 3.4e38f)
		node->act = VRS_ACT_RELU;
}

enum vrs_status vrs_pass_smooth(struct vrs_graph *graph, struct vrs_error *err)
{
	(void)err; /* nothing here can fail; the signature is that of all passes */
	for (int32_t i = 0; i < graph->node_count; i++) {
		struct vrs_node *node = &graph->nodes[i];
		double slope;

		if (node->dead)
			continue;
		plain_clip(node);
		if (node->op != VRS_OP_BINARY || node->act != VRS_ACT_NONE || node->residual >= 0)
			continue;
		if (node->u.binary.op == VRS_PRELU && single_value(graph, node->in[1], &slope))
			(void)become(graph, node, node->in[0], VRS_ACT_LEAKY, slope); /* no match: the node stays */
		else if (node->u.binary.op == VRS_MUL && !become(graph, node, match_mish(graph, node), VRS_ACT_MISH, 0))
			(void)become(graph, node, match_gelu(graph, node), VRS_ACT_GELU, 0);
	}
	return VRS_OK;
}
