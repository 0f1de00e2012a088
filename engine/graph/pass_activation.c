/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Activation into its producer: the map is written once instead of twice. */
#include "base/mem.h"
#include "graph/passes.h"

static bool takes_act(const struct vrs_node *node)
{
	return (node->op == VRS_OP_CONV || node->op == VRS_OP_DECONV || node->op == VRS_OP_BINARY) && node->act == VRS_ACT_NONE &&
	       node->residual < 0;
}

/* Backends have rows of these; abs, neg and sign of integers are no epilogue. */
static bool is_epilogue(const struct vrs_graph *graph, const struct vrs_node *unary)
{
	return unary->act <= VRS_ACT_SILU || (unary->act <= VRS_ACT_RECIPROCAL && graph->tensors[unary->out].dtype == VRS_F32);
}

enum vrs_status vrs_pass_activation(struct vrs_graph *graph, struct vrs_error *err)
{
	int32_t *count = vrs_count_uses(graph);

	if (count == NULL)
		return vrs_fail(err, VRS_ENOMEM, "out of memory");
	for (int32_t i = 0; i < graph->node_count; i++) {
		struct vrs_node *unary = &graph->nodes[i], *producer;

		if (unary->dead || unary->op != VRS_OP_UNARY || count[unary->in[0]] != 1)
			continue;
		producer = vrs_producer(graph, unary->in[0]);
		if (producer == NULL || !takes_act(producer) || !is_epilogue(graph, unary))
			continue;
		producer->act = unary->act;
		producer->act_lo = unary->act_lo;
		producer->act_hi = unary->act_hi;
		producer->out = unary->out;
		graph->tensors[unary->out].producer = (int32_t)(producer - graph->nodes);
		unary->dead = true;
	}
	vrs_free(count);
	return VRS_OK;
}
