/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Activation into its producer: the map is written once instead of twice. */
#include "graph/pass_edit.h"

static bool takes_act(const struct vrs_node *node)
{
	return (node->op == VRS_OP_CONV || node->op == VRS_OP_DECONV || node->op == VRS_OP_BINARY) && node->act == VRS_ACT_NONE &&
	       node->residual < 0;
}

/* Epilogues are of floats of 32 bits, and backends have rows of these functions. */
static bool is_epilogue(const struct vrs_graph *graph, const struct vrs_node *unary)
{
	return unary->act == VRS_ACT_NONE || (unary->act <= VRS_ACT_RECIPROCAL && graph->tensors[unary->out].dtype == VRS_F32);
}

static enum vrs_status merge(struct vrs_graph *graph, const int32_t *uses, struct vrs_node *unary, struct vrs_error *err)
{
	struct vrs_node *producer = unary->op == VRS_OP_UNARY ? vrs_producer(graph, unary->in[0]) : NULL;

	(void)err;
	if (producer == NULL || uses[unary->in[0]] != 1 || !takes_act(producer) || !is_epilogue(graph, unary))
		return VRS_OK;
	producer->act = unary->act;
	producer->act_lo = unary->act_lo;
	producer->act_hi = unary->act_hi;
	vrs_take_output(graph, producer, unary);
	return VRS_OK;
}

enum vrs_status vrs_pass_activation(struct vrs_graph *graph, struct vrs_error *err)
{
	return vrs_rewrite_nodes(graph, merge, err);
}
