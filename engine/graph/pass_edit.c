/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph/pass_edit.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/buf.h"
#include "base/mem.h"
#include "graph/model_limits.h"

bool vrs_is_graph_output(const struct vrs_graph *graph, int32_t tensor)
{
	for (int i = 0; i < graph->output_count; i++)
		if (graph->outputs[i] == tensor)
			return true;
	return false;
}

bool vrs_is_read_first_by(const struct vrs_graph *graph, int32_t tensor, vrs_reader_fn *may, const void *cookie)
{
	bool read = false;

	if (vrs_is_graph_output(graph, tensor))
		return false;
	for (int32_t i = 0; i < graph->node_count; i++) {
		const struct vrs_node *node = &graph->nodes[i];
		bool first = node->inputs > 0 && node->in[0] == tensor, other = node->residual == tensor || node->scale == tensor;

		if (node->dead)
			continue;
		for (int k = 1; k < node->inputs; k++)
			other = other || node->in[k] == tensor;
		if (other || (first && !may(cookie, graph, i)))
			return false;
		read = read || first;
	}
	return read;
}

bool vrs_is_constant(const struct vrs_graph *graph, int32_t id, double value, double near)
{
	const struct vrs_graph_tensor *tensor = &graph->tensors[id];
	const float *values = tensor->data;
	size_t n = vrs_tensor_elements(tensor);

	if (values == NULL || tensor->dtype != VRS_F32)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!(fabs((double)values[i] - value) <= near * fabs(value)))
			return false;
	return n > 0;
}

bool vrs_is_plain_binary(const struct vrs_node *node, enum vrs_binary op)
{
	return !node->dead && node->op == VRS_OP_BINARY && node->u.binary.op == op && node->act == VRS_ACT_NONE && node->residual < 0;
}

int64_t vrs_graph_batch(const struct vrs_graph *graph)
{
	int64_t batch = 1;
	int rank = 2;

	for (int i = 0; i < graph->input_count; i++) {
		const struct vrs_graph_tensor *input = &graph->tensors[graph->inputs[i]];

		if (input->rank <= rank)
			continue;
		rank = input->rank;
		batch = input->dims[0];
	}
	return batch > 0 ? batch : 1;
}

void vrs_set_view(const struct vrs_graph *graph, struct vrs_node *node)
{
	node->op = VRS_OP_RESHAPE;
	node->inputs = 1;
	memset(&node->u, 0, sizeof node->u);
	node->u.view.rank = graph->tensors[node->out].rank;
	node->u.view.allow_zero = true;
	memcpy(node->u.view.dims, graph->tensors[node->out].dims, (size_t)node->u.view.rank * sizeof *node->u.view.dims);
}

void vrs_take_output(struct vrs_graph *graph, struct vrs_node *node, struct vrs_node *later)
{
	node->out = later->out;
	graph->tensors[node->out].producer = (int32_t)(node - graph->nodes);
	later->dead = true;
}

enum vrs_status vrs_rewrite_nodes(struct vrs_graph *graph, vrs_rewrite_fn *rewrite, struct vrs_error *err)
{
	int32_t *uses = vrs_count_uses(graph);
	enum vrs_status status = uses != NULL ? VRS_OK : vrs_fail_nomem(err);

	for (int32_t i = 0; i < graph->node_count && status == VRS_OK; i++)
		if (!graph->nodes[i].dead)
			status = rewrite(graph, uses, &graph->nodes[i], err);
	vrs_free(uses);
	return status;
}

int32_t *vrs_only_readers(const struct vrs_graph *graph)
{
	int32_t *count = vrs_count_uses(graph), *reader = vrs_calloc((size_t)graph->tensor_count + 1, sizeof *reader);

	for (int32_t i = 0; i < graph->tensor_count && count != NULL && reader != NULL; i++)
		reader[i] = -1;
	for (int32_t i = 0; i < graph->node_count && count != NULL && reader != NULL; i++)
		for (int k = 0; k < graph->nodes[i].inputs && !graph->nodes[i].dead; k++)
			if (graph->nodes[i].in[k] >= 0 && count[graph->nodes[i].in[k]] == 1)
				reader[graph->nodes[i].in[k]] = i;
	if (count == NULL) {
		vrs_free(reader);
		reader = NULL;
	}
	vrs_free(count);
	return reader;
}

/* The tensor that stands for id now. */
static int32_t alias_of(const struct vrs_alias *alias, int32_t id)
{
	while (id >= 0 && id < alias->count && alias->to[id] >= 0)
		id = alias->to[id];
	return id;
}

static enum vrs_status set(struct vrs_alias *alias, int32_t from, int32_t to, struct vrs_error *err)
{
	void *items = alias->to;
	enum vrs_status status = VRS_OK;

