/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Constant expressions.  Only what exporters leave between stored constants and their readers: reshapes, arithmetic, activations. */
#include <string.h>

#include "base/mem.h"
#include "graph/model_limits.h"
#include "graph/passes.h"

static double binary_value(enum vrs_binary op, double a, double b)
{
	switch (op) {
	case VRS_ADD: return a + b;
	case VRS_SUB: return a - b;
	case VRS_MUL: return a * b;
	case VRS_DIV: return a / b;
	case VRS_MIN: return a < b ? a : b;
	case VRS_MAX: return a > b ? a : b;
	}
	return a;
}

/* Index into a tensor of rank `rank` for the output position `at`, dims aligned at the end and 1 repeated. */
static size_t broadcast_index(const struct vrs_graph_tensor *tensor, const struct vrs_graph_tensor *out, const int64_t *at)
{
	size_t index = 0;

	for (int i = 0; i < tensor->rank; i++) {
		int64_t dim = tensor->dims[i];

		index = index * (size_t)dim + (dim == 1 ? 0 : (size_t)at[i + out->rank - tensor->rank]);
	}
	return index;
}

static void fold_binary(const struct vrs_graph *graph, const struct vrs_node *node, const struct vrs_graph_tensor *out, float *values)
{
	const struct vrs_graph_tensor *a = &graph->tensors[node->in[0]], *b = &graph->tensors[node->in[1]];
	const float *av = a->data, *bv = b->data;
	int64_t at[VRS_MAX_RANK] = { 0 };
	size_t n = vrs_tensor_elements(out);

	for (size_t i = 0; i < n; i++) {
		double v = binary_value(node->u.binary.op, (double)av[broadcast_index(a, out, at)], (double)bv[broadcast_index(b, out, at)]);

		values[i] = (float)vrs_act_apply(node->act, node->act_lo, node->act_hi, v);
		for (int k = out->rank - 1; k >= 0 && ++at[k] == out->dims[k]; k--)
			at[k] = 0;
	}
}

static void fold_unary(const struct vrs_graph *graph, const struct vrs_node *node, const struct vrs_graph_tensor *out, float *values)
{
	const float *x = graph->tensors[node->in[0]].data;
	size_t n = vrs_tensor_elements(out);

	for (size_t i = 0; i < n; i++)
		values[i] = (float)vrs_act_apply(node->act, node->act_lo, node->act_hi, (double)x[i]);
}

static bool can_fold(const struct vrs_graph *graph, const struct vrs_node *node)
{
	if (node->dead || (node->op != VRS_OP_UNARY && node->op != VRS_OP_BINARY && node->op != VRS_OP_RESHAPE) || node->residual >= 0)
		return false;
	for (int i = 0; i < node->inputs; i++)
		if (node->in[i] < 0 || graph->tensors[node->in[i]].data == NULL)
			return false;
	return true;
}

enum vrs_status vrs_node_fold(struct vrs_graph *graph, int32_t id, struct vrs_error *err)
{
	struct vrs_node *node = &graph->nodes[id];
	struct vrs_graph_tensor *out;
	size_t bytes;

	if (!can_fold(graph, node))
		return VRS_OK;
	out = &graph->tensors[node->out];
	if (node->op == VRS_OP_RESHAPE) {
		out->data = graph->tensors[node->in[0]].data;
		out->data_bytes = graph->tensors[node->in[0]].data_bytes;
		out->dtype = graph->tensors[node->in[0]].dtype;
	} else {
		float *values;

		if (!vrs_mul_size(vrs_tensor_elements(out), sizeof *values, &bytes) || bytes > VRS_MODEL_MAX_FILE_BYTES)
			return vrs_fail(err, VRS_ELIMIT, "node %d (%s): the constant %s would be too large", (int)id, node->name, out->name);
		values = vrs_graph_store(graph, NULL, bytes);
		if (values == NULL)
			return vrs_fail(err, VRS_ENOMEM, "out of memory");
		if (node->op == VRS_OP_BINARY)
			fold_binary(graph, node, out, values);
		else
			fold_unary(graph, node, out, values);
		out->data = values;
		out->data_bytes = bytes;
	}
	out->producer = -1;
	node->dead = true;
	return VRS_OK;
}

enum vrs_status vrs_pass_const_fold(struct vrs_graph *graph, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;

	for (int32_t i = 0; i < graph->node_count && status == VRS_OK; i++)
		status = vrs_node_fold(graph, i, err);
	return status;
}
