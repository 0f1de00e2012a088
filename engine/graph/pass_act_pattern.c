/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Activations that exporters spell out.  With h(x) = relu6(x + 3):
 *     h(x) * (1/6), h(x) / 6                           -> hard-sigmoid(x)
 *     x * hard-sigmoid(x), (x * h(x)) * (1/6) or / 6   -> hard-swish(x)
 *     x * sigmoid(x)                                   -> silu(x)
 * Only the last node of a pattern is rewritten; what it leaves without readers is dead code.
 */
#include <math.h>

#include "graph/passes.h"

/* A float constant all of whose values are v (to float rounding of decimal text). */
static bool is_constant(const struct vrs_graph *graph, int32_t id, double v)
{
	const struct vrs_graph_tensor *tensor = &graph->tensors[id];
	const float *values = tensor->data;
	size_t n = vrs_tensor_elements(tensor);

	if (values == NULL || tensor->dtype != VRS_F32)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!(fabs((double)values[i] - v) <= 1e-5 * fabs(v)))
			return false;
	return true;
}

/* The operand of a two-operand node whose other operand is the constant v; -1: it is not that. */
static int32_t beside_constant(const struct vrs_graph *graph, const struct vrs_node *node, enum vrs_binary op, double v)
{
	if (node->op != VRS_OP_BINARY || node->u.binary.op != op || node->residual >= 0)
		return -1;
	if (is_constant(graph, node->in[1], v))
		return node->in[0];
	return op != VRS_DIV && is_constant(graph, node->in[0], v) ? node->in[1] : -1;
}

/* x when the tensor is h(x) = relu6(x + 3), as one node with a fused activation or as two; -1: it is not. */
static int32_t match_relu6_plus3(const struct vrs_graph *graph, int32_t id)
{
	const struct vrs_node *node = vrs_producer(graph, id);

	if (node != NULL && node->op == VRS_OP_UNARY && node->act == VRS_ACT_RELU6) {
		node = vrs_producer(graph, node->in[0]);
		return node != NULL && node->act == VRS_ACT_NONE ? beside_constant(graph, node, VRS_ADD, 3) : -1;
	}
	return node != NULL && node->act == VRS_ACT_RELU6 ? beside_constant(graph, node, VRS_ADD, 3) : -1;
}

/* The operand when the node is operand / 6 in either spelling. */
static int32_t match_sixth(const struct vrs_graph *graph, const struct vrs_node *node)
{
	int32_t x = beside_constant(graph, node, VRS_MUL, 1.0 / 6);

	return x >= 0 ? x : beside_constant(graph, node, VRS_DIV, 6);
}

/* x when the tensor is x * h(x). */
static int32_t match_product(const struct vrs_graph *graph, int32_t id)
{
	const struct vrs_node *node = vrs_producer(graph, id);

	if (node == NULL || node->op != VRS_OP_BINARY || node->u.binary.op != VRS_MUL || node->act != VRS_ACT_NONE || node->residual >= 0)
		return -1;
	if (match_relu6_plus3(graph, node->in[1]) == node->in[0])
		return node->in[0];
	return match_relu6_plus3(graph, node->in[0]) == node->in[1] ? node->in[1] : -1;
}

/* x when the node is x * act(x). */
static int32_t match_gate(const struct vrs_graph *graph, const struct vrs_node *node, enum vrs_act act)
{
	if (node->op != VRS_OP_BINARY || node->u.binary.op != VRS_MUL || node->residual >= 0)
		return -1;
	for (int k = 0; k < 2; k++) {
		const struct vrs_node *gate = vrs_producer(graph, node->in[k]);

		if (gate != NULL && gate->op == VRS_OP_UNARY && gate->act == act && gate->in[0] == node->in[1 - k])
			return node->in[1 - k];
	}
	return -1;
}

static bool rewrite(struct vrs_graph *graph, struct vrs_node *node, int32_t x, enum vrs_act act)
{
	if (x < 0 || graph->tensors[x].data != NULL || !vrs_same_shape(graph, x, node->out))
		return false;
	node->op = VRS_OP_UNARY;
	node->inputs = 1;
	node->in[0] = x;
	node->in[1] = -1;
	node->act = act;
	return true;
}

enum vrs_status vrs_pass_act_pattern(struct vrs_graph *graph, struct vrs_error *err)
{
	(void)err; /* nothing here can fail; the signature is that of all passes */
	for (int32_t i = 0; i < graph->node_count; i++) {
		struct vrs_node *node = &graph->nodes[i];
		int32_t sixth;

		if (node->dead || node->op != VRS_OP_BINARY || node->act != VRS_ACT_NONE)
			continue;
		sixth = match_sixth(graph, node);
		if ((sixth >= 0 && (rewrite(graph, node, match_product(graph, sixth), VRS_ACT_HSWISH) ||
				    rewrite(graph, node, match_relu6_plus3(graph, sixth), VRS_ACT_HSIGMOID))) ||
		    rewrite(graph, node, match_gate(graph, node, VRS_ACT_HSIGMOID), VRS_ACT_HSWISH))
			continue;
		(void)rewrite(graph, node, match_gate(graph, node, VRS_ACT_SIGMOID), VRS_ACT_SILU); /* no match: the node stays */
	}
	return VRS_OK;
}
