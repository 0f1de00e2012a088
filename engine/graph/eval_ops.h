/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the operators of eval_*.c share. */
#ifndef VRS_GRAPH_EVAL_OPS_H
#define VRS_GRAPH_EVAL_OPS_H

#include "graph/op_rules.h"

double vrs_binary_apply(enum vrs_binary op, double a, double b);
/* Write y through the node's epilogue to element i of a float output. */
void vrs_eval_store(const struct vrs_eval *e, size_t i, double y);

static inline const struct vrs_graph_tensor *vrs_eval_in(const struct vrs_eval *e, int k)
{
	return &e->graph->tensors[e->node->in[k]];
}

static inline const struct vrs_graph_tensor *vrs_eval_out(const struct vrs_eval *e)
{
	return &e->graph->tensors[e->node->out];
}

#endif
