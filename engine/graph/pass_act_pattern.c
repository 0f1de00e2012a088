/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Activations that exporters spell out.  With h(x) = relu6(x + 3):
 *     h(x) * (1/6), h(x) / 6                             -> hard-sigmoid(x)
 *     x * hard-sigmoid(x), (x * h(x)) * (1/6) or / 6     -> hard-swish(x)
 *     x * sigmoid(x)                                     -> silu(x)
 *     x * tanh(softplus(x))                              -> mish(x)
 *     x * (1 + erf(x / sqrt 2)) * 0.5, in any order      -> gelu(x)
 *     clip to 0..6, clip from 0 on                       -> relu6(x), relu(x)
 *     prelu with one slope for all                       -> leaky relu
 * Only the last node of a pattern is rewritten; what it leaves without readers is dead code.
 */
#include <math.h>

#include "graph/pass_edit.h"

#define NEAR 1e-5 /* of a constant: the float rounding of decimal text */

/* The operand beside a constant v; -1: it is not that. A node may be NULL. */
static int32_t beside(const struct vrs_graph *graph, const struct vrs_node *node, double v)
{
	for (int k = 0; node != NULL && k < 2; k++)
		if (vrs_is_constant(graph, node->in[1 - k], v, NEAR) && (k == 0 || node->u.binary.op != VRS_DIV))
			return node->in[k];
	return -1;
}

/* The node that makes a tensor, if it is this function of two inputs. */
static const struct vrs_node *maker(const struct vrs_graph *graph, int32_t id, enum vrs_binary op)
{
	const struct vrs_node *node = vrs_producer(graph, id);

	return node != NULL && vrs_is_plain_binary(node, op) ? node : NULL;
}

/* x when the tensor is act(x). */
static int32_t argument(const struct vrs_graph *graph, int32_t id, enum vrs_act act)
{
	const struct vrs_node *node = vrs_producer(graph, id);

	return node != NULL && node->op == VRS_OP_UNARY && node->act == act ? node->in[0] : -1;
}

/* x when the tensor is h(x) = relu6(x + 3), as one node with a fused activation or as two; -1: it is not. */
static int32_t match_relu6_plus3(const struct vrs_graph *graph, int32_t id)
{
	int32_t sum = argument(graph, id, VRS_ACT_RELU6);
	const struct vrs_node *node = vrs_producer(graph, id);

	if (sum >= 0)
		return beside(graph, maker(graph, sum, VRS_ADD), 3);
	return node != NULL && node->op == VRS_OP_BINARY && node->u.binary.op == VRS_ADD && node->act == VRS_ACT_RELU6 && node->residual < 0 ?
		beside(graph, node, 3) : -1;
}

/* The operand when the node is operand / 6 in either spelling. */
static int32_t match_sixth(const struct vrs_graph *graph, const struct vrs_node *node)
{
	if (node->u.binary.op == VRS_MUL)
		return beside(graph, node, 1.0 / 6);
	return node->u.binary.op == VRS_DIV ? beside(graph, node, 6) : -1;
}

/* x when the tensor is x * h(x). */
static int32_t match_product(const struct vrs_graph *graph, int32_t id)
{
	const struct vrs_node *node = maker(graph, id, VRS_MUL);

	for (int k = 0; node != NULL && k < 2; k++)
		if (match_relu6_plus3(graph, node->in[1 - k]) == node->in[k])
			return node->in[k];
	return -1;
}

/* x when the product is x * act(x), or x * act(inner(x)) with an inner function. */
static int32_t match_gate(const struct vrs_graph *graph, const struct vrs_node *node, enum vrs_act act, enum vrs_act inner)
{
	for (int k = 0; k < 2; k++) {
		int32_t x = argument(graph, node->in[k], act);

		if (x >= 0 && inner != VRS_ACT_NONE)
			x = argument(graph, x, inner);
		if (x >= 0 && x == node->in[1 - k])
			return x;
	}
	return -1;
}

