/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations on whole tensors, one thread, any rank: what does not fit rows, mostly as the reference computes it. */
#include "backend/cpu/exec/cpu_routines.h"
#include "base/assert.h"

static void *whole_tensor(const struct vrs_cpu_thread *thread, int id)
{
	const struct vrs_cpu_value *value = &thread->plan->values[id];
	VRS_ASSERT(value->constant || value->in_arena);
	/* Constants are never written through this; the cast only lets operands share one type. */
	return value->constant != NULL ? (void *)(uintptr_t)value->constant : vrs_cpu_arena_row(thread, value, 0, 0);
}

void vrs_cpu_flat(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	struct vrs_eval e = {.graph = &thread->plan->graph, .node = &thread->plan->graph.nodes[op->node], .out = whole_tensor(thread, op->out)};
	(void)image;
	(void)y0;
	(void)y1;
	for (int i = 0; i < op->inputs; i++)
		e.in[i] = op->in[i] >= 0 ? whole_tensor(thread, op->in[i]) : NULL;
	e.residual = op->residual >= 0 ? whole_tensor(thread, op->residual) : NULL;
	e.scale = op->scale >= 0 ? whole_tensor(thread, op->scale) : NULL;
	bool floats = thread->plan->graph.tensors[e.node->out].dtype == VRS_F32;
	switch (floats ? e.node->op : VRS_OP_COUNT) {
	case VRS_OP_TRANSPOSE: vrs_cpu_transpose(&e.graph->tensors[e.node->in[0]], e.node->u.transpose.perm, e.in[0], e.out); return;
	case VRS_OP_MATMUL: vrs_cpu_matmul(&e); return;
	case VRS_OP_LAYER_NORM: vrs_cpu_layer_norm(&e); return;
	case VRS_OP_INSTANCE_NORM: vrs_cpu_instance_norm(&e); return;
	default: vrs_node_eval(&e); return;
	}
}
