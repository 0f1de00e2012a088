/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph/ir.h"

#include <stdatomic.h>
#include <string.h>

#include "base/assert.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "graph/model_limits.h"

/*
 * Constant data.  Blobs form a list that only ever grows at its head, so graphs can share a common tail: a copy takes one reference to the
 * head and prepends its own blobs.  A blob whose count falls to zero releases its successor.
 */
struct vrs_blob {
	_Atomic int refs;
	struct vrs_blob *next;
	void *data;
};

static void blob_unref(struct vrs_blob *blob)
{
	VRS_ASSERT(blob == NULL || atomic_load_explicit(&blob->refs, memory_order_relaxed) > 0);
	while (blob != NULL && atomic_fetch_sub_explicit(&blob->refs, 1, memory_order_acq_rel) == 1) {
		struct vrs_blob *next = blob->next;

		vrs_free_aligned(blob->data);
		vrs_free(blob);
		blob = next;
	}
}

void vrs_graph_init(struct vrs_graph *graph)
{
	memset(graph, 0, sizeof *graph);
}

void vrs_graph_fini(struct vrs_graph *graph)
{
	vrs_free(graph->tensors);
	vrs_free(graph->nodes);
	blob_unref(graph->blobs);
	memset(graph, 0, sizeof *graph);
}

enum vrs_status vrs_graph_copy(struct vrs_graph *ret_graph, const struct vrs_graph *from)
{
	struct vrs_graph copy = *from;

	VRS_ASSERT(from->tensor_count >= 0 && from->node_count >= 0);
	VRS_ASSERT((size_t)from->tensor_count <= from->tensor_cap && (size_t)from->node_count <= from->node_cap);

	copy.tensor_cap = from->tensor_count > 0 ? (size_t)from->tensor_count : 1;
	copy.node_cap = from->node_count > 0 ? (size_t)from->node_count : 1;
	copy.tensors = vrs_calloc(copy.tensor_cap, sizeof *copy.tensors);
	copy.nodes = vrs_calloc(copy.node_cap, sizeof *copy.nodes);
	if (copy.tensors == NULL || copy.nodes == NULL) {
		vrs_free(copy.tensors);
		vrs_free(copy.nodes);
		return VRS_ENOMEM;
	}
	if (from->tensor_count > 0)
		memcpy(copy.tensors, from->tensors, (size_t)from->tensor_count * sizeof *copy.tensors);
	if (from->node_count > 0)
		memcpy(copy.nodes, from->nodes, (size_t)from->node_count * sizeof *copy.nodes);
	if (copy.blobs != NULL)
		atomic_fetch_add_explicit(&copy.blobs->refs, 1, memory_order_relaxed);
	*ret_graph = copy;
	return VRS_OK;
}

void vrs_node_init(struct vrs_node *node, enum vrs_op op, const char *name)
{
	memset(node, 0, sizeof *node);
	node->op = op;
	(void)vrs_strcpy(node->name, sizeof node->name, name != NULL ? name : ""); /* a cut name still tells the node */
	for (int i = 0; i < VRS_NODE_MAX_INPUTS; i++)
		node->in[i] = -1;
	node->out = -1;
	node->residual = -1;
	node->scale = -1;
	if (op == VRS_OP_CONV || op == VRS_OP_DECONV || op == VRS_OP_POOL_MAX || op == VRS_OP_POOL_AVG || op == VRS_OP_POOL_INDEX) {
		struct vrs_window *w = &node->u.window;

		w->kernel_h = w->kernel_w = w->stride_h = w->stride_w = w->dilation_h = w->dilation_w = w->groups = 1;
	}
}

struct vrs_node vrs_node_of(enum vrs_op op, const char *name, int inputs, const int32_t *in)
{
	struct vrs_node node;

	VRS_ASSERT(inputs >= 0 && inputs <= VRS_NODE_MAX_INPUTS);
	vrs_node_init(&node, op, name);
	node.inputs = inputs;
	memcpy(node.in, in, (size_t)inputs * sizeof *in);
	return node;
}

int32_t vrs_graph_add_tensor(struct vrs_graph *graph, const struct vrs_graph_tensor *tensor)
{
	enum vrs_status status = vrs_array_grow(&graph->tensors, &graph->tensor_cap, (size_t)graph->tensor_count + 1,
						sizeof *graph->tensors, VRS_MODEL_MAX_TENSORS);

	if (status != VRS_OK)
		return (int32_t)status;
	graph->tensors[graph->tensor_count] = *tensor;
	graph->tensors[graph->tensor_count].producer = -1;
	return graph->tensor_count++;
}

