/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph/one_image.h"

#include <string.h>

#include "base/mem.h"
#include "graph/eval.h"

#define SMALL_BYTES 4096 /* constants above are weights, which no batch changes */

/* May a view move the batch, by what one graph tells? A batch of one may lie in any dim of 1. */
static bool view_may_move(const struct vrs_graph_tensor *x, const struct vrs_graph_tensor *y, int64_t images)
{
	bool ones = (y->rank > 1 && y->dims[1] == 1) || (x->rank > 1 && x->dims[1] == 1);

	return x->rank == 0 || x->dims[0] != y->dims[0] || (images == 1 && ones);
}

bool vrs_batch_may_move(const struct vrs_graph *graph, int64_t images)
{
	for (int32_t i = 0; i < graph->node_count; i++) {
		const struct vrs_node *node = &graph->nodes[i];
		const struct vrs_graph_tensor *y = &graph->tensors[node->out];

		if (node->dead || y->data != NULL || y->rank == 0)
			continue;
		if (y->dims[0] != images || (node->op == VRS_OP_TRANSPOSE && node->u.transpose.perm[0] != 0) ||
		    (node->op == VRS_OP_RESHAPE && view_may_move(&graph->tensors[node->in[0]], y, images)))
			return true;
	}
	return false;
}

bool vrs_batch_leads(const struct vrs_graph *graph, const struct vrs_graph *next, int64_t images)
{
	for (int32_t i = 0; i < graph->node_count && i < next->node_count; i++) {
		const struct vrs_graph_tensor *a = &graph->tensors[graph->nodes[i].out], *b = &next->tensors[graph->nodes[i].out];

		if (graph->nodes[i].dead || next->nodes[i].dead || a->data != NULL || a->rank == 0)
			continue;
		if (a->rank != b->rank || memcmp(a->dims + 1, b->dims + 1, (size_t)(a->rank - 1) * sizeof *a->dims) != 0 ||
		    (a->dims[0] != b->dims[0] && a->dims[0] != images))
			return false;
	}
	return true;
}

enum vrs_status vrs_graph_outline(struct vrs_graph *ret, const struct vrs_graph *graph)
{
	for (int32_t i = 0; i < graph->tensor_count; i++) {
		struct vrs_graph_tensor tensor = graph->tensors[i];
		int32_t id;

		if (tensor.data != NULL && tensor.data_bytes <= SMALL_BYTES) {
			tensor.data = vrs_graph_store(ret, tensor.data, tensor.data_bytes);
			if (tensor.data == NULL)
				return VRS_ENOMEM;
		} else {
			tensor.data = NULL;
		}
		id = vrs_graph_add_tensor(ret, &tensor);
		if (id < 0)
			return (enum vrs_status)id;
	}
	for (int32_t i = 0; i < graph->node_count; i++) {
		int32_t id = vrs_graph_add_node(ret, &graph->nodes[i]);

		if (id < 0)
			return (enum vrs_status)id;
	}
	return VRS_OK;
}

void vrs_graph_mark_batch(struct vrs_graph *graph, const struct vrs_graph *more)
{
	for (int32_t i = 0; i < graph->tensor_count && graph->tensor_count == more->tensor_count; i++) {
		struct vrs_graph_tensor *t = &graph->tensors[i];

		for (int k = 1; k < t->rank && t->data == NULL && t->rank == more->tensors[i].rank; k++)
			if (t->dims[k] != more->tensors[i].dims[k])
				t->batch_dims |= (uint8_t)(1u << k);
	}
}

/* What grows evenly from one to two to three images; as it is where it does not grow, such as -1 in a view. */
static int64_t of_one(int64_t two, int64_t three)
{
	return 2 * two - three;
}

/* A constant that holds each image's values, all the same: those of the first. */
static enum vrs_status one_of_two(struct vrs_graph *graph, struct vrs_graph_tensor *two, const struct vrs_graph_tensor *three)
{
	size_t block = vrs_dtype_size(two->dtype), blocks = 1;
	int axis = -1;
	char *data;

	for (int i = 0; i < two->rank; i++)
		if (two->dims[i] == 2 && three->dims[i] == 3 && axis < 0)
			axis = i;
		else if (two->dims[i] != three->dims[i])
			return VRS_EUNSUPPORTED;
	if (axis < 0 || !vrs_graph_has_room(graph, two->data_bytes / 2))
		return VRS_EUNSUPPORTED;
	for (int i = 0; i < two->rank; i++)
		*(i < axis ? &blocks : &block) *= i == axis ? 1 : (size_t)two->dims[i];
	data = vrs_graph_store(graph, NULL, blocks * block);
	if (data == NULL)
		return VRS_ENOMEM;
	for (size_t i = 0; i < blocks; i++) {
		const char *images = (const char *)two->data + 2 * i * block;

		if (memcmp(images, images + block, block) != 0)
			return VRS_EUNSUPPORTED;
		memcpy(data + i * block, images, block);
	}
	two->data = data;
	two->data_bytes = blocks * block;
	two->dims[axis] = 1;
	return VRS_OK;
}

/* Shapes and places that were computed from the batch. */
static enum vrs_status one_of_numbers(struct vrs_graph *graph, struct vrs_graph_tensor *two, const struct vrs_graph_tensor *three)
{
	size_t count = vrs_tensor_elements(two);
	char *data;

