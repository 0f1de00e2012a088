/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Constant expressions: what exporters leave between stored constants and their readers, and the arithmetic of shapes. */
#include "base/assert.h"
#include "base/mem.h"
#include "graph/eval.h"
#include "graph/pass_edit.h"

#define FOLD_FREE_BYTES ((size_t)1 << 20) /* constants up to here are made whatever they come from */
#define FOLD_MAX_GROWTH 4                 /* larger ones may have so many times the bytes of their operands; above, the node runs every time */

static bool can_fold(const struct vrs_graph *graph, const struct vrs_node *node, size_t bytes)
{
	size_t from = 0;

	if (node->dead || node->residual >= 0 || node->scale >= 0 || vrs_is_graph_output(graph, node->out))
		return false;
	if (node->op == VRS_OP_SHAPE)
		return true;
	for (int i = 0; i < node->inputs; i++) {
		const struct vrs_graph_tensor *in = node->in[i] >= 0 ? &graph->tensors[node->in[i]] : NULL;

		if (in != NULL && in->data == NULL)
			return false;
		from += in != NULL ? in->data_bytes : 0;
	}
	return bytes <= FOLD_FREE_BYTES || bytes / FOLD_MAX_GROWTH <= from;
}

/* Operations of the evaluation, roughly: taps, products, elements.  At most 2^63: see the limits of sizes and windows. */
static uint64_t work_of(const struct vrs_graph *graph, const struct vrs_node *node)
{
	const struct vrs_graph_tensor *x = node->inputs > 0 ? &graph->tensors[node->in[0]] : NULL, *y = &graph->tensors[node->out];
	uint64_t elements = vrs_tensor_elements(y);

	switch (node->op) {
	case VRS_OP_POOL_MAX:
	case VRS_OP_POOL_AVG:
	case VRS_OP_POOL_INDEX: return elements * (uint64_t)node->u.window.kernel_h * (uint64_t)node->u.window.kernel_w;
	case VRS_OP_DECONV: return vrs_node_macs(graph, node) + elements * (uint64_t)node->u.window.kernel_h * (uint64_t)node->u.window.kernel_w;
	case VRS_OP_RESIZE: /* antialiasing looks at each input pixel from up to four output pixels an axis */
		return 16 * (uint64_t)(x->dims[0] * x->dims[3]) * (uint64_t)(x->dims[1] + y->dims[1]) * (uint64_t)(x->dims[2] + y->dims[2]);
	case VRS_OP_REDUCE:
	case VRS_OP_ARG_REDUCE:
	case VRS_OP_GLOBAL_AVG: return vrs_tensor_elements(x);
	default: return elements + vrs_node_macs(graph, node);
	}
}

/* Evaluate into a new constant; a reshape shares the data of its operand. */
static enum vrs_status make_constant(struct vrs_graph *graph, const struct vrs_node *node, size_t bytes, struct vrs_error *err)
{
	struct vrs_eval e = {.graph = graph, .node = node};
	void *values;

	if (node->op == VRS_OP_RESHAPE) {
		graph->tensors[node->out].data = graph->tensors[node->in[0]].data;
		graph->tensors[node->out].data_bytes = bytes;
		return VRS_OK;
	}
	if (!vrs_graph_has_room(graph, bytes))
		return VRS_NODE_FAIL(err, VRS_ELIMIT, graph, node, "the constants that follow from the sizes of the inputs need more than %zu bytes; give smaller "
				     "inputs", graph->const_limit);
	values = vrs_graph_store(graph, NULL, bytes);
	if (values == NULL)
		return vrs_fail_nomem(err);
	for (int i = 0; i < node->inputs; i++)
		e.in[i] = node->in[i] >= 0 ? graph->tensors[node->in[i]].data : NULL;
	e.out = values;
	vrs_node_eval(&e);
	graph->tensors[node->out].data = values;
	graph->tensors[node->out].data_bytes = bytes;
	return VRS_OK;
}

enum vrs_status vrs_node_fold(struct vrs_graph *graph, int32_t id, struct vrs_error *err)
{
	struct vrs_node *node = &graph->nodes[id];
	const struct vrs_graph_tensor *out = &graph->tensors[node->out];
	size_t bytes;

	if (!vrs_mul_size(vrs_tensor_elements(out), vrs_dtype_size(out->dtype), &bytes) || !can_fold(graph, node, bytes))
		return VRS_OK;
	VRS_ASSERT(out->data == NULL && out->producer == id);
	if (node->op != VRS_OP_RESHAPE && !vrs_graph_may_work(graph, work_of(graph, node)))
		return VRS_OK;
	VRS_TRY(make_constant(graph, node, bytes, err));
	graph->tensors[node->out].producer = -1;
	node->dead = true;
	return VRS_OK;
}

enum vrs_status vrs_pass_const_fold(struct vrs_graph *graph, struct vrs_error *err)
{
	for (int32_t i = 0; i < graph->node_count; i++)
		if (!graph->nodes[i].dead)
			VRS_TRY(vrs_node_fold(graph, i, err));
	return VRS_OK;
}
