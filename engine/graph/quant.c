/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph/quant.h"

#include <vrseg/calibration.h>

#include "base/hash.h"
#include "base/mem.h"

uint64_t vrs_graph_structure(const struct vrs_graph *graph)
{
	uint64_t hash = VRS_HASH_INIT;
	for (int32_t i = 0; i < graph->node_count; i++) {
		const struct vrs_node *node = &graph->nodes[i];
		int32_t parts[6] = {node->op, node->act, node->dead, node->out, node->residual, node->scale};
		hash = vrs_hash(hash, parts, sizeof parts);
		hash = vrs_hash(hash, node->in, sizeof node->in[0] * (size_t)node->inputs);
	}
	return hash;
}

enum vrs_status vrs_calibration_create(struct vrs_calibration **ret_calibration, int32_t tensors, int32_t nodes)
{
	struct vrs_calibration *c = vrs_calloc(1, sizeof *c);
	if (!c)
		return VRS_ENOMEM;
	c->tensor_count = tensors;
	c->node_count = nodes;
	c->int8_error = c->mixed_error = -1;
	c->ranges = vrs_calloc((size_t)tensors + 1, sizeof *c->ranges);
	c->int8 = vrs_calloc((size_t)nodes + 1, 1);
	c->mixed = vrs_calloc((size_t)nodes + 1, 1);
	if (!c->ranges || !c->int8 || !c->mixed) {
		vrs_calibration_destroy(c);
		return VRS_ENOMEM;
	}
	*ret_calibration = c;
	return VRS_OK;
}

void vrs_calibration_destroy(struct vrs_calibration *calibration)
{
	if (!calibration)
		return;
	vrs_free(calibration->ranges);
	vrs_free(calibration->int8);
	vrs_free(calibration->mixed);
	vrs_free(calibration);
}
