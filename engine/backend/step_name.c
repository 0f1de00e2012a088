/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "backend/step_name.h"

#include <stdarg.h>
#include <stdio.h>

static void VRS_PRINTF(4, 5) add(char *buf, size_t size, size_t *len, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(buf + *len, size - *len, fmt, args);
	va_end(args);
	if (n > 0)
		*len = (size_t)n < size - *len ? *len + (size_t)n : size - 1;
}

void vrs_step_name(const struct vrs_graph *graph, const struct vrs_node *node, char *buf, size_t size)
{
	const struct vrs_graph_tensor *x = &graph->tensors[node->in[0]], *y = &graph->tensors[node->out];
	const struct vrs_window *w = &node->u.window;
	size_t len = 0;

	add(buf, size, &len, "%s", vrs_node_is_depthwise(graph, node) ? "dwconv" : node->op == VRS_OP_BINARY ? vrs_binary_name(node->u.binary.op)
				   : node->op == VRS_OP_UNARY						     ? vrs_act_name(node->act)
													     : vrs_op_name(node->op));
	if (node->op == VRS_OP_CONV || node->op == VRS_OP_DECONV || node->op == VRS_OP_POOL_MAX || node->op == VRS_OP_POOL_AVG) {
		add(buf, size, &len, " %dx%d", w->kernel_w, w->kernel_h);
		if (w->stride_h != 1 || w->stride_w != 1)
			add(buf, size, &len, "/%d", w->stride_h > w->stride_w ? w->stride_h : w->stride_w);
	}
	if (x->rank == 4 && y->rank == 4 && x->dims[3] != y->dims[3])
		add(buf, size, &len, " %lld->%lld", (long long)x->dims[3], (long long)y->dims[3]);
	else if (y->rank > 0)
		add(buf, size, &len, " %lld", (long long)y->dims[y->rank - 1]);
	if (node->scale >= 0)
		add(buf, size, &len, " *se");
	if (node->residual >= 0 && node->residual_before)
		add(buf, size, &len, " +add");
	if (node->act != VRS_ACT_NONE && node->op != VRS_OP_UNARY)
		add(buf, size, &len, " +%s", vrs_act_name(node->act));
	if (node->residual >= 0 && !node->residual_before)
		add(buf, size, &len, " +add");
	if (y->rank == 4)
		add(buf, size, &len, " @%lldx%lld", (long long)y->dims[2], (long long)y->dims[1]);
}

uint64_t vrs_step_weight_bytes(const struct vrs_graph *graph, const struct vrs_node *node)
{
	uint64_t elements = 0;

	for (int i = 0; i < node->inputs; i++)
		if (node->in[i] >= 0 && graph->tensors[node->in[i]].data)
			elements += vrs_tensor_elements(&graph->tensors[node->in[i]]);
	return elements * sizeof(float);
}

uint64_t vrs_step_bytes(const struct vrs_graph *graph, const struct vrs_node *node)
{
	uint64_t elements = vrs_tensor_elements(&graph->tensors[node->out]);

	for (int i = 0; i < node->inputs; i++)
		if (node->in[i] >= 0)
			elements += vrs_tensor_elements(&graph->tensors[node->in[i]]);
	if (node->residual >= 0)
		elements += vrs_tensor_elements(&graph->tensors[node->residual]);
	if (node->scale >= 0)
		elements += vrs_tensor_elements(&graph->tensors[node->scale]);
	return elements * sizeof(float);
}

uint64_t vrs_graph_macs(const struct vrs_graph *graph)
{
	uint64_t macs = 0;

	for (int32_t i = 0; i < graph->node_count; i++)
		macs += vrs_node_macs(graph, &graph->nodes[i]);
	return macs;
}