int32_t vrs_graph_add_node(struct vrs_graph *graph, const struct vrs_node *node)
{
	enum vrs_status status = vrs_array_grow(&graph->nodes, &graph->node_cap, (size_t)graph->node_count + 1, sizeof *graph->nodes,
						VRS_MODEL_MAX_NODES);
	struct vrs_node *added;

	if (status != VRS_OK)
		return (int32_t)status;
	added = &graph->nodes[graph->node_count];
	*added = *node;
	for (int i = node->inputs < 0 ? 0 : node->inputs; i < VRS_NODE_MAX_INPUTS; i++)
		added->in[i] = -1;
	if (node->out >= 0 && node->out < graph->tensor_count)
		graph->tensors[node->out].producer = graph->node_count;
	return graph->node_count++;
}

int32_t vrs_graph_add_const(struct vrs_graph *graph, const char *name, enum vrs_dtype dtype, int rank, const int64_t *dims, const void *data)
{
	struct vrs_graph_tensor tensor = {.dtype = dtype, .rank = rank};

	(void)vrs_strcpy(tensor.name, sizeof tensor.name, name); /* a cut name still tells the tensor */
	for (int i = 0; i < rank; i++)
		tensor.dims[i] = dims[i];
	if (!vrs_mul_size(vrs_tensor_elements(&tensor), vrs_dtype_size(dtype), &tensor.data_bytes) || !vrs_graph_has_room(graph, tensor.data_bytes))
		return (int32_t)VRS_ELIMIT;
	tensor.data = vrs_graph_store(graph, data, tensor.data_bytes);
	if (tensor.data == NULL)
		return (int32_t)VRS_ENOMEM;
	return vrs_graph_add_tensor(graph, &tensor);
}

bool vrs_graph_has_room(const struct vrs_graph *graph, size_t bytes)
{
	return graph->const_limit == 0 || (graph->const_bytes <= graph->const_limit && bytes <= graph->const_limit - graph->const_bytes);
}

bool vrs_graph_may_work(struct vrs_graph *graph, uint64_t operations)
{
	uint64_t limit = VRS_MODEL_MIN_WORK + VRS_MODEL_MAX_WORK_FACTOR * (uint64_t)graph->const_bytes;

	if (graph->work > limit || operations > limit - graph->work)
		return false;
	graph->work += operations;
	return true;
}

void *vrs_graph_store(struct vrs_graph *graph, const void *data, size_t bytes)
{
	struct vrs_blob *blob = vrs_calloc(1, sizeof *blob);

	if (blob == NULL)
		return NULL;
	blob->data = vrs_alloc_aligned(64, bytes > 0 ? bytes : 1);
	if (blob->data == NULL) {
		vrs_free(blob);
		return NULL;
	}
	if (data != NULL && bytes > 0)
		memcpy(blob->data, data, bytes);
	else
		memset(blob->data, 0, bytes);
	atomic_init(&blob->refs, 1);
	blob->next = graph->blobs; /* the graph's reference moves into the list */
	graph->blobs = blob;
	graph->const_bytes += bytes;
	return blob->data;
}

enum vrs_status vrs_graph_charge(size_t *account, size_t bytes, size_t file_bytes, size_t more, struct vrs_error *err)
{
	size_t limit = file_bytes * VRS_MODEL_MAX_CONST_FACTOR; /* at most 2.5 GiB of files */

	limit = (limit > VRS_MODEL_MIN_CONST_BYTES ? limit : VRS_MODEL_MIN_CONST_BYTES) + more;
	if (*account > limit || bytes > limit - *account)
		return vrs_fail(err, VRS_ELIMIT, "the constants need more than %zu bytes, %d times the size of the file", limit, VRS_MODEL_MAX_CONST_FACTOR);
	*account += bytes;
	return VRS_OK;
}

size_t vrs_tensor_elements(const struct vrs_graph_tensor *tensor)
{
	size_t n = 1;

	VRS_ASSERT(tensor->rank <= VRS_MAX_RANK);
	for (int i = 0; i < tensor->rank; i++)
		n *= (size_t)tensor->dims[i]; /* bounded by VRS_MODEL_MAX_ELEMENTS, see ir_validate.c */
	return n;
}
