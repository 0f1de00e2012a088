/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole tensors: where they lie, and the code of the reference for what has no routine of its own. */
#include "backend/cpu/exec/cpu_flat.h"

#include "backend/cpu/exec/cpu_routines.h"
#include "base/assert.h"

static void *whole_tensor(const struct vrs_cpu_thread *thread, int id)
{
	const struct vrs_cpu_value *value = &thread->plan->values[id];
	VRS_ASSERT(value->constant || value->in_arena);
	/* Constants are never written through this; the cast only lets operands share one type. */
	return value->constant != NULL ? (void *)(uintptr_t)value->constant : vrs_cpu_arena_row(thread, value, 0, 0);
}

struct vrs_eval vrs_cpu_whole(const struct vrs_cpu_op *op, const struct vrs_cpu_thread *thread)
{
	struct vrs_eval e = {.graph = &thread->plan->graph, .node = &thread->plan->graph.nodes[op->node], .out = whole_tensor(thread, op->out)};
	for (int i = 0; i < op->inputs; i++)
		e.in[i] = op->in[i] >= 0 ? whole_tensor(thread, op->in[i]) : NULL;
	e.residual = op->residual >= 0 ? whole_tensor(thread, op->residual) : NULL;
	e.scale = op->scale >= 0 ? whole_tensor(thread, op->scale) : NULL;
	return e;
}

void vrs_cpu_flat(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	struct vrs_eval e = vrs_cpu_whole(op, thread);
	(void)image;
	VRS_ASSERT(y0 == 0 && y1 == 1); /* in one piece */
	(void)y0;
	(void)y1;
	vrs_node_eval(&e);
}
