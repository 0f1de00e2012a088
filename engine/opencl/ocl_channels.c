/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_channels.h"

#include <string.h>

#include "base/mem.h"
#include "graph/model_limits.h"
#include "graph/pass_edit.h"

#define UNIT 4 /* channels */

static bool is_odd_concat(const struct vrs_graph *graph, const struct vrs_node *node)
{
	const struct vrs_graph_tensor *y = &graph->tensors[node->out];

	return !node->dead && node->op == VRS_OP_CONCAT && y->rank == 4 && y->dtype == VRS_F32 && node->u.concat.axis == 3 && y->dims[3] % UNIT != 0 &&
	       vrs_tensor_elements(y) > 0 && node->inputs < VRS_NODE_MAX_INPUTS;
}

static bool is_dense_conv(const void *cookie, const struct vrs_graph *graph, int32_t id)
{
	const struct vrs_node *node = &graph->nodes[id];
	const struct vrs_graph_tensor *w = node->op == VRS_OP_CONV ? &graph->tensors[node->in[1]] : NULL;

	(void)cookie;
	return w && node->u.window.groups == 1 && w->data && w->dtype == VRS_F32 && w->rank == 4 && node->scale < 0;
}

/* Weights with channels of zeros, once for all convolutions that share them: [tensor] their filled copy. */
enum { NO_COPY = -1, COPY_COUNTED = -2 };

struct filling {
	struct vrs_graph *graph;
	int32_t *copy_of;
	int32_t concat;
	int64_t channels; /* of its output when it is filled */
};

static bool is_reader(const struct filling *f, int32_t id)
{
	const struct vrs_node *node = &f->graph->nodes[id];

	return !node->dead && node->op == VRS_OP_CONV && node->in[0] == f->graph->nodes[f->concat].out;
}

static bool add_bytes(size_t *total, size_t rows, int64_t channels)
{
	size_t bytes;

	if (!vrs_mul_size(rows, (size_t)channels * sizeof(float), &bytes) || bytes > SIZE_MAX - *total)
		return false;
	*total += bytes;
	return true;
}

static size_t rows_of(const struct vrs_graph *graph, int32_t tensor)
{
	return vrs_tensor_elements(&graph->tensors[tensor]) / (size_t)graph->tensors[tensor].dims[3];
}

/* Is there room for all that the concat needs?  A part of it would leave the graph broken. */
static bool has_room(struct filling *f)
{
	struct vrs_graph *graph = f->graph;
	int32_t out = graph->nodes[f->concat].out, tensors = graph->tensor_count + 1;
	size_t bytes = 0;
	bool fits = add_bytes(&bytes, rows_of(graph, out), f->channels - graph->tensors[out].dims[3]);

	for (int32_t i = 0; i < graph->node_count; i++) {
		int32_t w = graph->nodes[i].in[1];

		if (!is_reader(f, i) || f->copy_of[w] != NO_COPY)
			continue;
		f->copy_of[w] = COPY_COUNTED;
		fits = fits && add_bytes(&bytes, rows_of(graph, w), f->channels);
		tensors++;
	}
	for (int32_t i = 0; i < graph->node_count; i++)
		if (is_reader(f, i) && f->copy_of[graph->nodes[i].in[1]] == COPY_COUNTED)
			f->copy_of[graph->nodes[i].in[1]] = NO_COPY;
	return fits && tensors <= VRS_MODEL_MAX_TENSORS && vrs_graph_has_room(graph, bytes);
}

static enum vrs_status fill_weights(struct filling *f, int32_t conv)
{
	struct vrs_graph *graph = f->graph;
	int32_t w = graph->nodes[conv].in[1];
	const struct vrs_graph_tensor shared = graph->tensors[w];
	size_t from = (size_t)shared.dims[3], to = (size_t)f->channels;
	const int64_t dims[4] = {shared.dims[0], shared.dims[1], shared.dims[2], f->channels};

	if (f->copy_of[w] == NO_COPY) {
		int32_t id = vrs_graph_add_const(graph, "filled weights", VRS_F32, 4, dims, NULL);

		if (id < 0)
			return (enum vrs_status)id;
		float *values = (float *)(uintptr_t)graph->tensors[id].data; /* the graph's own, and new */

		for (size_t r = 0; r < rows_of(graph, w); r++)
			memcpy(values + r * to, (const float *)shared.data + r * from, from * sizeof *values);
		f->copy_of[w] = id;
	}
	graph->nodes[conv].in[1] = f->copy_of[w];
	return VRS_OK;
}

static enum vrs_status fill_concat(struct filling *f)
{
	struct vrs_graph *graph = f->graph;
	struct vrs_node *concat = &graph->nodes[f->concat];
	const struct vrs_graph_tensor *y = &graph->tensors[concat->out];
	const int64_t dims[4] = {y->dims[0], y->dims[1], y->dims[2], f->channels - y->dims[3]};
	int32_t id = vrs_graph_add_const(graph, "filled channels", VRS_F32, 4, dims, NULL);

	if (id < 0)
		return (enum vrs_status)id;
	concat->in[concat->inputs++] = id;
	graph->tensors[concat->out].dims[3] = f->channels;
	for (int32_t i = 0; i < graph->node_count; i++)
		if (is_reader(f, i))
			VRS_TRY(fill_weights(f, i));
	return VRS_OK;
}

enum vrs_status vrs_ocl_fill_channels(struct vrs_graph *graph)
{
	struct filling f = {.graph = graph, .copy_of = vrs_realloc_array(NULL, (size_t)graph->tensor_count + 1, sizeof *f.copy_of)};
	enum vrs_status status = f.copy_of != NULL ? VRS_OK : VRS_ENOMEM;

	for (int32_t i = 0; i < graph->tensor_count && status == VRS_OK; i++)
		f.copy_of[i] = NO_COPY;
	for (f.concat = 0; f.concat < graph->node_count && status == VRS_OK; f.concat++) {
		const struct vrs_node *node = &graph->nodes[f.concat];

		if (!is_odd_concat(graph, node) || !vrs_is_read_first_by(graph, node->out, is_dense_conv, NULL))
			continue;
		f.channels = (graph->tensors[node->out].dims[3] + UNIT - 1) / UNIT * UNIT;
		if (has_room(&f))
			status = fill_concat(&f);
	}
	vrs_free(f.copy_of);
	return status;
}
