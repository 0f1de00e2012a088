/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sizes that a session gives to the inputs of a graph, and what in the graph follows them. */
#include "graph/model_limits.h"
#include "graph/shape_infer.h"

/*
 * Resizes to a fixed size (imported where the source is a single pixel, so that no scale can be told) follow the picture: a network that
 * spreads a global mean over its 16x16 map at 256x256 needs 32x32 at 512x512.
 */
int64_t vrs_follow_size(int64_t size, int64_t old_size, int64_t new_size)
{
	if (old_size > 0 && new_size > 0 && size <= VRS_MODEL_MAX_DIM && size * new_size % old_size == 0)
		return size * new_size / old_size;
	return size;
}

static void follow_picture(struct vrs_graph *graph, const struct vrs_shape *old, int64_t height, int64_t width)
{
	for (int32_t i = 0; i < graph->node_count; i++) {
		struct vrs_node *node = &graph->nodes[i];

		if (node->op != VRS_OP_RESIZE || node->inputs > 1) /* sizes that are computed follow by themselves */
			continue;
		if (node->u.resize.scale_h == 0)
			node->u.resize.out_h = vrs_follow_size(node->u.resize.out_h, old->dims[graph->nchw ? 2 : 1], height);
		if (node->u.resize.scale_w == 0)
			node->u.resize.out_w = vrs_follow_size(node->u.resize.out_w, old->dims[graph->nchw ? 3 : 2], width);
	}
}

/* So do further pictures and recurrent states. */
static void follow_inputs(struct vrs_graph *graph, const struct vrs_shape *old, int64_t height, int64_t width)
{
	for (int i = 1; i < graph->input_count; i++) {
		struct vrs_graph_tensor *input = &graph->tensors[graph->inputs[i]];
		int h = graph->nchw ? 2 : 1, w = h + 1;

		if (input->rank != 4)
			continue;
		input->dims[h] = vrs_follow_size(input->dims[h], old->dims[h], height);
		input->dims[w] = vrs_follow_size(input->dims[w], old->dims[w], width);
	}
}

enum vrs_status vrs_graph_set_dims(struct vrs_graph *graph, int index, int rank, const int64_t *dims, struct vrs_error *err)
{
	struct vrs_graph_tensor *input;

	if (index < 0 || index >= graph->input_count)
		return vrs_fail(err, VRS_EINVAL, "the network has no input %d", index);
	input = &graph->tensors[graph->inputs[index]];
	if (rank != input->rank)
		return vrs_fail(err, VRS_EINVAL, "input %s has %d dimensions, not %d", input->name, input->rank, rank);
	if (!vrs_dims_possible(rank, dims))
		return vrs_fail(err, VRS_ELIMIT, "input %s: a size is negative, or above %lld elements in all", input->name, (long long)VRS_MODEL_MAX_ELEMENTS);
	for (int i = 0; i < rank; i++)
		input->dims[i] = dims[i];
	return VRS_OK;
}

enum vrs_status vrs_graph_set_input(struct vrs_graph *graph, int64_t batch, int64_t height, int64_t width, struct vrs_error *err)
{
	const struct vrs_graph_tensor *first;
	struct vrs_shape old;

	if (graph->input_count < 1)
		return height == 0 && width == 0 ? vrs_graph_infer(graph, err) : vrs_fail(err, VRS_EINVAL, "the network has no input");
	first = &graph->tensors[graph->inputs[0]];
	if (batch < 0 || height < 0 || width < 0 || batch > VRS_MODEL_MAX_DIM || height > VRS_MODEL_MAX_DIM || width > VRS_MODEL_MAX_DIM)
		return vrs_fail(err, VRS_EINVAL, "an input of %lld x %lldx%lld is not possible", (long long)batch, (long long)width, (long long)height);
	if ((height != 0 || width != 0) && first->rank != 4)
		return vrs_fail(err, VRS_EUNSUPPORTED, "the input of the network is not a picture (%d dimensions)", first->rank);
	old = vrs_shape_of(graph, graph->inputs[0]);
	for (int i = 0; i < graph->input_count; i++) {
		struct vrs_graph_tensor *input = &graph->tensors[graph->inputs[i]];

		if (batch != 0 && input->rank > 0)
			input->dims[0] = batch;
		if (i == 0 && height != 0)
			input->dims[graph->nchw ? 2 : 1] = height;
		if (i == 0 && width != 0)
			input->dims[graph->nchw ? 3 : 2] = width;
		if (!vrs_dims_possible(input->rank, input->dims))
			return vrs_fail(err, VRS_ELIMIT, "the input would have more than %lld elements", (long long)VRS_MODEL_MAX_ELEMENTS);
	}
	if (old.rank == 4) {
		follow_picture(graph, &old, height, width);
		follow_inputs(graph, &old, height, width);
	}
	return vrs_graph_infer(graph, err);
}

/* Inputs with a value become constants. */
static enum vrs_status fix_inputs(struct vrs_graph *graph, const void *const *values, struct vrs_error *err)
{
	int kept = 0;

	for (int i = 0; i < graph->input_count; i++) {
		struct vrs_graph_tensor *input = &graph->tensors[graph->inputs[i]];

		if (values[i] == NULL) {
			graph->inputs[kept++] = graph->inputs[i];
			continue;
		}
		input->data_bytes = vrs_tensor_elements(input) * vrs_dtype_size(input->dtype); /* at most 2^34, see vrs_dims_possible */
		input->data = vrs_graph_store(graph, values[i], input->data_bytes);
		if (input->data == NULL)
			return vrs_fail_nomem(err);
	}
	graph->input_count = kept;
	return VRS_OK;
}

enum vrs_status vrs_graph_set_shapes(struct vrs_graph *graph, const struct vrs_shape *shapes, const void *const *values, int count,
				     struct vrs_error *err)
{
	struct vrs_shape old = {0};

	if (count != graph->input_count)
		return vrs_fail(err, VRS_EINVAL, "%d shapes are given, the network has %d inputs", count, (int)graph->input_count);
	if (count > 0)
		old = vrs_shape_of(graph, graph->inputs[0]);
	for (int i = 0; i < count; i++)
		VRS_TRY(vrs_graph_set_dims(graph, i, shapes[i].rank, shapes[i].dims, err));
	if (old.rank == 4)
		follow_picture(graph, &old, shapes[0].dims[graph->nchw ? 2 : 1], shapes[0].dims[graph->nchw ? 3 : 2]);
	return values != NULL ? fix_inputs(graph, values, err) : VRS_OK;
}