	VRS_ASSERT(from >= 0 && to >= 0 && from != to); /* a circle would never end */
	if (from >= alias->count)
		status = vrs_array_grow(&items, &alias->cap, (size_t)from + 1, sizeof *alias->to, VRS_MODEL_MAX_TENSORS);
	alias->to = items;
	if (status != VRS_OK)
		return vrs_fail(err, status, "out of memory");
	for (; alias->count <= from; alias->count++)
		alias->to[alias->count] = -1;
	alias->to[from] = to;
	return VRS_OK;
}

enum vrs_status vrs_alias_node(struct vrs_alias *alias, struct vrs_graph *graph, int32_t id, int32_t source, bool *ret_done, struct vrs_error *err)
{
	struct vrs_node *node = &graph->nodes[id], *maker;
	enum vrs_status status;

	*ret_done = false;
	source = alias_of(alias, source);
	VRS_ASSERT(id >= 0 && id < graph->node_count && !node->dead);
	VRS_ASSERT(source >= 0 && source < graph->tensor_count && source != node->out);
	if (!vrs_is_graph_output(graph, node->out)) {
		status = set(alias, node->out, source, err);
		if (status != VRS_OK)
			return status;
		node->dead = true;
		*ret_done = true;
		return VRS_OK;
	}
	maker = vrs_producer(graph, source);
	if (maker == NULL || vrs_is_graph_output(graph, source))
		return VRS_OK;
	status = set(alias, source, node->out, err);
	if (status != VRS_OK)
		return status;
	vrs_take_output(graph, maker, node);
	graph->tensors[source].producer = -1;
	*ret_done = true;
	return VRS_OK;
}

void vrs_alias_operands(const struct vrs_alias *alias, struct vrs_node *node)
{
	for (int k = 0; k < node->inputs; k++)
		node->in[k] = alias_of(alias, node->in[k]);
	node->residual = alias_of(alias, node->residual);
	node->scale = alias_of(alias, node->scale);
}

void vrs_alias_apply(struct vrs_alias *alias, struct vrs_graph *graph)
{
	for (int32_t i = 0; i < graph->node_count && alias->count > 0; i++)
		if (!graph->nodes[i].dead)
			vrs_alias_operands(alias, &graph->nodes[i]);
	alias->count = 0;
}

void vrs_alias_fini(struct vrs_alias *alias)
{
	vrs_free(alias->to);
	memset(alias, 0, sizeof *alias);
}

/* Tensor number i that a node reads, its extras included; -1: none or no more. */
static int32_t operand(const struct vrs_node *node, int i)
{
	return i < node->inputs ? node->in[i] : i == node->inputs ? node->scale : node->residual;
}

static int32_t node_before(const struct vrs_graph *graph, int32_t tensor)
{
	const struct vrs_node *node = vrs_producer(graph, tensor);

	return node != NULL ? (int32_t)(node - graph->nodes) : -1;
}

/* Depth first from the nodes in their old order: those that need no change keep it. next: operand to look at, -1: placed. */
static int32_t place(const struct vrs_graph *graph, int32_t *order, int32_t *stack, int *next)
{
	int32_t placed = 0;

	for (int32_t i = 0; i < graph->node_count; i++) {
		int32_t depth = 0;

		if (graph->nodes[i].dead || next[i] != 0)
			continue;
		stack[depth++] = i;
		while (depth > 0) {
			int32_t id = stack[depth - 1], before;

			if (next[id] > graph->nodes[id].inputs + 1) {
				next[id] = -1;
				order[placed++] = id;
				depth--;
				continue;
			}
			before = node_before(graph, operand(&graph->nodes[id], next[id]++));
			if (before >= 0 && next[before] == 0)
				stack[depth++] = before;
		}
	}
	return placed;
}

enum vrs_status vrs_graph_sort(struct vrs_graph *graph, struct vrs_error *err)
{
	size_t count = (size_t)graph->node_count + 1;
	int32_t *order = vrs_calloc(count, sizeof *order), *stack = vrs_calloc(count, sizeof *stack);
	int *next = vrs_calloc(count, sizeof *next);
	struct vrs_node *nodes = vrs_calloc(count, sizeof *nodes);
	bool ready = order != NULL && stack != NULL && next != NULL && nodes != NULL;

	if (ready) {
		int32_t placed = place(graph, order, stack, next);

		for (int32_t i = 0; i < graph->tensor_count; i++)
			graph->tensors[i].producer = -1;
		for (int32_t i = 0; i < placed; i++) {
			nodes[i] = graph->nodes[order[i]];
			graph->tensors[nodes[i].out].producer = i;
		}
		vrs_free(graph->nodes);
		graph->nodes = nodes;
		graph->node_count = placed;
		graph->node_cap = count;
	} else {
		vrs_free(nodes);
	}
	vrs_free(order);
	vrs_free(stack);
	vrs_free(next);
	return ready ? VRS_OK : vrs_fail_nomem(err);
}
