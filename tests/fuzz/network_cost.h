/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What it costs to run a network that a fuzzing engine made: targets leave out those that would take minutes or gigabytes. */
#ifndef TESTS_FUZZ_NETWORK_COST_H
#define TESTS_FUZZ_NETWORK_COST_H

#include <stdint.h>

#include "graph/ir.h"

/* Steps of one node: outputs times what each reads. */
static inline uint64_t network_work(const struct vrs_graph *graph, const struct vrs_node *node)
{
	uint64_t out = vrs_tensor_elements(&graph->tensors[node->out]), in = 1, windowed = 1;

	for (int k = 0; k < node->inputs; k++)
		if (node->in[k] >= 0)
			in += vrs_tensor_elements(&graph->tensors[node->in[k]]);
	if (node->op == VRS_OP_POOL_MAX || node->op == VRS_OP_POOL_AVG || node->op == VRS_OP_POOL_INDEX || node->op == VRS_OP_CONV ||
	    node->op == VRS_OP_DECONV)
		windowed = (uint64_t)node->u.window.kernel_h * (uint64_t)node->u.window.kernel_w;
	return (out < UINT32_MAX && in < UINT32_MAX ? out * in : UINT64_MAX >> 24) * (windowed < 1 << 20 ? windowed : 1 << 20);
}

#endif
