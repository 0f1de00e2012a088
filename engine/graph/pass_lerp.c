/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The update of a gated recurrent unit, (1 - u) * h + u * c, which is h + u * (c - h): two operations on elements instead of four, and the state
 * is read once.  Errors of rounding are as large as those of the larger operand, and what is infinite, or not far from it, would become NaN: so the
 * candidate c must be bounded by a function, and the state h, too, or be an input of the network, which holds what such an update made before.
 */
#include <math.h>

#include "graph/pass_edit.h"

#define MOST 256.0f  /* of a clip */
#define MOST_MOVES 4 /* behind a function */

struct lerp {
	int32_t u, h, c;
	int32_t product;           /* node u * c */
};

/* The node that makes a tensor which nobody else reads: plain arithmetic of floats. */
static const struct vrs_node *only(const struct vrs_graph *graph, const int32_t *count, int32_t id, enum vrs_binary op)
{
	const struct vrs_node *node = vrs_producer(graph, id);

	return node != NULL && vrs_is_plain_binary(node, op) && count[id] == 1 && graph->tensors[id].dtype == VRS_F32 ? node : NULL;
}

/* Side `kept` of the sum is (1 - u) * h, the other u * c. */
static bool match(const struct vrs_graph *graph, const int32_t *count, const struct vrs_node *add, int kept, struct lerp *ret)
{
	const struct vrs_node *left = only(graph, count, add->in[kept], VRS_MUL), *right = only(graph, count, add->in[1 - kept], VRS_MUL);

	for (int k = 0; left != NULL && right != NULL && k < 2; k++) {
		const struct vrs_node *rest = only(graph, count, left->in[k], VRS_SUB);

		if (rest == NULL || !vrs_is_constant(graph, rest->in[0], 1, 0))
			continue;
		for (int j = 0; j < 2; j++) {
			if (right->in[j] != rest->in[1])
				continue;
			*ret = (struct lerp){rest->in[1], left->in[1 - k], right->in[1 - j], (int32_t)(right - graph->nodes)};
			return true;
		}
	}
	return false;
}

static bool only_moves(const struct vrs_node *node)
{
	bool moves = node->op == VRS_OP_SLICE || node->op == VRS_OP_RESHAPE || node->op == VRS_OP_TRANSPOSE;

	return moves && node->act == VRS_ACT_NONE && node->residual < 0;
}

/* Is it made by a function whose values lie near 0, or a part of such? */
static bool is_bounded(const struct vrs_graph *graph, int32_t id)
{
	const struct vrs_node *node = vrs_producer(graph, id);

	for (int i = 0; i < MOST_MOVES && node != NULL && only_moves(node); i++)
		node = vrs_producer(graph, node->in[0]);
	if (node == NULL)
		return false;
	switch (node->act) {
	case VRS_ACT_RELU6:
	case VRS_ACT_HSIGMOID:
	case VRS_ACT_SIGMOID:
	case VRS_ACT_TANH:
	case VRS_ACT_SOFTSIGN:
	case VRS_ACT_ERF:
	case VRS_ACT_SIGN:
	case VRS_ACT_SIN:
	case VRS_ACT_COS: return true;
	case VRS_ACT_CLIP: return fabsf(node->act_lo) <= MOST && fabsf(node->act_hi) <= MOST;
	default: return node->op == VRS_OP_SOFTMAX && node->act == VRS_ACT_NONE;
	}
}

static bool fits(const struct vrs_graph *graph, const struct vrs_node *add, const struct lerp *l)
{
	if (!is_bounded(graph, l->c) || (vrs_producer(graph, l->h) != NULL && !is_bounded(graph, l->h)))
		return false;
	return graph->tensors[l->h].data == NULL && vrs_same_shape(graph, l->h, add->out) && vrs_same_shape(graph, l->u, add->out) &&
	       vrs_same_shape(graph, l->c, add->out);
}

static enum vrs_status rewrite(struct vrs_graph *graph, const int32_t *uses, struct vrs_node *add, struct vrs_error *err)
{
	struct vrs_node *difference;
	struct lerp l;

	(void)err;
	if (add->op != VRS_OP_BINARY || add->u.binary.op != VRS_ADD || add->residual >= 0 ||
	    (!match(graph, uses, add, 0, &l) && !match(graph, uses, add, 1, &l)) || !fits(graph, add, &l))
		return VRS_OK;
	difference = &graph->nodes[l.product];
	difference->u.binary.op = VRS_SUB;
	difference->in[0] = l.c;
	difference->in[1] = l.h;
	add->u.binary.op = VRS_MUL;
	add->in[0] = l.u;
	add->in[1] = difference->out;
	add->residual = l.h;
	add->residual_before = true;
	return VRS_OK;
}

enum vrs_status vrs_pass_lerp(struct vrs_graph *graph, struct vrs_error *err)
{
	VRS_TRY(vrs_rewrite_nodes(graph, rewrite, err));
	return vrs_graph_sort(graph, err); /* the state may be made later than the product was */
}
