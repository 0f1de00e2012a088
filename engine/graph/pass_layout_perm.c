/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Permutations, and transposed copies that all readers share. */
#include <string.h>

#include "base/assert.h"
#include "base/buf.h"
#include "base/mem.h"
#include "graph/model_limits.h"
#include "graph/pass_layout.h"

struct vrs_perm vrs_perm_of(const struct vrs_graph *graph, const struct vrs_node *transpose)
{
	struct vrs_perm perm = {.rank = graph->tensors[transpose->in[0]].rank};

	VRS_ASSERT(transpose->op == VRS_OP_TRANSPOSE && perm.rank <= VRS_MAX_RANK);
	memcpy(perm.at, transpose->u.transpose.perm, (size_t)perm.rank * sizeof *perm.at);
	return perm;
}

struct vrs_perm vrs_perm_identity(int rank)
{
	struct vrs_perm perm = {.rank = rank};

	for (int i = 0; i < rank; i++)
		perm.at[i] = i;
	return perm;
}

struct vrs_perm vrs_perm_inverse(const struct vrs_perm *perm)
{
	struct vrs_perm inverse = {.rank = perm->rank};

	for (int i = 0; i < perm->rank; i++)
		inverse.at[perm->at[i]] = i;
	return inverse;
}

struct vrs_perm vrs_perm_compose(const struct vrs_perm *first, const struct vrs_perm *second)
{
	struct vrs_perm both = {.rank = first->rank};

	VRS_ASSERT(first->rank == second->rank);
	for (int i = 0; i < first->rank; i++)
		both.at[i] = first->at[second->at[i]];
	return both;
}

bool vrs_perm_is_identity(const struct vrs_perm *perm)
{
	for (int i = 0; i < perm->rank; i++)
		if (perm->at[i] != i)
			return false;
	return true;
}

bool vrs_perm_is_free(const struct vrs_perm *perm, const int64_t *dims)
{
	int last = -1;

	for (int i = 0; i < perm->rank; i++) {
		if (dims[perm->at[i]] == 1)
			continue;
		if (perm->at[i] < last)
			return false;
		last = perm->at[i];
	}
	return true;
}

void vrs_perm_dims(const struct vrs_perm *perm, const int64_t *dims, int64_t *ret_dims)
{
	for (int i = 0; i < perm->rank; i++)
		ret_dims[i] = dims[perm->at[i]];
}

uint32_t vrs_perm_axes(const struct vrs_perm *perm, uint32_t mask)
{
	uint32_t axes = 0;

	for (int i = 0; i < perm->rank; i++)
		if (mask & 1u << i)
			axes |= 1u << perm->at[i];
	return axes;
}

struct vrs_node *vrs_layout_transpose_of(const struct vrs_graph *graph, int32_t tensor)
{
	struct vrs_node *node = vrs_producer(graph, tensor);

	return node != NULL && node->op == VRS_OP_TRANSPOSE ? node : NULL;
}

static enum vrs_status grow(int32_t **array, size_t *cap, int32_t *count, int32_t wanted, size_t max)
{
	void *items = *array;
	enum vrs_status status = vrs_array_grow(&items, cap, (size_t)wanted, sizeof **array, max);

	*array = items;
	if (status == VRS_OK)
		for (; *count < wanted; (*count)++)
			(*array)[*count] = -1;
	return status;
}

enum vrs_status vrs_layout_note(struct vrs_layout *layout, int32_t id)
{
	const struct vrs_graph *graph = layout->graph;
	int32_t in = graph->nodes[id].in[0], ignored = id;
	enum vrs_status status = grow(&layout->newest, &layout->newest_cap, &layout->newest_count, graph->tensor_count, VRS_MODEL_MAX_TENSORS);

	if (status == VRS_OK)
		status = grow(&layout->before, &layout->before_cap, &ignored, id + 1, VRS_MODEL_MAX_NODES);
	if (status != VRS_OK)
		return vrs_fail(layout->err, status, "out of memory");
	VRS_ASSERT(graph->nodes[id].op == VRS_OP_TRANSPOSE && layout->newest[in] != id);
	layout->before[id] = layout->newest[in];
	layout->newest[in] = id;
	return VRS_OK;
}