	if (two->dtype != VRS_I64 && two->dtype != VRS_I32)
		return VRS_EUNSUPPORTED;
	data = vrs_graph_store(graph, two->data, two->data_bytes);
	if (data == NULL)
		return VRS_ENOMEM;
	for (size_t i = 0; i < count; i++)
		vrs_store_i64(two->dtype, data, i, of_one(vrs_load_i64(two->dtype, two->data, i), vrs_load_i64(two->dtype, three->data, i)));
	two->data = data;
	return VRS_OK;
}

static enum vrs_status narrow_tensor(struct vrs_graph *graph, struct vrs_graph_tensor *two, const struct vrs_graph_tensor *three)
{
	if (two->rank != three->rank || two->dtype != three->dtype || (two->data_bytes > 0) != (three->data_bytes > 0))
		return VRS_EUNSUPPORTED;
	if (two->data == NULL) {
		for (int i = 0; i < two->rank; i++) {
			two->dims[i] = of_one(two->dims[i], three->dims[i]);
			if (two->dims[i] < 0)
				return VRS_EUNSUPPORTED;
		}
		return VRS_OK;
	}
	if (memcmp(two->dims, three->dims, (size_t)two->rank * sizeof *two->dims) != 0)
		return one_of_two(graph, two, three);
	if (three->data == NULL || memcmp(two->data, three->data, two->data_bytes) == 0)
		return VRS_OK;
	return one_of_numbers(graph, two, three);
}

static bool narrow_node(struct vrs_node *two, const struct vrs_node *three)
{
	struct vrs_node like = *three;

	if (two->dead || three->dead)
		return two->dead == three->dead;
	if (two->op == VRS_OP_RESHAPE && three->op == VRS_OP_RESHAPE)
		for (int i = 0; i < VRS_MAX_RANK; i++)
			two->u.view.dims[i] = like.u.view.dims[i] = of_one(two->u.view.dims[i], three->u.view.dims[i]);
	if (two->op == VRS_OP_SLICE && three->op == VRS_OP_SLICE)
		for (int i = 0; i < VRS_MAX_RANK; i++)
			two->u.slice.start[i] = like.u.slice.start[i] = of_one(two->u.slice.start[i], three->u.slice.start[i]);
	return two->op == like.op && two->inputs == like.inputs && memcmp(two->in, like.in, (size_t)two->inputs * sizeof *two->in) == 0 &&
	       two->out == like.out && two->residual == like.residual && two->residual_before == like.residual_before && two->scale == like.scale &&
	       two->act == like.act && memcmp(&two->act_lo, &like.act_lo, sizeof two->act_lo) == 0 &&
	       memcmp(&two->act_hi, &like.act_hi, sizeof two->act_hi) == 0 && memcmp(&two->u, &like.u, sizeof two->u) == 0;
}

/* Does the node make what its readers expect? */
static bool is_consistent(struct vrs_graph *graph, int32_t id)
{
	struct vrs_graph_tensor *out = &graph->tensors[graph->nodes[id].out], want = *out;

	return vrs_node_infer(graph, id, NULL) == VRS_OK && out->rank == want.rank && out->dtype == want.dtype &&
	       memcmp(out->dims, want.dims, (size_t)out->rank * sizeof *out->dims) == 0;
}

static void use(bool *used, int32_t tensor)
{
	if (tensor >= 0)
		used[tensor] = true;
}

/* Which tensors something that lives reads or makes; the others may have any sizes. NULL: no memory. */
static bool *used_tensors(const struct vrs_graph *graph)
{
	bool *used = vrs_calloc((size_t)graph->tensor_count + 1, sizeof *used);

	for (int32_t i = 0; i < graph->node_count && used != NULL; i++) {
		const struct vrs_node *node = &graph->nodes[i];

		if (node->dead)
			continue;
		for (int k = 0; k < node->inputs; k++)
			use(used, node->in[k]);
		use(used, node->out);
		use(used, node->residual);
		use(used, node->scale);
	}
	for (int i = 0; i < graph->input_count && used != NULL; i++)
		use(used, graph->inputs[i]);
	for (int i = 0; i < graph->output_count && used != NULL; i++)
		use(used, graph->outputs[i]);
	return used;
}

static enum vrs_status narrow(struct vrs_graph *two, const struct vrs_graph *three, const bool *used)
{
	if (two->tensor_count != three->tensor_count || two->node_count != three->node_count)
		return VRS_EUNSUPPORTED;
	for (int32_t i = 0; i < two->tensor_count; i++)
		if (used[i])
			VRS_TRY(narrow_tensor(two, &two->tensors[i], &three->tensors[i]));
	for (int32_t i = 0; i < two->node_count; i++) {
		if (!narrow_node(&two->nodes[i], &three->nodes[i]))
			return VRS_EUNSUPPORTED;
		if (!two->nodes[i].dead && !is_consistent(two, i))
			return VRS_EUNSUPPORTED;
	}
	vrs_graph_mark_batch(two, three);
	return vrs_graph_validate(two, NULL) == VRS_OK ? VRS_OK : VRS_EUNSUPPORTED;
}

enum vrs_status vrs_graph_to_one(struct vrs_graph *two, const struct vrs_graph *three)
{
	bool *used = used_tensors(two);
	enum vrs_status status = used != NULL ? narrow(two, three, used) : VRS_ENOMEM;

	vrs_free(used);
	return status;
}
