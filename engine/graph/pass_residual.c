/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Addition into a producer.  The merged node takes the place of the addition, where both operands are ready; its own inputs were ready
 * before, and nothing but the addition reads what it made.
 */
#include "base/assert.h"
#include "graph/pass_edit.h"

static bool takes_residual(const struct vrs_node *node)
{
	return (node->op == VRS_OP_CONV || node->op == VRS_OP_DECONV || node->op == VRS_OP_BINARY) && node->residual < 0;
}

/* Whether side k of the addition can become the node and the other side its residual: of floats alone, as epilogues are. */
static bool can_merge(const struct vrs_graph *graph, const int32_t *count, const struct vrs_node *add, int k)
{
	int32_t mine = add->in[k], other = add->in[1 - k];
	const struct vrs_node *producer = vrs_producer(graph, mine);

	return producer != NULL && takes_residual(producer) && count[mine] == 1 && graph->tensors[other].data == NULL &&
	       graph->tensors[mine].dtype == VRS_F32 && graph->tensors[other].dtype == VRS_F32 &&
	       vrs_same_shape(graph, mine, add->out) && vrs_same_shape(graph, other, add->out) &&
	       (producer->act == VRS_ACT_NONE || add->act == VRS_ACT_NONE);
}

/* Convolutions first: their epilogue hides the addition behind arithmetic.  Then the later producer, whose result is still in the cache. */
static int choose_side(const struct vrs_graph *graph, const int32_t *count, const struct vrs_node *add)
{
	bool first = can_merge(graph, count, add, 0), second = can_merge(graph, count, add, 1);
	bool first_conv = first && vrs_producer(graph, add->in[0])->op != VRS_OP_BINARY;
	bool second_conv = second && vrs_producer(graph, add->in[1])->op != VRS_OP_BINARY;

	if (!first && !second)
		return -1;
	if (first != second)
		return second ? 1 : 0;
	if (first_conv != second_conv)
		return second_conv ? 1 : 0;
	return graph->tensors[add->in[1]].producer > graph->tensors[add->in[0]].producer ? 1 : 0;
}

static enum vrs_status merge(struct vrs_graph *graph, const int32_t *uses, struct vrs_node *add, struct vrs_error *err)
{
	bool sum = add->op == VRS_OP_BINARY && add->u.binary.op == VRS_ADD && add->residual < 0;
	int side = sum ? choose_side(graph, uses, add) : -1;
	struct vrs_node *producer = side >= 0 ? vrs_producer(graph, add->in[side]) : NULL, merged;

	(void)err;
	if (producer == NULL)
		return VRS_OK;
	VRS_ASSERT(takes_residual(producer) && vrs_same_shape(graph, add->in[1 - side], add->out));
	merged = *producer;
	merged.residual = add->in[1 - side];
	merged.residual_before = producer->act == VRS_ACT_NONE;
	if (merged.residual_before) {
		merged.act = add->act;
		merged.act_lo = add->act_lo;
		merged.act_hi = add->act_hi;
	}
	merged.out = add->out;
	producer->dead = true;
	*add = merged;
	return VRS_OK;
}

enum vrs_status vrs_pass_residual(struct vrs_graph *graph, struct vrs_error *err)
{
	return vrs_rewrite_nodes(graph, merge, err);
}