void vrs_layout_fini(struct vrs_layout *layout)
{
	vrs_free(layout->newest);
	vrs_free(layout->before);
	vrs_free(layout->uses);
}

/* Append a node that makes a new tensor; id of the tensor, or a negative status. Shapes are inferred, constants folded. */
static int32_t layout_emit(struct vrs_layout *layout, struct vrs_node *node)
{
	struct vrs_graph *graph = layout->graph;
	struct vrs_graph_tensor tensor = graph->tensors[node->in[0]];
	enum vrs_status status;
	int32_t id;

	tensor.data = NULL;
	tensor.data_bytes = 0;
	node->out = vrs_graph_add_tensor(graph, &tensor);
	id = node->out < 0 ? node->out : vrs_graph_add_node(graph, node);
	if (id < 0)
		return (int32_t)vrs_fail(layout->err, (enum vrs_status)id, "out of memory, or too many nodes, while the layout is chosen");
	status = vrs_node_infer(graph, id, layout->err);
	if (status == VRS_OK)
		status = vrs_node_fold(graph, id, layout->err);
	return status == VRS_OK ? graph->nodes[id].out : (int32_t)status;
}

int32_t vrs_layout_copy_of(const struct vrs_layout *layout, int32_t tensor, const struct vrs_perm *perm)
{
	int32_t id = tensor < layout->newest_count ? layout->newest[tensor] : -1;

	for (; id >= 0; id = layout->before[id]) {
		const struct vrs_node *node = &layout->graph->nodes[id];

		if ((!node->dead || layout->graph->tensors[node->out].data != NULL) && node->op == VRS_OP_TRANSPOSE && node->in[0] == tensor &&
		    memcmp(node->u.transpose.perm, perm->at, (size_t)perm->rank * sizeof *perm->at) == 0)
			return node->out;
	}
	return -1;
}

/* Through a transpose that makes the tensor to its source. */
static void find_source(const struct vrs_graph *graph, int32_t *tensor, struct vrs_perm *perm)
{
	const struct vrs_node *node;

	while ((node = vrs_layout_transpose_of(graph, *tensor)) != NULL) {
		struct vrs_perm first = vrs_perm_of(graph, node);

		*perm = vrs_perm_compose(&first, perm);
		*tensor = node->in[0];
	}
}

int32_t vrs_layout_transposed(struct vrs_layout *layout, int32_t tensor, const struct vrs_perm *wanted)
{
	struct vrs_perm perm = *wanted;
	struct vrs_node node;
	enum vrs_status status;
	int32_t made;

	find_source(layout->graph, &tensor, &perm);
	if (vrs_perm_is_identity(&perm))
		return tensor;
	made = vrs_layout_copy_of(layout, tensor, &perm);
	if (made >= 0)
		return made;
	node = vrs_node_of(VRS_OP_TRANSPOSE, layout->graph->tensors[tensor].name, 1, &tensor);
	memcpy(node.u.transpose.perm, perm.at, sizeof perm.at);
	made = layout_emit(layout, &node);
	if (made < 0)
		return made;
	status = vrs_layout_note(layout, layout->graph->node_count - 1); /* also where it is a constant now, and the node dead */
	return status == VRS_OK ? made : (int32_t)status;
}

int64_t vrs_layout_transposed_cost(struct vrs_layout *layout, int32_t tensor, const struct vrs_perm *wanted)
{
	struct vrs_perm perm = *wanted;
	const struct vrs_graph_tensor *source;

	find_source(layout->graph, &tensor, &perm);
	source = &layout->graph->tensors[tensor];
	if (source->data != NULL || vrs_perm_is_free(&perm, source->dims) || vrs_layout_copy_of(layout, tensor, &perm) >= 0)
		return 0;
	return (int64_t)vrs_tensor_elements(source);
}

int32_t vrs_layout_reshaped(struct vrs_layout *layout, int32_t tensor, int rank, const int64_t *dims)
{
	struct vrs_node node = vrs_node_of(VRS_OP_RESHAPE, layout->graph->tensors[tensor].name, 1, &tensor);

	node.u.view.rank = rank;
	node.u.view.allow_zero = true;
	memcpy(node.u.view.dims, dims, (size_t)rank * sizeof *dims);
	return layout_emit(layout, &node);
}
