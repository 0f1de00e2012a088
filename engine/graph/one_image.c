/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph/one_image.h"

#include <string.h>

#include "base/mem.h"
#include "graph/eval.h"

#define NUMBER_MAX ((int64_t)1 << 60) /* of numbers that grow: three times as much is an int64_t */

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
static bool of_one(int64_t two, int64_t three, int64_t *ret_one)
{
	bool fits = two >= -NUMBER_MAX && two <= NUMBER_MAX && three >= -NUMBER_MAX && three <= NUMBER_MAX;

	*ret_one = two == three || !fits ? two : 2 * two - three;
	return two == three || fits;
}

/*
 * One dim grows, or none: products of dims that passes make then grow evenly, too.  None is 0, and what grows is more than 1 for two images: a pass
 * sees two and three alike.
 */
static bool narrow_dims(struct vrs_graph_tensor *two, const struct vrs_graph_tensor *three)
{
	bool grows = false;

	for (int i = 0; i < two->rank; i++) {
		int64_t one;

		if (!of_one(two->dims[i], three->dims[i], &one) || one < 1 || one > two->dims[i] || (one != two->dims[i] && grows))
			return false;
		grows = grows || one != two->dims[i];
		two->dims[i] = one;
	}
	return true;
}

/* Holds each of so many images what one holds? */
static bool repeats(const char *values, const char *one, size_t block, size_t images)
{
	for (size_t i = 0; i < images; i++)
		if (memcmp(values + i * block, one, block) != 0)
			return false;
	return true;
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

		if (!repeats(images, images, block, 2) || !repeats((const char *)three->data + 3 * i * block, images, block, 3))
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
	for (size_t i = 0; i < count; i++) {
		int64_t one;

		if (!of_one(vrs_load_i64(two->dtype, two->data, i), vrs_load_i64(two->dtype, three->data, i), &one))
			return VRS_EUNSUPPORTED;
		vrs_store_i64(two->dtype, data, i, one);
		if (vrs_load_i64(two->dtype, data, i) != one)
			return VRS_EUNSUPPORTED;
	}
	two->data = data;
	return VRS_OK;
}

static bool same_data(const struct vrs_graph_tensor *a, const struct vrs_graph_tensor *b)
{
	return a->data == b->data || (a->data_bytes == b->data_bytes && memcmp(a->data, b->data, a->data_bytes) == 0);
}

static enum vrs_status narrow_tensor(struct vrs_graph *graph, struct vrs_graph_tensor *two, const struct vrs_graph_tensor *three)
{
	if (two->rank != three->rank || two->dtype != three->dtype || (two->data == NULL) != (three->data == NULL))
		return VRS_EUNSUPPORTED;
	if (two->data == NULL)
		return narrow_dims(two, three) ? VRS_OK : VRS_EUNSUPPORTED;
	if (memcmp(two->dims, three->dims, (size_t)two->rank * sizeof *two->dims) != 0)
		return one_of_two(graph, two, three);
	return same_data(two, three) ? VRS_OK : one_of_numbers(graph, two, three);
}

static bool same_node(const struct vrs_node *a, const struct vrs_node *b)
{
	if (a->dead || b->dead)
		return a->dead == b->dead;
	return a->op == b->op && a->inputs == b->inputs && memcmp(a->in, b->in, (size_t)a->inputs * sizeof *a->in) == 0 && a->out == b->out &&
	       a->residual == b->residual && a->residual_before == b->residual_before && a->scale == b->scale && a->act == b->act &&
	       memcmp(&a->act_lo, &b->act_lo, sizeof a->act_lo) == 0 && memcmp(&a->act_hi, &b->act_hi, sizeof a->act_hi) == 0 &&
	       memcmp(&a->u, &b->u, sizeof a->u) == 0;
}

static bool narrow_node(struct vrs_node *two, const struct vrs_node *three)
{
	struct vrs_node like = *three;
	bool good = true;

	for (int i = 0; i < VRS_MAX_RANK && !two->dead && two->op == like.op; i++) {
		if (two->op == VRS_OP_RESHAPE) {
			good = good && of_one(two->u.view.dims[i], like.u.view.dims[i], &two->u.view.dims[i]);
			like.u.view.dims[i] = two->u.view.dims[i];
		} else if (two->op == VRS_OP_SLICE) {
			good = good && of_one(two->u.slice.start[i], like.u.slice.start[i], &two->u.slice.start[i]);
			like.u.slice.start[i] = two->u.slice.start[i];
		}
	}
	return good && same_node(two, &like);
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

static bool same_tensor(const struct vrs_graph_tensor *a, const struct vrs_graph_tensor *b)
{
	return a->dtype == b->dtype && a->rank == b->rank && memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) == 0 &&
	       (a->data == NULL) == (b->data == NULL) && same_data(a, b);
}

static bool same_graph(const struct vrs_graph *a, const struct vrs_graph *b, const bool *used)
{
	bool same = a->tensor_count == b->tensor_count && a->node_count == b->node_count;

	for (int32_t i = 0; i < a->node_count && same; i++)
		same = same_node(&a->nodes[i], &b->nodes[i]);
	for (int32_t i = 0; i < a->tensor_count && same; i++)
		same = !used[i] || same_tensor(&a->tensors[i], &b->tensors[i]);
	return same;
}

enum vrs_status vrs_graph_check_one(const struct vrs_graph *one, const struct vrs_graph *two, const struct vrs_graph *three)
{
	struct vrs_graph trial = {0};
	bool *used = used_tensors(two);
	enum vrs_status status = used != NULL ? vrs_graph_copy(&trial, two) : VRS_ENOMEM;

	if (status == VRS_OK)
		status = narrow(&trial, three, used);
	if (status == VRS_OK && !same_graph(&trial, one, used))
		status = VRS_EUNSUPPORTED;
	vrs_graph_fini(&trial);
	vrs_free(used);
	return status;
}
