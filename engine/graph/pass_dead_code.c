/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes without readers, from the end so that whole chains go at once. */
#include "base/assert.h"
#include "base/mem.h"
#include "graph/passes.h"

static void release(int32_t *count, int32_t id)
{
	VRS_ASSERT(id < 0 || count[id] > 0);
	if (id >= 0)
		count[id]--;
}

enum vrs_status vrs_pass_dead_code(struct vrs_graph *graph, struct vrs_error *err)
{
	int32_t *count = vrs_count_uses(graph);

	if (count == NULL)
		return vrs_fail_nomem(err);
	for (int32_t i = graph->node_count - 1; i >= 0; i--) {
		struct vrs_node *node = &graph->nodes[i];

		if (node->dead || count[node->out] > 0)
			continue;
		node->dead = true;
		for (int k = 0; k < node->inputs; k++)
			release(count, node->in[k]);
		release(count, node->residual);
		release(count, node->scale);
	}
	vrs_free(count);
	return VRS_OK;
}
