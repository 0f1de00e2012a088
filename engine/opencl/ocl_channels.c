/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_channels.h"

#include <string.h>

#include "base/mem.h"
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

/* A constant of floats, which takes them over; its id, or a negative status. */
static int32_t add_floats(struct vrs_graph *graph, const char *name, const int64_t dims[4], float *values)
{
	int32_t id = values ? vrs_graph_add_const(graph, name, VRS_F32, 4, dims, values) : VRS_ENOMEM;

	vrs_free(values);
	return id;
}

static enum vrs_status fill_weights(struct vrs_graph *graph, int32_t conv, int64_t channels)
{
	const struct vrs_graph_tensor *w = &graph->tensors[graph->nodes[conv].in[1]];
	size_t from = (size_t)w->dims[3], to = (size_t)channels, rows = vrs_tensor_elements(w) / from, elements;
	const int64_t dims[4] = {w->dims[0], w->dims[1], w->dims[2], channels};
	float *values = vrs_mul_size(rows, to, &elements) ? vrs_calloc(elements, sizeof *values) : NULL;

	for (size_t r = 0; values && r < rows; r++)
		memcpy(values + r * to, (const float *)w->data + r * from, from * sizeof *values);
	int32_t id = add_floats(graph, "filled weights", dims, values);

	if (id < 0)
		return (enum vrs_status)id;
	graph->nodes[conv].in[1] = id;
	return VRS_OK;
}

static enum vrs_status fill_concat(struct vrs_graph *graph, int32_t concat)
{
	int32_t out = graph->nodes[concat].out;
	const struct vrs_graph_tensor *y = &graph->tensors[out];
	int64_t channels = (y->dims[3] + UNIT - 1) / UNIT * UNIT;
	const int64_t dims[4] = {y->dims[0], y->dims[1], y->dims[2], channels - y->dims[3]};
	size_t zeros = vrs_tensor_elements(y) / (size_t)y->dims[3] * (size_t)dims[3];
	int32_t id = add_floats(graph, "filled channels", dims, vrs_calloc(zeros, sizeof(float)));

	if (id < 0)
		return (enum vrs_status)id;
	graph->nodes[concat].in[graph->nodes[concat].inputs++] = id;
	graph->tensors[out].dims[3] = channels;
	for (int32_t i = 0; i < graph->node_count; i++)
		if (!graph->nodes[i].dead && graph->nodes[i].op == VRS_OP_CONV && graph->nodes[i].in[0] == out)
			VRS_TRY(fill_weights(graph, i, channels));
	return VRS_OK;
}

enum vrs_status vrs_ocl_fill_channels(struct vrs_graph *graph)
{
	for (int32_t i = 0; i < graph->node_count; i++)
		if (is_odd_concat(graph, &graph->nodes[i]) && vrs_is_read_first_by(graph, graph->nodes[i].out, is_dense_conv, NULL))
			VRS_TRY(fill_concat(graph, i));
	return VRS_OK;
}
