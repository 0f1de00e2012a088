/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Addition into a producer.  The merged node takes the place of the addition, where both operands are ready; its own inputs were ready
 * before, and nothing but the addition reads what it made.
 */
#include "base/assert.h"
#include "base/mem.h"
#include "graph/passes.h"

static bool takes_residual(const struct vrs_node *node)
{
	return (node->op == VRS_OP_CONV || node->op == VRS_OP_DECONV || node->op == VRS_OP_BINARY) && node->residual < 0;
}

/* Whether side k of the addition can become the node and the other side its residual. */
static bool can_merge(const struct vrs_graph *graph, const int32_t *count, const struct vrs_node *add, int k)
{
	int32_t mine = add->in[k], other = add->in[1 - k];
	const struct vrs_node *producer = vrs_producer(graph, mine);

	return producer != NULL && takes_residual(producer) && count[mine] == 1 && graph->tensors[other].data == NULL &&
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

static void merge(struct vrs_graph *graph, int32_t at, int side)
{
	struct vrs_node *add = &graph->nodes[at], *producer = vrs_producer(graph, add->in[side]);
	struct vrs_node merged = *producer;

	VRS_ASSERT(takes_residual(producer) && vrs_same_shape(graph, add->in[1 - side], add->out));
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
}

enum vrs_status vrs_pass_residual(struct vrs_graph *graph, struct vrs_error *err)
{
	int32_t *count = vrs_count_uses(graph);

	if (count == NULL)
		return vrs_fail(err, VRS_ENOMEM, "out of memory");
	for (int32_t i = 0; i < graph->node_count; i++) {
		const struct vrs_node *add = &graph->nodes[i];
		int side;

		if (add->dead || add->op != VRS_OP_BINARY || add->u.binary.op != VRS_ADD || add->residual >= 0)
			continue;
		side = choose_side(graph, count, add);
		if (side >= 0)
			merge(graph, i, side);
	}
	vrs_free(count);
	return VRS_OK;
}