/* x when the tensor is 1 + erf(x / sqrt 2). */
static int32_t match_erf(const struct vrs_graph *graph, int32_t id)
{
	int32_t erf = beside(graph, maker(graph, id, VRS_ADD), 1), inner = erf >= 0 ? argument(graph, erf, VRS_ACT_ERF) : -1, x;

	if (inner < 0)
		return -1;
	x = beside(graph, maker(graph, inner, VRS_DIV), 1.4142135623730951);
	return x >= 0 ? x : beside(graph, maker(graph, inner, VRS_MUL), 0.7071067811865476);
}

/* The three factors x, 1 + erf(x / sqrt 2) and 0.5 in any order and grouping. */
static int32_t match_gelu(const struct vrs_graph *graph, const struct vrs_node *node)
{
	for (int k = 0; k < 2; k++) {
		const struct vrs_node *inner = maker(graph, node->in[k], VRS_MUL);
		int32_t factors[3] = {node->in[1 - k], inner != NULL ? inner->in[0] : -1, inner != NULL ? inner->in[1] : -1};

		for (int i = 0; inner != NULL && i < 6; i++) { /* which is x, and which of the others is the half */
			int x = i / 2, other = (x + 1 + i % 2) % 3, last = 3 - x - other;

			if (vrs_is_constant(graph, factors[last], 0.5, NEAR) && match_erf(graph, factors[other]) == factors[x])
				return factors[x];
		}
	}
	return -1;
}

/* The node becomes act(x); false: there is no x, and it stays. */
static bool become(struct vrs_graph *graph, struct vrs_node *node, int32_t x, enum vrs_act act, float lo)
{
	if (x < 0 || graph->tensors[x].data != NULL || !vrs_same_shape(graph, x, node->out))
		return false;
	node->op = VRS_OP_UNARY;
	node->inputs = 1;
	node->in[0] = x;
	node->in[1] = -1;
	node->act = act;
	node->act_lo = lo;
	return true;
}

/* The value of a float constant that has only one, perhaps repeated; NULL: it is not that. */
static const float *single_value(const struct vrs_graph *graph, int32_t id)
{
	const struct vrs_graph_tensor *tensor = &graph->tensors[id];
	const float *values = tensor->dtype == VRS_F32 && vrs_tensor_elements(tensor) > 0 ? tensor->data : NULL;

	return values != NULL && vrs_is_constant(graph, id, (double)values[0], 0) ? values : NULL;
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

/* A product that ends one of the patterns. */
static bool rewrite_product(struct vrs_graph *graph, struct vrs_node *node)
{
	return become(graph, node, match_gate(graph, node, VRS_ACT_TANH, VRS_ACT_SOFTPLUS), VRS_ACT_MISH, 0) ||
	       become(graph, node, match_gelu(graph, node), VRS_ACT_GELU, 0) ||
	       become(graph, node, match_gate(graph, node, VRS_ACT_HSIGMOID, VRS_ACT_NONE), VRS_ACT_HSWISH, 0) ||
	       become(graph, node, match_gate(graph, node, VRS_ACT_SIGMOID, VRS_ACT_NONE), VRS_ACT_SILU, 0);
}

static enum vrs_status rewrite(struct vrs_graph *graph, const int32_t *uses, struct vrs_node *node, struct vrs_error *err)
{
	const float *slope;
	int32_t sixth;

	(void)uses; /* inner nodes stay for other readers */
	(void)err;
	plain_clip(node);
	if (node->op != VRS_OP_BINARY || node->act != VRS_ACT_NONE || node->residual >= 0)
		return VRS_OK;
	sixth = match_sixth(graph, node);
	if (sixth >= 0 && (become(graph, node, match_product(graph, sixth), VRS_ACT_HSWISH, 0) ||
			   become(graph, node, match_relu6_plus3(graph, sixth), VRS_ACT_HSIGMOID, 0)))
		return VRS_OK;
	if (node->u.binary.op == VRS_PRELU && (slope = single_value(graph, node->in[1])) != NULL)
		(void)become(graph, node, node->in[0], VRS_ACT_LEAKY, *slope); /* no match: the node stays */
	else if (node->u.binary.op == VRS_MUL)
		(void)rewrite_product(graph, node);
	return VRS_OK;
}

enum vrs_status vrs_pass_act_pattern(struct vrs_graph *graph, struct vrs_error *err)
{
	return vrs_rewrite_nodes(graph, rewrite, err);
}
